package serve

import (
	"errors"
	"net/http"

	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/node"
)

// influential is how many labels are named for an answer, and how many against it.
const influential = 10

// influence handles GET /v1/influence?node=ID, about the run as it was trained or is solved now. One is computed at a
// time, apart from all other answers.
func (s *Server) influence(r *http.Request) (any, error) {
	m, err := s.about(r)
	if err != nil {
		return nil, err
	}
	id := r.URL.Query().Get("node")
	t, err := m.current()
	if err != nil {
		return nil, err
	}
	v, err := t.Data.Node(id)
	if err != nil {
		return nil, &NoNode{ID: id}
	}
	m.weighing.Lock()
	defer m.weighing.Unlock()
	i, err := t.Influence(v, influential)
	var cannot *task.UsageError
	if errors.As(err, &cannot) {
		return nil, &Conflict{err.Error()}
	}
	return i, err
}

// current returns the run, and one that is solved for on the graph as it is, without what edits have forgotten.
func (m *Model) current() (*node.Trained, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	g := m.graph
	if m.journal.version == 0 || g.fixed() || !g.task.Solved() {
		return g.task, nil
	}
	p, err := g.part(nil)
	if err != nil {
		return nil, err
	}
	on, err := g.within(p)
	if err != nil {
		return nil, err
	}
	t := *g.task
	t.Task = on
	return &t, nil
}
