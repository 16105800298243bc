package serve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// TestHeld: after random edits the predictions of runs that no separable step computes equal those of the same weights
// on the graph as it is then, computed from scratch; and all edits taken back leave what was there, to the last bit.
//
//	BLOOM_DATA=… go test ./internal/serve -run TestHeld -edits 1000 -v
func TestHeld(t *testing.T) {
	const classes = "csbm:nodes=3000,features=4,degree=2"
	type held struct {
		recipe, data string
		local        bool // less than half of the rows are computed for most batches
		edits        int
		set          []string
	}
	list := []held{
		{"stack-laplace", classes, true, 1000, []string{"energy.steps=1", "stack.levels=2"}},
		{"heterophily", classes, true, 200, []string{"energy.steps=2"}},
		{"trees", classes, true, 1000, []string{"model.closed=false"}},
		{"base", classes, true, 200, []string{"model.input=trees", "model.after=0", "model.neighbours=true",
			"energy.steps=1"}},
		{"base", classes, false, 60, []string{"energy.descent.gamma=safe", "energy.descent.sigma=none"}},
		{"attention", classes, false, 60, nil},
		{"gcn", classes, false, 60, nil},
		{"closed", "csbm:nodes=300,features=4", false, 60, nil},
		{"trees", "smooth:nodes=1000,features=4,degree=4", true, 60, []string{"model.closed=false"}},
		{"trees", "csbm:nodes=300,features=4", false, 20, nil},
	}
	if n := *randomEdits; n > 0 {
		list = []held{{"stack-laplace", "cora", false, n, []string{"energy.steps=1", "stack.levels=2"}},
			{"base", "cora", true, n, []string{"model.input=trees", "model.after=0", "energy.steps=1"}},
			{"trees", "cora", true, n, []string{"model.closed=false"}}}
	}
	for _, c := range list {
		t.Run(fmt.Sprint(c.recipe, c.set, c.data[:4]), func(t *testing.T) {
			hold(t, c.recipe, c.data, c.set, c.edits, c.local)
		})
	}
}

// heldRun is the graph of a run, hardly trained, with its config.
func heldRun(t *testing.T, recipe, data string, set []string) (*graph, *config.Config) {
	t.Helper()
	c, err := config.Load(config.Options{Recipe: recipe, Data: data, Set: append(set, "data.scale=none")})
	if err != nil {
		t.Fatal(err)
	}
	c.Train.Epochs = min(c.Train.Epochs, 5)
	d, err := catalogue.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := node.Run(t.Context(), *c, d, node.Options{Options: train.Options{Dir: dir}}); err != nil {
		t.Fatal(err)
	}
	run, err := node.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	g, err := newGraph(t.Context(), run, Options{})
	if err != nil || !g.held || g.fixed() {
		t.Fatalf("%v, %+v", err, g)
	}
	return g, c
}

// heldEdits is a batch of edits, mostly with a node that comes with an edge.
func (g *graph) heldEdits(rng *rand.Rand, made int) (list []Edit) {
	used := map[string]bool{}
	for range 1 + rng.IntN(3) {
		e := g.anyEdit(rng, used)
		for _, id := range e.nodes() {
			used[id] = true
		}
		list = append(list, e)
	}
	if v := rng.Int32N(g.known); !g.hidden.has(v) && !used[g.id(v)] {
		came := fmt.Sprint("came ", made)
		x := make([]float64, g.task.Features(0).Cols)
		for j := range x {
			x[j] = []float64{1, 0, -1, 2}[j%4]
		}
		list = append(list, Edit{AddNode: &Row{ID: came, Features: x}},
			Edit{AddEdge: &Pair{came, g.id(v)}, Weight: 1 + rng.Float64()})
	}
	return list
}

