package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"sync"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/mat"
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
func (s *Server) Names() []string { return slices.Sorted(maps.Keys(s.all())) }

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

// ofRun answers about the run that a request names.
func (s *Server) ofRun(f func(served, *http.Request) (any, error)) answerer {
	return func(r *http.Request) (any, error) {
		run, err := s.run(r)
		if err != nil {
			return nil, err
		}
		return f(run, r)
	}
}

// ofNodes answers about the run that a request names, which must be about nodes.
func (s *Server) ofNodes(f func(*Model, *http.Request) (any, error)) answerer {
	return s.ofRun(func(run served, r *http.Request) (any, error) {
		if m, ok := run.(*Model); ok {
			return f(m, r)
		}
		return nil, notNodes(run)
	})
}

// ofGraph answers about the run that a request names, whose graph must be one that can change.
func (s *Server) ofGraph(f func(*Model, *http.Request) (any, error)) answerer {
	return s.ofNodes(func(m *Model, r *http.Request) (any, error) {
		if m.fixed() {
			return nil, m.refused()
		}
		return f(m, r)
	})
}

// notNodes is the error for a run that does not answer for single nodes.
func notNodes(m served) error {
	return conflict("%s is not about single nodes: ask it at /v2/models/%[1]s/infer", m.name())
}

// About is a model as the list of models has it.
type About struct {
	Name     string   `json:"name"`
	Recipe   string   `json:"recipe"`
	Data     string   `json:"data"`
	Task     string   `json:"task"`    // class, multilabel or regression
	Classes  []string `json:"classes"` // of a number, its name
	Features int      `json:"features"`
	Nodes    int      `json:"nodes"`
	Edges    int      `json:"edges"`
	Version  int64    `json:"version"`
	Coverage float64  `json:"coverage,omitempty"` // of sets and intervals; 0 if there are none
	Metric   string   `json:"metric"`
	Settled  bool     `json:"settled,omitempty"` // states are at the minimum of the energy
	Scored   string   `json:"scored,omitempty"`  // the metric of the run, and that of the closed form
	Fixed    string   `json:"fixed,omitempty"`   // why the graph cannot change; empty if it can
}

// other is a run that is served by the Open Inference Protocol alone, and why.
type other struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// list handles GET /v1/models: the runs about nodes, the others, and what the client may do.
func (s *Server) list(r *http.Request) (any, error) {
	may := writer
	if s.tokens != nil {
		may = s.tokens.roleOf(r.Header.Get("Authorization"))
	}
	list, others := []About{}, []other{}
	for _, name := range s.Names() {
		if m, ok := s.all()[name].(*Model); ok {
			list = append(list, m.about())
		} else {
			others = append(others, other{name, notNodes(s.all()[name]).Error()})
		}
	}
	return listed{list, others, map[role]string{reader: "read", writer: "write"}[may], build()}, nil
}

func (m *Model) about() About {
	nodes, edges, version := m.Size()
	t := m.graph.task
	a := About{Name: m.Name, Recipe: t.Config.Recipe, Data: t.Data.Name, Task: cmp.Or(t.Data.Labels.Task, "class"),
		Classes: t.Data.Labels.Names, Features: t.Features(0).Cols, Nodes: nodes, Edges: edges, Version: version,
		Coverage: m.coverage, Metric: t.Metric(), Settled: m.graph.settled, Scored: t.Scored()}
	if m.fixed() {
		a.Edges, a.Fixed = t.Data.Graph.NumEdges(), m.refused().Error()
	}
	return a
}

// conform makes answers come with sets or intervals, if there are enough validation nodes.
func (m *Model) conform(coverage float64) error {
	_, err := m.teller.Conform(coverage, func(v int32) []mat.Real { return m.graph.state.Row(v) })
	var few *train.BadData
	if errors.As(err, &few) {
		return nil
	}
	if err == nil {
		m.coverage = coverage
	}
	return err
}
