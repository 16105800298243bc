package fact

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// ring is a graph of one relation without a name, undirected and with weights, whose links are divided.
func ring(t *testing.T, n int) *dataset.Dataset {
	t.Helper()
	d := &dataset.Dataset{Name: "ring", Metric: "mrr"}
	s := graph.Spec{Nodes: n, Undirected: true}
	for v := range int32(n) {
		for step := int32(1); step <= 3; step++ {
			f := graph.Triple{U: v, V: (v + step) % int32(n)}
			switch {
			case step == 3 && v%5 == 0:
				d.Valid = append(d.Valid, f)
			case step == 3 && v%5 == 1:
				d.Test = append(d.Test, f)
			default:
				s.Triples, s.Weights = append(s.Triples, f), append(s.Weights, mat.Real(v+1))
			}
		}
	}
	var err error
	if d.Graph, err = graph.Build(s); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestOneRelation: every recipe for links trains on a graph with one relation that has no name, fills its folder, can
// be asked, and says that it does not use the weights of edges.
func TestOneRelation(t *testing.T) {
	d := ring(t, 20)
	for _, name := range config.Names() {
		if !config.FamilyOf(name).IsFacts() {
			continue
		}
		c, err := config.Load(config.Options{Recipe: name, Set: []string{"train.epochs=1"}})
		if err != nil {
			t.Fatal(err)
		}
		c.Data.Name = "ring"
		dir := filepath.Join(t.TempDir(), "run")
		r, err := Run(context.Background(), *c, d, Options{Options: train.Options{Dir: dir}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.Contains(strings.Join(r.Warnings, "\n"), "edges have weights, which "+name+" does not use") {
			t.Errorf("%s: warnings %q", name, r.Warnings)
		}
		if config.IsBaseline(name) {
			continue
		}
		q := Question{Head: d.IDs.At(0), Relation: d.RelationName(0)}
		if answers, err := Of(r).Ask(q, 3, true); err != nil || len(answers) != 3 {
			t.Errorf("%s: %v, %v", name, answers, err)
		}
	}
}
