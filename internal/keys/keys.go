package keys

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/part"
)

// Key is a key, for help, schemas and the documentation.
type Key struct {
	Path  string   // such as train.epochs; elements of lists have no index: energy.f.lambda
	Doc   string   // what it is, and the words it takes
	Kind  Kind     // what it takes
	Range string   // the interval of a number, in words; empty if any number is valid
	Words []string // the words it takes; a part may take numbers and mappings too
}

// Keys returns the keys of a struct in the order of files, each after the key that contains it. Which of the keys below
// a part exist depends on the part.
func (c *Codec) Keys(t reflect.Type, prefix string) []Key {
	var keys []Key
	for _, f := range Fields(t) {
		keys = append(keys, c.below(f, prefix+f.Key)...)
	}
	return keys
}

// below returns the key of a field, and the keys inside it.
func (c *Codec) below(f Field, path string) []Key {
	k := Key{Path: path, Doc: f.Doc, Kind: c.kindOf(f), Range: f.Within.String(), Words: words(f)}
	t := f.Type
	switch k.Kind {
	case Section:
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		return append([]Key{k}, c.Keys(t, path+".")...)
	case Part:
		if isNumbers(t) {
			return []Key{k}
		}
		if t.Kind() == reflect.Slice {
			table, _ := c.table(t.Elem())
			return append([]Key{k}, c.partsBelow(table, path)...)
		}
		table, _ := c.table(t)
		return c.one(k, table)
	}
	return []Key{k}
}

// one returns the key of one part, and the keys inside it.
func (c *Codec) one(k Key, t part.Table) []Key {
	k.Doc = cmp.Or(k.Doc, t.Doc)
	if t.Key != "" {
		return append([]Key{k}, c.partsBelow(t, k.Path)...)
	}
	for _, p := range t.Parts {
		if p.Name != "" {
			k.Words = append(k.Words, p.Name)
		}
	}
	if !slices.ContainsFunc(t.Parts, c.needs) {
		k.Kind = Text
		k.Doc += " (" + strings.Join(k.Words, ", ") + ")"
		return []Key{k}
	}
	k.Doc += ": " + c.forms(t)
	return append([]Key{k}, c.partsBelow(t, k.Path)...)
}

// partsBelow returns the keys of the parts of a table, at path: first the key that says which part it is.
func (c *Codec) partsBelow(t part.Table, path string) []Key {
	var keys []Key
	if t.Key != "" {
		doc := t.Doc + " (" + strings.Join(t.Names(), ", ") + ")"
		keys = append(keys, Key{Path: path + "." + t.Key, Doc: doc, Kind: Text, Words: t.Names()})
	}
	for _, p := range t.Parts {
		if t.Key == "" && c.needs(p) && p.Name != "" {
			keys = append(keys, c.ownKey(p, path+"."+p.Name))
		}
	}
	for _, p := range t.Parts {
		c.besides(p, func(f Field) { keys = append(keys, c.below(f, path+"."+f.Key)...) })
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(keys, func(k Key) bool {
		was := seen[k.Path]
		seen[k.Path] = true
		return was
	})
}

// ownKey returns the key that is the name of a part.
func (c *Codec) ownKey(p part.Part[any], path string) Key {
	own := c.own(p)
	k := c.below(own[0], path)[0]
	if len(own) > 1 {
		k.Kind = Part // a list
	}
	return k
}
