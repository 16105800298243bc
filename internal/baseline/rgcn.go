package baseline

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/random"
	"github.com/bloomgml/bloom/mat"
)

// newRGCN returns the relational graph convolution of Schlichtkrull et al. (2018), layers of
//
//	h_v ← h_v W₀ + Σ_r Σ_(u,r,v) h_u W_r / c_vr + b
//
// over the relations of the graph and their inverses, c_vr being the number of edges of relation r into v. With
// Bases = B > 0 the matrices are W_r = Σ_b a_rb V_b for B matrices V_b. Without features (In = 0) the first layer's
// h is one-hot: its matrices have a row per node.
//
// Chosen: weights of edges are not used, as c counts edges.
func newRGCN(o Options, g *graph.Graph) (Model, error) {
	on, err := newRelational(g, o)
	if err != nil {
		return nil, err
	}
	return newStack("rgcn", o, ReLU, func(name string, in, out int, _ bool) convolution {
		l := rgcnLayer{on: on, free: in == 0}
		if l.free {
			in = on.nodes
		}
		l.Linear = input.NewLinear(name, in, out, o.Seed)
		if o.Bases == 0 {
			l.stacked = on.newStacked(name+".relations.W", in, out, l.free, o.Seed)
			return l
		}
		for b := range o.Bases {
			w := input.Glorot(fmt.Sprintf("%s.basis.%d.W", name, b), in, out, o.Seed)
			l.bases = append(l.bases, input.Linear{W: w})
		}
		l.mix = input.Glorot(name+".mix", on.relations, o.Bases, o.Seed)
		return l
	}), nil
}

// relational are the edges into every node with their relations, inverses included.
type relational struct {
	nodes, relations int
	// with bases: n×n, by target; without: n×(n·|R|), source u with relation r at column u|R| + r
	s        *mat.Sparse
	relation *mat.Index // of every entry
	inverse  ad.Var     // 1/c_vr of every entry
}

func newRelational(g *graph.Graph, o Options) (*relational, error) {
	g, err := g.WithInverse()
	if err != nil {
		return nil, err
	}
	in, n, relations := g.In(), g.NumNodes(), g.NumRelations()
	if o.Bases == 0 && n*relations > math.MaxInt32 {
		return nil, fmt.Errorf("baseline: rgcn with %d nodes and %d relations needs Bases", n, relations)
	}
	rel := make([]int32, len(in.Idx))
	for i, e := range in.Edge {
		rel[i] = g.Relations()[e]
	}
	m := &relational{nodes: n, relations: relations, relation: mat.MustIndex(rel, relations),
		inverse: column(shares(in, rel, relations))}
	if o.Bases > 0 {
		m.s = sparse(n, n, in.Ptr, in.Idx)
		return m, nil
	}
	wide := make([]int32, len(in.Idx))
	for i, u := range in.Idx {
		wide[i] = u*int32(relations) + rel[i]
	}
	m.s = sparse(n, n*relations, in.Ptr, wide)
	return m, nil
}

// shares returns 1/c_vr for every entry.
func shares(in graph.Pattern, rel []int32, relations int) []mat.Real {
	share, count := make([]mat.Real, len(rel)), make([]int, relations)
	for v := range in.Rows {
		row := rel[in.Ptr[v]:in.Ptr[v+1]]
		for _, r := range row {
			count[r]++
		}
		for i, r := range row {
			share[int(in.Ptr[v])+i] = 1 / mat.Real(count[r])
		}
		for _, r := range row {
			count[r] = 0
		}
	}
	return share
}

// newStacked returns the matrices W_r of all relations: side by side, in×(|R|·out), or, where inputs are one-hot, as
// rows u|R| + r, (in·|R|)×out. Their first weights are Glorot's for one matrix.
func (m *relational) newStacked(name string, in, out int, free bool, seed uint64) *ad.Param {
	bound := random.Glorot(in, out)
	if free {
		return random.Uniform(name, in*m.relations, out, bound, seed)
	}
	return random.Uniform(name, in, m.relations*out, bound, seed)
}

// rgcnLayer is one convolution.
type rgcnLayer struct {
	on           *relational
	free         bool           // inputs are one-hot
	input.Linear                // W₀ and b
	stacked      *ad.Param      // W_r; nil with bases
	bases        []input.Linear // V_b
	mix          *ad.Param      // a, |R|×B
}

func (l rgcnLayer) forward(c input.Context, x input.Features) ad.Var {
	z := l.product(x, l.W).Add(l.B.Var)
	if l.stacked != nil {
		rows := l.product(x, l.stacked)
		rows = rows.Reshape(l.on.nodes*l.on.relations, z.Cols())
		return z.Add(ad.Propagate(l.on.s, l.on.inverse, rows))
	}
	for b, v := range l.bases {
		w := l.mix.Columns(b, b+1).Gather(l.on.relation).Mul(l.on.inverse)
		z = z.Add(ad.Propagate(l.on.s, w, l.product(x, v.W)))
	}
	return z
}

// product returns x·w, or w itself if x is one-hot.
func (l rgcnLayer) product(x input.Features, w *ad.Param) ad.Var {
	if l.free {
		return w.Var
	}
	return x.MatMul(w.Var)
}

func (l rgcnLayer) params() []*ad.Param {
	ps := l.Params()
	if l.stacked != nil {
		return append(ps, l.stacked)
	}
	for _, v := range l.bases {
		ps = append(ps, v.Params()...)
	}
	return append(ps, l.mix)
}
