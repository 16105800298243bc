package keys

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Decoder reads nodes into a struct and keeps the first error.
type Decoder struct {
	*Codec
	At func(n *yaml.Node, text string) error // the error for a mistake at a node
	// Refuse says why a key of a struct must not be set; empty, or a nil Refuse, if it may.
	Refuse func(f Field, path string) string
	// Meant returns a key elsewhere that an unknown key may mean; empty, or a nil Meant, if there is no such key.
	Meant func(key string) string

	err error
}

// Decode fills the struct that to points to; absent keys leave their fields unchanged. Paths in errors begin with
// prefix. If a struct or part has a method Valid() error, Decode calls it.
func (d *Decoder) Decode(n *yaml.Node, to any, prefix string) error {
	d.section(follow(n), reflect.ValueOf(to).Elem(), prefix)
	return d.err
}

func (d *Decoder) fail(n *yaml.Node, format string, args ...any) {
	if d.err == nil {
		d.err = d.At(n, fmt.Sprintf(format, args...))
	}
}

// valid calls Valid of x, if it has one.
func (d *Decoder) valid(n *yaml.Node, x any) {
	if v, ok := x.(interface{ Valid() error }); ok && d.err == nil {
		if err := v.Valid(); err != nil {
			d.fail(n, "%v", err)
		}
	}
}

// section fills a struct from a mapping.
func (d *Decoder) section(n *yaml.Node, v reflect.Value, prefix string) {
	fields := Fields(v.Type())
	var names []string
	for _, f := range fields {
		names = append(names, f.Key)
	}
	if n.Kind != yaml.MappingNode {
		about := ""
		if prefix != "" {
			about = strings.TrimSuffix(prefix, ".") + ": "
		}
		d.fail(n, "%swant a mapping with %s", about, strings.Join(names, ", "))
		return
	}
	values := d.mapping(n)
	for i := 0; i < len(n.Content) && d.err == nil; i += 2 {
		key := n.Content[i]
		k := slices.Index(names, key.Value)
		if k < 0 {
			d.fail(key, "unknown key %q%s", prefix+key.Value, d.meant(prefix, key.Value, names))
			return
		}
		if d.Refuse != nil {
			if why := d.Refuse(fields[k], prefix+key.Value); why != "" {
				d.fail(key, "%s", why)
				return
			}
		}
		d.value(follow(values[key.Value]), v.FieldByIndex(fields[k].Index), fields[k], prefix+key.Value)
	}
	d.valid(n, v.Addr().Interface())
}

// mapping returns the values of a mapping by key; a duplicate key is an error.
func (d *Decoder) mapping(n *yaml.Node) map[string]*yaml.Node {
	values := map[string]*yaml.Node{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if values[key.Value] != nil {
			d.fail(key, "duplicate key %q", key.Value)
		}
		values[key.Value] = n.Content[i+1]
	}
	return values
}

// meant proposes a key: the nearest valid one, or the same key elsewhere, or all of them.
func (d *Decoder) meant(prefix, typed string, known []string) string {
	if text := Suggest(typed, known, prefix); text != "" {
		return text
	}
	if d.Meant != nil {
		if path := d.Meant(typed); path != "" {
			return fmt.Sprintf("; did you mean %q?", path)
		}
	}
	return "; known are " + strings.Join(known, ", ")
}

func (d *Decoder) value(n *yaml.Node, v reflect.Value, f Field, path string) {
	t := v.Type()
	switch table, isPart := d.table(t); {
	case isPart:
		d.set(v, d.part(n, table, path))
	case t.Kind() == reflect.Slice:
		d.list(n, v, path)
	case t.Kind() == reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(t.Elem()))
		}
		d.section(n, v.Elem(), path+".")
	case isNumbers(t):
		d.numbers(n, v, f, path)
	case t.Kind() == reflect.Struct:
		d.section(n, v, path+".")
	default:
		d.scalar(n, v, f, path)
	}
}

// list fills a list of parts from a sequence, or from one part.
func (d *Decoder) list(n *yaml.Node, v reflect.Value, path string) {
	table, _ := d.table(v.Type().Elem())
	each := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		each = n.Content
	}
	v.SetZero()
	for _, e := range each {
		to := reflect.New(v.Type().Elem()).Elem()
		d.set(to, d.part(follow(e), table, path))
		v.Set(reflect.Append(v, to))
	}
}

func (d *Decoder) set(v reflect.Value, x any) {
	if x == nil {
		v.SetZero()
	} else if d.err == nil {
		v.Set(reflect.ValueOf(x))
	}
}
