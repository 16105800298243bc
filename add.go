package bloom

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// Add embeds new nodes without training: d is the graph with them, h, n×d, holds the embeddings of its first n nodes,
// which stay where they are, and the rows after them start as those of Embed do and take L steps. The result is H of
// all nodes.
//
//	min over the new rows of ℓ_low(H),   the old rows given
func (m *Model) Add(d Data, h *mat.Dense) (*mat.Dense, error) {
	n := d.On.Graph.NumNodes()
	if h.Rows() > n {
		return nil, fmt.Errorf("bloom: embeddings of %d nodes for a graph of %d", h.Rows(), n)
	}
	old := make([]int32, h.Rows())
	for v := range old {
		old[v] = int32(v)
	}
	eta, err := energy.Held(old, n, h, m.Eta)
	if err != nil {
		return nil, err
	}
	held := *m
	held.Eta = eta
	l, a := held.Lower(input.Evaluation(), d), held.algorithm()
	if err := descent.Check(a, l); err != nil {
		return nil, err
	}
	out := descent.Run(a, l, l.Feasible(l.Pi), m.L).H
	prog := ad.Compile(out)
	if err := prog.Run(); err != nil {
		return nil, err
	}
	return prog.Value(out), nil
}
