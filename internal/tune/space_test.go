package tune

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/files"
)

// TestReadSpace reads a domain of every kind.
func TestReadSpace(t *testing.T) {
	got, err := ReadSpace("s.yaml", []byte(`
train.rate:      {float: [1e-4, 0.1], log: true}
model.dropout:   {float: [0, 0.8], step: 0.1}
energy.steps:    {int: [2, 16]}
model.hidden:    {int: [16, 512], log: true}
model.layers:    {int: [2, 8], step: 2}
energy.f.lambda: {choice: [0.1, 1, true, none, "{forced: 2}"]}
`))
	want := Space{
		{"train.rate", Domain{Low: 1e-4, High: 0.1, Log: true}}, {"model.dropout", Domain{High: 0.8, Step: 0.1}},
		{"energy.steps", Domain{Whole: true, Low: 2, High: 16}},
		{"model.hidden", Domain{Whole: true, Low: 16, High: 512, Log: true}},
		{"model.layers", Domain{Whole: true, Low: 2, High: 8, Step: 2}},
		{"energy.f.lambda", Domain{Choices: []any{0.1, 1, true, "none", "{forced: 2}"}}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\ngot  %v\nwant %v", err, got, want)
	}
	settings := got.Settings(Point{0.00123, 0.3, 4, 64, 6, 4})
	if text := strings.Join(settings, " "); text != "train.rate=0.00123 model.dropout=0.3 energy.steps=4 "+
		"model.hidden=64 model.layers=6 energy.f.lambda={forced: 2}" {
		t.Error(text)
	}
}

// TestBadSpaces: a mistake is told with its line, and what would be right.
func TestBadSpaces(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "is empty",
		"[1]":                                    "s:1:1: want keys",
		"a: 3":                                   "s:1:4: a: want {choice",
		"a: {}":                                  "want {choice",
		"a: {flot: [1, 2]}":                      `did you mean "float"?`,
		"a: {int: [1, 2], float: [1,2]}":         "want {choice",
		"a: {int: 3}":                            "want {choice",
		"a: {int: [1]}":                          "want {choice",
		"a: {int: [1, x]}":                       "want {choice",
		"a: {int: [1, 2.5]}":                     "2.5 is not a whole",
		"a: {int: [3, 1]}":                       "begins at 3, above its end 1",
		"a: {int: [0, 9], log: true}":            "begins at 1 or above",
		"a: {int: [1, 9], log: maybe}":           "want {choice",
		"a: {int: [1, 10], step: 2}":             "not a multiple of the step 2",
		"a: {int: [1, 9], step: 0.5}":            "0.5 is not a whole",
		"a: {float: [0, 1], log: true}":          "begins above 0",
		"a: {float: [0, .inf]}":                  "too large",
		"a: {float: [1, 9], log: true, step: 1}": "has no step",
		"a: {float: [0, 1], step: 1e-6}":         "too small a step",
		"a: {int: [0, 99999999999999]}":          "too large",
		"a: {choice: []}":                        "nothing to choose from",
		"a: {choice: [[1]]}":                     "neither text nor a number",
		"a: {choice: [1, 1]}":                    "is listed twice",
		"a: {choice: [1], log: true}":            "want {choice",
		"a: {choice: [~]}":                       "neither text nor a number",
		"a: {choice: [1]}\na: {choice: [2]}":     `s:2:1: duplicate key "a"`,
		"a: {int: [1, 2]\n":                      "s:",
	} {
		_, err := ReadSpace("s", []byte(text))
		var at *files.Error
		if !errors.As(err, &at) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// TestSpaces: all that come with bloom can be read and found, others are told.
func TestSpaces(t *testing.T) {
	if names := strings.Join(Spaces(), " "); names != "halo heterophily heterophily-training robust" {
		t.Errorf("spaces %s", names)
	}
	for _, name := range Spaces() {
		if s, err := FindSpace(name); err != nil || s.Check() != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := FindSpace("../halo"); err == nil || !strings.Contains(err.Error(), "there are halo, heterophily") {
		t.Error(err)
	}
}

// FuzzSpace: any text is a space that can be sampled and continued, or an error of the file.
func FuzzSpace(f *testing.F) {
	f.Add([]byte("a: {float: [1e-4, 0.1], log: true}\nb: {choice: [1, x, true]}"))
	f.Add([]byte("a: {int: [1, 9], step: 2}"))
	f.Add([]byte("a: &x {int: [1, 9]}\nb: *x"))
	f.Add([]byte("a: {float: [-1e299, 1e300]}"))
	f.Add([]byte("a: {int: [-9999999999999, 10000000000000]}\nb: {int: [1, 10000000000000], log: true}"))
	f.Add([]byte("a: {float: [99999.1, 99999.9], step: 1}\nb: {float: [-0.7, 0.1], step: 0.1}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ReadSpace("s", text)
		if err != nil {
			var at *files.Error
			if !errors.As(err, &at) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		q := Query{Space: s, Number: 3}
		for n := range 12 {
			at := TPE{Startup: 2}.Sample(q)
			if len(s.Settings(at)) != len(s) {
				t.Fatal(at)
			}
			for i, p := range s {
				if !p.Domain.Contains(at[i]) {
					t.Fatalf("%s: %v of %v", p.Key, at[i], p.Domain)
				}
			}
			q.Number = n
			q.Trials = append(q.Trials, &Record{Number: n, State: Complete, Point: at, Value: at[0]})
		}
	})
}
