package recipe

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/files"
)

// TestRead: a file decodes to the structs that a literal has.
func TestRead(t *testing.T) {
	r, err := Read("x.yaml", []byte(`
name: mine
f:
  - {term: laplace, lambda: 2, norm: symmetric}
  - {term: compat, lambda: 0.5}
kappa: {unit-norm: 3}
eta: {box: [-1, 2]}
descent: {algorithm: adam, gamma: {forced: 0.1}, sigma: softmax, tau: 2, beta1: 0.5}
steps: 5
`))
	if err != nil {
		t.Fatal(err)
	}
	if r.Name != "mine" || r.L != 5 || !reflect.DeepEqual(r.F[0], laplace{2, graph.Symmetric}) ||
		r.F[1].(compat).Lambda != 0.5 ||
		r.Kappa[0] != (unitNorm{3}) || r.Eta != (always{energy.Box(-1, 2)}) {
		t.Errorf("%+v", r)
	}
	if r.A != (descent.Adam(descent.Forced(0.1), descent.Softmax(2), 0.5, 0.999)) {
		t.Errorf("%+v", r.A)
	}
}

// TestTexts: every part has formulas.
func TestTexts(t *testing.T) {
	for _, r := range every() {
		u := r.Update()
		text := fmt.Sprint(u)
		for _, f := range r.F {
			if x := f.Text(); x.F == "" || x.ToV == "" || x.ToU == "" {
				t.Errorf("%s: %+v", r.Name, x)
			}
			text += fmt.Sprint(f.Text())
		}
		for _, k := range r.Kappa {
			text += fmt.Sprint(k.Text())
		}
		if r.Eta != nil {
			eta, prox := r.Eta.Text()
			text += fmt.Sprintf(prox, "z") + eta
		}
		if len(u.Lines) == 0 || strings.Contains(text, "%!") || strings.Contains(text, "descent.") ||
			strings.Contains(text, "energy.") {
			t.Errorf("%s: %s", r.Name, text)
		}
	}
}

// TestReadErrors: mistakes are told with their place.
func TestReadErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "x: is empty",
		"# nothing":                     "x: is empty",
		"[1]":                           "x:1:1: want a mapping",
		"{}":                            "x:1:1: there is no energy",
		"f: {term: laplace}\nkapa: 1":   `x:2:1: unknown key "kapa"; did you mean "kappa"?`,
		"f: {term: laplace}\nf: 1":      `x:2:1: duplicate key "f"`,
		"f: [{lambda: 1}]":              `x:1:5: there is no key "term"`,
		"f: {term: laplace, margin: 1}": `x:1:20: edge term "laplace" has no key "margin"`,
		"f: {term: laplas}": `x:1:11: unknown edge term "laplas"` +
			`; did you mean "laplace"?`,
		"f: {term: laplace, norm: left}":                `x:1:26: f.norm is "left", want none or symmetric`,
		"f: {term: laplace, lambda: x}":                 `x:1:28: f.lambda is "x", want a number above 0`,
		"f: {term: laplace, lambda: .inf}":              `x:1:28: f.lambda is ".inf", want a number above 0`,
		"f: {term: laplace, lambda: [1]}":               `x:1:28: f.lambda is a list, want a number above 0`,
		"f: {term: laplace, lambda: 0}":                 `x:1:28: f.lambda is 0, want a number above 0`,
		"kappa: {anchor: log-cosh, threshold: 1}":       `x:1:27: penalty "log-cosh" has no key "threshold"`,
		"kappa: {labels: huber, scale: 2}":              `x:1:24: node term "labels" has no key "scale"`,
		"kappa: {anchor: huber, labels: huber}":         `x:1:8: want one of the keys`,
		"kappa: {anchor: huber}\neta: {nonnegative: 5}": `x:2:7: unknown key "nonnegative"`,
		"kappa: {anchor: huber}\neta: {box: [2, 1]}":    `x:2:16: 1 is below 2`,
		"kappa: {anchor: huber}\neta: nonegative": `x:2:6: unknown eta "nonegative"` +
			`; did you mean "nonnegative"?`,
		"kappa: {anchor: huber}\nsteps: 1.5": `x:2:8: steps is 1.5, ` +
			`want a whole number from 0 to 10000; the nearest is 2`,
		"kappa: {anchor: huber}\nsteps: 1000000": `x:2:8: steps is 1000000, ` +
			`want a whole number from 0 to 10000; the nearest is 10000`,
		"kappa: {anchor: huber}\ndescent: {algorithm: momentun}": `x:2:22: unknown algorithm "momentun"` +
			`; did you mean "momentum"?`,
		"kappa: {anchor: huber}\ndescent: {algorithm: adam, beta: 1}":  `x:2:28: algorithm "adam" has no key "beta"`,
		"f: {term: laplace}\ndescent: {algorithm: proximal, gamma: x}": `x:2:39: unknown step size "x"`,
		"f: {term: laplace}\ndescent: {algorithm: proximal, tau: 1}": `x:2:32: preconditioner "none" ` +
			`has no key "tau"`,
		"f: [{term: path}, {term: transe}]": `x:1:1: terms`,
		"f: {term: laplace}\n---\nf: 1":     `x:2:1: a second document`,
		"f: [":                              `x:1:1: did not find expected node content`,
	} {
		_, err := Read("x", []byte(text))
		var file *files.Error
		if !errors.As(err, &file) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// FuzzRead: whatever a file holds, it is a recipe or a mistake with its place.
func FuzzRead(f *testing.F) {
	f.Add("f: [{term: laplace, lambda: 1}]\nkappa: [{anchor: huber}]\neta: {box: [0, 1]}\n" +
		"descent: {algorithm: adam, gamma: safe}\nsteps: 3")
	f.Add("a: &x {f: *x}\n<<: *x")
	f.Add("{\"f\": null, \"eta\": [], \"descent\": {\"gamma\": {}}}")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Read("x", []byte(text))
		var file *files.Error
		if err == nil {
			r.Update()
		} else if !errors.As(err, &file) {
			t.Errorf("%T: %v", err, err)
		}
	})
}
