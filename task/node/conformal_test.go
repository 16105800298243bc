package node

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/mat"
)

// manyClasses gives every node of a generated graph its class, the next one if it is even, and one that all have.
func manyClasses(d *dataset.Dataset) *dataset.Dataset {
	k := len(d.Labels.Names) + 1
	x := *d
	x.Labels.Task, x.Labels.Names = dataset.Sets, append(slices.Clone(d.Labels.Names), "any")
	x.Labels.Values, x.Labels.Class = make([]mat.Real, k*len(d.Labels.Class)), slices.Clone(d.Labels.Class)
	for v, c := range d.Labels.Class {
		row := x.Labels.Values[v*k : (v+1)*k]
		row[c], row[k-1], x.Labels.Class[v] = 1, 1, 0
		if c%2 == 0 {
			row[c+1] = 1
		}
	}
	return &x
}

// rareClass makes four of five nodes of the first class nodes of the second: no feature tells the others from them.
func rareClass(d *dataset.Dataset) *dataset.Dataset {
	x := *d
	x.Labels.Class = slices.Clone(d.Labels.Class)
	seen := 0
	for v, c := range x.Labels.Class {
		if c != 0 {
			continue
		}
		if seen++; seen%5 != 0 {
			x.Labels.Class[v] = 1
		}
	}
	return &x
}

// TestConformal: over random halves of nodes that were not trained on, sets of classes and intervals hold what is true
// as often as they promise, on average: sets of every class, also of one that is rare and never the answer. No set is
// empty, and they do not hold everything.
func TestConformal(t *testing.T) {
	const classes = "csbm:nodes=2000,classes=4,signal=2,homophily=0.6,train=0.2"
	as := func(d *dataset.Dataset) *dataset.Dataset { return d }
	for _, x := range []struct {
		ref  string
		make func(*dataset.Dataset) *dataset.Dataset
	}{{classes, as}, {classes, rareClass}, {"smooth:nodes=2000", as}, {classes, manyClasses}} {
		d, _, err := generate.Make(x.ref)
		if err != nil {
			t.Fatal(err)
		}
		d = x.make(d)
		c := settings(t, "base")
		c.Train.Epochs, c.Train.Metric = 20, "auto"
		task := Of(trained(t, c, d, Options{}))
		covered(t, task, predicted(t, task))
	}
	p := predicted(t, Of(trained(t, settings(t, "base"), clusters(200), Options{})))
	if _, err := p.Conform(Conforming{Coverage: 0.999}); err == nil {
		t.Error("0.999 of a few validation nodes")
	}
}

// covered looks at 60 divisions.
func covered(t *testing.T, task *Task, p *Predictions) {
	t.Helper()
	const runs = 60
	all, class := 0.0, make([]float64, len(task.Data.Labels.Names))
	for seed := range uint64(runs) {
		nodes := slices.Concat(task.Split.Valid, task.Split.Test)
		rng := rand.New(rand.NewPCG(seed, 1))
		rng.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
		half := len(nodes) / 2
		s, err := p.Conform(Conforming{Coverage: 0.9, Valid: nodes[:half], Test: nodes[half:]})
		if err != nil {
			t.Fatal(err)
		}
		all += s.Test / runs
		for y, c := range s.Classes {
			class[y] += c.Test / runs
		}
		for x := range p.Each {
			if x.Value == nil && len(x.Set) == 0 {
				t.Fatalf("the set of node %s is empty, seed %d", x.ID, seed)
			}
		}
		if s.Classes != nil && s.Size > 0.7*float64(len(class)) {
			t.Errorf("sets of %v of %d classes, seed %d", s.Size, len(class), seed)
		}
	}
	// The mean over 60 divisions of some 1600 nodes deviates by less than 0.01; sets whose answers are right more often
	// than asked hold more.
	what := task.Data.Labels.Task + " of " + task.Data.Name
	if all < 0.89 || task.Data.Labels.Task == dataset.Numbers && all > 0.91 {
		t.Errorf("%s: %v of the nodes, want 0.9", what, all)
	}
	if task.Data.Labels.Task == "" && slices.Min(class) < 0.89 {
		t.Errorf("%s: %v of the nodes of classes, want 0.9 of each", what, class)
	}
}

// TestConformalClasses: a class with calibration nodes enough goes by its own, the others by theirs together, and where
// even these are too few by all nodes, or by the largest score of theirs.
func TestConformalClasses(t *testing.T) {
	for _, x := range []struct {
		counts []int // of classes 0, 1, …; the scores of class y are 10y+1, 10y+2, …
		want   []ConformalClass
	}{
		{[]int{9, 5, 4}, []ConformalClass{{Name: "a", Nodes: 9, Alone: true, Quantile: 9},
			{Name: "b", Nodes: 5, Together: true, Quantile: 24}, {Name: "c", Nodes: 4, Together: true, Quantile: 24}}},
		{[]int{3, 20, 0}, []ConformalClass{{Name: "a", Nodes: 3, Quantile: 29},
			{Name: "b", Nodes: 20, Alone: true, Quantile: 29}, {Name: "c", Quantile: 29}}},
		{[]int{20, 0, 3}, []ConformalClass{{Name: "a", Nodes: 20, Alone: true, Quantile: 19},
			{Name: "b", Quantile: 23}, {Name: "c", Nodes: 3, Quantile: 23}}},
	} {
		l, scores, nodes := dataset.Labels{Names: []string{"a", "b", "c"}}, []float64(nil), []int32(nil)
		for y, n := range x.counts {
			for i := range n {
				nodes, scores = append(nodes, int32(len(nodes))), append(scores, float64(10*y+i+1))
				l.Class = append(l.Class, int32(y))
			}
		}
		if got := conformalClasses(l, scores, nodes, 0.9); !slices.Equal(got, x.want) {
			t.Errorf("%v: %+v, want %+v", x.counts, got, x.want)
		}
	}
}
