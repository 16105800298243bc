package serve

import (
	"context"
	"net/http"
	"path/filepath"
	"slices"

	"github.com/bloomgml/bloom/internal/family"
	"github.com/bloomgml/bloom/internal/nearest"
	"github.com/bloomgml/bloom/link"
	"github.com/bloomgml/bloom/nodes"
	"github.com/bloomgml/bloom/pairs"
	"github.com/bloomgml/bloom/run"
)

// served is a run that can be asked by the Open Inference Protocol. It may be asked by several at a time.
type served interface {
	name() string
	inputs() []tensor  // of every way to ask it, without data
	outputs() []tensor // without data
	infer(ctx context.Context, q question) ([]tensor, error)
	Close() error
}

var (
	_ served = (*Model)(nil)
	_ served = (*fixed)(nil)
	_ served = (*facts)(nil)
	_ served = (*joined)(nil)
)

// openRun opens a run folder as what it is: a graph that can change, without its journal, or answers that stay.
func openRun(ctx context.Context, dir string, o Options) (served, error) {
	c, d, err := run.Configured(dir, "")
	if err != nil {
		return nil, err
	}
	name := filepath.Base(filepath.Clean(dir))
	switch f := c.Family(); {
	case f.Links():
		t, err := link.Load(dir, *c, d)
		return &facts{called: name, model: t}, err
	case f == family.Joined:
		t, err := pairs.Load(dir, *c, d)
		return &joined{called: name, model: t}, err
	}
	t, err := nodes.Load(dir, *c, d, nodes.Options{})
	if err != nil {
		return nil, err
	}
	return openNodes(ctx, t, name, o)
}

// all are the runs that are served now.
func (s *Server) all() map[string]served {
	return *s.runs.Load()
}

// Names are the names of the runs, ascending.
func (s *Server) Names() []string {
	var names []string
	for name := range s.all() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// models are those whose graphs can change, by their names.
func (s *Server) models() []*Model {
	var list []*Model
	for _, name := range s.Names() {
		if m, ok := s.all()[name].(*Model); ok {
			list = append(list, m)
		}
	}
	return list
}

// run is the one that a request names by its path or by ?model=, or the only one.
func (s *Server) run(r *http.Request) (served, error) {
	name := r.PathValue("model")
	if name == "" {
		name = r.URL.Query().Get("model")
	}
	if all := s.all(); name == "" && len(all) == 1 {
		name = s.Names()[0]
	}
	if m := s.all()[name]; m != nil {
		return m, nil
	}
	if name == "" {
		return nil, bad("which model? name it with ?model=: %v", s.Names())
	}
	return nil, &status{http.StatusNotFound, nearest.NewUnknown("model", name, s.Names())}
}

// model is the run that a request names, whose graph must be one that can change.
func (s *Server) model(r *http.Request) (*Model, error) {
	m, err := s.run(r)
	if err != nil {
		return nil, err
	}
	switch m := m.(type) {
	case *Model:
		return m, nil
	case *fixed:
		return nil, &Conflict{m.why}
	}
	return nil, notNodes(m)
}

// notNodes is the error for a run that does not answer for single nodes.
func notNodes(m served) error {
	return &Conflict{m.name() + " is not about single nodes: ask it at /v2/models/" + m.name() + "/infer"}
}
