package recipe

import (
	"errors"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/part"
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

// EdgeTerms is the table of edge terms.
var EdgeTerms = part.Kind[Edge]{
	Name: "edge term", Key: "term", Doc: "what the term is; bloom energy shows its formula",
	Parts: []part.Part[Edge]{
		{Name: "laplace", Text: "neighbours agree", New: laplace{Lambda: 1}},
		{Name: "difference", Text: "a penalty on how neighbours differ", New: difference{energy.HalfSquared, 1}},
		{Name: "compat", Text: "a neighbour predicts the other through C",
			New: compat{Rho: energy.HalfSquared, Lambda: 1}},
		{Name: "relational", Text: "compat with one matrix per relation", New: relational{energy.HalfSquared, 1}},
		turning, mirroring, mapping, signing,
		attraction,
		{Name: "transe", Text: "relations are translations", New: score{energy.TransE(energy.NormSquared, 0), 6}},
		{Name: "distmult", Text: "relations are scalings", New: score{energy.DistMult, 0}},
		{Name: "complex", Text: "relations are complex scalings", New: score{energy.ComplEx, 0}},
		{Name: "rotate", Text: "relations are rotations", New: score{energy.RotatE(energy.NormSquared, 0), 6}},
		{Name: "path", Text: "the bilinear term of the paper's path models", New: pathEdges{}},
		{Name: "received", Text: "path models: a node turns towards the messages that it receives",
			New: receivedEdges{"distmult"}},
	},
}

// NodeTerms is the table of node terms.
var NodeTerms = part.Kind[Node]{
	Name: "node term", Doc: "the energy of a node",
	Parts: []part.Part[Node]{
		{Name: "anchor", Text: "a penalty on the distance to the node's own features",
			New: anchor{Rho: energy.HalfSquared}},
		{Name: "labels", Text: "a penalty on the distance to the node's label", New: labelled{energy.HalfSquared}},
		{Name: "unit-norm", Text: "a penalty for norms that are not 1", New: unitNorm{1}},
		{Name: "path", Text: "the node term that belongs to f: path", New: pathNodes{}},
		{Name: "received", Text: "the node term that belongs to f: received", New: receivedNodes{}},
		{Name: "pna", Text: "the same as f and kappa: received, with messages aggregated by PNA",
			New: pooled{Message: "distmult"}},
		{Name: "pna-fused", Text: "pna of transe, with the second moment of NBFNet's fused kernel",
			New: pooled{Fused: true}},
	},
}

// etas returns the table of constraints: the ones of package energy, and the ones that depend on the data.
func etas() part.Kind[Eta] {
	k := part.Kind[Eta]{Name: energy.Constraints.Name, Doc: energy.Constraints.Doc, Parts: []part.Part[Eta]{
		{Name: "none", Text: "no constraint"},
		{Name: "labels", Text: "nodes with a label keep it", New: Clamp},
		{Name: "range", Text: "columns of H are combinations of features", New: Range},
	}}
	for _, p := range energy.Constraints.Parts {
		k.Parts = append(k.Parts, part.Part[Eta]{Name: p.Name, Text: p.Text, New: always{p.New}})
	}
	return k
}

// Parts returns the tables of all parts of an energy and of its descent.
func Parts() []part.Table {
	return []part.Table{EdgeTerms.Table(), NodeTerms.Table(), etas().Table(), energy.Penalties.Table(),
		descent.Algorithms.Table(), descent.StepSizes.Table(), descent.Preconditioners.Table()}
}
