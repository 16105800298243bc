package recipe

import (
	"errors"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/keys"
)

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
