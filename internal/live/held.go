package live

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Hold is a State of rows that are computed elsewhere, h being those of g, n×cols. Edges, drafts, commits and restored
// rows are as with others; whoever changes it asks Changed, gives the rows that are others by then to Put, and calls
// Settle.
func Hold(g *graph.Graph, h *mat.Dense) (*State, error) {
	n := g.NumNodes()
	if h.Rows() != n {
		return nil, fmt.Errorf("live: rows of %d nodes for a graph of %d", h.Rows(), n)
	}
	f := newForm(descent.Local{}, 0)
	f.held = true
	s := &State{form: f, scratch: newScratch(h.Cols())}
	s.nodes, s.cols = n, h.Cols()
	if err := s.join(g); err != nil {
		return nil, err
	}
	s.rows.p = make([]mat.Real, n*s.cols) // nobody looks at π
	s.layers = [][]mat.Real{wide(h.Slice())}
	s.is, s.mark, s.slack = make([]bool, n), make([]uint32, n), make([]float64, n)
	return s, nil
}

// Changed are the nodes that were added, moved, or have other edges since the last Settle, ascending.
func (s *State) Changed() []int32 { return slices.Sorted(slices.Values(s.queue)) }

// Put gives v the row h, of a State of Hold.
func (s *State) Put(v int32, h []mat.Real) {
	copy(span(s.layers[0], s.take(v), s.cols), h)
	s.given++
}
