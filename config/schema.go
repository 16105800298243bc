package config

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
)

// object is a JSON object.
type object = map[string]any

// Schema is the JSON Schema of configuration files (draft 2020-12), for editors. It is made from the keys: what it
// accepts, Load accepts too but for values that depend on each other, such as the keys of an edge term on the term.
func Schema() []byte {
	root := structSchema(reflect.TypeFor[Config]())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "bloom"
	root["description"] = "A training run of bloom."
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic("config: " + err.Error()) // texts and numbers can be written
	}
	return append(text, '\n')
}

// structSchema is the schema of a struct.
func structSchema(t reflect.Type) object {
	properties := object{}
	for _, f := range fieldsOf(t) {
		var s object
		switch {
		case f.key == "recipe":
			s = object{"enum": Names()}
		case f.isEnergy():
			s = energySchema()
		case f.kind == Section:
			s = structSchema(f.Type)
		default:
			s = valueSchema(f)
		}
		s["description"] = f.doc
		properties[f.key] = s
	}
	return closed(properties)
}

// closed is a mapping with these keys and no others.
func closed(properties object) object {
	return object{"type": "object", "properties": properties, "additionalProperties": false}
}

// valueSchema is the schema of one value.
func valueSchema(f field) object {
	switch {
	case len(f.words) > 0:
		return object{"enum": f.words}
	case f.kind == Text:
		return object{"type": "string"}
	case f.kind == Flag:
		return object{"type": "boolean"}
	}
	s := object{"type": "number"}
	if f.kind == Whole {
		s["type"] = "integer"
	}
	bound(s, "minimum", "exclusiveMinimum", f.within.lo, f.within.loOpen)
	bound(s, "maximum", "exclusiveMaximum", f.within.hi, f.within.hiOpen)
	return s
}

// bound adds one end of an interval.
func bound(s object, closed, open string, end float64, isOpen bool) {
	switch {
	case math.IsInf(end, 0):
	case isOpen:
		s[open] = end
	default:
		s[closed] = end
	}
}

// energySchema is the schema of an energy.
func energySchema() object {
	number := object{"type": "number"}
	eta := object{"anyOf": []any{object{"enum": wordsOf("energy.eta")},
		closed(object{"ball": number, "l1": number, "box": object{"type": "array", "items": number, "minItems": 2, "maxItems": 2}})}}
	gamma := object{"anyOf": []any{number, object{"enum": []string{"safe", "backtracking"}}, closed(object{"forced": number})}}
	descent := partSchema("energy.descent")
	with(descent, "gamma", gamma)
	kappa := object{"anyOf": []any{partSchema("energy.kappa"), object{"enum": []string{"path"}}}}
	root := partSchema("energy")
	with(root, "f", oneOrMore(partSchema("energy.f")))
	with(root, "kappa", oneOrMore(kappa))
	with(root, "eta", eta)
	with(root, "descent", descent)
	return root
}

// with replaces the schema of a key and keeps its description.
func with(s object, key string, now object) {
	properties := s["properties"].(object)
	now["description"] = properties[key].(object)["description"]
	properties[key] = now
}

// oneOrMore is a value or a list of such values.
func oneOrMore(s object) object {
	return object{"anyOf": []any{s, object{"type": "array", "items": s}}}
}

// partSchema is the mapping of the keys directly below a path.
func partSchema(path string) object {
	properties := object{}
	for _, k := range keys() {
		name, ok := strings.CutPrefix(k.Path, path+".")
		if !ok || strings.Contains(name, ".") {
			continue
		}
		s := object{"description": k.Doc}
		switch {
		case len(k.Words) > 0:
			s["enum"] = k.Words
		case k.Kind == Text:
			s["type"] = "string"
		case k.Kind == Whole:
			s["type"] = "integer"
		case k.Kind == Number:
			s["type"] = "number"
		}
		properties[name] = s
	}
	return closed(properties)
}

// wordsOf are the words that a key takes.
func wordsOf(path string) []string {
	i := slices.IndexFunc(keys(), func(k Key) bool { return k.Path == path })
	return keys()[i].Words
}
