package tune

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/keys"
)

// Space is the search space, in the order in which people see it.
type Space []Param

// Param is a key with the values it can have.
type Param struct {
	Key    string // as of --set: train.rate, energy.f.lambda
	Domain Domain
}

// Point is a value for every Param of a Space.
type Point []float64

// Check returns an error for the first domain that has no values, or for duplicate keys.
func (s Space) Check() error {
	if len(s) == 0 {
		return fmt.Errorf("the space has no keys")
	}
	for i, p := range s {
		if s.index(p.Key) != i {
			return fmt.Errorf("key %q is in the space twice", p.Key)
		}
		if err := p.Domain.check(); err != nil {
			return fmt.Errorf("%s: %w", p.Key, err)
		}
	}
	return nil
}

// index returns the place of a key, −1 if it is not there.
func (s Space) index(key string) int {
	return slices.IndexFunc(s, func(p Param) bool { return p.Key == key })
}

// Settings returns the values at a point as key=value, in the order of s: what --set takes.
func (s Space) Settings(at Point) []string {
	var list []string
	for i, p := range s {
		list = append(list, p.Key+"="+Text(p.Domain.Value(at[i])))
	}
	return list
}

// ReadSpace decodes a space from YAML or JSON; the error is a *files.Error.
//
//	train.rate:      {float: [1e-4, 0.1], log: true}
//	model.dropout:   {float: [0, 0.8], step: 0.1}
//	energy.steps:    {int: [2, 16]}
//	energy.f.lambda: {choice: [0.1, 1, 5, 10]}
//
// Keys are written as in --set. A choice is text, numbers, true or false; text may be anything that --set takes, as
// "{forced: 1}".
func ReadSpace(file string, text []byte) (Space, error) {
	root, err := keys.Parse(file, text)
	if err != nil {
		return nil, err
	}
	r := &spaceReader{file: file}
	if root.Kind != yaml.MappingNode || len(root.Content) == 0 {
		return nil, r.at(root, "want keys with their values, as train.rate: {float: [1e-4, 0.1], log: true}")
	}
	var s Space
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode || key.Value == "":
			return nil, r.at(key, "want a key, as train.rate")
		case s.index(key.Value) >= 0:
			return nil, r.at(key, "duplicate key %q", key.Value)
		}
		d, err := r.domain(key.Value, value)
		if err != nil {
			return nil, err
		}
		s = append(s, Param{key.Value, d})
	}
	return s, nil
}

// spaceReader makes domains of YAML nodes.
type spaceReader struct{ file string }

func (r *spaceReader) at(n *yaml.Node, format string, args ...any) error {
	return files.ErrorAtLetter(r.file, n.Line, n.Column, format, args...)
}

// kinds are the keys of which a domain has exactly one, and extras the optional keys of a range.
var (
	kinds  = []string{"choice", "int", "float"}
	extras = []string{"log", "step"}
)

// domain returns the domain of a key.
func (r *spaceReader) domain(key string, n *yaml.Node) (d Domain, err error) {
	n = resolve(n)
	if n.Kind != yaml.MappingNode {
		return d, r.at(n, "%s: want {choice: […]}, {int: [low, high]} or {float: [low, high]}", key)
	}
	kind, nodes, err := r.entries(key, n)
	if err != nil {
		return d, err
	}
	values := nodes[kind]
	if values.Kind != yaml.SequenceNode {
		return d, r.at(values, "%s: %s takes a list", key, kind)
	}
	if kind == "choice" {
		d, err = r.choice(key, values, nodes)
	} else {
		d, err = r.numbers(key, values, nodes, kind == "int")
	}
	if err != nil {
		return d, err
	}
	if err := d.check(); err != nil {
		return d, r.at(values, "%s: %v", key, err)
	}
	return d, nil
}

