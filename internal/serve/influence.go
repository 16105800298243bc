package serve

import (
	"errors"
	"net/http"

	"github.com/bloomgml/bloom/task"
)

// influential is how many labels are named for an answer, and how many against it.
const influential = 10

// influence handles GET /v1/influence?node=ID. One is computed at a time, apart from all other answers.
func (s *Server) influence(r *http.Request) (any, error) {
	m, err := s.about(r)
	if err != nil {
		return nil, err
	}
	t, id := m.graph.task, r.URL.Query().Get("node")
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
