package solve

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Hold returns a State of rows that are computed elsewhere, h being the rows of g, n×cols. Edges, drafts, commits and
// restored rows work as in other States; after a change the caller must ask Changed, pass the rows that changed to
// Put, and call Settle.
func Hold(g *graph.Graph, h *mat.Dense) (*State, error) {
	n := g.NumNodes()
	if h.Rows() != n {
		return nil, fmt.Errorf("live: rows of %d nodes for a graph of %d", h.Rows(), n)
	}
	f := newForm(descent.Local{}, 0)
	f.held = true
	s := &State{form: f, nodes: n}
	s.cols = h.Cols()
	if err := s.join(g); err != nil {
		return nil, err
	}
	s.rows.p = make([]mat.Real, n*s.cols) // π is never read
	s.layers = [][]mat.Real{wide(h.Slice())}
	s.is, s.mark = make([]bool, n), make([]uint32, n)
	return s, nil
}

// Changed returns the nodes that were added, moved, or have other edges since the last Settle, ascending.
func (s *State) Changed() []int32 { return slices.Sorted(slices.Values(s.queue)) }

// SetRow sets the row of v to h, in a State of Hold.
func (s *State) SetRow(v int32, h []mat.Real) {
	copy(span(s.layers[0], s.writable(v), s.cols), h)
	s.given++
}
