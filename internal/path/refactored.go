package path

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// refactored is the states of one graph and the expressions over them.
type refactored struct {
	*Refactor
	*net
	edges   *mat.Triples // target, source, relation
	heads   *mat.Index   // of the distinct queries
	kinds   *mat.Index   // their relations
	counts  ad.Var       // how many answers each has
	inverse ad.Var       // 1/c_v
	profile *mat.Sparse  // the relations of every node
	noise   ad.Var

	states *ad.Param  // H, n×d
	fresh  *mat.Dense // 1×1: 1 to start from the first states, 0 from H
}

// newRefactored prepares the graph g.
func newRefactored(r *Refactor, g *graph.Graph) (*refactored, error) {
	if err := fits(g, r.Names); err != nil {
		return nil, err
	}
	n := newNet(g, len(r.Names))
	f := &refactored{Refactor: r, net: n, states: ad.NewParam("states", mat.New(n.nodes, r.Hidden)),
		fresh: mat.New(1, 1)}
	noise := mat.New(n.nodes, r.Hidden)
	mat.Normal(noise, 0, mat.Real(r.Noise), mat.Mix(r.Seed, 99))
	f.noise = ad.Const(noise)
	var err error
	f.edges, err = mat.NewTriples([3]int{n.nodes, n.nodes, 2 * n.relations}, [3][]int32{n.target, n.source, n.relation})
	must(err)
	f.distinct()
	ptr := make([]int64, n.nodes+1)
	var by []int32
	c := make([]mat.Real, n.nodes)
	for v := range n.nodes {
		for _, e := range n.out.edgesOf(int32(v)) {
			by = append(by, n.relation[e])
		}
		ptr[v+1] = int64(len(by))
		c[v] = 1 / mat.Real(max(1, len(n.out.edgesOf(int32(v)))))
	}
	f.profile, err = mat.NewSparse(n.nodes, 2*n.relations, ptr, by)
	must(err)
	f.inverse = ad.Const(mat.FromSlice(n.nodes, 1, c))
	return f, nil
}

// distinct lists the queries (head, relation) of all facts once each, with their numbers of answers.
func (f *refactored) distinct() {
	var heads, kinds []int32
	var counts []mat.Real
	at := map[[2]int32]int{}
	for e := range f.source {
		q := [2]int32{f.source[e], f.relation[e]}
		i, ok := at[q]
		if !ok {
			i = len(heads)
			at[q] = i
			heads, kinds, counts = append(heads, q[0]), append(kinds, q[1]), append(counts, 0)
		}
		counts[i]++
	}
	f.heads, f.kinds = mat.MustIndex(heads, f.nodes), mat.MustIndex(kinds, 2*f.net.relations)
	f.counts = ad.Const(mat.FromSlice(len(counts), 1, counts))
}

// energy returns F at h.
func (f *refactored) energy(h ad.Var) ad.Var {
	facts := ad.RelSum(f.edges, 0, h, f.Refactor.relations.Var).Dot(h)
	scores := h.Gather(f.heads).Mul(f.Refactor.relations.Gather(f.kinds)).MatMulT(h)
	total := scores.Columns(0, 1).Sub(scores.LogSoftmax().Columns(0, 1)) // log Σ exp
	return total.Dot(f.counts).Sub(facts)
}

// steps takes Layers steps from the current states.
func (f *refactored) steps() ad.Var {
	fresh := ad.Input(f.fresh)
	first := ad.Propagate(f.profile, ad.Var{}, f.Refactor.first.Var).Mul(f.inverse).Add(f.noise)
	h := first.Mul(fresh).Add(f.states.Mul(fresh.Neg().Shift(1)))
	for range f.Layers {
		at := ad.Renew(h)
		g := ad.Grad(f.energy(at), at)[0].Mul(f.inverse)
		h = inBall(at.Scale(1 - f.Step*f.Decay).Sub(g.Scale(f.Step)))
	}
	return h
}

// radius is the maximum length of a state.
//
// Chosen: F has no bound on its curvature, so a step of any length overflows if relations are long enough. Of 2, 3, 4,
// 5 and 8 the last was best by validation MRR on fb237_v1, together with relations that start at 0.3.
const radius float64 = 8

// inBall shortens the rows of h that are longer than radius to that length.
func inBall(h ad.Var) ad.Var {
	length := h.RowDot(h).Shift(1e-12).Sqrt()
	one := ad.Fill(length.Shape(), 1)
	return h.Div(length.Scale(1 / radius).Max(one))
}

// rank scores all nodes for the queries of every fact at the present states.
func (f *refactored) rank(facts []graph.Triple, among metric.Candidates) []metric.Ranked {
	qs, out := f.asked(facts), metric.Unranked(facts)
	if len(qs) == 0 {
		return out
	}
	heads, kinds := make([]int32, len(qs)), make([]int32, len(qs))
	for i, q := range qs {
		heads[i], kinds[i] = q.head, q.relation
	}
	h := f.states.Var
	left := h.Gather(mat.MustIndex(heads, f.nodes)).Mul(f.Refactor.relations.Gather(mat.MustIndex(kinds,
		2*f.net.relations)))
	scores := ad.Eval(left.MatMulT(h)).Slice()
	for i := range qs {
		out[i/2].Set(i%2, among.Place(scores[i*f.nodes:(i+1)*f.nodes], facts[i/2], i%2, i))
	}
	return out
}
