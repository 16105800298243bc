package serve

import (
	"errors"
	"net/http"

	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/run"
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
}

// list is GET /v1/models: the runs whose graphs can change, and what whoever asks may do.
func (s *Server) list(r *http.Request) (any, error) {
	may := writer
	if s.tokens != nil {
		may = s.tokens.of(r.Header.Get("Authorization"))
	}
	list := []About{}
	for _, m := range s.models() {
		list = append(list, m.about())
	}
	return map[string]any{"models": list, "may": map[role]string{reader: "read", writer: "write"}[may],
		"version": build()}, nil
}

func (m *Model) about() About {
	nodes, edges, version := m.Size()
	t := m.graph.task
	a := About{Name: m.Name, Recipe: t.Config.Recipe, Data: t.Data.Name, Task: or(t.Data.Labels.Task, "class"),
		Classes: t.Data.Labels.Names, Features: t.Features().Cols, Nodes: nodes, Edges: edges, Version: version,
		Steps: m.graph.steps, Coverage: m.coverage, Metric: t.Metric()}
	return a
}

// conform makes answers come with sets or intervals, where there are validation nodes enough for that.
func (m *Model) conform(coverage float64) error {
	_, err := m.teller.Conform(coverage, func(v int32) []mat.Real { return m.graph.state.Row(v) })
	var few *run.BadData
	if errors.As(err, &few) {
		return nil
	}
	if err == nil {
		m.coverage = coverage
	}
	return err
}
