package recipe

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/nearest"
)

// FileError is a mistake in a file that describes an energy.
type FileError = fileerr.Error

// MaxSteps is the largest number of steps that a file may ask for.
const MaxSteps = 10000

// Read decodes an energy from YAML or JSON. Every key must be known; the error is a *FileError.
//
//	name: mine
//	f: [{term: laplace, lambda: 1, norm: symmetric}]
//	kappa: [{anchor: huber, threshold: 1}]
//	eta: nonnegative
//	descent: {algorithm: momentum, beta: 0.9, gamma: 0.1, sigma: degree}
//	steps: 16
//
// f and kappa may also be one mapping each. See edgeTerms, nodeTerms, etas and algorithms for the names.
func Read(file string, text []byte) (*Recipe, error) {
	root, err := Parse(file, text)
	if err != nil {
		return nil, err
	}
	r, err := Decode(root, func(n *yaml.Node, text string) error {
		return fileerr.AtLetter(file, n.Line, n.Column, "%s", text)
	})
	if err != nil {
		return nil, err
	}
	if r.Name == "" {
		r.Name = file
	}
	return r, nil
}

// Decode is Read for text that is parsed already; at makes the error for a mistake at a node.
func Decode(root *yaml.Node, at func(n *yaml.Node, text string) error) (*Recipe, error) {
	d := &decoder{at: at}
	keys := d.mapping(root, "name", "summary", "source", "f", "kappa", "eta", "descent", "steps")
	r := &Recipe{A: jacobi, L: 16}
	for key, to := range map[string]*string{"name": &r.Name, "summary": &r.Summary, "source": &r.Source} {
		if n := keys[key]; n != nil {
			*to = d.text(n)
		}
	}
	for _, n := range d.list(keys["f"]) {
		r.F = append(r.F, d.edge(n))
	}
	for _, n := range d.list(keys["kappa"]) {
		r.Kappa = append(r.Kappa, d.node(n))
	}
	r.Eta = d.eta(keys["eta"])
	if n := keys["descent"]; n != nil {
		r.A = d.algorithm(n)
	}
	if n := keys["steps"]; n != nil {
		r.L = int(d.number(n, whole, within(0, MaxSteps)))
	}
	if d.err == nil && len(r.F)+len(r.Kappa) == 0 {
		d.fail(root, "there is no energy: give f or kappa")
	}
	if d.err == nil {
		if err := r.check(); err != nil {
			d.fail(root, "%v", err)
		}
	}
	if d.err != nil {
		return nil, d.err
	}
	return r, nil
}

// decoder reads nodes and keeps the first mistake.
type decoder struct {
	at  func(n *yaml.Node, text string) error
	err error
}

// fail keeps a mistake at n.
func (d *decoder) fail(n *yaml.Node, format string, args ...any) {
	if d.err == nil {
		d.err = d.at(n, fmt.Sprintf(format, args...))
	}
}

// lineOf finds the line in a message of the parser, which has no other place for it.
var lineOf = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// Parse is the root of the only document of a YAML or JSON file. The error is a *FileError.
func Parse(file string, text []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	err := dec.Decode(&doc)
	switch {
	case errors.Is(err, io.EOF):
		return nil, fileerr.In(file, "is empty")
	case err != nil:
		line, text := 0, err.Error()
		if m := lineOf.FindStringSubmatch(text); m != nil {
			line, _ = strconv.Atoi(m[1])
			text = m[2]
		}
		return nil, fileerr.AtLetter(file, line, min(line, 1), "%s", text)
	}
	if err := dec.Decode(&more); err == nil {
		return nil, fileerr.AtLetter(file, more.Line, max(1, more.Column), "a second document; one is enough")
	}
	return doc.Content[0], nil
}

// follow is the node that an alias stands for.
func follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// mapping are the values of a mapping by key. Other keys than the given ones are mistakes, and so is a key twice.
func (d *decoder) mapping(n *yaml.Node, known ...string) map[string]*yaml.Node {
	n = follow(n)
	if n.Kind != yaml.MappingNode {
		d.fail(n, "want a mapping with %s", strings.Join(known, ", "))
		return nil
	}
	values := map[string]*yaml.Node{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case !slices.Contains(known, key.Value):
			d.fail(key, "unknown key %q%s", key.Value, choose(key.Value, known))
		case values[key.Value] != nil:
			d.fail(key, "key %q stands here twice", key.Value)
		}
		values[key.Value] = n.Content[i+1]
	}
	return values
}

// choose proposes the nearest of several names, or lists them.
func choose(typed string, known []string) string {
	if name := nearest.Name(typed, known); name != "" {
		return fmt.Sprintf("; did you mean %q?", name)
	}
	return "; known are " + strings.Join(known, ", ")
}

// list is a sequence, or one value as a sequence of one; nothing for nil.
func (d *decoder) list(n *yaml.Node) []*yaml.Node {
	switch {
	case n == nil:
		return nil
	case follow(n).Kind == yaml.SequenceNode:
		return follow(n).Content
	}
	return []*yaml.Node{n}
}

// text is a scalar.
func (d *decoder) text(n *yaml.Node) string {
	n = follow(n)
	if n.Kind != yaml.ScalarNode {
		d.fail(n, "want a word")
	}
	return n.Value
}

// word is one of several names.
func (d *decoder) word(n *yaml.Node, what string, known []string) string {
	word := d.text(n)
	if !slices.Contains(known, word) {
		d.fail(n, "unknown %s %q%s", what, word, choose(word, known))
	}
	return word
}

// limit is what a number has to be.
type limit struct {
	text string
	ok   func(float64) bool
}

var (
	positive = limit{"a number above 0", func(v float64) bool { return v > 0 }}
	whole    = limit{"a whole number", func(v float64) bool { return v == math.Trunc(v) }}
	fraction = limit{"a number from 0 to below 1", func(v float64) bool { return v >= 0 && v < 1 }}
	finite   = limit{"a number", func(v float64) bool { return true }}
)

// within is a number between two others.
func within(lo, hi float64) limit {
	return limit{fmt.Sprintf("a number from %g to %g", lo, hi), func(v float64) bool { return v >= lo && v <= hi }}
}

// number is a finite number that keeps all limits.
func (d *decoder) number(n *yaml.Node, limits ...limit) float64 {
	n = follow(n)
	v, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		d.fail(n, "%q is not a finite number", n.Value)
		return 0.5
	}
	for _, l := range limits {
		if !l.ok(v) {
			d.fail(n, "%s is not %s", n.Value, l.text)
			return 0.5
		}
	}
	return v
}

// or is a number, or a default where the key is absent.
func (d *decoder) or(n *yaml.Node, def float64, limits ...limit) float64 {
	if n == nil {
		return def
	}
	return d.number(n, limits...)
}
