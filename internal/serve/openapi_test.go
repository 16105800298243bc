package serve

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

// conform checks a value against a JSON Schema: types, properties, required and additional ones, items, enum, least
// number of items, and references into the document.
func conform(document, schema map[string]any, value any, at string) error {
	if ref, ok := schema["$ref"].(string); ok {
		if schema = dig(document, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...); schema == nil {
			return fmt.Errorf("%s: no %s", at, ref)
		}
	}
	if kind, ok := schema["type"]; ok && !isKind(kind, value) {
		return fmt.Errorf("%s: %v is not of type %v", at, value, kind)
	}
	if list, ok := schema["enum"].([]any); ok && !slices.Contains(list, value) {
		return fmt.Errorf("%s: %v is none of %v", at, value, list)
	}
	switch x := value.(type) {
	case map[string]any:
		return conformObject(document, schema, x, at)
	case []any:
		if least, ok := schema["minItems"].(float64); ok && len(x) < int(least) {
			return fmt.Errorf("%s: %d items", at, len(x))
		}
		items, _ := schema["items"].(map[string]any)
		for i, v := range x {
			if err := conform(document, items, v, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func conformObject(document, schema, x map[string]any, at string) error {
	properties, _ := schema["properties"].(map[string]any)
	needed, _ := schema["required"].([]any)
	for _, name := range needed {
		if _, ok := x[name.(string)]; !ok {
			return fmt.Errorf("%s: %s is missing", at, name)
		}
	}
	for name, v := range x {
		of, ok := properties[name].(map[string]any)
		if more, is := schema["additionalProperties"].(map[string]any); !ok && is {
			of, ok = more, true
		}
		if !ok && schema["additionalProperties"] == false {
			return fmt.Errorf("%s: %s is not described", at, name)
		}
		if err := conform(document, of, v, at+"."+name); err != nil {
			return err
		}
	}
	return nil
}

func isKind(kind, value any) bool {
	if list, ok := kind.([]any); ok {
		return slices.ContainsFunc(list, func(k any) bool { return isKind(k, value) })
	}
	number, isNumber := value.(float64)
	switch kind {
	case "null":
		return value == nil
	case "integer":
		return isNumber && number == float64(int64(number))
	}
	is := map[string]bool{"number": isNumber}
	switch value.(type) {
	case string:
		is["string"] = true
	case bool:
		is["boolean"] = true
	case map[string]any:
		is["object"] = true
	case []any:
		is["array"] = true
	}
	return is[kind.(string)]
}

// requests are one good request for every route, in this order.
var requests = []struct{ route, path, body string }{
	{"GET /v2", "/v2", ""}, {"GET /v2/health/live", "/v2/health/live", ""},
	{"GET /v2/health/ready", "/v2/health/ready", ""}, {"GET /v2/models/{model}", "/v2/models/small", ""},
	{"GET /v2/models/{model}/ready", "/v2/models/small/ready", ""},
	{"POST /v2/models/{model}/infer", "/v2/models/small/infer",
		`{"id":"q","inputs":[{"name":"id","shape":[2],"datatype":"BYTES","data":["n1","n2"]}]}`},
	{"GET /v1/openapi.json", "/v1/openapi.json", ""}, {"GET /v1/models", "/v1/models", ""},
	{"GET /v1/graph", "/v1/graph", ""},
	{"POST /v1/graph", "/v1/graph", `{"edits":[{"add_edge":["n1","n2"]},{"remove_node":"n9"}],"nodes":["n1"]}`},
	{"POST /v1/what-if", "/v1/what-if", `{"edits":[{"remove_node":"n8"}],"nodes":["n1"]}`},
	{"GET /v1/nodes/{id}", "/v1/nodes/n1", ""}, {"GET /v1/search", "/v1/search?q=1", ""},
	{"GET /v1/features", "/v1/features?node=n1", ""}, {"GET /v1/explain", "/v1/explain?node=n1", ""},
	{"GET /v1/influence", "/v1/influence?node=n1", ""},
	{"POST /v1/explain", "/v1/explain", `{"node":"n1","edits":[{"remove_node":"n8"}]}`},
	{"GET /v1/health", "/v1/health", ""}, {"POST /v1/undo", "/v1/undo", `{}`}, {"POST /v1/reload", "/v1/reload", `{}`},
	{"GET /v1/audit", "/v1/audit", ""}, {"POST /v1/audit", "/v1/audit", `{}`},
}

// TestOpenAPI: every route is described, and really answers what its description says.
func TestOpenAPI(t *testing.T) {
	r := serving(t, Options{}, trained(t, "base"))
	var document map[string]any
	r.ask("/v1/openapi.json", "", 200, &document)
	seen := map[string]bool{"POST /v1/events": true} // TestLearnEvents asks a run that learns
	for _, q := range requests {
		seen[q.route] = true
		var answer any
		r.ask(q.path, q.body, 200, &answer)
		method, path, _ := strings.Cut(q.route, " ")
		schema := dig(document, "paths", path, strings.ToLower(method), "responses", "200", "content",
			"application/json", "schema")
		if schema == nil {
			t.Errorf("%s is not described", q.route)
		} else if err := conform(document, schema, answer, q.route); err != nil {
			t.Error(err)
		}
		if q.body != "" {
			var body any
			if err := json.Unmarshal([]byte(q.body), &body); err != nil {
				t.Fatal(err)
			}
			schema := dig(document, "paths", path, "post", "requestBody", "content", "application/json", "schema")
			if err := conform(document, schema, body, q.route+" body"); err != nil {
				t.Error(err)
			}
		}
	}
	for _, route := range r.s.routes() {
		if !seen[route.pattern] {
			t.Errorf("no request for %s", route.pattern)
		}
	}
	var failed any
	r.ask("/v1/nodes/nobody", "", 404, &failed)
	schema := dig(document, "paths", "/v1/nodes/{id}", "get", "responses", "default", "content", "application/json",
		"schema")
	if err := conform(document, schema, failed, "an error"); err != nil {
		t.Error(err)
	}
}

func dig(x map[string]any, keys ...string) map[string]any {
	for _, k := range keys {
		x, _ = x[k].(map[string]any)
	}
	return x
}

// TestSchema: answers are what the Open Inference Protocol asks for (testdata/open-inference.json has its objects as a
// JSON Schema).
func TestSchema(t *testing.T) {
	text, err := os.ReadFile("testdata/open-inference.json")
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	r := serving(t, Options{}, trained(t, "base"))
	for path, object := range map[string]string{"/v2": "metadata_server_response",
		"/v2/models/small": "metadata_model_response", "/v2/models/small/ready": "ready_model_response",
		"/v2/health/live": "live_server_response", "/v2/health/ready": "ready_server_response"} {
		var answer any
		r.ask(path, "", 200, &answer)
		if err := conform(document, dig(document, "$defs", object), answer, path); err != nil {
			t.Error(err)
		}
	}
	post := func(body string) (int, any) {
		resp, err := http.Post(r.URL+"/v2/models/small/infer", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		var answer any
		if err := json.Unmarshal(text, &answer); err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, answer
	}
	code, answer := post(`{"id":"q","parameters":{"other":true},"inputs":[{"name":"id","shape":[1],"datatype":"BYTES",` +
		`"parameters":{"content_type":"str"},"data":["n1"]}],"outputs":[{"name":"class","parameters":{"x":1}}]}`)
	if err := conform(document, dig(document, "$defs", "inference_response"), answer, "infer"); code != 200 ||
		err != nil {
		t.Errorf("%d %v", code, err)
	}
	code, answer = post(`{"inputs":[]}`)
	if err := conform(document, dig(document, "$defs", "inference_error_response"), answer, "error"); code != 400 ||
		err != nil {
		t.Errorf("%d %v", code, err)
	}
}
