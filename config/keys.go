package config

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/bloomgml/bloom/recipe"
)

// Key is a key, for help, schemas and the documentation.
type Key struct {
	Path  string   // as train.epochs; what stands inside lists has no number: energy.f.lambda
	Doc   string   // what it is, and the words it takes
	Kind  Kind     // what it takes
	Range string   // the interval of a number, in words; empty where every number will do
	Words []string // the words it takes; empty where it takes others too
}

// Kind is what a key takes.
type Kind string

// The kinds.
const (
	Section Kind = "section" // other keys
	Text    Kind = "text"
	Whole   Kind = "whole number"
	Number  Kind = "number"
	Flag    Kind = "true or false"
	Part    Kind = "part" // of an energy: a word, a number or a mapping
)

// Keys are all keys in the order of files, each after the one it stands in.
func Keys() []Key { return slices.Clone(keys()) }

var keys = sync.OnceValue(func() []Key { return keysOf(reflect.TypeFor[Config](), "") })

// keysOf are the keys of a struct.
func keysOf(t reflect.Type, prefix string) []Key {
	var keys []Key
	for _, f := range fieldsOf(t) {
		k := Key{Path: prefix + f.key, Doc: f.doc, Kind: f.kind, Range: f.within.String(), Words: f.words}
		keys = append(keys, k)
		switch {
		case f.isEnergy():
			keys = append(keys, energyKeys(k.Path+".")...)
		case f.kind == Section:
			keys = append(keys, keysOf(f.Type, k.Path+".")...)
		}
	}
	return keys
}

// energyKeys are the keys of an energy.
func energyKeys(prefix string) []Key {
	var keys []Key
	for _, k := range recipe.Keys() {
		key := Key{Path: prefix + k.Path, Doc: k.Doc, Kind: Part}
		switch {
		case k.Path == "steps":
			key.Kind = Whole
		case k.Number && k.Words == nil:
			key.Kind = Number
		case k.Words != nil && !k.Number:
			key.Words = k.Words
			if k.Path != "eta" { // which takes mappings too
				key.Kind = Text
				key.Doc += " (" + strings.Join(k.Words, ", ") + ")"
			}
		case k.Path == "name" || k.Path == "summary" || k.Path == "source":
			key.Kind = Text
		}
		keys = append(keys, key)
	}
	return keys
}

// field is a field of one of the structs with what its tags say.
type field struct {
	reflect.StructField
	key, doc string
	kind     Kind
	within   interval
	words    []string
	families []string // that have the key; none for all
}

// isEnergy reports whether the field is the energy, which package recipe reads.
func (f field) isEnergy() bool { return f.Type == reflect.TypeFor[*recipe.Recipe]() }

// fieldsOf are the fields of a struct.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		s := t.Field(i)
		f := field{StructField: s, key: s.Tag.Get("key"), doc: s.Tag.Get("doc"), within: parseInterval(s.Tag.Get("range")),
			words: strings.Fields(s.Tag.Get("oneof")), families: familiesOf(s.Tag.Get("for"))}
		switch s.Type.Kind() {
		case reflect.String:
			f.kind = Text
		case reflect.Int, reflect.Uint64:
			f.kind = Whole
		case reflect.Float64:
			f.kind = Number
		case reflect.Bool:
			f.kind = Flag
		default:
			f.kind = Section
		}
		fields = append(fields, f)
	}
	return fields
}
