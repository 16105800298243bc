package keys

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/bloomgml/bloom/part"
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

// keys returns the fields of a part, a struct or a number, in the order of files: the value of its name first, then
// plain values, and last parts, with what stands inside them. A part that is a number is its own value, above 0.
func (c *Codec) keys(p part.Part[any]) []Field {
	v := reflect.ValueOf(p.New)
	switch {
	case !v.IsValid():
		return nil
	case v.Kind() != reflect.Struct:
		return []Field{{StructField: reflect.StructField{Type: v.Type()}, Key: Own, Within: parseInterval("(0,∞)")}}
	}
	fields := slices.DeleteFunc(slices.Clone(Fields(v.Type())), func(f Field) bool {
		return f.Is("unless") && v.FieldByIndex(f.Index).IsZero()
	})
	place := func(f Field) int {
		switch {
		case f.Key == Own:
			return 0
		case c.isPart(f.Type):
			return 2
		}
		return 1
	}
	slices.SortStableFunc(fields, func(a, b Field) int { return place(a) - place(b) })
	return fields
}

// own returns the fields whose values stand at the name of a part; none if the name stands alone. A field without a doc
// gets the text of the part.
func (c *Codec) own(p part.Part[any]) []Field {
	fields := c.keys(p)
	if len(fields) > 0 && fields[0].Key == Inline {
		fields = c.own(inner(p, fields[0]))
	}
	n := 0
	for n < len(fields) && fields[n].Key == Own {
		fields[n].Doc = cmp.Or(fields[n].Doc, p.Text)
		n++
	}
	return fields[:n]
}

// needs reports whether a part has a value of its own.
func (c *Codec) needs(p part.Part[any]) bool { return len(c.own(p)) > 0 }

// inner returns the part that stands in a field of another.
func inner(p part.Part[any], f Field) part.Part[any] {
	return part.Part[any]{Name: p.Name, New: reflect.ValueOf(p.New).FieldByIndex(f.Index).Interface()}
}

// besides shows the keys of a part except its name, and those of parts that a word names inside it.
func (c *Codec) besides(p part.Part[any], see func(Field)) {
	for _, f := range c.keys(p) {
		if f.Key == Inline {
			c.besides(inner(p, f), see)
			continue
		}
		if f.Key != Own {
			see(f)
		}
		inside, _ := c.table(f.Type)
		for _, q := range inside.Parts {
			if !c.needs(q) {
				c.besides(q, see)
			}
		}
	}
}
