package keys

import (
	"cmp"
	"math"
	"reflect"

	"github.com/bloomgml/bloom/part"
)

// Object is a JSON object.
type Object = map[string]any

// Schema returns the JSON Schema (draft 2020-12) of a struct. Decode accepts what it accepts, except for values that
// depend on each other, such as the keys of a part on its name.
func (c *Codec) Schema(t reflect.Type) Object {
	properties := Object{}
	for _, f := range Fields(t) {
		properties[f.Key] = c.fieldSchema(f)
	}
	return closed(properties)
}

// fieldSchema returns the schema of a field, with its description.
func (c *Codec) fieldSchema(f Field) Object {
	doc, t := f.Doc, f.Type
	var s Object
	switch table, isPart := c.table(t); {
	case isPart:
		s, doc = c.partSchema(table), cmp.Or(doc, table.Doc)
	case t.Kind() == reflect.Slice:
		table, _ := c.table(t.Elem())
		one := c.partSchema(table)
		s = Object{"anyOf": []any{one, Object{"type": "array", "items": one}}}
	case t.Kind() == reflect.Pointer:
		s = c.Schema(t.Elem())
	case isNumbers(t):
		s = c.numbersSchema(f)
	case t.Kind() == reflect.Struct:
		s = c.Schema(t)
	default:
		s = c.valueSchema(f)
	}
	s["description"] = doc
	return s
}

// closed returns the schema of a mapping with these keys and no others.
func closed(properties Object) Object {
	return Object{"type": "object", "properties": properties, "additionalProperties": false}
}

// valueSchema returns the schema of one value.
func (c *Codec) valueSchema(f Field) Object {
	switch c.kindOf(f) {
	case Text:
		if len(f.Words) > 0 {
			return Object{"enum": words(f)}
		}
		return Object{"type": "string"}
	case Flag:
		return Object{"type": "boolean"}
	case Time:
		return Object{"type": "string", "pattern": durationPattern}
	}
	s := Object{"type": "number"}
	if c.kindOf(f) == Whole {
		s["type"] = "integer"
	}
	bound(s, "minimum", "exclusiveMinimum", f.Within.Lo, f.Within.LoOpen)
	bound(s, "maximum", "exclusiveMaximum", f.Within.Hi, f.Within.HiOpen)
	return s
}

// bound adds one end of an interval.
func bound(s Object, closed, open string, end float64, isOpen bool) {
	switch {
	case math.IsInf(end, 0):
	case isOpen:
		s[open] = end
	default:
		s[closed] = end
	}
}

// partSchema returns the schema of a part: words, numbers and mappings.
func (c *Codec) partSchema(t part.Table) Object {
	var ways []any
	var names []string
	properties := Object{}
	if t.Key != "" {
		properties[t.Key] = Object{"enum": t.Names(), "description": t.Doc}
	}
	for _, p := range t.Parts {
		switch {
		case p.Name == "":
			ways = append(ways, c.ownSchema(p))
		case t.Key == "" && c.needs(p):
			properties[p.Name] = c.ownSchema(p)
			names = append(names, p.Name)
		default:
			names = append(names, p.Name)
		}
		if t.Key != "" || c.needs(p) {
			c.besides(p, func(f Field) {
				if properties[f.Key] == nil {
					properties[f.Key] = c.fieldSchema(f)
				}
			})
		}
	}
	if t.Key != "" {
		return closed(properties)
	}
	if len(names) > 0 {
		ways = append(ways, Object{"enum": names})
	}
	if len(properties) > 0 {
		ways = append(ways, closed(properties))
	}
	if len(ways) == 1 {
		return ways[0].(Object)
	}
	return Object{"anyOf": ways}
}

// ownSchema returns the schema of the value at the name of a part.
func (c *Codec) ownSchema(p part.Part[any]) Object {
	own := c.own(p)
	if n := len(own); n > 1 {
		return Object{"type": "array", "items": c.valueSchema(own[0]), "minItems": n, "maxItems": n,
			"description": p.Text}
	}
	return c.fieldSchema(own[0])
}
