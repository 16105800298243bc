package energy

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// exchange is how the two ends of every edge speak to each other through matrices that belong to relations: for the
// edges x – y of a group, W to one side and Wᵀ back,
//
//	y ← y + h_x W      x ← x + h_y Wᵀ
//
// There is a row for every x that has edges in a group, not for every edge: the row of x is multiplied by W once and
// sent to all y, and the rows of all y are summed before they are multiplied.
type exchange struct {
	x      *mat.Index  // the node of a row
	groups *mat.Groups // of rows
	y      adjacency   // rows×n: the other ends

	// W = C_i + Cᵀ_j, one i and one j for every group; j is absent if W = C_i.
	i, j *mat.Index
}

// run returns what every node receives, for a stack of C_r.
func (t exchange) run(on *Structure, h, c ad.Var) ad.Var {
	w := t.matrices(on, c)
	there := t.y.mulT(h.Gather(t.x).GroupMatMul(t.groups, w, mat.NN))
	return there.Add(t.y.mul(h).GroupMatMul(t.groups, w, mat.NT).SegmentSum(t.x))
}

// matrices returns the W, stacked.
func (t exchange) matrices(on *Structure, c ad.Var) ad.Var {
	d := c.Cols()
	w := flat(c).Gather(t.i)
	if t.j != nil {
		w = w.Add(flat(transposes(c, on.squares(d))).Gather(t.j))
	}
	return stacked(w, d)
}

// transposes returns the transposed matrices of a stack: I Cᵀ.
func transposes(c ad.Var, squares *mat.Groups) ad.Var {
	d := c.Cols()
	ones := flat(ad.Eye(d)).Expand(mat.Shape{Rows: squares.Len(), Cols: d * d})
	return stacked(ones, d).GroupMatMul(squares, c, mat.NT)
}

// exchanges returns the messages of the edges u –r→ v of ∇ ‖h_u C_r − h_v‖²/2: to v through C_r, to u through Cᵀ_r.
// Edges of inverse relations r and r⁻ have the same ends, and one W = C_r + Cᵀ_r⁻ for both; x is the side with fewer
// nodes.
func (s *Structure) exchanges() exchange {
	return s.talk.get(func() exchange {
		var b rowBuilder
		paired := s.inverses()
		for r := range s.Graph.NumRelations() {
			u, us := s.Graph.RelationOut(int32(r))
			if !paired {
				b.add(u, us, r, r)
				continue
			}
			back, _ := s.inverse(r)
			if back < r {
				continue
			}
			v, vs := s.Graph.RelationIn(int32(r))
			if len(us) <= len(vs) {
				b.add(u, us, r, back)
			} else {
				b.add(v, vs, back, r)
			}
		}
		if !paired {
			b.j = nil // W = C_r alone
		}
		return b.exchange(s)
	})
}

// rowBuilder collects the groups of an exchange.
type rowBuilder struct {
	x, i, j []int32
	sizes   []int
	y       graph.Pattern
}

// add appends a group: the rows of p, which belong to nodes, with W = C_i + Cᵀ_j.
func (b *rowBuilder) add(p graph.Pattern, nodes []int32, i, j int) {
	if b.y.Ptr == nil {
		b.y.Ptr, b.y.Cols = []int64{0}, p.Cols
	}
	from := int64(len(b.y.Idx))
	for _, end := range p.Ptr[1:] {
		b.y.Ptr = append(b.y.Ptr, from+end)
	}
	b.y.Idx, b.y.Edge = append(b.y.Idx, p.Idx...), append(b.y.Edge, p.Edge...)
	b.x, b.sizes = append(b.x, nodes...), append(b.sizes, len(nodes))
	b.i, b.j = append(b.i, int32(i)), append(b.j, int32(j))
}

// exchange returns the collected rows.
func (b *rowBuilder) exchange(s *Structure) exchange {
	b.y.Rows = len(b.x)
	t := exchange{x: mat.MustIndex(b.x, s.Graph.NumNodes()), groups: mat.NewGroups(b.sizes...),
		y: s.adjacencyOf(b.y),
		i: mat.MustIndex(b.i, s.Graph.NumRelations())}
	if b.j != nil {
		t.j = mat.MustIndex(b.j, s.Graph.NumRelations())
	}
	return t
}
