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
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/train"
)

var members = flag.String("members", "", "data whose forgotten parts TestMembership attacks; empty: generated")

// TestMembership forgets 1 % of the labels, nodes or edges again and again, and tells the forgotten from others that
// the model never had: labels by the probability of their class, nodes by the same after they are added to the run, and
// edges by how near the probabilities at their ends are. The area under the ROC curve is 0.5 within its error, where it
// is more for those that are known. Which ones are known is random, and the draws go on, with others where these do not
// suffice, until the error is below 0.01.
func TestMembership(t *testing.T) {
	d, err := catalogue.Open(cmp.Or(*members, "csbm:nodes=200,features=300,homophily=0.5"))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name string
		of   func(*testing.T, *dataset.Dataset, uint64) secrets
	}{{"head/labels", labelsOfHead}, {"head/nodes", nodesOf(headed)}, {"head/edges", edgesOf(headed)},
		{"closed/labels", labelsOfClosed}, {"closed/nodes", nodesOf(solved)}, {"closed/edges", edgesOf(solved)}} {
		if *members == "" && (x.name[0] == 'c' || testing.Short() && x.name != "head/labels") {
			continue // which takes long
		}
		t.Run(x.name, func(t *testing.T) { tell(t, d, x.of) })
	}
}

// tell attacks with one choice of what is known after another.
func tell(t *testing.T, d *dataset.Dataset, of func(*testing.T, *dataset.Dataset, uint64) secrets) {
	var before, after, error2 float64
	for half := 1.0; ; half++ {
		known, forgotten := of(t, d, uint64(half)).forgetOften(t)
		before, after = before+known.area(), after+forgotten.area()
		error2 += forgotten.deviation() * forgotten.deviation()
		if e := math.Sqrt(error2) / half; half > 1 && e < 0.01 || *members == "" {
			t.Logf("area %.3f before, %.3f ± %.3f after", before/half, after/half, e)
			if math.Abs(after/half-0.5) > 4*e {
				t.Error("the forgotten can be told")
			}
			if *members == "" && before/half < 0.5+4*e { // the generated data are such that they can
				t.Error("the known cannot be told")
			}
			return
		}
	}
}

// secrets are labels, nodes or edges, by numbers: those that a run knows, and others that it never had.
type secrets struct {
	known, never []int32
	without      func(gone []int32) score // forgets some of the known
}

// score says of labels, nodes or edges how much they look like known ones.
type score func([]int32) []float64

// halves draws a random half of the nodes of every class, which are for training, and divides the other half in two.
func halves(d *dataset.Dataset, seed uint64) (known, never, rest []int32) {
	order := rand.New(rand.NewPCG(seed, 7)).Perm(d.Graph.NumNodes())
	slices.SortStableFunc(order, func(u, v int) int { return cmp.Compare(d.Labels.Class[u], d.Labels.Class[v]) })
	for i, v := range order {
		switch i % 4 {
		case 0, 2:
			known = append(known, int32(v))
		case 1:
			never = append(never, int32(v))
		default:
			rest = append(rest, int32(v))
		}
	}
	slices.Sort(known)
	return known, never, rest
}

// split is d with nodes for training, test and validation, in this order. Without the last ones some of the first would
// be taken for them.
func split(d *dataset.Dataset, known, never, rest []int32) *dataset.Dataset {
	x := *d
	x.Splits = []dataset.Split{{Train: known, Test: never, Valid: rest}}
	return &x
}

// ofClass scores nodes by the probability of their class; p by rows.
func ofClass(d *dataset.Dataset, p []float64) score {
	return func(nodes []int32) (list []float64) {
		for _, v := range nodes {
			list = append(list, p[int(v)*len(d.Labels.Names)+int(d.Labels.Class[v])])
		}
		return list
	}
}

// learner builds and trains a run. It may start from what it found before.
type learner func(t *testing.T, d *dataset.Dataset) *Task

