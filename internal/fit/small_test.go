package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// planted is a graph of two groups whose only feature is weak, with labels of a third of the nodes.
func planted(t *testing.T, kind Kind, n int) (Problem, []float64) {
	rng := rand.New(rand.NewPCG(7, 8))
	x := dataset.Matrix{Rows: n, Cols: 2}
	var edges []graph.Triple
	truth := make([]float64, n)
	for v := range n {
		truth[v] = float64(v % 2)
		x.Values = append(x.Values, mat.Real(truth[v]+2*rng.NormFloat64()), mat.Real(rng.NormFloat64()))
		for range 3 {
			u := rng.IntN(n/2)*2 + v%2
			edges = append(edges, graph.Triple{U: int32(v), V: int32(u)})
		}
	}
	g, err := graph.Build(graph.Spec{Nodes: n, Triples: edges, Undirected: true, Loops: graph.DropLoops})
	if err != nil {
		t.Fatal(err)
	}
	p := Problem{Graph: g, Features: []dataset.Matrix{x}, Kind: kind, Outputs: 2, Seed: 1}
	if kind == Numbers {
		p.Outputs = 1
	}
	for v := 0; v < n/3; v++ {
		p.Rows = append(p.Rows, int32(v))
		if p.Y = append(p.Y, truth[v]); kind != Numbers {
			p.Y = append(p.Y, 1-truth[v])
		}
	}
	return p, truth
}

// TestSolve: smoothing over edges finds the groups for classes, sets and numbers, left-out answers are as good as
// those for nodes without labels, and the same bits come again.
func TestSolve(t *testing.T) {
	for _, kind := range []Kind{Classes, Sets, Numbers} {
		p, truth := planted(t, kind, 300)
		f, s, err := solve(p)
		if err != nil {
			t.Fatal(err)
		}
		wrong, left := 0.0, 0.0
		for v := 100; v < 300; v++ {
			wrong += math.Pow(f.Answers[v*p.Outputs]-truth[v], 2) / 200
		}
		for i, v := range p.Rows {
			left += math.Pow(f.LeftOut[i*p.Outputs]-truth[v], 2) / 100
		}
		if wrong > 0.05 || math.Abs(left-wrong) > 0.02 {
			t.Errorf("%s: mean squared error %.4f of unlabelled nodes, %.4f left out", kind, wrong, left)
		}
		weight := 0.0
		for _, m := range s.members {
			weight += m.weight
		}
		if math.Abs(weight-1) > 1e-9 {
			t.Errorf("%s: weights add up to %v", kind, weight)
		}
		again, err := Solve(p)
		if err != nil || !slices.Equal(again.Answers, f.Answers) {
			t.Errorf("%s: other answers the second time (%v)", kind, err)
		}
		probabilities := make([]float64, p.Outputs)
		f.Calibration.Probabilities(probabilities, f.Answers[200:][:p.Outputs])
		if kind == Classes && math.Abs(probabilities[0]+probabilities[1]-1) > 1e-9 {
			t.Errorf("probabilities %v", probabilities)
		}
	}
}

// TestTemperature: where left-out answers say nothing, probabilities are the shares; where they are always right, the
// log loss is near 0.
func TestTemperature(t *testing.T) {
	p := Problem{Kind: Classes, Outputs: 2}
	var nothing, all []float64
	for i := range 200 {
		p.Rows = append(p.Rows, int32(i))
		y := []float64{1, 0}
		if i%4 == 0 {
			y = []float64{0, 1}
		}
		p.Y, all = append(p.Y, y...), append(all, y...)
		nothing = append(nothing, 0.75, 0.25)
	}
	got := make([]float64, 2)
	mean := []float64{0.75, 0.25}
	if c := calibrate(p, nothing, mean); true {
		if c.Probabilities(got, mean); math.Abs(got[0]-0.75) > 1e-6 {
			t.Errorf("shares are %v, want 0.75 and 0.25", got)
		}
	}
	if c := calibrate(p, all, mean); c.LogLoss > 0.01 {
		t.Errorf("log loss %v of answers that are right", c.LogLoss)
	}
}

