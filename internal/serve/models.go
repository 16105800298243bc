package serve

import (
	"context"
	"errors"
	"net/http"

	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

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
	Steps    int      `json:"steps"`              // 0 is the minimiser
	Coverage float64  `json:"coverage,omitempty"` // of sets and intervals; 0 where there are none
	Metric   string   `json:"metric"`
	Energy   bool     `json:"energy"`          // whether it minimises one; baselines do not
	Fixed    string   `json:"fixed,omitempty"` // why the graph cannot change; empty where it can
}

// looked is a run about nodes, which the page shows.
type looked interface {
	served
	about() About
	search(ctx context.Context, text string, most int) (first []Answer, all int, err error)
	Explain(ctx context.Context, id string, edits []Edit) (*Explanation, error)
}

var (
	_ looked = (*Model)(nil)
	_ looked = (*fixed)(nil)
)

// looked is the run that a request names, which must be about nodes.
func (s *Server) looked(r *http.Request) (looked, error) {
	m, err := s.run(r)
	if err != nil {
		return nil, err
	}
	if l, ok := m.(looked); ok {
		return l, nil
	}
	return nil, notNodes(m)
}

// other is a run that is served by the Open Inference Protocol alone, and why.
type other struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// list is GET /v1/models: the runs about nodes, the others, and what whoever asks may do.
func (s *Server) list(r *http.Request) (any, error) {
	may := writer
	if s.tokens != nil {
		may = s.tokens.of(r.Header.Get("Authorization"))
	}
	list, others := []About{}, []other{}
	for _, name := range s.Names() {
		if m, ok := s.all()[name].(looked); ok {
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
	a := aboutOf(t, m.Name)
	a.Features, a.Nodes, a.Edges, a.Version = t.Features(0).Cols, nodes, edges, version
	a.Steps, a.Coverage = m.graph.steps, m.coverage
	return a
}

// aboutOf is what the run itself says.
func aboutOf(t *node.Trained, name string) About {
	return About{Name: name, Recipe: t.Config.Recipe, Data: t.Data.Name, Task: or(t.Data.Labels.Task, "class"),
		Classes: t.Data.Labels.Names, Nodes: t.Data.Graph.NumNodes(), Edges: t.Data.Graph.NumEdges(),
		Metric: t.Metric(), Energy: t.Stack != nil}
}

// conform makes answers come with sets or intervals, where there are validation nodes enough for that.
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
