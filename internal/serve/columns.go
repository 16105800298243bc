package serve

import (
	"net/http"

	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
)

// columnShares returns the columns of v that pull most.
func (g *graph) columnShares(v int32, gradient []mat.Real) ([]node.ColumnShare, error) {
	x := g.features(v)
	if len(x) == 0 {
		return nil, nil
	}
	return g.task.Task.RowShares(0, x, func(pi *mat.Dense) (energies, pulls []float64, err error) {
		for p, d := pi.Slice(), pi.Cols(); len(p) > 0; p = p[d:] {
			own := g.state.Own(v, p[:d])
			energies, pulls = append(energies, own.Energy), append(pulls, pull(own, gradient))
		}
		return energies, pulls, nil
	})
}

// features handles GET /v1/features?node=ID: the row of a node as set_features takes it, with the names of columns
// and, if it differs, the row of the data set.
func (s *Server) features(r *http.Request) (any, error) {
	m, err := s.model(r)
	if err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	g := m.graph
	v, err := g.find(r.URL.Query().Get("node"))
	if err != nil {
		return nil, err
	}
	out := featured{ID: g.id(v), Features: g.features(v), Columns: g.task.Columns()}
	if g.rows.has(v) && v < g.known {
		out.Given = featuresOf(g.task, v)
	}
	return out, nil
}
