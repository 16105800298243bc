package node

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/mat"
)

// TestBreakdownsAddUp: for every kind of recipe, and any node, the parts add up to the log-odds of the probabilities
// that are shown; what the integral lacks is small; and the sentence names nothing for the answer that the lines have
// against it.
func TestBreakdownsAddUp(t *testing.T) {
	for name, set := range map[string][]string{
		"base": nil, "robust": nil, "heterophily": nil, "stack-compat": {"stack.levels=2"},
		"base with trees": {"model.input=trees", "model.after=0", "train.rate=0.1"},
		"none":            {"energy.steps=0"},
		"closed":          nil,
		"gcn":             nil,
		"trees":           nil,
	} {
		seed := rand.Uint64N(1000)
		t.Run(fmt.Sprintf("%s, seed %d", name, seed), func(t *testing.T) {
			d, _, err := generate.Make(fmt.Sprintf("csbm:nodes=150,classes=3,degree=6,features=6,seed=%d", seed))
			if err != nil {
				t.Fatal(err)
			}
			recipe, _, _ := strings.Cut(name, " ")
			if name == "none" {
				recipe = "base"
			}
			if recipe != "closed" {
				set = append(set, "train.epochs=20")
			}
			r, _ := boost(t, recipe, d, "", set...)
			task := Of(r)
			p, err := task.Predict()
			if err != nil {
				t.Fatal(err)
			}
			for range 6 {
				checkBreakdown(t, task, p, rand.Int32N(150))
			}
		})
	}
}

// checkBreakdown compares a breakdown with the probabilities of the node, and its sentence with its lines.
func checkBreakdown(t *testing.T, task *Task, p *Predictions, v int32) {
	t.Helper()
	k := task.Classes()
	first, second := topTwo(p.Logits.Slice()[int(v)*k : int(v+1)*k])
	q := p.Probability.Slice()[int(v)*k : int(v+1)*k]
	want := math.Log(float64(q[first])) - math.Log(float64(q[second]))
	b, err := task.breakdown(v, task.question(first, second), p, 3)
	if err != nil {
		t.Fatal(err)
	}
	size := math.Abs(b.Prior)
	for _, g := range b.Groups {
		size += math.Abs(g.Sum)
	}
	if sum := b.total(); math.Abs(sum-want) > 2e-3*(1+size) || math.Abs(b.Sum-want) > 2e-3*(1+size) {
		t.Errorf("node %d: parts add up to %g, the sum is %g, log-odds %g", v, sum, b.Sum, want)
	}
	if math.Abs(b.Rest) > 0.05*max(size, 0.1) { // log-odds of 0.005 decide nothing
		t.Errorf("node %d: the integral lacks %g of %g", v, b.Rest, size)
	}
	text := b.text(show.Paint(false))
	before, after, _ := strings.Cut(b.sentence(), "gainst: ")
	for _, g := range b.Groups {
		if g.Sum < 0 && strings.Contains(before, g.Name) || g.Sum > 0 && strings.Contains(after, g.Name) {
			t.Errorf("node %d: %s", v, text)
		}
	}
}

// TestBreakdownsOfLogarithms: parts add up to the number itself, in its unit, if its logarithm is learnt, also where
// the closed form then finds that the number itself is learnt better.
func TestBreakdownsOfLogarithms(t *testing.T) {
	for name, price := range map[string]func(class, noise float64) float64{
		"exponential": func(class, noise float64) float64 { return math.Exp(class + 3 + noise/5) },
		"linear":      func(class, noise float64) float64 { return 10 + 3*class + noise },
		"negative":    func(class, noise float64) float64 { return math.Exp(class+3+noise/5) - 20 },
	} {
		rng := rand.New(rand.NewPCG(4, 4))
		d, _, err := generate.Make("csbm:nodes=150,classes=3,degree=6,features=6,seed=4")
		if err != nil {
			t.Fatal(err)
		}
		d.Labels.Task, d.Labels.Names, d.Metric = dataset.Numbers, []string{"price"}, "rmse"
		for _, y := range d.Labels.Class {
			d.Labels.Values = append(d.Labels.Values, mat.Real(price(float64(y), rng.NormFloat64())))
		}
		d.Labels.Class = make([]int32, len(d.Labels.Class))
		for _, recipe := range []string{"trees", "base", "closed", "gcn"} {
			checkNumberParts(t, name, recipe, d)
		}
	}
}

// checkNumberParts compares parts of answers about numbers with the answers.
func checkNumberParts(t *testing.T, name, recipe string, d *dataset.Dataset) {
	t.Helper()
	set := []string{"train.target=log", "train.epochs=20"}
	if recipe == "closed" {
		set = set[:1]
	}
	r, _ := boost(t, recipe, d, "", set...)
	task := Of(r)
	p, err := task.Predict()
	if err != nil {
		t.Fatal(err)
	}
	for v := range int32(5) {
		b, err := task.breakdown(v, task.question(-1, -1), p, 3)
		if err != nil {
			t.Fatal(err)
		}
		want := p.value(v)
		if math.Abs(b.Sum-want) > 1e-3*math.Abs(want) || math.Abs(b.total()-want) > 1e-3*math.Abs(want) ||
			name != "negative" && (b.Prior <= 0 || math.Abs(b.Rest) > 0.05*want) {
			t.Errorf("%s, %s, node %d: %g before, rest %g, sum %g, parts add up to %g, the answer is %g", name,
				recipe, v, b.Prior, b.Rest, b.Sum, b.total(), want)
		}
	}
}