// TestBadProblems: what has no answer is refused in words.
func TestBadProblems(t *testing.T) {
	good, _ := planted(t, Classes, 30)
	for want, spoil := range map[string]func(*Problem){
		"no nodes":         func(p *Problem) { p.Graph = nil },
		"at least 2":       func(p *Problem) { p.Rows, p.Y = p.Rows[:1], p.Y[:2] },
		"labels for":       func(p *Problem) { p.Y = p.Y[1:] },
		"labelled node 99": func(p *Problem) { p.Rows = append(slices.Clone(p.Rows[1:]), 99) },
		"node 0 is NaN":    func(p *Problem) { p.Y = append([]float64{math.NaN()}, p.Y[1:]...) },
	} {
		p := good
		spoil(&p)
		if _, err := Solve(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	good.Features = nil
	if _, err := Solve(good); err != nil {
		t.Errorf("without features: %v", err)
	}
	empty, err := graph.Build(graph.Spec{Nodes: 30, Undirected: true})
	if err != nil {
		t.Fatal(err)
	}
	good.Graph = empty
	if _, err := Solve(good); err != nil {
		t.Errorf("without edges and features: %v", err)
	}
}

// TestLogarithms: numbers that grow by factors are learnt as logarithms, also where some are negative, and others are
// not; no answer is below the floor, which is 0 for positive numbers.
func TestLogarithms(t *testing.T) {
	p, truth := planted(t, Numbers, 300)
	for _, x := range []struct {
		label func(truth float64, i int) float64
		want  bool
	}{
		{func(v float64, i int) float64 { return math.Exp(6*v + 2*float64(p.Features[0].Values[2*i+1])) }, true},
		{func(v float64, i int) float64 { return math.Exp(6*v+2*float64(p.Features[0].Values[2*i+1])) - 20 }, true},
		{func(v float64, i int) float64 { return v - 0.5 }, false},
	} {
		for i, v := range p.Rows {
			p.Y[i] = x.label(truth[v], int(v))
		}
		f, err := Solve(p)
		if err != nil || f.Log != x.want || x.want && slices.Min(f.Answers) <= f.Floor ||
			f.Log && slices.Min(p.Y) > 0 != (f.Floor == 0) {
			t.Errorf("log %v, want %v; least answer %v, floor %v (%v)", f.Log, x.want, slices.Min(f.Answers), f.Floor,
				err)
		}
	}
}

// TestOnFold: a fold that takes filters from all labels has the answers of a problem that is solved from the start,
// of classes and numbers, with further columns and without.
func TestOnFold(t *testing.T) {
	for _, kind := range []Kind{Classes, Numbers} {
		p, truth := planted(t, kind, 600)
		for i := range p.Y {
			p.Y[i]++ // so that numbers have logarithms
		}
		l, err := NewLinear(p)
		if err != nil {
			t.Fatal(err)
		}
		rng, gone := rand.New(rand.NewPCG(3, 4)), []int{0, 5, 6, 40, 41}
		further := dataset.Matrix{Rows: len(truth), Cols: 1}
		for _, y := range truth {
			further.Values = append(further.Values, mat.Real(y+0.3*rng.NormFloat64()))
		}
		for _, x := range []dataset.Matrix{{}, further} {
			less := shorter(p, gone)
			less.Unfiltered, less.Folds = x, 4
			want, err := Solve(less)
			if err != nil {
				t.Fatal(err)
			}
			got, err := l.OnFold(x, gone, 4)
			if err != nil {
				t.Fatal(err)
			}
			far := farthest(got, want)
			for i, y := range want.OutOfFold {
				far = max(far, math.Abs(y-got.OutOfFold[i]))
			}
			if !(far < 1e-9) || !slices.Equal(got.Rows, want.Rows) {
				t.Errorf("%s with %d columns: a fold is %g away", kind, x.Cols, far)
			}
		}
	}
}
