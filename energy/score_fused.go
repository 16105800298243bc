package energy

import (
	"cmp"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// asking holds the edges of a graph as answers to questions: edge (u, r, v) is the answer v to (u, r, ?) or the answer
// u to (v, r⁻¹, ?), whichever question has more answers in the graph. Questions are the rows of a pattern and entities
// its columns, so a score needs a row per question rather than per edge: false edges that share an end and the relation
// with a true one, as negatives do, cost no row.
type asking struct {
	s          *mat.Sparse
	rows, cols *mat.Index // the question and the answer of every entry of s
	edge       *mat.Index // its edge
	ends, of   *mat.Index // of every question: its end, and 2r, or 2r+1 for r⁻¹
}

// asking returns the asking of the graph, which it builds on the first call.
func (s *Structure) asking() *asking {
	return s.asked.get(func() *asking {
		return newAsking(s.Graph.Sources(), s.Graph.Relations(), s.Graph.Targets(), s.Graph.NumNodes(),
			s.Graph.NumRelations())
	})
}

// key orders questions by operand, then end.
func key(end, of int32) uint64 { return uint64(of)<<32 | uint64(uint32(end)) }

func newAsking(src, rel, dst []int32, nodes, relations int) *asking {
	answers := make(map[uint64]int32, len(src))
	for e, r := range rel {
		answers[key(src[e], 2*r)]++
		answers[key(dst[e], 2*r+1)]++
	}
	type entry struct {
		of         uint64
		edge, node int32
	}
	list := make([]entry, len(src))
	for e, r := range rel {
		tail, head := key(src[e], 2*r), key(dst[e], 2*r+1)
		list[e] = entry{tail, int32(e), dst[e]}
		if answers[head] > answers[tail] {
			list[e] = entry{head, int32(e), src[e]}
		}
	}
	slices.SortFunc(list, func(a, b entry) int {
		switch {
		case a.of != b.of:
			return cmp.Compare(a.of, b.of)
		case a.node != b.node:
			return int(a.node) - int(b.node)
		}
		return int(a.edge) - int(b.edge)
	})
	var ends, of, rows, cols, edges []int32
	ptr := []int64{0}
	for i, x := range list {
		if i == 0 || x.of != list[i-1].of {
			ends, of, ptr = append(ends, int32(uint32(x.of))), append(of, int32(x.of>>32)), append(ptr, ptr[len(ptr)-1])
		}
		rows, cols, edges = append(rows, int32(len(ends)-1)), append(cols, x.node), append(edges, x.edge)
		ptr[len(ptr)-1]++
	}
	return &asking{s: sparse(len(ends), nodes, ptr, cols), rows: mat.MustIndex(rows, len(ends)),
		cols: mat.MustIndex(cols, nodes), edge: mat.MustIndex(edges, len(src)), ends: mat.MustIndex(ends, nodes),
		of: mat.MustIndex(of, 2*relations)}
}

var (
	_ FusedEdges     = score{}
	_ MajorizedEdges = score{}
	_ summedEdges    = score{}
)

// EdgeGrad returns the derivative of the sum; absent if the model has no questions.
func (t score) EdgeGrad(on *Structure, h ad.Var) ad.Var {
	h = ad.Renew(h)
	sum := t.sum(on, h)
	if sum.IsZero() {
		return sum
	}
	return ad.Grad(sum, h)[0]
}

// sum returns Σ_E f, 1×1. It is absent if the score is not a function of inner products, see Comparison.Expands, or if
// there are no edges.
func (t score) sum(on *Structure, h ad.Var) ad.Var {
	m, ok := t.model.(QueryModel)
	if !ok || !m.Compare().Expands() || on.Graph.NumEdges() == 0 {
		return ad.Var{}
	}
	a, e := on.asking(), t.e.Var
	both := ad.Concat(e, m.Inverse(e)).Reshape(2*e.Rows(), e.Cols())
	q := m.Query(h.Gather(a.ends), both.Gather(a.of))
	s := m.Compare().At(a.s, a.rows, a.cols, q, h).Shift(t.margin).Neg()
	if sign := on.signed(); !sign.IsZero() {
		s = s.Mul(sign.Gather(a.edge))
	}
	f := s.Softplus()
	if w := on.EdgeWeight(); !w.IsZero() {
		f = f.Mul(w.Gather(a.edge))
	}
	return f.Sum()
}
