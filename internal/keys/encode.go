package keys

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/part"
)

// Encode returns a struct as Decode reads it, with every key for which keep returns true, even if it has the default
// value; a nil keep keeps all. A part that is in no table, written by a user in Go, has no name: that is an error.
func (c *Codec) Encode(x any, keep func(Field) bool) (*yaml.Node, error) {
	m := &yaml.Node{Kind: yaml.MappingNode}
	v := reflect.ValueOf(x)
	for _, f := range Fields(v.Type()) {
		to := v.FieldByIndex(f.Index)
		if keep != nil && !keep(f) || f.Is("omit") && to.IsZero() {
			continue
		}
		n, err := c.encode(to, f, keep)
		if err != nil {
			return nil, err
		}
		m.Content = append(m.Content, Scalar(f.Key), n)
	}
	return m, nil
}

func (c *Codec) encode(v reflect.Value, f Field, keep func(Field) bool) (*yaml.Node, error) {
	if t, ok := c.table(v.Type()); ok {
		return c.encodePart(v, t)
	}
	if isNumbers(v.Type()) {
		return encodeNumbers(v.Interface().(part.Numbers)), nil
	}
	switch v.Kind() {
	case reflect.Struct:
		return c.Encode(v.Interface(), keep)
	case reflect.Pointer:
		return c.Encode(v.Elem().Interface(), keep)
	case reflect.Slice:
		t, _ := c.table(v.Type().Elem())
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for i := range v.Len() {
			n, err := c.encodePart(v.Index(i), t)
			if err != nil {
				return nil, err
			}
			list.Content = append(list.Content, n)
		}
		return list, nil
	}
	return value(v, f), nil
}

// value encodes a scalar: a text, or the shortest text that reads back as the number.
func value(v reflect.Value, f Field) *yaml.Node {
	switch {
	case v.Kind() == reflect.String:
		return Scalar(v.String())
	case len(f.Words) > 0:
		return Scalar(f.Words[v.Uint()])
	case isDuration(v.Type()):
		return &yaml.Node{Kind: yaml.ScalarNode, Value: durationText(time.Duration(v.Int()))}
	case v.Kind() == reflect.Float64:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatFloat(v.Float(), 'g', -1, 64)}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(v.Interface())}
}

// Scalar returns a scalar that reads back as text.
func Scalar(text string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(text)
	return n
}

// encodePart encodes a part that is not inside another.
func (c *Codec) encodePart(v reflect.Value, t part.Table) (*yaml.Node, error) {
	x := v.Interface()
	i := c.find(t, x)
	if i < 0 && x == nil {
		x = t.Nil
		i = c.find(t, x)
	}
	if i < 0 {
		return nil, fmt.Errorf("%s %T has no name in files", t.Name, x)
	}
	own, pairs, err := c.contents(t.Parts[i], x)
	if err != nil {
		return nil, err
	}
	return c.wrap(t, t.Parts[i].Name, own, pairs), nil
}

// wrap builds a part from its name, its own values and its other keys.
func (c *Codec) wrap(t part.Table, name string, own, pairs []*yaml.Node) *yaml.Node {
	switch {
	case t.Key != "":
		return &yaml.Node{Kind: yaml.MappingNode, Content: append([]*yaml.Node{Scalar(t.Key), Scalar(name)}, pairs...)}
	case len(own) == 0:
		return Scalar(name)
	case name == "":
		return own[0]
	}
	at := own[0]
	if len(own) > 1 {
		at = &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: own}
	}
	return &yaml.Node{Kind: yaml.MappingNode, Content: append([]*yaml.Node{Scalar(name), at}, pairs...)}
}

// contents returns the values at the name of a part, and its other keys and values in turn.
func (c *Codec) contents(p part.Part[any], x any) (own, pairs []*yaml.Node, err error) {
	v := reflect.ValueOf(x)
	for _, f := range c.keys(p) {
		from := v
		if v.Kind() == reflect.Struct {
			from = v.FieldByIndex(f.Index)
		}
		switch t, isPart := c.table(f.Type); {
		case f.Key == Inline:
			o, more, err := c.contents(inner(p, f), from.Interface())
			if err != nil {
				return nil, nil, err
			}
			own, pairs = append(own, o...), append(pairs, more...)
		case isPart:
			n, more, err := c.encodeInside(from, t)
			if err != nil {
				return nil, nil, err
			}
			if f.Key == Own {
				own, pairs = append(own, n), append(pairs, more...)
			} else {
				pairs = append(append(pairs, Scalar(f.Key), n), more...)
			}
		case f.Is("omit") && from.IsZero():
		default:
			if f.Is("or") && from.IsZero() {
				from = reflect.ValueOf(p.New).FieldByIndex(f.Index)
			}
			n := value(from, f)
			if f.Key == Own {
				own = append(own, n)
			} else {
				pairs = append(pairs, Scalar(f.Key), n)
			}
		}
	}
	return own, pairs, nil
}

// encodeInside encodes a part inside another: its word, or a mapping, and the keys that stand next to it.
func (c *Codec) encodeInside(v reflect.Value, t part.Table) (n *yaml.Node, pairs []*yaml.Node, err error) {
	i := c.find(t, v.Interface())
	if i >= 0 && t.Key == "" && !c.needs(t.Parts[i]) {
		_, pairs, err = c.contents(t.Parts[i], v.Interface())
		return Scalar(t.Parts[i].Name), pairs, err
	}
	n, err = c.encodePart(v, t)
	return n, nil, err
}

// find returns the index of the part x in a table, −1 if absent: the type and the fields that are not keys are equal.
func (c *Codec) find(t part.Table, x any) int {
	return slices.IndexFunc(t.Parts, func(p part.Part[any]) bool { return c.is(p.New, x) })
}

// is reports whether a equals b except for its keys.
func (c *Codec) is(a, b any) bool {
	v, w := reflect.ValueOf(a), reflect.ValueOf(b)
	if !v.IsValid() || !w.IsValid() {
		return v.IsValid() == w.IsValid()
	}
	if v.Type() != w.Type() {
		return false
	}
	if v.Kind() != reflect.Struct {
		return true
	}
	for _, s := range reflect.VisibleFields(v.Type()) {
		key, isKey := s.Tag.Lookup("key")
		x, y := v.FieldByIndex(s.Index), w.FieldByIndex(s.Index)
		switch {
		case key == Inline && !c.is(x.Interface(), y.Interface()):
			return false
		case !isKey && s.IsExported() && !reflect.DeepEqual(x.Interface(), y.Interface()):
			return false
		}
	}
	return true
}

// Form returns how a part is written, with the values of New.
func (c *Codec) Form(p part.Part[any], t part.Table) string {
	own, pairs, err := c.contents(p, p.New)
	if err != nil {
		return p.Name
	}
	if t.Key == "" {
		pairs = nil
	}
	n := c.wrap(t, p.Name, own, pairs)
	n.Style = yaml.FlowStyle
	text, err := yaml.Marshal(n)
	if err != nil {
		return p.Name
	}
	return strings.TrimSpace(string(text))
}

// forms lists the ways to write the parts of a table: "none, nonnegative or {ball: 1}".
func (c *Codec) forms(t part.Table) string {
	if t.Key != "" {
		return fmt.Sprintf("a mapping with %s: %s", t.Key, Either(t.Names()))
	}
	var list []string
	for _, p := range t.Parts {
		if p.Name == "" {
			list = append(list, "a number")
		} else {
			list = append(list, c.Form(p, t))
		}
	}
	return Either(list)
}
