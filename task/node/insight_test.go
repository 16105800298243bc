package node_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
)

// trained trains a recipe on generated data.
func trained(t *testing.T, ref, recipe string, set ...string) *node.Task {
	t.Helper()
	d, _, err := generate.Make(ref)
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(config.Options{Recipe: recipe, Data: ref, Suited: config.Choice{Catalogue: d.Name},
		Set: append([]string{"train.epochs=25"}, set...)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := node.Run(context.Background(), *c, d, node.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return node.Of(r)
}

const graph = "csbm:nodes=400,degree=8,homophily=0.9,seed=3"

// TestAuditFindsCorruptedRows: rows that noise replaced come first, and the histograms count every node once.
func TestAuditFindsCorruptedRows(t *testing.T) {
	task := trained(t, graph, "robust", "data.corrupt=rows=0.1,scale=5")
	a, err := task.Audit()
	if err != nil {
		t.Fatal(err)
	}
	if a.Detect == nil || a.Detect.Corrupted != 40 || a.Detect.Ratio < 0.5 { // 0.1 by chance
		t.Fatalf("detection %+v", a.Detect)
	}
	count := 0
	for i := range a.Detect.Clean {
		count += a.Detect.Clean[i] + a.Detect.Spoilt[i]
	}
	if count != 400 || len(a.Rows) != 400 || len(a.Labels) != 400 || len(a.Edges) != task.Data.Graph.NumEdges() {
		t.Errorf("%d nodes in the histograms, %d rows, %d labels, %d edges", count, len(a.Rows), len(a.Labels),
			len(a.Edges))
	}
	found := 0
	for _, n := range a.Rows[:40] {
		if slices.Contains(task.Data.Corrupted, n.Node) {
			found++
		}
		if n.Residual == nil || len(n.Columns) == 0 {
			t.Errorf("%s has no residual or no columns: %+v", n.ID, n)
		}
	}
	if a.Detect.Ratio != float64(found)/40 {
		t.Errorf("ratio %v, %d of the first 40 are corrupted", a.Detect.Ratio, found)
	}
	falls := func(a, b node.EdgeFlag) int { return cmp.Compare(b.Probability, a.Probability) }
	if !slices.IsSortedFunc(a.Edges, falls) {
		t.Error("edges are not in the order of their probabilities")
	}
}

// TestAdvice: the recipe that is proposed follows the data.
func TestAdvice(t *testing.T) {
	for ref, wants := range map[string][2]string{ // before training, and after that of one energy
		graph: {"robust", "robust"},
		"csbm:nodes=400,degree=8,homophily=0.1,seed=3": {"heterophily", "heterophily"},
	} {
		task := trained(t, ref, "base")
		before, err := node.Advise(task.Data)
		if err != nil || before.Recipe != wants[0] {
			t.Errorf("%s: before training %+v, %v", ref, before, err)
		}
		want := wants[1]
		in, err := task.Inspect(0)
		if err != nil {
			t.Fatal(err)
		}
		advice, err := task.Advise(in)
		if err != nil {
			t.Fatal(err)
		}
		if advice.Recipe != want {
			t.Errorf("%s: %+v, want %s", ref, advice, want)
		}
		if s := advice.For(want); !strings.HasPrefix(s, want+" suits the data: ") {
			t.Errorf("to who uses it: %s", s)
		}
		if s := advice.For("gcn"); !strings.HasPrefix(s, "try "+want+": ") {
			t.Errorf("to who uses another: %s", s)
		}
	}
}

// TestAdviceOnNumbers: numbers that are alike along edges suggest an energy that smooths, and numbers that are not
// for letting edges go; features are not looked at.
func TestAdviceOnNumbers(t *testing.T) {
	d, _, err := generate.Make("smooth:nodes=300,seed=1")
	if err != nil {
		t.Fatal(err)
	}
	alike, err := node.Advise(d)
	if err != nil || alike.Recipe != "robust" || alike.Correlation < 0.1 || alike.Correlation > 1 {
		t.Errorf("smooth numbers: %+v, %v", alike, err)
	}
	if s := alike.For("robust"); !strings.Contains(s, "correlate by 0.") {
		t.Errorf("it says %s", s)
	}
	any := *d
	any.Labels.Values = slices.Clone(d.Labels.Values)
	for v := range any.Labels.Values {
		any.Labels.Values[v] = mat.Real(mat.Mix(3, uint64(v)) % 1000)
	}
	if a, err := node.Advise(&any); err != nil || a.Recipe != "heterophily-huber" || math.Abs(a.Correlation) > 0.2 {
		t.Errorf("random numbers: %+v, %v", a, err)
	}
}

// TestFidelity: taking away the edges that explanations rank first changes more than taking away others.
func TestFidelity(t *testing.T) {
	task := trained(t, "csbm:nodes=400,degree=4,homophily=0.75,seed=5", "base")
	f, err := task.Fidelity(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	if f.Nodes == 0 || f.Top <= f.Random {
		t.Errorf("%+v", f)
	}
}

// TestBaselinesHaveNoEnergy: the error says so, and an audit does without.
func TestBaselinesHaveNoEnergy(t *testing.T) {
	task := trained(t, "csbm:nodes=120,degree=6,seed=3", "gcn", "train.epochs=2")
	var none *node.NoEnergy
	if _, err := task.Inspect(0); !errors.As(err, &none) {
		t.Errorf("error %v", err)
	}
	a, err := task.Audit()
	if err != nil || len(a.Rows) != 120 || a.Rows[0].Residual != nil {
		t.Errorf("%+v, %v", a, err)
	}
}