// solved solves a closed form when it is asked.
func solved() learner {
	return func(t *testing.T, d *dataset.Dataset) *Task { return built(t, d, "closed") }
}

// headed moves a linear head by Newton steps from the first minimiser.
func headed() learner {
	var start []float64
	return func(t *testing.T, d *dataset.Dataset) *Task {
		x := built(t, d, "base", "model.before=0", "model.after=1", "model.norm=none", "model.input_dropout=0",
			"train.weight_decay=0.0005")
		f, err := x.linearHead()
		if err != nil {
			t.Fatal(err)
		}
		if start != nil {
			f.set(start)
		}
		if _, err := f.minimise(); err != nil {
			t.Fatal(err)
		}
		if start == nil {
			start = f.at()
		}
		return x
	}
}

func built(t *testing.T, d *dataset.Dataset, recipe string, set ...string) *Task {
	t.Helper()
	c, err := config.Load(config.Options{Recipe: recipe, Data: "-", Set: set})
	if err != nil {
		t.Fatal(err)
	}
	x, err := Build(*c, d, train.Trial{Seed: 1}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// nodesOf are a half of the nodes with labels; a quarter is no part of the graph. Nodes that are not are added to the
// run, all at once.
func nodesOf(learn func() learner) func(*testing.T, *dataset.Dataset, uint64) secrets {
	return func(t *testing.T, d *dataset.Dataset, seed uint64) secrets {
		known, never, rest := halves(d, seed)
		whole, run := split(d, known, never, rest), learn()
		return secrets{known, never, func(gone []int32) score {
			left, late, err := testkit.HoldOut(whole, slices.Concat(gone, never))
			if err != nil {
				t.Fatal(err)
			}
			late.Class = nil
			x, err := run(t, left).Add(late)
			if err != nil {
				t.Fatal(err)
			}
			// The nodes that are left come first, in their order, then the others in that of HoldOut.
			at, k, out := 0, len(d.Labels.Names), slices.Concat(gone, never)
			p, all := probabilities(t, x), make([]float64, d.Graph.NumNodes()*len(d.Labels.Names))
			place := make([]bool, d.Graph.NumNodes())
			for _, v := range out {
				place[v] = true
			}
			for v := range place {
				if !place[v] {
					copy(all[v*k:], p[at*k:][:k])
					at++
				}
			}
			for i, v := range out {
				copy(all[int(v)*k:], p[(at+i)*k:][:k])
			}
			return ofClass(d, all)
		}}
	}
}

// probabilities returns those of all nodes, by rows.
func probabilities(t *testing.T, x *Task) (list []float64) {
	t.Helper()
	for _, p := range predicted(t, x).Probability.Slice() {
		list = append(list, float64(p))
	}
	return list
}

// edgesOf are pairs of nodes with an edge, of which a third is no part of the graph.
func edgesOf(learn func() learner) func(*testing.T, *dataset.Dataset, uint64) secrets {
	return func(t *testing.T, d *dataset.Dataset, seed uint64) secrets {
		known, never, rest := halves(d, seed)
		whole, run := split(d, known, never, rest), learn()
		number, pairs, of := map[[2]int32]int32{}, [][2]int32(nil), [][]int32(nil)
		for e, x := range d.Graph.Triples() {
			p := [2]int32{min(x.U, x.V), max(x.U, x.V)}
			if p[0] == p[1] {
				continue
			}
			if _, ok := number[p]; !ok {
				number[p] = int32(len(pairs))
				pairs, of = append(pairs, p), append(of, nil)
			}
			of[number[p]] = append(of[number[p]], int32(e))
		}
		s := secrets{}
		for i, e := range rand.New(rand.NewPCG(seed, 8)).Perm(len(pairs)) {
			if i < len(pairs)/3 {
				s.never = append(s.never, int32(e))
			} else {
				s.known = append(s.known, int32(e))
			}
		}
		s.without = func(gone []int32) score {
			var edges []int32
			for _, e := range slices.Concat(gone, s.never) {
				edges = append(edges, of[e]...)
			}
			left, err := whole.Without(dataset.Gone{Edges: edges})
			if err != nil {
				t.Fatal(err)
			}
			p, k := probabilities(t, run(t, left)), int32(len(d.Labels.Names))
			return func(list []int32) (near []float64) {
				for _, e := range list {
					sum := 0.0
					for j := range k {
						x := p[pairs[e][0]*k+j] - p[pairs[e][1]*k+j]
						sum -= x * x
					}
					near = append(near, sum)
				}
				return near
			}
		}
		return s
	}
}

// labelsOfClosed takes labels out of a closed form by low-rank changes.
func labelsOfClosed(t *testing.T, d *dataset.Dataset, seed uint64) secrets {
	known, never, rest := halves(d, seed)
	d = split(d, known, never, rest)
	p := fit.ProblemOf(d, d.Splits[0].Train, 1)
	l, err := fit.NewLinear(p)
	if err != nil {
		t.Fatal(err)
	}
	return secrets{known, slices.Concat(never, rest), func(gone []int32) score {
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
		return ofClass(d, out)
	}}
}

// labelsOfHead moves a linear head by Newton steps from the minimiser with all labels.
func labelsOfHead(t *testing.T, d *dataset.Dataset, seed uint64) secrets {
	known, never, rest := halves(d, seed)
	d = split(d, known, never, rest)
	x := headed()(t, d)
	f, err := x.linearHead()
	if err != nil {
		t.Fatal(err)
	}
	everyone := *x
	everyone.Split.Train = make([]int32, d.Graph.NumNodes())
	for v := range everyone.Split.Train {
		everyone.Split.Train[v] = int32(v)
	}
	all := *f
	if all.rows, err = everyone.trainingRows(f.d); err != nil {
		t.Fatal(err)
	}
	all.class = make([]int32, d.Graph.NumNodes())
	start := f.at()
	return secrets{known, slices.Concat(never, rest), func(gone []int32) score {
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
		return ofClass(d, p)
	}}
}

// forgetOften forgets disjoint hundredths of the known, of generated data more, until the error of the area is below
// 0.01, or all of them.
func (s secrets) forgetOften(t *testing.T) (before, after placements) {
	known, never, all := s.known, s.never, s.without(nil)
	before.add(all(known), all(never))
	order, size, draws := rand.New(rand.NewPCG(7, 7)).Perm(len(known)), max(len(known)/100, 1), 0
	if *members == "" {
		size *= 4 // for fewer draws
	}
	for at := 0; at+size <= len(order) && (at < 3*size || after.deviation() > 0.0098); at += size {
		var gone []int32
		for _, i := range order[at : at+size] {
			gone = append(gone, known[i])
		}
		now := s.without(gone)
		after.add(now(gone), now(never))
		draws++
	}
	t.Logf("area %.3f ± %.3f of %d known, %.3f ± %.3f of %d forgotten in %d draws; %d others",
		before.area(), before.deviation(), len(known), after.area(), after.deviation(), draws*size, draws, len(never))
	return before, after
}

// placements are the shares of the others below each member, and of the members below each other.
type placements struct{ member, other []float64 }

// add takes up scores of a model; others are the same in every call.
func (x *placements) add(members, others []float64) {
	below := func(list []float64) func(float64) float64 {
		list = slices.Sorted(slices.Values(list))
		return func(y float64) float64 {
			least, _ := slices.BinarySearch(list, y)
			most, _ := slices.BinarySearch(list, math.Nextafter(y, math.Inf(1)))
			return float64(least+most) / 2 / float64(len(list))
		}
	}
	amongOthers, amongMembers := below(others), below(members)
	earlier := float64(len(x.member))
	for _, y := range members {
		x.member = append(x.member, amongOthers(y))
	}
	x.other = slices.Grow(x.other, len(others))[:len(others)]
	for i, y := range others {
		x.other[i] = (x.other[i]*earlier + amongMembers(y)*float64(len(members))) / float64(len(x.member))
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
