package serve

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"sync"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/kinds"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// served is a run that answers the Open Inference Protocol. It is safe for concurrent use.
type served interface {
	name() string
	inputs() []task.Tensor  // of every way to ask it, without data
	outputs() []task.Tensor // without data
	infer(ctx context.Context, q task.Question) ([]task.Tensor, error)
	Close() error
}

var (
	_ served = (*Model)(nil)
	_ served = (*plain)(nil)
)

// openRun opens a run folder as what it is: a graph that can change, without its journal, or answers that stay.
func openRun(ctx context.Context, dir string, o Options) (served, error) {
	c := o.Configs[dir]
	if c == nil {
		var err error
		if c, err = config.Load(config.Options{File: filepath.Join(dir, "config.yaml")}); err != nil {
			return nil, err
		}
	}
	d, err := train.OpenData(dir, c, "")
	if err != nil {
		return nil, err
	}
	name := filepath.Base(filepath.Clean(dir))
	run, err := kinds.Of(c).Open(dir, *c, d)
	if err != nil {
		return nil, err
	}
	switch run := run.(type) {
	case aboutNodes:
		m, err := modelOf(ctx, run, name, o)
		if err != nil {
			return nil, err
		}
		return m, nil
	case task.Answering:
		if o.Settle {
			return nil, task.Usage("--settle: no bound can be given for runs about %s", kinds.Of(c).About())
		}
		return &plain{called: name, run: run}, nil
	}
	return nil, fmt.Errorf("%s: runs about %s are not served", dir, kinds.Of(c).About())
}

// aboutNodes is a run that answers for single nodes.
type aboutNodes interface {
	Nodes() *node.Trained
	Averaged() string
}

// modelOf returns a run about nodes as the data set has its graph, without its journal.
func modelOf(ctx context.Context, run aboutNodes, name string, o Options) (*Model, error) {
	g, err := newGraph(ctx, run.Nodes(), o)
	if err != nil {
		return nil, err
	}
	m, err := newModel(g, name, o)
	if err != nil {
		return nil, err
	}
	m.averaged = run.Averaged()
	return m, nil
}

// plain is a run that answers as it was trained, one question at a time.
type plain struct {
	called string
	mu     sync.Mutex
	run    task.Answering
}

func (a *plain) name() string           { return a.called }
func (a *plain) inputs() []task.Tensor  { return a.run.Inputs() }
func (a *plain) outputs() []task.Tensor { return a.run.Outputs() }
func (a *plain) Close() error           { return nil }

func (a *plain) infer(ctx context.Context, q task.Question) ([]task.Tensor, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.run.Infer(ctx, q)
}

// all returns the runs that are served now.
func (s *Server) all() map[string]served {
	return *s.runs.Load()
}

// Names returns the names of the runs, ascending.
func (s *Server) Names() []string {
	var names []string
	for name := range s.all() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// models returns the models whose graphs can change, by their names.
func (s *Server) models() []*Model {
	var list []*Model
	for _, name := range s.Names() {
		if m, ok := s.all()[name].(*Model); ok && !m.fixed() {
			list = append(list, m)
		}
	}
	return list
}

// run returns the run that a request names by its path or by ?model=, or the only one.
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
	return nil, &status{http.StatusNotFound, keys.NewUnknown("model", name, s.Names())}
}

// about returns the run that a request names, which must be about nodes.
func (s *Server) about(r *http.Request) (*Model, error) {
	run, err := s.run(r)
	if err != nil {
		return nil, err
	}
	if m, ok := run.(*Model); ok {
		return m, nil
	}
	return nil, notNodes(run)
}

// model returns the run that a request names, whose graph must be one that can change.
func (s *Server) model(r *http.Request) (*Model, error) {
	m, err := s.about(r)
	if err == nil && m.fixed() {
		return nil, m.refused()
	}
	return m, err
}

// notNodes is the error for a run that does not answer for single nodes.
func notNodes(m served) error {
	return &Conflict{m.name() + " is not about single nodes: ask it at /v2/models/" + m.name() + "/infer"}
}
