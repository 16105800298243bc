package node

import (
	"fmt"
	"hash/fnv"
	"math"
	"strings"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/fit"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/optim"
	"github.com/bloomgml/bloom/train"
)

// load copies a matrix of features to the device; sparse ones stay sparse.
func load(m dataset.Matrix) (input.Features, error) {
	if !m.IsSparse() {
		x, err := mat.Load(m.Rows, m.Cols, m.Values)
		if err != nil {
			return input.Features{}, err
		}
		return input.Dense(x), nil
	}
	s, err := mat.NewSparse(m.Rows, m.Cols, m.Ptr, m.Idx)
	if err != nil {
		return input.Features{}, err
	}
	if m.Values == nil {
		return input.Sparse(s, nil), nil
	}
	x, err := mat.Load(len(m.Values), 1, m.Values)
	if err != nil {
		return input.Features{}, fmt.Errorf("entries: %w", err)
	}
	return input.Sparse(s, x), nil
}

// weighing returns the trained weights of edges by the features that they have in t.On; nil if they have none.
func (t *Task) weighing(prefix string) *energy.EdgeWeights {
	if k := t.On.On.Graph.Features().Cols; k > 0 {
		return energy.ByFeatures(prefix+"edges", k)
	}
	return nil
}

// dropped is π(x) = x with dropout in training.
type dropped struct{ p float64 }

var _ input.Model = dropped{}

// dropSite separates the dropout of features that go to the descent unchanged from the dropout of layers.
const dropSite = 0x78

// Forward returns x, made dense.
func (d dropped) Forward(c input.Context, x input.Features) ad.Var {
	if !c.Training || d.p == 0 {
		return x.Var()
	}
	return x.Var().Dropout(d.p, c.Clock, dropSite)
}

func (dropped) Params() []*ad.Param { return nil }

// identity is π of nodes without features: one-hot features, which dropout keeps or drops as a whole.
//
// Deviation: HALO's code drops entries of the rows instead, so a node always knows who it is, and can learn its label
// by heart.
type identity struct {
	input.Model
	p float64
}

var _ input.Model = identity{}

// Forward returns the matrix, in training with a share p of its rows dropped.
func (m identity) Forward(c input.Context, x input.Features) ad.Var {
	e := m.Model.Forward(c, x)
	if !c.Training || m.p == 0 {
		return e
	}
	return e.Mul(c.Drop(ad.Fill(mat.Shape{Rows: e.Rows(), Cols: 1}, 1), m.p, m.Params()[0].Name))
}

// part returns the input model of the nodes of one type, out columns wide; its features are x.
func part(name string, c config.Model, x input.Features, out int, seed uint64) (input.Model, error) {
	if x.Shape().Cols == 0 {
		return identity{input.NewEmbedding(name+".E", x.Shape().Rows, out, seed), c.InputDropout}, nil
	}
	if c.Before == 0 && c.Input == "pieces" {
		return nil, &train.BadSetting{Key: "model.input", Value: "pieces", Want: "layers where model.before is 0"}
	}
	if c.Before == 0 {
		return rowless(dropped{c.InputDropout}, c.DropNodes, name), nil
	}
	in, pieces := x.Shape().Cols, input.Pieces{}
	if c.Input == "pieces" {
		p, err := piecesOf(name, x)
		if err != nil {
			return nil, err
		}
		pieces, in = p, p.Columns()
	}
	m, err := input.NewMLP(input.MLP{Name: name, Sizes: widths(in, c.Hidden, out, c.Before),
		InputDropout: c.InputDropout,
		Dropout:      c.Dropout, Norm: normOf(c.Norm), Residual: c.Residual, Seed: seed})
	if err != nil {
		return nil, err
	}
	xavier(m.Params(), seed)
	if c.Input == "pieces" {
		m = pieces.Before(m)
	}
	return rowless(m, c.DropNodes, name), nil
}

// piecesOf cuts the columns of dense features at their eighths.
func piecesOf(name string, x input.Features) (input.Pieces, error) {
	knots, most := make([][]float64, x.Shape().Cols), 0
	if dense, ok := x.Dense(); ok {
		values := ad.Compile(dense).Value(dense).Slice()
		for j := range knots {
			column := make([]float64, x.Shape().Rows)
			for i := range column {
				column[i] = float64(values[i*len(knots)+j])
			}
			knots[j] = fit.Knots(column)
			most = max(most, len(knots[j]))
		}
	}
	if most < 2 {
		return input.Pieces{}, &train.BadSetting{Key: "model.input", Value: "pieces",
			Want: "layers: no column of numbers differs between nodes"}
	}
	return input.NewPieces(name, knots), nil
}

// rowless returns m, which in training drops a share p of the rows of features.
func rowless(m input.Model, p float64, name string) input.Model {
	if p == 0 {
		return m
	}
	return lossy{m, p, name + " rows"}
}

type lossy struct {
	input.Model
	p     float64
	place string
}

var (
	_ input.Model    = lossy{}
	_ input.Stateful = lossy{}
)

// Forward applies the model to the features of which some rows are dropped.
func (m lossy) Forward(c input.Context, x input.Features) ad.Var {
	return m.Model.Forward(c, x.DropRows(c, m.p, m.place))
}

func (m lossy) State() []*ad.Param {
	if s, ok := m.Model.(input.Stateful); ok {
		return s.State()
	}
	return nil
}

