package recipe

import (
	"errors"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/keys"
)

// Recipe is ℓ_low, A and L: an energy, an algorithm, and the number of steps.
type Recipe struct {
	Name    string            `key:"name" omit:"" doc:"name of this energy, for reports"`
	Summary string            `key:"summary" omit:"" doc:"one-line description"`
	Source  string            `key:"source" omit:"" doc:"where the formula comes from"` // the LaTeX label of the paper
	F       []Edge            `key:"f" doc:"the energy of an edge: one term, or a list of terms that are added"`
	Kappa   []Node            `key:"kappa" doc:"the energy of a node: one term, or a list of terms that are added"`
	Eta     Eta               `key:"eta" doc:"the constraint on h"` // nil means none
	A       descent.Algorithm `key:"descent" doc:"how the energy is minimised"`
	L       int               `key:"steps" range:"[0,10000]" doc:"L, the steps of the descent, and so the layers"`
}

// Certified reports whether steps keep to the bound of the energy, see descent.Certified.
func (r *Recipe) Certified() bool { return descent.Certified(r.A) }

// Update returns the update of a node, with the prox of η written out.
func (r *Recipe) Update() descent.Text {
	prox := ""
	if r.Eta != nil {
		_, prox = r.Eta.Text()
	}
	return descent.TextOf(r.A, prox)
}

// All returns the recipes, in the order of the paper.
func All() []*Recipe {
	return slices.Concat(features, bundles, stacks, accelerated, constrained, labels, typed, knowledge, bilevel(),
		paths)
}

// Names returns the names of All.
func Names() []string {
	var names []string
	for _, r := range All() {
		names = append(names, r.Name)
	}
	return names
}

// Find returns the recipe of a name; the error proposes the nearest.
func Find(name string) (*Recipe, error) {
	for _, r := range All() {
		if r.Name == name {
			return r, nil
		}
	}
	return nil, keys.NewUnknown("recipe", name, Names())
}

// MaxSteps is the largest number of steps that a file may ask for.
const MaxSteps = 10000

// codec reads and writes recipes.
var codec = sync.OnceValue(func() *keys.Codec { return keys.New(Parts()...) })

// Read decodes an energy from YAML or JSON. Every key must be known; the error is a *files.Error.
//
//	name: mine
//	f: [{term: laplace, lambda: 1, norm: symmetric}]
//	kappa: [{anchor: huber, threshold: 1}]
//	eta: nonnegative
//	descent: {algorithm: momentum, beta: 0.9, gamma: 0.1, sigma: degree}
//	steps: 16
//
// f and kappa may also be one mapping each. Parts has the names.
func Read(file string, text []byte) (*Recipe, error) {
	root, err := keys.Parse(file, text)
	if err != nil {
		return nil, err
	}
	r := &Recipe{A: jacobi, L: 16}
	d := keys.Decoder{Codec: codec(), At: func(n *yaml.Node, text string) error {
		return files.ErrorAtLetter(file, n.Line, n.Column, "%s", text)
	}}
	if err := d.Decode(root, r, ""); err != nil {
		return nil, err
	}
	if r.Name == "" {
		r.Name = file
	}
	return r, nil
}

// Encode returns r as a file has it, with every key that a part has, also where its value is the default. Parts of a
// user's own, written in Go, have no name in a file: an error says which.
func Encode(r *Recipe) (*yaml.Node, error) { return codec().Encode(*r, nil) }

// Valid requires an energy, and parts that go together.
func (r *Recipe) Valid() error {
	if len(r.F)+len(r.Kappa) == 0 {
		return errors.New("there is no energy: give f or kappa")
	}
	return r.check()
}
