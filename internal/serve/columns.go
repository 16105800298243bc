package serve

import "net/http"

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
