package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/internal/nearest"
	"github.com/bloomgml/bloom/recipe"
)

// decode fills the struct v from a mapping; prefix is the path of its keys.
func (t *tree) decode(n *yaml.Node, v reflect.Value, prefix string) {
	fields := fieldsOf(v.Type())
	if n.Kind != yaml.MappingNode {
		t.fail(n, "%swant a mapping with %s", about(prefix), strings.Join(keyNames(fields), ", "))
		return
	}
	for i := 0; i < len(n.Content) && t.err == nil; i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		k := slices.IndexFunc(fields, func(f field) bool { return f.key == key.Value })
		if k < 0 {
			t.fail(key, "unknown key %q%s", prefix+key.Value, meant(prefix, key.Value, keyNames(fields)))
			return
		}
		if !fields[k].isFor(t.family) {
			t.fail(key, "%s does not use %s, which is for %s", t.recipe, prefix+key.Value, fields[k].whose())
			return
		}
		t.field(value, v.FieldByIndex(fields[k].Index), fields[k], prefix+key.Value)
	}
}

// about is "train: ", nothing at the top.
func about(prefix string) string {
	if prefix == "" {
		return ""
	}
	return strings.TrimSuffix(prefix, ".") + ": "
}

func keyNames(fields []field) []string {
	var names []string
	for _, f := range fields {
		names = append(names, f.key)
	}
	return names
}

// meant proposes a key: the nearest of those that could stand here, or the same key elsewhere, or all of them.
func meant(prefix, typed string, known []string) string {
	if name := nearest.Name(typed, known); name != "" {
		return fmt.Sprintf("; did you mean %q?", prefix+name)
	}
	for _, k := range keys() {
		if k.Path[strings.LastIndex(k.Path, ".")+1:] == typed {
			return fmt.Sprintf("; did you mean %q?", k.Path)
		}
	}
	return "; known are " + strings.Join(known, ", ")
}

// field fills one field.
func (t *tree) field(n *yaml.Node, v reflect.Value, f field, path string) {
	switch {
	case f.isEnergy():
		r, err := recipe.Decode(n, t.at)
		if err != nil {
			t.err = err
		} else {
			v.Set(reflect.ValueOf(r))
		}
		return
	case f.kind == Section:
		t.decode(n, v, path+".")
		return
	case n.Kind != yaml.ScalarNode:
		t.fail(n, "%s is a %s, want %s", path, shape(n), want(f))
		return
	}
	switch f.kind {
	case Text:
		if len(f.words) > 0 && !slices.Contains(f.words, n.Value) {
			t.fail(n, "%s is %q, want %s%s", path, n.Value, want(f), near(n.Value, f.words))
		}
		v.SetString(n.Value)
	case Flag:
		if n.Value != "true" && n.Value != "false" {
			t.fail(n, "%s is %q, want %s%s", path, n.Value, want(f), near(truth(n.Value), []string{"true", "false"}))
		}
		v.SetBool(n.Value == "true")
	case Number, Whole:
		t.number(n, v, f, path)
	}
}

// shape names what a node is instead of a value.
func shape(n *yaml.Node) string {
	if n.Kind == yaml.SequenceNode {
		return "list"
	}
	return "mapping"
}

// near proposes one of several words.
func near(typed string, words []string) string {
	if name := nearest.Name(typed, words); name != "" {
		return fmt.Sprintf("; did you mean %q?", name)
	}
	return ""
}

// truth turns other spellings of true and false into these.
func truth(text string) string {
	switch strings.ToLower(text) {
	case "yes", "on", "1":
		return "true"
	case "no", "off", "0":
		return "false"
	}
	return text
}

// want is what a field takes, in words.
func want(f field) string {
	switch {
	case len(f.words) > 0:
		last := len(f.words) - 1
		return strings.Join(f.words[:last], ", ") + " or " + f.words[last]
	case f.kind == Flag || f.kind == Text:
		return string(f.kind)
	case f.within.String() == "":
		return "a " + string(f.kind)
	}
	return "a " + string(f.kind) + " " + f.within.String()
}

// number fills a field with a number in its interval.
func (t *tree) number(n *yaml.Node, v reflect.Value, f field, path string) {
	x, err := strconv.ParseFloat(n.Value, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		t.fail(n, "%s is %q, want %s", path, n.Value, want(f))
		return
	}
	if !f.within.has(x) {
		hint := ""
		if end, ok := f.within.nearest(x); ok {
			hint = fmt.Sprintf("; the nearest is %g", end)
		}
		t.fail(n, "%s is %s, want %s%s", path, n.Value, want(f), hint)
		return
	}
	switch v.Kind() {
	case reflect.Float64:
		v.SetFloat(x)
	case reflect.Int:
		i, err := strconv.ParseInt(n.Value, 10, strconv.IntSize)
		t.whole(n, err, f, path, x)
		v.SetInt(i)
	case reflect.Uint64:
		u, err := strconv.ParseUint(n.Value, 10, 64)
		t.whole(n, err, f, path, x)
		v.SetUint(u)
	}
}

// whole keeps the mistake of a number that is not whole, or too large.
func (t *tree) whole(n *yaml.Node, err error, f field, path string, x float64) {
	if err == nil {
		return
	}
	hint := ""
	if r := math.Round(x); r != x && f.within.has(r) {
		hint = fmt.Sprintf("; the nearest is %g", r)
	}
	t.fail(n, "%s is %s, want %s%s", path, n.Value, want(f), hint)
}
