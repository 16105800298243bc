package pair

import (
	"errors"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/upper"
)

// model is an encoder and a decoder on the training pairs of a graph.
type model struct {
	*node.Encoder
	decoder
	split   *split
	near    *neighbours
	columns *columns

	of    []int32           // the training pair of every edge that messages go along; −1 for a loop
	own   []mat.Real        // its weight
	kept  []mat.Real        // the same, 0 for hidden pairs
	value *mat.Dense        // the same on the device, m×1
	mask  ad.Var            // the same on the device, m×1
	part  *energy.Structure // the graph with these weights
}

func newModel(c config.Config, d *dataset.Dataset, seed uint64) (*model, error) {
	s, err := newSplit(c.Pairs, d, c.Data.ScaleRows, seed)
	if err != nil {
		return nil, err
	}
	rest, err := s.seen(d)
	if err != nil {
		return nil, err
	}
	e, err := node.NewEncoder(c, rest, seed)
	if err != nil {
		return nil, err
	}
	m := &model{Encoder: e, split: s, near: newNeighbours(d.Graph.NumNodes(), s.train)}
	if m.columns, err = newColumns(e.Config, e.Data, s.old, m.near); err != nil {
		return nil, err
	}
	if m.decoder, err = newDecoder(e.Config, e.Dim, m.columns.width(), seed); err != nil {
		return nil, err
	}
	m.newWeights()
	m.standardise(seed)
	return m, nil
}

// standardise scales the columns of a part of the training pairs, hidden, and of the same number of other pairs to
// mean 0 and deviation 1, if pairs.alike asks for columns that are not just counts of neighbours.
func (m *model) standardise(seed uint64) {
	if m.columns.alike == nil {
		return
	}
	var old, late, part []int32
	for i, p := range m.split.train {
		if int(p.v) < m.split.old {
			old = append(old, int32(i))
		} else {
			late = append(late, int32(i))
		}
	}
	for i := 0; i < len(old); i += m.Config.Pairs.Batches {
		part = append(part, old[i])
	}
	m.hide(slices.Concat(part, late))
	rows := make([]mat.Real, 2*len(part)*m.columns.width())
	for k, i := range part {
		p := m.split.train[i]
		m.columns.row(rows, 2*k, p)
		m.columns.row(rows, 2*k+1, m.negative(p, mat.Mix(mat.Mix(seed, hashScale), uint64(k))))
	}
	m.columns.standardise(rows)
	m.hide(nil)
}

// newWeights makes the weights that messages are masked by.
func (m *model) newWeights() {
	at := make(map[pair]int32, len(m.split.train))
	for i, p := range m.split.train {
		at[p] = int32(i)
	}
	g := m.On.On.Graph
	m.of, m.own = make([]int32, g.NumEdges()), make([]mat.Real, g.NumEdges())
	for e := range m.of {
		t := g.Edge(int32(e))
		m.of[e], m.own[e] = -1, 1
		if t.U != t.V {
			m.of[e] = at[newPair(t.U, t.V)]
		}
		if w := g.Weights(); w != nil {
			m.own[e] = w[e]
		}
	}
	m.kept = slices.Clone(m.own)
	m.value = mat.FromSlice(len(m.kept), 1, m.kept)
	m.mask = ad.Input(m.value)
	m.part = m.On.On.Reweighted(m.mask)
}

// hide blocks messages along some training pairs, and does not count neighbours by them; all others are shown.
func (m *model) hide(ids []int32) {
	m.near.hide(ids, m.split.train)
	m.columns.renew()
	for e, i := range m.of {
		if m.kept[e] = m.own[e]; i >= 0 && m.near.hidden[i] {
			m.kept[e] = 0
		}
	}
	m.value.Write(m.kept)
}

// embed returns H⁽ᴸ⁾ by messages along the pairs that are not hidden.
func (m *model) embed(c input.Context) (ad.Var, error) {
	on := m.On
	on.On = m.part
	return m.Stack.Embed(c, on)
}

