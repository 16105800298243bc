package nodes

import (
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/internal/kernel"
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

// TestConformal: over random halves of nodes that were not trained on, sets of classes and intervals hold what is true
// as often as they promise, on the mean, with diffusion and without.
func TestConformal(t *testing.T) {
	const classes = "csbm:nodes=2000,classes=4,signal=2,homophily=0.6,train=0.2"
	for i, ref := range []string{classes, "smooth:nodes=2000", classes} {
		d, _, err := generate.Make(ref)
		if err != nil {
			t.Fatal(err)
		}
		if i == 2 {
			d = manyClasses(d)
		}
		c := settings(t, "base")
		c.Train.Epochs, c.Train.Metric = 20, "auto"
		task := Of(trained(t, c, d, Options{}))
		valid, test := task.Split.Valid, task.Split.Test
		p, err := task.Predict()
		if err != nil {
			t.Fatal(err)
		}
		for _, plain := range []bool{false, true} {
			sum, runs := 0.0, 60
			for seed := range uint64(runs) {
				a, b := halves(append(append([]int32{}, valid...), test...), mat.Mix(seed, 1))
				s, err := p.Conform(Conforming{Coverage: 0.9, Plain: plain, Valid: a, Test: b, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				if plain && (s.Diffusion != 0 || s.Nodes != len(a)) {
					t.Errorf("%+v", s)
				}
				sum += s.Test / float64(runs)
			}
			if math.Abs(sum-0.9) > 0.01 {
				t.Errorf("%s: %v of the nodes, want 0.9", d.Labels.Task+" "+ref, sum)
			}
		}
	}
	task := Of(trained(t, settings(t, "base"), clusters(200), Options{}))
	p, err := task.Predict()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Conform(Conforming{Coverage: 0.999}); err == nil {
		t.Error("0.999 of a few validation nodes")
	}
}

// TestConformalScores: the mean scores of neighbours are those of their definition, of more classes and nodes than are
// one piece, and all scores have the same bits on any number of threads.
func TestConformalScores(t *testing.T) {
	defer kernel.SetThreads(0)
	d, _, err := generate.Make("csbm:nodes=2500,classes=20,signal=2,homophily=0.6")
	if err != nil {
		t.Fatal(err)
	}
	p := must(must(Build(settings(t, "base"), d, Trials(settings(t, "base"), d)[0], Options{})).Predict())
	p.host()
	k := p.task.Classes()
	kernel.SetThreads(1)
	plain := p.plain()
	near := p.neighbours(plain)
	kernel.SetThreads(8)
	if !slices.Equal(plain, p.plain()) || !slices.Equal(near, p.neighbours(plain)) {
		t.Error("scores are others on eight threads")
	}
	for v := range d.Graph.NumNodes() {
		want, n := make([]float64, k), 0.0
		for _, e := range d.Graph.Triples() {
			for _, ends := range [][2]int32{{e.U, e.V}, {e.V, e.U}} {
				if int(ends[0]) == v && e.U != e.V {
					n++
					for y := range want {
						want[y] += plain[int(ends[1])*k+y]
					}
				}
			}
		}
		for y, x := range want {
			if x /= n; n > 0 && math.Abs(near[v*k+y]-x) > 1e-12 { // sums of some ten numbers below 1
				t.Fatalf("node %d, class %d: %v, want %v", v, y, near[v*k+y], x)
			}
		}
	}
}