// widths returns the sizes of a perceptron with the given number of layers: in, layers − 1 times hidden, out.
func widths(in, hidden, out, layers int) []int {
	sizes := []int{in}
	for range layers - 1 {
		sizes = append(sizes, hidden)
	}
	return append(sizes, out)
}

// xavier draws weights from N(0, 2/(in + out)), as TWIRLS does; biases stay 0.
func xavier(params []*ad.Param, seed uint64) {
	for _, p := range params {
		if optim.Decays(p) {
			sd := math.Sqrt(2 / float64(p.Rows()+p.Cols()))
			mat.Normal(p.Value(), 0, mat.Real(sd), mat.Mix(seed, hash(p.Name)))
		}
	}
}

// edgesFor returns the graph of d with the edge data that c wants: weights, features.
func edgesFor(c config.Data, d *dataset.Dataset) (*graph.Graph, error) {
	g := d.Graph
	w, f := g.Weights(), g.Features()
	if c.Weights == "none" {
		w = nil
	}
	if c.Decay > 0 {
		k, err := dataset.NewDecay(d, c.Decay)
		if err != nil {
			return nil, &train.BadSetting{Key: "data.decay", Value: c.Decay.String(), Want: "0s: " + err.Error()}
		}
		w = k.Weights(d)
	}
	if c.EdgeFeatures != "use" {
		f = graph.Features{}
	}
	if c.Decay == 0 && (w == nil) == (g.Weights() == nil) && f.Cols == g.Features().Cols {
		return g, nil
	}
	return g.WithEdges(w, f)
}

// ready returns d as training uses it. Edges are as edgesFor says. Features are scaled, and then corrupted if
// requested, other nodes for every seed. Noise has the given size because it is added after scaling.
func ready(c config.Data, d *dataset.Dataset, seed uint64) (*dataset.Dataset, error) {
	spoil, err := build.ParseCorruption(c.Corrupt)
	if err != nil {
		why := strings.TrimPrefix(err.Error(), fmt.Sprintf("corruption %q: ", c.Corrupt))
		return nil, &train.BadSetting{Key: "data.corrupt", Value: c.Corrupt,
			Want: "something like rows=0.2,kind=replace; " + why}
	}
	name := d.Name
	if d, err = build.Scale(d, c.Scale, c.ScaleRows); err != nil {
		return nil, &train.BadData{Data: name, Text: err.Error()}
	}
	g, err := edgesFor(c, d)
	if err != nil {
		return nil, err
	}
	if g != d.Graph {
		weighed := *d
		weighed.Graph, d = g, &weighed
	}
	if spoil.Rows == 0 {
		return d, nil
	}
	return build.Corrupt(d, spoil, mat.Mix(seed, hash("corrupt")))
}

// byType is π of a graph with several node types: a model for each, as their features have nothing in common. Nodes
// of a type without features have a trained row each.
type byType struct {
	parts []typePart
}

type typePart struct {
	kind  int
	nodes *mat.Index // of this type, ascending
	x     input.Features
	model input.Model
}

var (
	_ input.Model    = (*byType)(nil)
	_ input.Stateful = (*byType)(nil)
)

// newByType builds the parts of π, all of them out columns wide.
func newByType(c config.Model, d *dataset.Dataset, out int, seed uint64) (*byType, error) {
	m := &byType{}
	for t := range d.Graph.NumTypes() {
		ids := d.Graph.NodesOfType(int32(t))
		nodes, err := mat.NewIndex(ids, d.Graph.NumNodes())
		if err != nil {
			return nil, err
		}
		x := input.None(len(ids))
		if t < len(d.Features) && d.Features[t].Cols > 0 {
			if x, err = load(d.Features[t]); err != nil {
				return nil, fmt.Errorf("features of %s: %w", d.TypeName(int32(t)), err)
			}
		}
		if len(ids) == 0 {
			continue
		}
		if x.Shape().Cols > 0 && c.Before == 0 {
			return nil, &train.BadSetting{Key: "model.before", Value: "0",
				Want: "1 or more: features of different types have nothing in common"}
		}
		model, err := part("pi."+d.TypeName(int32(t)), c, x, out, seed)
		if err != nil {
			return nil, err
		}
		m.parts = append(m.parts, typePart{t, nodes, x, model})
	}
	return m, nil
}

// Forward puts the rows of every type where its nodes are; it ignores x.
func (m *byType) Forward(c input.Context, _ input.Features) ad.Var {
	var h ad.Var
	for i, p := range m.parts {
		rows := p.model.Forward(c, p.x).SegmentSum(p.nodes)
		if i == 0 {
			h = rows
		} else {
			h = h.Add(rows)
		}
	}
	return h
}

// Params returns the parameters of the models of all types, type by type.
func (m *byType) Params() []*ad.Param {
	var ps []*ad.Param
	for _, p := range m.parts {
		ps = append(ps, p.model.Params()...)
	}
	return ps
}

// State returns the state that these models keep besides their parameters, type by type.
func (m *byType) State() []*ad.Param {
	var ps []*ad.Param
	for _, p := range m.parts {
		if s, ok := p.model.(input.Stateful); ok {
			ps = append(ps, s.State()...)
		}
	}
	return ps
}

// hash returns the number of a name.
func hash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}