// params returns all trained parameters.
func (m *model) params() []*ad.Param { return append(m.Stack.Params(), m.decoder.params()...) }

// state returns what is kept besides the parameters.
func (m *model) state() []*ad.Param {
	return append(m.Stack.State(), m.decoder.state()...)
}

// decoder is g(h_u, h_v): a number for every pair.
//
//	g = MLP(h_u ∘ h_v, c) + ⟨w, c⟩        ⟨h_u, h_v⟩ + ⟨w, c⟩ without layers
//
// c are the columns of the pair; the second term is there where pairs.alike is.
type decoder struct {
	head  upper.Head // nil for the product
	short upper.Head // nil without the second term
}

// newDecoder returns the decoder of rows of dim numbers and pairs of some columns.
func newDecoder(c config.Config, dim, columns int, seed uint64) (g decoder, err error) {
	if c.Pairs.Alike {
		g.short = upper.NewLinear("short", columns, 1, mat.Mix(seed, hashShort))
	}
	if c.Model.After == 0 {
		return g, nil
	}
	sizes := []int{dim + columns}
	for range c.Model.After - 1 {
		sizes = append(sizes, c.Model.Hidden)
	}
	norm := input.Norm(slices.Index([]string{"none", "batch", "layer"}, c.Model.Norm))
	g.head, err = upper.NewMLP(input.MLP{Name: "head", Sizes: append(sizes, 1), Dropout: c.Model.Dropout, Norm: norm,
		Residual: c.Model.Residual, Seed: seed})
	return g, err
}

// score returns z, a row for every pair of u and v; columns, which have a row a pair, may be absent.
func (g decoder) score(c input.Context, h ad.Var, u, v *mat.Index, columns ad.Var) (z ad.Var) {
	a, b := h.Gather(u), h.Gather(v)
	switch {
	case g.head == nil:
		z = a.RowDot(b)
	case columns.IsZero():
		z = g.head.Predict(c, a.Mul(b))
	default:
		z = g.head.Predict(c, ad.Concat(a.Mul(b), columns))
	}
	if g.short != nil {
		z = z.Add(g.short.Predict(c, columns))
	}
	return z
}

func (g decoder) params() (list []*ad.Param) {
	for _, h := range []upper.Head{g.head, g.short} {
		if h != nil {
			list = append(list, h.Params()...)
		}
	}
	return list
}

func (g decoder) state() []*ad.Param {
	if s, ok := g.head.(input.Stateful); ok {
		return s.State()
	}
	return nil
}

// inputs are some pairs as programs read them.
type inputs struct {
	m         *model
	u, v      *mat.Index
	described *mat.Dense // the columns of pairs; nil without any
	columns   ad.Var     // the same as an expression
	ends      [2][]int32 // u and v of every row, before they go to the device
	shared    []mat.Real // the columns of every row
}

// newInputs has room for some pairs.
func (m *model) newInputs(rows int) inputs {
	n := m.On.On.Graph.NumNodes()
	in := inputs{m: m, u: mat.NewBatchIndex(rows, n), v: mat.NewBatchIndex(rows, n),
		ends: [2][]int32{make([]int32, rows), make([]int32, rows)}, shared: make([]mat.Real, rows*m.columns.width())}
	in.described, in.columns = m.columns.input(rows)
	return in
}

// put makes p the pair of row i.
func (in *inputs) put(i int, p pair) {
	in.ends[0][i], in.ends[1][i] = p.u, p.v
	in.m.columns.row(in.shared, i, p)
}

// update hands all pairs to the program.
func (in *inputs) update() error {
	if in.described != nil {
		in.described.Write(in.shared)
	}
	return errors.Join(in.u.Update(in.ends[0]), in.v.Update(in.ends[1]))
}

// score returns z of every row for states h.
func (in *inputs) score(c input.Context, h ad.Var) ad.Var {
	return in.m.score(c, h, in.u, in.v, in.columns)
}
