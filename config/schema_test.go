package config

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// valid is JSON Schema as far as Schema uses it; an unknown word in a schema fails the test.
func valid(t *testing.T, s map[string]any, v any) bool {
	ok := true
	for word, arg := range s {
		x, isNumber := v.(float64)
		switch word {
		case "$schema", "title", "description":
		case "additionalProperties":
			if each, isSchema := arg.(map[string]any); isSchema {
				m, _ := v.(map[string]any)
				for _, value := range m {
					ok = ok && valid(t, each, value)
				}
			}
		case "type":
			kinds := map[string]bool{"number": isNumber, "integer": isNumber && x == math.Trunc(x)}
			_, kinds["string"] = v.(string)
			_, kinds["boolean"] = v.(bool)
			_, kinds["object"] = v.(map[string]any)
			_, kinds["array"] = v.([]any)
			ok = ok && kinds[arg.(string)]
		case "enum":
			ok = ok && slices.Contains(arg.([]any), v)
		case "minimum":
			ok = ok && isNumber && x >= arg.(float64)
		case "exclusiveMinimum":
			ok = ok && isNumber && x > arg.(float64)
		case "maximum":
			ok = ok && isNumber && x <= arg.(float64)
		case "exclusiveMaximum":
			ok = ok && isNumber && x < arg.(float64)
		case "pattern":
			text, _ := v.(string)
			ok = ok && regexp.MustCompile(arg.(string)).MatchString(text)
		case "minItems", "maxItems":
			l, _ := v.([]any)
			ok = ok && len(l) == 2
		case "anyOf":
			ok = ok && slices.ContainsFunc(arg.([]any), func(s any) bool { return valid(t, s.(map[string]any), v) })
		case "items":
			list, _ := v.([]any)
			for _, e := range list {
				ok = ok && valid(t, arg.(map[string]any), e)
			}
		case "properties":
			m, _ := v.(map[string]any)
			for key, value := range m {
				p, known := arg.(map[string]any)[key]
				ok = ok && known && valid(t, p.(map[string]any), value)
			}
		default:
			t.Fatalf("the schema says %q", word)
		}
	}
	return ok
}

// decoded is YAML as JSON has it.
func decoded(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestSchema: every configuration that is written satisfies the schema, files with a mistake do not.
func TestSchema(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	for _, name := range Names() {
		c, err := Default(name, "cora")
		if err != nil {
			t.Fatal(err)
		}
		if !valid(t, schema, decoded(t, c.YAML())) {
			t.Errorf("%s does not satisfy the schema:\n%s", name, c.YAML())
		}
	}
	for text, want := range map[string]bool{
		"train: {epochs: 3}":                         true,
		"energy: {eta: {ball: 1}, steps: 3}":         true,
		"energy: {f: {term: laplace, lambda: 2}}":    true,
		"energy: {descent: {gamma: {forced: 2}}}":    true,
		"train: {epochz: 3}":                         false,
		"train: {epochs: 1.5}":                       false,
		"train: {checkpoint: 1m30s}":                 true,
		"train: {checkpoint: 10}":                    false,
		"train: {checkpoint: -1s}":                   false,
		"train: {rate: 0}":                           false,
		"model: {dropout: 1}":                        false,
		"model: {norm: left}":                        false,
		"model: {residual: 1}":                       false,
		"recipe: robst":                              false,
		"energy: {f: [{term: laplas}]}":              false,
		"energy: {eta: ball}":                        true,
		"energy: {descent: {gamma: quick}}":          false,
		"energy: {kappa: {anchor: huber, lamda: 1}}": false,
	} {
		if got := valid(t, schema, decoded(t, []byte(text))); got != want {
			t.Errorf("%s: %v", text, got)
		}
		if _, err := Load(Options{File: "x", Text: []byte(text)}); (err == nil) != want {
			t.Errorf("%s: the schema says %v, Load %v", text, want, err)
		}
	}
}

// TestKeys: every key has a description that is no sentence of its own, and its parent stands before it.
func TestKeys(t *testing.T) {
	seen := map[string]bool{"": true}
	for _, k := range Keys() {
		parent := k.Path[:max(0, strings.LastIndex(k.Path, "."))]
		if k.Doc == "" || k.Kind == "" || seen[k.Path] || !seen[parent] || strings.HasSuffix(k.Doc, ".") {
			t.Errorf("%+v", k)
		}
		seen[k.Path] = true
	}
}
