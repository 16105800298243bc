package keys

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

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

// Interval is the values that a number can have, written as in the tag range: [0,1) has 0 and not 1.
type Interval struct {
	Lo, Hi         float64
	LoOpen, HiOpen bool
}

// everything is the interval of a number without a tag.
var everything = Interval{math.Inf(-1), math.Inf(1), true, true}

// parseInterval reads a tag, everything if it is empty; it panics on a malformed one.
func parseInterval(tag string) Interval {
	if tag == "" {
		return everything
	}
	lo, hi, ok := strings.Cut(tag[1:len(tag)-1], ",")
	i := Interval{LoOpen: tag[0] == '(', HiOpen: tag[len(tag)-1] == ')'}
	var err, err2 error
	i.Lo, err = strconv.ParseFloat(lo, 64)
	i.Hi, err2 = strconv.ParseFloat(strings.Replace(hi, "∞", "inf", 1), 64)
	if !ok || err != nil || err2 != nil {
		panic(fmt.Sprintf("keys: range %q", tag))
	}
	return i
}

// Has reports whether v is in i.
func (i Interval) Has(v float64) bool {
	return (v > i.Lo || v == i.Lo && !i.LoOpen) && (v < i.Hi || v == i.Hi && !i.HiOpen)
}

// Nearest returns the end of i that v lies beyond, if i contains that end.
func (i Interval) Nearest(v float64) (float64, bool) {
	switch {
	case v <= i.Lo && !i.LoOpen:
		return i.Lo, true
	case v >= i.Hi && !i.HiOpen:
		return i.Hi, true
	}
	return 0, false
}

// String returns i in words: "above 0", "from 0 to below 1", "1 or more"; empty for all numbers.
func (i Interval) String() string {
	hi := fmt.Sprintf("to %g", i.Hi)
	if i.HiOpen {
		hi = fmt.Sprintf("to below %g", i.Hi)
	}
	switch {
	case i == everything:
		return ""
	case math.IsInf(i.Hi, 1) && i.LoOpen:
		return fmt.Sprintf("above %g", i.Lo)
	case math.IsInf(i.Hi, 1):
		return fmt.Sprintf("%g or more", i.Lo)
	case i.LoOpen:
		return fmt.Sprintf("above %g %s", i.Lo, hi)
	}
	return fmt.Sprintf("from %g %s", i.Lo, hi)
}

// Descriptions of a key that takes a duration: in words, and as the pattern in schemas.
const (
	wantDuration    = "a duration such as 30s, 5m, 1h30m or 30d, or 0s"
	durationPattern = `^([0-9]{1,5}d|([0-9]{1,6}(\.[0-9]{1,9})?(ns|us|µs|ms|s|m|h)){1,3})$`
)

func isDuration(t reflect.Type) bool { return t == reflect.TypeFor[time.Duration]() }

// duration fills a field with a time, which must not be negative. A number without a unit, except 0, is refused: it is
// ambiguous.
func (d *Decoder) duration(n *yaml.Node, v reflect.Value, path string) {
	x, err := parseDuration(n.Value)
	if err != nil || x < 0 {
		hint := ""
		if _, err := time.ParseDuration(n.Value + "s"); err == nil {
			hint = fmt.Sprintf("; write %ss for %s seconds", n.Value, n.Value)
		}
		d.fail(n, "%s is %q, want %s%s", path, n.Value, wantDuration, hint)
		return
	}
	v.SetInt(int64(x))
}

// parseDuration is time.ParseDuration that knows days alone: 30d.
func parseDuration(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * day, err
	}
	return time.ParseDuration(text)
}

const day = 24 * time.Hour

// durationText formats a duration without units that are 0: 1m instead of 1m0s, and 30d.
func durationText(x time.Duration) string {
	if x > 0 && x%day == 0 {
		return fmt.Sprintf("%dd", x/day)
	}
	text := x.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