func hold(t *testing.T, recipe, data string, set []string, edits int, local bool) {
	const seed = 3
	g, c := heldRun(t, recipe, data, set)
	if testing.Short() {
		edits /= 10
	}
	rows := func() (all [][]mat.Real) {
		for v := range int32(g.state.Nodes()) {
			all = append(all, slices.Clone(g.state.Row(v)))
		}
		return all
	}
	before, rng := rows(), rand.New(rand.NewPCG(seed, 1))
	var past []*former
	few, worst := 0, 0.0
	for made, next := 0, edits/5; made < edits; {
		e := g.heldEdits(rng, made)
		d, err := g.edited(t.Context(), e)
		if err != nil {
			t.Fatalf("seed %d, edit %d: %+v: %v", seed, made, e, err)
		}
		if d.state.Visited() < g.state.Nodes()/2 {
			few++
		}
		past = append(past, d.commit())
		if made += len(e); made >= next {
			next += edits / 5
			worst = max(worst, g.anew(t, *c, made))
		}
	}
	t.Logf("%d of %d batches were local; logits at most %.2g from those anew", few, len(past), worst)
	if local != (few > len(past)/2) {
		t.Errorf("%d of %d batches computed few rows", few, len(past))
	}
	for _, p := range slices.Backward(past) {
		takeBack(t, g, p)
	}
	if !reflect.DeepEqual(rows(), before) {
		t.Error("taken back, it is not what it was")
	}
}

// anew is how far logits are from those of the run on the graph as it is.
func (g *graph) anew(t *testing.T, c config.Config, made int) (worst float64) {
	t.Helper()
	d, err := g.dataset("anew")
	if err != nil {
		t.Fatal(err)
	}
	run, err := node.Load(g.task.Dir, c, d, node.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := run.Predict()
	if err != nil {
		t.Fatal(err)
	}
	want, width := predicted(p)
	for i, v := range g.kept() {
		for j, x := range g.state.Row(v) {
			y := float64(want[i*width+j])
			far := math.Abs(float64(x)-y) / max(1, math.Abs(y))
			if worst = max(worst, far); far > 1e-5 {
				t.Fatalf("after %d edits: node %d, number %d is %g, and %g anew", made, v, j, x, y)
			}
		}
	}
	return worst
}

// TestForget: a closed form forgets what is removed, its label too, and labels alone; weights that were trained cannot.
func TestForget(t *testing.T) {
	const data = "csbm:nodes=300,features=4"
	g, c := heldRun(t, "closed", data, nil)
	id := g.id(g.task.Split.Train[0])
	list := []Edit{{RemoveNode: id, Forget: true}}
	d, err := g.edited(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	d.commit()
	g.anew(t, *c, 1)
	label, before := g.id(g.task.Split.Train[1]), slices.Clone(g.state.Row(g.task.Split.Train[1]))
	silent := []Edit{{SetLabel: &Label{ID: label}, Forget: true}}
	if d, err = g.edited(t.Context(), silent); err != nil {
		t.Fatal(err)
	}
	past := d.commit()
	g.anew(t, *c, 2)
	if v := g.task.Split.Train[1]; g.labelOf(v) != "" || slices.Equal(before, g.state.Row(v)) {
		t.Errorf("label %q, logits %v before and %v without it", g.labelOf(v), before, g.state.Row(v))
	}
	if _, err := g.edited(t.Context(), silent); err == nil {
		t.Error("a label was forgotten twice")
	}
	takeBack(t, g, past)
	if v := g.task.Split.Train[1]; g.labelOf(v) == "" || !slices.Equal(before, g.state.Row(v)) {
		t.Error("taken back, the label does not teach")
	}
	if _, err := g.edited(t.Context(), []Edit{{RemoveNode: g.id(g.task.Split.Train[1])}, {Forget: true}}); err == nil {
		t.Error("an edit that forgets nothing was made")
	}
	if _, err := g.edited(t.Context(), []Edit{{AddEdge: &Pair{"n1", "n2"}, Forget: true}}); err == nil {
		t.Error("an edge was added and forgotten")
	}
	if g, _ = heldRun(t, "gcn", data, nil); g.held {
		if _, err := g.edited(t.Context(), list); err == nil || !strings.Contains(err.Error(), "bloom forget") {
			t.Errorf("%v, want what forgets weights", err)
		}
	}
}
