package keys

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/part"
)

// isNumbers reports whether a field is a word or numbers by name.
func isNumbers(t reflect.Type) bool { return t == reflect.TypeFor[part.Numbers]() }

func (d *Decoder) numbers(n *yaml.Node, v reflect.Value, f Field, path string) {
	if n.Kind != yaml.MappingNode {
		f.Type = reflect.TypeFor[string]()
		word := reflect.New(f.Type).Elem()
		d.scalar(n, word, f, path)
		v.Set(reflect.ValueOf(part.Numbers{Word: word.String()}))
		return
	}
	by := map[string]float64{}
	one := Field{StructField: reflect.StructField{Type: reflect.TypeFor[float64]()}, Within: f.Within}
	for key, value := range d.mapping(n) {
		if value.Tag == "!!null" && strings.Contains(key, ":") {
			d.fail(value, "%s has the name %q without a number; a space is missing after the colon", path, key)
		}
		x := reflect.New(one.Type).Elem()
		d.scalar(follow(value), x, one, path+"."+key)
		by[key] = x.Float()
	}
	if len(by) == 0 {
		d.fail(n, "%s is an empty mapping, want %s or numbers by name", path, Either(words(f)))
	}
	v.Set(reflect.ValueOf(part.Numbers{By: by}))
}

// encodeNumbers encodes a part.Numbers as a node, its names in order.
func encodeNumbers(x part.Numbers) *yaml.Node {
	if x.By == nil {
		return Scalar(x.Word)
	}
	m := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for _, name := range slices.Sorted(maps.Keys(x.By)) {
		m.Content = append(m.Content, Scalar(name), value(reflect.ValueOf(x.By[name]), Field{}))
	}
	return m
}

func (c *Codec) numbersSchema(f Field) Object {
	one := Field{StructField: reflect.StructField{Type: reflect.TypeFor[float64]()}, Within: f.Within}
	return Object{"anyOf": []any{Object{"enum": words(f)},
		Object{"type": "object", "additionalProperties": c.valueSchema(one)}}}
}
