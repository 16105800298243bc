package node

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/train"
)

// clusters is a graph of two groups of nodes with many edges within and few between; features are noisy hints at the
// group. It is a function of n.
func clusters(n int) *dataset.Dataset {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	spec := graph.Spec{Nodes: n, Undirected: true, DropDuplicates: true, Loops: graph.DropLoops}
	class := make([]int32, n)
	x := dataset.Matrix{Rows: n, Cols: 6}
	for v := range n {
		class[v] = int32(v % 2)
		for range 4 {
			u := rng.IntN(n/2)*2 + int(class[v])
			if rng.Float64() < 0.1 {
				u = rng.IntN(n)
			}
			spec.Triples = append(spec.Triples, graph.Triple{U: int32(u), V: int32(v)})
		}
		for j := range x.Cols {
			x.Values = append(x.Values, mat.Real(rng.NormFloat64()+0.7*float64(j%2)*(2*float64(class[v])-1)))
		}
	}
	g, err := graph.Build(spec)
	if err != nil {
		panic(err)
	}
	var split, other dataset.Split
	for v := range int32(n) {
		switch {
		case v < 10:
			split.Train, other.Valid = append(split.Train, v), append(other.Valid, v)
		case v < 30:
			split.Valid, other.Train = append(split.Valid, v), append(other.Train, v)
		default:
			split.Test, other.Test = append(split.Test, v), append(other.Test, v)
		}
	}
	return &dataset.Dataset{Name: "clusters", Graph: g, Features: []dataset.Matrix{x}, Metric: "accuracy",
		Labels: dataset.Labels{Class: class, Names: []string{"even", "odd"}}, Splits: []dataset.Split{split, other}}
}

// settings trains a recipe in a few epochs, with dropout where it has any.
func settings(t testing.TB, name string) config.Config {
	t.Helper()
	const training = "train.epochs=20 train.rate=0.05 train.weight_decay=1e-3 train.patience=0"
	const network = "model.hidden=8 model.dropout=0.2 model.input_dropout=0.2 " + training
	set := network
	switch r, err := recipe.Find(name); {
	case name == "trees" || name == "closed":
		set = ""
	case name == "lp-trained":
		set = training
	case err == nil && r.FromLabels():
		set = ""
	case err == nil:
		set += " model.before=1 model.after=1 model.norm=none"
	}
	c, err := config.Load(config.Options{Recipe: name, Data: "clusters",
		Set: append(strings.Fields(set), "train.seed=3")})
	if err != nil {
		t.Fatal(err)
	}
	return *c
}

func started(t testing.TB, c config.Config, d *dataset.Dataset) (*Task, *train.Loop) {
	t.Helper()
	c = must(filled(c))
	task, err := Build(c, d, Trials(c, d)[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := train.NewLoop(c.Train, task.Job())
	if err != nil {
		t.Fatal(err)
	}
	return task, l
}

func advance(t testing.TB, l *train.Loop, epochs int) {
	t.Helper()
	for range epochs {
		if err := l.Step(); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Evaluate(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

// bits is a hash of the bits of all weights, in hexadecimal.
func bits(task *Task) string {
	sum := uint64(0)
	for _, p := range weights(task.network) {
		for _, x := range p.Value().Slice() {
			sum = sum*31 + math.Float64bits(float64(x))
		}
	}
	return fmt.Sprintf("%x", sum)
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// variants are the parts of a config that training depends on, one at a time.
var variants = map[string]func(*config.Config){
	"adam":   func(*config.Config) {},
	"adamw":  func(c *config.Config) { c.Train.Optimizer, c.Train.Clip = "adamw", 0.1 },
	"sgd":    func(c *config.Config) { c.Train.Optimizer, c.Train.Momentum, c.Train.Schedule = "sgd", 0.9, "cosine" },
	"batch":  func(c *config.Config) { c.Model.Norm, c.Model.Before, c.Model.After = "batch", 2, 2 },
	"layer":  func(c *config.Config) { c.Model.Norm, c.Model.Before, c.Model.Residual = "layer", 3, true },
	"λ":      func(c *config.Config) { c.Model.LearnLambda = true },
	"before": func(c *config.Config) { c.Model.Before = 0; unsetHidden(c) },
	"after":  func(c *config.Config) { c.Model.After = 0; unsetHidden(c) },
	"parts": func(c *config.Config) {
		c.Train.Sample = config.Sample{Batch: 4, Fanout: 2, Hops: 2, Gamma: 0.5, Forget: 0.8}
	},
	"labels": func(c *config.Config) {
		c.Energy, c.Train.LabelRate, c.Model.Before, c.Model.InputDropout = must(recipe.Find("lp-trained")), 0.5, 2, 0
		unsetHidden(c)
	},
}

// unsetHidden gives the keys of hidden layers the values that are shipped.
func unsetHidden(c *config.Config) { c.Model.Hidden, c.Model.Dropout = 64, 0.5 }

// TestSameBitsForAnyThreads trains on 1, 2 and 8 threads.
func TestSameBitsForAnyThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer mat.SetThreads(mat.Threads())
	d := clusters(300)
	for name, change := range variants {
		c := settings(t, "robust")
		change(&c)
		want := ""
		for _, threads := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(threads)
			mat.SetThreads(threads)
			task, l := started(t, c, d)
			advance(t, l, 5)
			if got := bits(task); want == "" {
				want = got
			} else if got != want {
				t.Errorf("%s: %d threads give other weights than 1", name, threads)
			}
		}
	}
}

func TestEpochAllocatesNothing(t *testing.T) {
	d := clusters(300)
	for name, change := range variants {
		c := settings(t, "base")
		change(&c)
		c.Train.Epochs = 1000
		_, l := started(t, c, d)
		advance(t, l, 20)
		if n := testing.AllocsPerRun(10, func() { advance(t, l, 1) }); n != 0 {
			t.Errorf("%s: %v allocations an epoch, want 0", name, n)
		}
	}
}

// TestLearns: every recipe for node features classifies most nodes of two clusters.
func TestLearns(t *testing.T) {
	d := clusters(300)
	for _, name := range []string{"base", "robust", "robust-logcosh", "heterophily", "heterophily-huber",
		"heterophily-edge", "momentum",
		"heavy-ball", "adagrad", "rmsprop", "adam", "attention", "reweighting", "unit-norm", "unit-norm-penalty",
		"lp", "lp-free", "lp-zhou",
		"lp-trained", "gr-mlp", "gr-mlp-weights", "gr-mlp-wide", "halo", "halo-huber", "halo-logcosh", "mlp", "gcn",
		"gat", "gbk"} {
		c := settings(t, name)
		if c.Train.Epochs > 0 {
			c.Train.Epochs = 60
		}
		_, l := started(t, c, d)
		advance(t, l, l.Epochs())
		if l.Epochs() == 0 {
			if _, err := l.Evaluate(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		if l.Best.Test < 0.8 {
			t.Errorf("%s: test accuracy %.3f", name, l.Best.Test)
		}
	}
}
