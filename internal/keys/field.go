package keys

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Field is a key: a field of a struct with the tag key. The other tags are
//
//	doc    what it is, for people; fields of other parts with the same key need none
//	range  the interval of a number, as [0,1) or (0,∞)
//	oneof  the words that a text can be; of an integer, in the order of its values, - for one without a word
//	omit   the key is left out of files where the value is zero
//	unless the part does not have the key where the value of New is zero
//	or     zero stands for the value of New
//
// A field of a part without a tag key, if it is exported, always has its value in New.
type Field struct {
	reflect.StructField
	Key    string
	Doc    string
	Within Interval
	Words  []string
}

// Choice is a type of text that is one of several words, such as the names of a table. Its fields have no tag oneof.
type Choice interface {
	Words() []string // the first is the default
	Doc() string     // what they are, after the doc of a field
}

// Values of the tag key that are not names of keys.
const (
	Own    = "{name}"   // the name of the part is the key, as in {ball: 2}; of two fields a list, as in {box: [0, 1]}
	Inline = "{inline}" // a part whose keys are keys of this one; it has the type that it has in New
	Made   = "-"        // not a key: Make computes it from others
)

// Is reports whether the field has a tag without a value.
func (f Field) Is(tag string) bool { _, ok := f.Tag.Lookup(tag); return ok }

// known caches the fields of types.
var known sync.Map

// Fields returns the keys of a struct in its order. The caller must not change them.
func Fields(t reflect.Type) []Field {
	if fields, ok := known.Load(t); ok {
		return fields.([]Field)
	}
	var fields []Field
	for _, s := range reflect.VisibleFields(t) {
		if key, ok := s.Tag.Lookup("key"); ok && key != Made {
			f := Field{StructField: s, Key: key, Doc: s.Tag.Get("doc"),
				Within: parseInterval(s.Tag.Get("range")), Words: strings.Fields(s.Tag.Get("oneof"))}
			if c, ok := reflect.Zero(s.Type).Interface().(Choice); ok {
				f.Words, f.Doc = c.Words(), f.Doc+": "+c.Doc()
			}
			fields = append(fields, f)
		}
	}
	known.Store(t, fields)
	return fields
}

// Keys returns the fields of a part, a struct or a number, in the order of files: the value of its name first, then
// plain values, and last parts, which isPart recognises, with what stands inside them. A part that is a number is its
// own value, above 0.
func Keys(x any, isPart func(reflect.Type) bool) []Field {
	v := reflect.ValueOf(x)
	switch {
	case !v.IsValid():
		return nil
	case v.Kind() != reflect.Struct:
		return []Field{{StructField: reflect.StructField{Type: v.Type()}, Key: Own, Within: parseInterval("(0,∞)")}}
	}
	fields := slices.DeleteFunc(slices.Clone(Fields(v.Type())), func(f Field) bool {
		return f.Is("unless") && v.FieldByIndex(f.Index).IsZero()
	})
	slices.SortStableFunc(fields, func(a, b Field) int { return place(a, isPart) - place(b, isPart) })
	return fields
}

func place(f Field, isPart func(reflect.Type) bool) int {
	switch {
	case f.Key == Own:
		return 0
	case isPart(f.Type):
		return 2
	}
	return 1
}
