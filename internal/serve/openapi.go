package serve

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
)

// openAPI handles GET /v1/openapi.json: the routes as OpenAPI 3.1 describes them, with the types of bodies and
// answers.
func (s *Server) openAPI(*http.Request) (any, error) {
	paths := map[string]map[string]any{}
	for _, r := range s.routes() {
		method, path, _ := strings.Cut(r.pattern, " ")
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path][strings.ToLower(method)] = r.describe(path)
	}
	return map[string]any{"openapi": "3.1.0", "info": map[string]any{"title": "bloom serve", "version": build()},
		"paths": paths, "components": map[string]any{"securitySchemes": map[string]any{
			"token": map[string]any{"type": "http", "scheme": "bearer"}}}}, nil
}

// describe returns the operation of a route.
func (r route) describe(path string) map[string]any {
	in := func(name, where string, needed bool) map[string]any {
		return map[string]any{"name": name, "in": where, "required": needed, "schema": map[string]any{"type": "string"}}
	}
	parameters := []any{}
	for part := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			parameters = append(parameters, in(strings.TrimSuffix(name, "}"), "path", true))
		}
	}
	if strings.HasPrefix(path, "/v1/") && r.needs > nobody {
		parameters = append(parameters, in("model", "query", false))
	}
	if r.query != "" {
		parameters = append(parameters, in(r.query, "query", true))
	}
	body := func(x any) map[string]any {
		return map[string]any{"application/json": map[string]any{"schema": schema(reflect.TypeOf(x))}}
	}
	failed := map[string]any{"description": "why not", "content": body(struct {
		Error string `json:"error"`
	}{})}
	out := map[string]any{"summary": r.text, "parameters": parameters, "responses": map[string]any{
		"200": map[string]any{"description": "the answer", "content": body(r.gives)}, "default": failed}}
	if r.takes != nil {
		out["requestBody"] = map[string]any{"required": true, "content": body(r.takes)}
	}
	if r.needs > nobody {
		out["security"] = []any{map[string]any{"token": []any{}}, map[string]any{}}
	}
	return out
}

// schema returns the JSON Schema of what a type becomes as JSON. Keys that may be missing are those with omitempty.
func schema(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		s := schema(t.Elem())
		if kind, ok := s["type"].(string); ok {
			s["type"] = []string{kind, "null"}
		}
		return s
	case reflect.Slice, reflect.Array:
		if t == reflect.TypeFor[json.RawMessage]() {
			return map[string]any{}
		}
		return map[string]any{"type": []string{"array", "null"}, "items": schema(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": []string{"object", "null"}, "additionalProperties": schema(t.Elem())}
	case reflect.Struct:
		return object(t)
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer"}
	}
	return map[string]any{}
}

func object(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || !f.IsExported() || shadowed(t, f) {
			continue
		}
		properties[name] = schema(f.Type)
		if !strings.Contains(rest, "omit") {
			required = append(required, name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required,
		"additionalProperties": false}
}

// shadowed reports whether a field of an embedded struct gives way to one that is less deep, as in encoding/json.
func shadowed(t reflect.Type, f reflect.StructField) bool {
	for _, g := range reflect.VisibleFields(t) {
		if len(g.Index) < len(f.Index) && jsonName(g) == jsonName(f) {
			return true
		}
	}
	return false
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
