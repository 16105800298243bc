package keys

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/part"
)

type (
	shape  interface{ area() float64 }
	point  struct{}
	circle struct {
		R     float64 `key:"{name}" range:"(0,∞)" doc:"the radius"`
		Paint paint   `key:"paint"`
	}
	frame struct {
		W float64 `key:"{name}"`
		H float64 `key:"{name}"`
	}
	paint struct {
		Name  string
		Gloss float64 `key:"gloss" range:"[0,1]" unless:"" doc:"how it shines"`
		Mixed float64 `key:"-"`
	}
	drawing struct {
		Title  string  `key:"title" omit:"" doc:"above it"`
		Of     shape   `key:"of" doc:"what is drawn"`
		More   []shape `key:"more" doc:"beside it"`
		Copies int     `key:"copies" range:"[1,9]" doc:"how often"`
	}
)

func (point) area() float64    { return 0 }
func (c circle) area() float64 { return c.R * c.R }
func (f frame) area() float64  { return f.W * f.H }

// Valid wants a frame that is not higher than wide.
func (f frame) Valid() error {
	if f.H > f.W {
		return errors.New("too high")
	}
	return nil
}

func mixed(p paint) paint { p.Mixed = 2 * p.Gloss; return p }

var toy = New(
	part.Kind[shape]{Name: "shape", Doc: "what", Parts: []part.Part[shape]{
		{Name: "none", Text: "nothing"}, {Name: "point", Text: "a point", New: point{}},
		{Name: "circle", Text: "a circle", New: circle{1, paint{Name: "matt"}}},
		{Name: "frame", Text: "a frame", New: frame{2, 1}},
	}}.Table(),
	part.Kind[paint]{Name: "paint", Doc: "with what", Parts: []part.Part[paint]{
		{Name: "matt", Text: "dull", New: paint{Name: "matt"}},
		{Name: "oil", Text: "bright", New: mixed(paint{Name: "oil", Gloss: 0.5}), Make: mixed},
	}}.Table(),
)

func decode(text string) (drawing, error) {
	root, err := Parse("x", []byte(text))
	if err != nil {
		return drawing{}, err
	}
	d := drawing{Copies: 1}
	dec := Decoder{Codec: toy, At: func(n *yaml.Node,
		text string) error {
		return fmt.Errorf("%d:%d: %s", n.Line, n.Column, text)
	}}
	return d, dec.Decode(root, &d, "")
}

