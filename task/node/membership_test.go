package node

import (
	"cmp"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/fit"
	"github.com/bloomgml/bloom/train"
)

var members = flag.String("members", "", "data whose forgotten labels TestMembership attacks; empty: generated")

// TestMembership forgets 1 % of the labels again and again, and tells the forgotten from nodes that were never labelled
// by the probability of their class: the area under the ROC curve is 0.5 within its error, where it is more for labels
// that are known. A random half of the nodes of every class has a label, and the draws go on, with another half where
// one does not suffice, until the error is below 0.01.
func TestMembership(t *testing.T) {
	name := cmp.Or(*members, "csbm:nodes=200,features=300,homophily=0.5")
	d, err := catalogue.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	methods := map[string]func(*testing.T, *dataset.Dataset) forgetting{"head": headOf, "closed": closedOf}
	for method, of := range methods {
		if *members == "" && method == "closed" {
			continue // which takes long
		}
		t.Run(method, func(t *testing.T) {
			var before, after, error2 float64
			for half := 1; ; half++ {
				x := *d
				order := rand.New(rand.NewPCG(uint64(half), 7)).Perm(d.Graph.NumNodes())
				slices.SortStableFunc(order, func(u, v int) int {
					return cmp.Compare(d.Labels.Class[u], d.Labels.Class[v])
				})
				x.Splits = []dataset.Split{{}}
				for i, v := range order {
					if s := &x.Splits[0]; i%2 == 0 {
						s.Train = append(s.Train, int32(v))
					} else {
						s.Test = append(s.Test, int32(v))
					}
				}
				slices.Sort(x.Splits[0].Train)
				known, forgotten := forgetOften(t, &x, of(t, &x))
				before, after = before+known.area(), after+forgotten.area()
				error2 += forgotten.deviation() * forgotten.deviation()
				n := float64(half)
				if e := math.Sqrt(error2) / n; half > 1 && e < 0.01 || *members == "" {
					t.Logf("area %.3f before, %.3f ± %.3f after", before/n, after/n, e)
					if math.Abs(after/n-0.5) > 4*e {
						t.Error("the forgotten can be told")
					}
					if *members == "" && before/n < 0.5+4*e { // the generated data are such that they can
						t.Error("the known cannot be told")
					}
					return
				}
			}
		})
	}
}

// forgetting returns the probabilities of classes of all nodes without the labels of some.
type forgetting func(gone []int32) []float64

// closedOf takes labels out of a closed form by low-rank changes.
func closedOf(t *testing.T, d *dataset.Dataset) forgetting {
	p := fit.ProblemOf(d, d.Splits[0].Train, 1)
	l, err := fit.NewLinear(p)
	if err != nil {
		t.Fatal(err)
	}
	return func(gone []int32) []float64 {
		var at []int
		for i, v := range p.Rows {
			if slices.Contains(gone, v) {
				at = append(at, i)
			}
		}
		f, err := l.Without(at)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]float64, len(f.Answers))
		for at := 0; at < len(out); at += f.Outputs {
			f.Calibration.Probabilities(out[at:at+f.Outputs], f.Answers[at:at+f.Outputs])
		}
		return out
	}
}

// headOf moves a linear head by Newton steps from the minimiser with all labels.
func headOf(t *testing.T, d *dataset.Dataset) forgetting {
	c, err := config.Load(config.Options{Recipe: "base", Data: "-", Set: []string{"model.before=0", "model.after=1",
		"model.norm=none", "model.input_dropout=0", "train.weight_decay=0.0005"}})
	if err != nil {
		t.Fatal(err)
	}
	x, err := Build(*c, d, train.Trial{Seed: 1}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := x.linearHead()
	if err != nil {
		t.Fatal(err)
	}
	known, everyone := slices.Clone(x.Split.Train), *x
	everyone.Split.Train = make([]int32, d.Graph.NumNodes())
	for v := range everyone.Split.Train {
		everyone.Split.Train[v] = int32(v)
	}
	all := *f
	if all.rows, err = everyone.trainingRows(f.d); err != nil {
		t.Fatal(err)
	}
	all.class = make([]int32, d.Graph.NumNodes())
	if _, err := f.minimise(); err != nil {
		t.Fatal(err)
	}
	start := f.at()
	return func(gone []int32) []float64 {
		left := *f
		left.rows, left.class = nil, nil
		for i, y := range f.class {
			if !slices.Contains(gone, known[i]) {
				left.rows, left.class = append(left.rows, f.rows[i*f.d:(i+1)*f.d]...), append(left.class, y)
			}
		}
		f.set(start)
		if _, err := left.minimise(); err != nil {
			t.Fatal(err)
		}
		_, _, p := all.gradient(f.at())
		return p
	}
}

// forgetOften forgets disjoint hundredths of the labels until the error of the area is below 0.01, or all of them.
func forgetOften(t *testing.T, d *dataset.Dataset, f forgetting) (before, after placements) {
	known, never, k := d.Splits[0].Train, d.Splits[0].Test, len(d.Labels.Names)
	score := func(p []float64, nodes []int32) (list []float64) {
		for _, v := range nodes {
			list = append(list, p[int(v)*k+int(d.Labels.Class[v])])
		}
		return list
	}
	p := f(nil)
	before.add(score(p, known), score(p, never))
	order, size, draws := rand.New(rand.NewPCG(7, 7)).Perm(len(known)), max(len(known)/100, 1), 0
	for at := 0; at+size <= len(order) && (at < 3*size || after.deviation() > 0.0098); at += size {
		var gone []int32
		for _, i := range order[at : at+size] {
			gone = append(gone, known[i])
		}
		p := f(gone)
		after.add(score(p, gone), score(p, never))
		draws++
	}
	t.Logf("area %.3f ± %.3f for %d known labels, %.3f ± %.3f for %d forgotten in %d draws; %d nodes without label",
		before.area(), before.deviation(), len(known), after.area(), after.deviation(), draws*size, draws, len(never))
	return before, after
}

// placements are the shares of the others below each member, and of the members below each other.
type placements struct{ member, other []float64 }

// add takes up scores of a model; others are the same in every call.
func (x *placements) add(members, others []float64) {
	below := func(list []float64, y float64) (share float64) {
		for _, x := range list {
			switch {
			case x < y:
				share++
			case x == y:
				share += 0.5
			}
		}
		return share / float64(len(list))
	}
	earlier := float64(len(x.member))
	for _, y := range members {
		x.member = append(x.member, below(others, y))
	}
	x.other = slices.Grow(x.other, len(others))[:len(others)]
	for i, y := range others {
		x.other[i] = (x.other[i]*earlier + below(members, y)*float64(len(members))) / float64(len(x.member))
	}
}

func (x *placements) area() float64 { return mean(x.member) }

// deviation is the standard error of the area (DeLong 1988).
func (x *placements) deviation() float64 {
	return math.Sqrt(spreadOf(x.member)/float64(len(x.member)) + spreadOf(x.other)/float64(len(x.other)))
}

func mean(list []float64) (sum float64) {
	for _, x := range list {
		sum += x / float64(len(list))
	}
	return sum
}

// spreadOf is the variance.
func spreadOf(list []float64) (sum float64) {
	m := mean(list)
	for _, x := range list {
		sum += (x - m) * (x - m) / float64(len(list)-1)
	}
	return sum
}
