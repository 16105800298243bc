package pair

import (
	"cmp"
	"math"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
)

// Explanation says why a pair scores as it does, as if no edge joined it. The JSON keys are stable.
type Explanation struct {
	Scored
	Joined bool     `json:"joined"` // the graph has the edge
	Shared []string `json:"shared"` // the common neighbours
	Score  float64  `json:"score"`  // z
	Edges  []pull   `json:"edges"`  // by the size of their pull
	Left   int      `json:"edges_left_out,omitempty"`
}

// pull says how an edge of the graph affects the score of a pair.
type pull struct {
	Source string `json:"source"`
	Target string `json:"target"`
	// Pull is ∂z/∂w, where w is the weight of the edge in the energy: how fast the score would grow with it, through
	// all steps of the descent. It excludes the effect of the edge on the columns of the pair (pairs.common,
	// pairs.alike).
	Pull float64 `json:"pull"`
}

// Explain explains the score of the nodes of two ids, by at most top edges, or all if top is 0.
func (t *Trained) Explain(a, b string, top int) (*Explanation, error) {
	u, err := t.Data.Node(a)
	if err != nil {
		return nil, err
	}
	v, err := t.Data.Node(b)
	if err != nil {
		return nil, err
	}
	p, s := newPair(u, v), t.job.split
	if i, ok := slices.BinarySearchFunc(s.train, p, comparePairs); ok {
		if err := t.job.eval.settle(int32(i)); err != nil {
			return nil, err
		}
	}
	found, err := t.scored([]pair{{u, v}})
	if err != nil {
		return nil, err
	}
	e := &Explanation{Scored: found[0], Joined: s.known[p], Shared: []string{}}
	t.job.near.common(u, v, func(w int32) { e.Shared = append(e.Shared, t.Data.NodeName(w)) })
	if err := t.pulls(e, p, top); err != nil {
		return nil, err
	}
	return e, t.job.eval.settle()
}

// pulls fills in the score and its derivatives by the weights of edges.
func (t *Trained) pulls(e *Explanation, p pair, top int) error {
	m := t.job.model
	h, err := m.embed(input.Evaluation())
	if err != nil {
		return err
	}
	one := m.newInputs(1)
	one.put(0, p)
	if err := one.update(); err != nil {
		return err
	}
	z := one.score(input.Evaluation(), h)
	slope := ad.Grad(z, m.mask)[0]
	prog := ad.Compile(z, slope)
	if err := prog.Run(); err != nil {
		return err
	}
	e.Score = float64(prog.Value(z).Item())
	g := m.On.On.Graph
	for i, x := range prog.Value(slope).Slice() {
		if m.kept[i] == 0 || x == 0 {
			continue
		}
		f := g.Edge(int32(i))
		e.Edges = append(e.Edges, pull{t.Data.NodeName(f.U), t.Data.NodeName(f.V), float64(x)})
	}
	slices.SortStableFunc(e.Edges, func(a, b pull) int { return cmp.Compare(math.Abs(b.Pull), math.Abs(a.Pull)) })
	if top > 0 && len(e.Edges) > top {
		e.Left, e.Edges = len(e.Edges)-top, e.Edges[:top]
	}
	return nil
}
