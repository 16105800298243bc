package keys

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Kind is the kind of value that a key takes.
type Kind = string

// The kinds.
const (
	Section Kind = "section" // other keys
	Text    Kind = "text"
	Whole   Kind = "whole number"
	Number  Kind = "number"
	Flag    Kind = "true or false"
	Time    Kind = "duration" // as 30s
	Part    Kind = "part"     // a word, a number or a mapping
)

// kindOf returns the kind of a field.
func (c *Codec) kindOf(f Field) Kind {
	switch k := f.Type.Kind(); {
	case c.isPart(f.Type) || k == reflect.Slice || isNumbers(f.Type):
		return Part
	case len(f.Words) > 0 || k == reflect.String:
		return Text
	case k == reflect.Int || k == reflect.Uint64:
		return Whole
	case k == reflect.Float64:
		return Number
	case k == reflect.Bool:
		return Flag
	case isDuration(f.Type):
		return Time
	}
	return Section
}

// scalar fills a field that is a text, a word, a number, true or false.
func (d *Decoder) scalar(n *yaml.Node, v reflect.Value, f Field, path string) {
	if n.Kind != yaml.ScalarNode {
		shape := "mapping"
		if n.Kind == yaml.SequenceNode {
			shape = "list"
		}
		d.fail(n, "%s is a %s, want %s", path, shape, d.want(f))
		return
	}
	switch d.kindOf(f) {
	case Text:
		i := slices.Index(f.Words, n.Value)
		if len(f.Words) > 0 && i < 0 {
			d.fail(n, "%s is %q, want %s%s", path, n.Value, d.want(f), Suggest(n.Value, words(f), ""))
		} else if v.Kind() == reflect.String {
			v.SetString(n.Value)
		} else {
			v.SetUint(uint64(i))
		}
	case Flag:
		if n.Value != "true" && n.Value != "false" {
			d.fail(n, "%s is %q, want %s%s", path, n.Value, d.want(f),
				Suggest(truth(n.Value), []string{"true", "false"}, ""))
		}
		v.SetBool(n.Value == "true")
	case Number, Whole:
		d.number(n, v, f, path)
	case Time:
		d.duration(n, v, path)
	}
}

// truth normalises other spellings of true and false.
func truth(text string) string {
	switch strings.ToLower(text) {
	case "yes", "on", "1":
		return "true"
	case "no", "off", "0":
		return "false"
	}
	return text
}

// want describes in words what a field takes.
func (c *Codec) want(f Field) string {
	kind := c.kindOf(f)
	switch {
	case len(f.Words) > 0:
		return Either(words(f))
	case kind == Flag || kind == Text:
		return string(kind)
	case kind == Time:
		return wantDuration
	}
	return strings.TrimSpace("a " + string(kind) + " " + f.Within.String())
}

// number fills a field with a number in its interval.
func (d *Decoder) number(n *yaml.Node, v reflect.Value, f Field, path string) {
	x, err := strconv.ParseFloat(n.Value, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		d.fail(n, "%s is %q, want %s", path, n.Value, d.want(f))
		return
	}
	if !f.Within.Has(x) {
		hint := ""
		if end, ok := f.Within.Nearest(x); ok {
			hint = fmt.Sprintf("; the nearest is %g", end)
		}
		d.fail(n, "%s is %s, want %s%s", path, n.Value, d.want(f), hint)
		return
	}
	switch v.Kind() {
	case reflect.Float64:
		v.SetFloat(x)
	case reflect.Int:
		i, err := strconv.ParseInt(n.Value, 10, strconv.IntSize)
		d.whole(n, err, f, path, x)
		v.SetInt(i)
	case reflect.Uint64:
		u, err := strconv.ParseUint(n.Value, 10, 64)
		d.whole(n, err, f, path, x)
		v.SetUint(u)
	}
}

// whole reports a number that is not whole, or too large.
func (d *Decoder) whole(n *yaml.Node, err error, f Field, path string, x float64) {
	if err == nil {
		return
	}
	hint := ""
	if r := math.Round(x); r != x && f.Within.Has(r) {
		hint = fmt.Sprintf("; the nearest is %g", r)
	}
	d.fail(n, "%s is %s, want %s%s", path, n.Value, d.want(f), hint)
}