// entries returns the values of a mapping by name, and which kind of domain it is.
func (r *spaceReader) entries(key string, n *yaml.Node) (kind string, nodes map[string]*yaml.Node, err error) {
	nodes = map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i]
		isKind := slices.Contains(kinds, name.Value)
		switch {
		case isKind && kind != "":
			return "", nil, r.at(name, "%s: it is %s already", key, kind)
		case isKind:
			kind = name.Value
		case !slices.Contains(extras, name.Value) || nodes[name.Value] != nil:
			text := fmt.Sprintf("%s: %q is a duplicate or not one of choice, int, float, log and step",
				key, name.Value)
			if near := keys.Name(name.Value, slices.Concat(kinds, extras)); near != "" && near != name.Value {
				text += fmt.Sprintf("; did you mean %q?", near)
			}
			return "", nil, r.at(name, "%s", text)
		}
		nodes[name.Value] = resolve(n.Content[i+1])
	}
	if kind == "" {
		return "", nil, r.at(n, "%s: want choice, int or float", key)
	}
	return kind, nodes, nil
}

// choice reads values to choose from.
func (r *spaceReader) choice(key string, values *yaml.Node, nodes map[string]*yaml.Node) (d Domain, err error) {
	for _, name := range extras {
		if n := nodes[name]; n != nil {
			return d, r.at(n, "%s: a choice has no %s", key, name)
		}
	}
	d.Choices = make([]any, len(values.Content))
	for i, n := range values.Content {
		if d.Choices[i], err = r.scalar(key, resolve(n)); err != nil {
			return d, err
		}
	}
	return d, nil
}

// numbers reads [low, high] and the extras; whole numbers must be written as such.
func (r *spaceReader) numbers(key string, values *yaml.Node, nodes map[string]*yaml.Node, whole bool) (Domain, error) {
	d := Domain{Whole: whole}
	if len(values.Content) != 2 {
		return d, r.at(values, "%s: a range is [low, high], this has %d numbers", key, len(values.Content))
	}
	for i, to := range []*float64{&d.Low, &d.High} {
		if n := resolve(values.Content[i]); !number(n, to, whole) {
			return d, r.at(values.Content[i], "%s: cannot use %q as the end of a range", key, n.Value)
		}
	}
	if n := nodes["step"]; n != nil && (!number(n, &d.Step, whole) || !(d.Step > 0)) {
		of := ""
		if whole {
			of = "whole "
		}
		return d, r.at(n, "%s: step is %q, want a %snumber above 0", key, n.Value, of)
	}
	if n := nodes["log"]; n != nil && (n.Tag != "!!bool" || n.Decode(&d.Log) != nil) {
		return d, r.at(n, "%s: log is %q, want true or false", key, n.Value)
	}
	return d, nil
}

// number reads a number; a whole one must be written as one.
func number(n *yaml.Node, to *float64, whole bool) bool {
	if n.Kind != yaml.ScalarNode {
		return false
	}
	x, err := strconv.ParseFloat(n.Value, 64)
	if whole && err == nil {
		_, err = strconv.Atoi(n.Value)
	}
	*to = x
	return err == nil
}

// scalar returns text, a number, true or false.
func (r *spaceReader) scalar(key string, n *yaml.Node) (any, error) {
	if n.Kind != yaml.ScalarNode {
		return nil, r.at(n,
			`%s: a choice is between texts, numbers, true and false; put others in quotes, as "{forced: 1}"`, key)
	}
	switch n.Tag {
	case "!!int":
		if v, err := strconv.Atoi(n.Value); err == nil {
			return v, nil
		}
	case "!!float":
		if v, err := strconv.ParseFloat(n.Value, 64); err == nil {
			return v, nil
		}
	case "!!bool":
		return strings.EqualFold(n.Value, "true"), nil
	case "!!str":
		return n.Value, nil
	}
	return nil, r.at(n, "%s: cannot choose %q", key, n.Value)
}

// resolve returns the node that an alias refers to. Spaces are two levels deep, so aliases cannot make them large.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// shipped are the spaces that come with bloom.
//
//go:embed spaces/*.yaml
var shipped embed.FS

// Spaces returns the names of the spaces that come with bloom: the paper's, one with the keys that the paper leaves
// open, and one for recipes that it does not mention.
func Spaces() []string {
	files, _ := shipped.ReadDir("spaces") // embedded
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	slices.Sort(names)
	return names
}

// FindSpace returns the space with a name of Spaces.
func FindSpace(name string) (Space, error) {
	text, err := shipped.ReadFile(path.Join("spaces", name+".yaml"))
	if err != nil {
		return nil, fmt.Errorf("there is no space %q; there are %s", name, strings.Join(Spaces(), ", "))
	}
	return ReadSpace(name, text)
}
