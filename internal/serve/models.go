package serve

import (
	"errors"
	"net/http"

	"github.com/bloomgml/bloom/mat"
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
	a := About{Name: m.Name, Recipe: t.Config.Recipe, Data: t.Data.Name, Task: or(t.Data.Labels.Task, "class"),
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
