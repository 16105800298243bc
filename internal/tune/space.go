package tune

import (
	"embed"
	"errors"
	"fmt"
	"path"
	"slices"
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
	wrong := func(n *yaml.Node, format string, args ...any) error {
		return files.ErrorAtLetter(file, n.Line, n.Column, format, args...)
	}
	if root.Kind != yaml.MappingNode || len(root.Content) == 0 {
		return nil, wrong(root, "want keys with their values, as train.rate: {float: [1e-4, 0.1], log: true}")
	}
	var s Space
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if s.index(key.Value) >= 0 {
			return nil, wrong(key, "duplicate key %q", key.Value)
		}
		d, err := domainOf(value)
		if err != nil {
			return nil, wrong(value, "%s: %v", key.Value, err)
		}
		s = append(s, Param{key.Value, d})
	}
	return s, nil
}

// domainOf returns the domain that a node describes.
func domainOf(n *yaml.Node) (d Domain, err error) {
	known := []string{"choice", "int", "float", "log", "step"}
	for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		if name := n.Content[i].Value; !slices.Contains(known, name) {
			return d, keys.NewUnknown("key", name, known)
		}
	}
	var w struct {
		Choice     []any
		Int, Float []float64
		Log        bool
		Step       float64
	}
	err = n.Decode(&w)
	switch {
	case err != nil:
	case w.Choice != nil && w.Int == nil && w.Float == nil && !w.Log && w.Step == 0:
		d.Choices = w.Choice
		return d, d.check()
	case w.Choice == nil && len(w.Int) == 2 && w.Float == nil:
		d = Domain{Whole: true, Low: w.Int[0], High: w.Int[1], Log: w.Log, Step: w.Step}
		return d, d.check()
	case w.Choice == nil && w.Int == nil && len(w.Float) == 2:
		d = Domain{Low: w.Float[0], High: w.Float[1], Log: w.Log, Step: w.Step}
		return d, d.check()
	}
	return d, errors.New("want {choice: […]}, {int: [low, high]} or {float: [low, high]}; ranges take log: true or " +
		"step: 0.1")
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