// TestRoundTrip: what is written reads back, with what Make makes of it.
func TestRoundTrip(t *testing.T) {
	oil := mixed(paint{Name: "oil", Gloss: 0.25})
	for text, want := range map[string]drawing{
		"of: point\nmore: []\ncopies: 3\n": {Of: point{}, Copies: 3},
		"of: none\nmore:\n    - circle: 2\n      paint: matt\ncopies: 1\n": {More: []shape{circle{2,
			paint{Name: "matt"}}}, Copies: 1},
		"title: a\nof:\n    frame: [3, 2]\nmore: []\ncopies: 1\n": {Title: "a",
			Of: frame{3, 2}, Copies: 1},
		"of:\n    circle: 1\n    paint: oil\n    gloss: 0.25\nmore: []\ncopies: 1\n": {Of: circle{1, oil}, Copies: 1},
	} {
		got, err := decode(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		n, err := toy.Encode(want, nil)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := yaml.Marshal(n); err != nil || string(back) != text {
			t.Errorf("%+v became\n%s, %v, want\n%s", want, back, err, text)
		}
	}
	if _, err := toy.Encode(drawing{Of: circle{1, paint{Name: "tar"}}}, nil); err == nil ||
		!strings.Contains(err.Error(), "has no name") {
		t.Errorf("a paint that is in no table: %v", err)
	}
}

// TestBareNames: a part by its name alone is the entry of the table, also where it has values of its own.
func TestBareNames(t *testing.T) {
	for text, want := range map[string]shape{"none": nil, "point": point{}, "circle": circle{1, paint{Name: "matt"}},
		"frame": frame{2, 1}} {
		if got, err := decode("of: " + text); err != nil || got.Of != want {
			t.Errorf("%s: %+v, %v", text, got.Of, err)
		}
		if got, err := decode("more: [" + text + "]"); err != nil || got.More[0] != want {
			t.Errorf("a list of %s: %+v, %v", text, got.More, err)
		}
	}
}

// TestMistakes: what is wrong is told with its place and what was probably meant.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"off: point":                        `1:1: unknown key "off"; did you mean "of"?`,
		"of: pint":                          `1:5: unknown shape "pint"; did you mean "point"?`,
		"of: {circle: 0}":                   `1:14: of.circle is 0, want a number above 0`,
		"of: {circle: 1, gloss: 1}":         `1:17: paint "matt" has no key "gloss"`,
		"of: {frame: [1, 2]}":               `1:17: too high`,
		"of: {frame: 1}":                    `1:13: frame needs 2 numbers: {frame: [2, 1]}`,
		"of: {frame: [2, 1], paint: matt}":  `1:21: shape "frame" has no key "paint"`,
		"of: {circle: 1, frame: [2, 1]}":    `1:5: want one of the keys circle, frame`,
		"of: {circle: 1, hue: 3}":           `1:17: unknown key "hue"`,
		"of: [point]":                       `1:5: of: want none, point, {circle: 1} or {frame: [2, 1]}`,
		"of: point\ncopies: 1.5":            `2:9: copies is 1.5, want a whole number from 1 to 9; the nearest is 2`,
		"of: point\nof: point":              `2:1: duplicate key "of"`,
		"of: {circle: 1, paint: {oil: 1}}":  `1:25: unknown key "oil"`,
		"of: {circle: 1, paint: oil, R: 2}": `1:29: unknown key "R"`,
	} {
		if _, err := decode(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestMerging: which part a mapping is, wherever the key stands that says it, and which keys hang on others.
func TestMerging(t *testing.T) {
	type tool interface{}
	type brush struct{}
	type pencil struct {
		Width float64 `key:"width"`
	}
	both := New(append(toy.tables, part.Kind[tool]{Name: "tool", Key: "tool", Parts: []part.Part[tool]{
		{Name: "brush", Text: "for paint", New: brush{}}, {Name: "pencil", Text: "thin", New: pencil{1}},
	}}.Table(), part.Kind[fmt.Stringer]{Name: "coat", Parts: []part.Part[fmt.Stringer]{
		{Name: "coat", Text: "of paint", New: coat{paint{Name: "oil"}}},
	}}.Table())...)
	for text, want := range map[string][2]string{
		"{circle: 2, paint: oil}": {"circle", "circle"}, "{paint: oil, circle: 2}": {"circle", "circle"},
		"{frame: [2, 1]}": {"frame", "frame"}, "{paint: oil}": {}, "{point: 1}": {}, "circle": {},
		"{width: 2, tool: pencil}": {"tool", "pencil"}, "{tool: brush}": {"tool", "brush"},
		"{coat: matt}": {"coat", "matt"}, "{gloss: 1, coat: oil}": {"coat", "oil"},
	} {
		root, err := Parse("x", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if key, name := both.Which(root); key != want[0] || name != want[1] {
			t.Errorf("%s is %q %q, want %q", text, key, name, want)
		}
	}
	for key, want := range map[string]string{"paint": "gloss", "gloss": "", "circle": "", "width": ""} {
		if got := strings.Join(both.Dependents(key), " "); got != want {
			t.Errorf("on %s hang %q, want %q", key, got, want)
		}
	}
}

// coat is a part whose own value is a part.
type coat struct {
	Paint paint `key:"{name}"`
}

func (coat) String() string { return "coat" }

// TestDurations: times read back as they are written, and a number without a unit is refused with what to write.
func TestDurations(t *testing.T) {
	type clock struct {
		Every time.Duration `key:"every" doc:"how often"`
	}
	at := func(_ *yaml.Node, text string) error { return errors.New(text) }
	for text, want := range map[string]string{
		"90s": "every: 1m30s\n", "60m": "every: 1h\n", "120s": "every: 2m\n", "0": "every: 0s\n",
		"1h0m5s": "every: 1h0m5s\n", "1500ms": "every: 1.5s\n",
		"10":  `every is "10", want a duration such as 30s, 5m, 1h30m or 30d, or 0s; write 10s for 10 seconds`,
		"-1s": `every is "-1s", want a duration such as 30s, 5m, 1h30m or 30d, or 0s`,
		"[]":  "every is a list, want a duration such as 30s, 5m, 1h30m or 30d, or 0s",
	} {
		var c clock
		root, err := Parse("x", []byte("every: "+text))
		if err == nil {
			dec := Decoder{Codec: toy, At: at}
			err = dec.Decode(root, &c, "")
		}
		got := ""
		if err != nil {
			got = err.Error()
		} else if n, err := toy.Encode(c, nil); err == nil {
			b, _ := yaml.Marshal(n)
			got = string(b)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestNumbers: a key that takes a word, or numbers by name.
func TestNumbers(t *testing.T) {
	type scales struct {
		Weight part.Numbers `key:"weight" oneof:"none balanced" range:"(0,∞)" doc:"how much"`
	}
	at := func(_ *yaml.Node, text string) error { return errors.New(text) }
	for text, want := range map[string]string{
		"balanced": "weight: balanced\n", "{yes: 10, no: 0.5}": "weight: {no: 0.5, yes: 10}\n",
		"other":     `weight is "other", want none or balanced`,
		"{yes: 0}":  `weight.yes is 0, want a number above 0`,
		"{}":        `weight is an empty mapping, want none or balanced or numbers by name`,
		"{yes:10}":  `weight has the name "yes:10" without a number; a space is missing after the colon`,
		"[1, 2, 3]": `weight is a list, want none or balanced`,
	} {
		var s scales
		root, err := Parse("x", []byte("weight: "+text))
		if err == nil {
			err = (&Decoder{Codec: toy, At: at}).Decode(root, &s, "")
		}
		got := ""
		if err != nil {
			got = err.Error()
		} else if n, err := toy.Encode(s, nil); err == nil {
			b, _ := yaml.Marshal(n)
			got = string(b)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
