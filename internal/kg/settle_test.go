package kg

import (
	"fmt"
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// among is a model of six old and two new entities with random rows, and facts about the new ones, of which one is
// between them.
func among(c Config, t *testing.T) (*moving, []graph.Triple) {
	t.Helper()
	m := newModel(c, smallGraph(t, 8, 2, 14))
	facts := []graph.Triple{{U: 6, R: 0, V: 1}, {U: 6, R: 0, V: 2}, {U: 3, R: 1, V: 6}, {U: 7, R: 1, V: 6},
		{U: 4, R: 0, V: 7}}
	return newMoving(m, facts, []int32{6, 7}, 3, seed), facts
}

// TestNewcomersMinimiseTheirLoss: the energy and its derivative to the new rows equal the loss of training, summed over
// both questions of every fact, each against the pool, and its derivative.
func TestNewcomersMinimiseTheirLoss(t *testing.T) {
	for _, m := range models {
		for _, l := range []Ranking{Softmax{}, SelfAdversarial{}} {
			t.Run(fmt.Sprintf("%#v/%T", m, l), func(t *testing.T) {
				c := small(m)
				c.Loss, c.Penalty, c.Negatives.Shared = l, Penalty{0.1, true}, 6
				n, facts := among(c, t)
				compareNew(t, n, func(x naive) float64 { return x.lossOf(n, facts) })
			})
		}
	}
}

// lossOf is the energy by its definition. The pool has half of the false answers of training, so each counts twice in a
// softmax.
func (n naive) lossOf(of *moving, facts []graph.Triple) float64 {
	pool := of.drawPool(of.pool.Len(), seed)
	total := n.noise(of)
	for _, f := range facts {
		for side := range 2 {
			q, answer := metric.QuestionFor(f, side)
			own, sum, mean := n.answer(q, answer), 0.0, 0.0
			for _, x := range pool {
				sum += 2 * math.Exp(n.answer(q, x))
				mean += softplus(n.answer(q, x)) / float64(len(pool))
			}
			if n.c.softmax() {
				total += math.Log(math.Exp(own)+sum) - own
			} else {
				total += (softplus(-own) + mean) / 2
			}
			for _, v := range []int32{q.End, answer} {
				if v >= 6 {
					total += 0.1 * n.cubes(v)
				}
			}
		}
	}
	return total
}

// noise is the loss of the questions that newcomers have no part in. Three of eight entities are the pool, for which
// six were drawn in training, so that a newcomer was drawn with probability 6/8.
func (n naive) noise(of *moving) float64 {
	total, count := 0.0, 0
	for _, f := range of.m.Sample {
		if f.U >= 6 || f.V >= 6 {
			continue
		}
		for side := range 2 {
			count++
			q, answer := metric.QuestionFor(f, side)
			own, sum, mean := n.answer(q, answer), 0.0, 0.0
			for _, x := range of.drawPool(of.pool.Len(), seed) {
				sum, mean = sum+2*math.Exp(n.answer(q, x)), mean+softplus(n.answer(q, x))/5
			}
			for x := int32(6); x < 8; x++ {
				sum, mean = sum+0.75*math.Exp(n.answer(q, x)), mean+softplus(n.answer(q, x))/5
			}
			if n.c.softmax() {
				total += math.Log(math.Exp(own)+sum) - own
			} else {
				total += (softplus(-own) + mean) / 2 * 5 / 8
			}
		}
	}
	return total * 28 / float64(count)
}

// cubes is Σ|x|³ of the row of v.
func (n naive) cubes(v int32) float64 {
	d, sum := n.c.Dim, 0.0
	row := n.h[int(v)*d : int(v+1)*d]
	for i := range row {
		switch k := d / 2; {
		case !n.c.complex():
			sum += math.Pow(math.Abs(row[i]), 3)
		case i < k:
			sum += math.Pow(math.Hypot(row[i], row[k+i]), 3)
		}
	}
	return sum
}

// compareNew checks the energy of newcomers at their present rows, and its derivative, against f. Tolerances are as in
// compare.
func compareNew(t *testing.T, n *moving, f func(naive) float64) {
	t.Helper()
	d := n.m.Config.Dim
	rows := mat.New(2, d)
	mat.Gather(rows, n.m.H.Value(), n.rows)
	x := ad.NewParam("new", rows)
	e := n.lower(n.m.E.Var).Smooth(x.Var)
	g := ad.Grad(e, x.Var)[0]
	prog := ad.Compile(e, g)
	if err := prog.Run(); err != nil {
		t.Fatal(err)
	}
	by := naiveOf(n.m)
	if got, want := float64(prog.Value(e).Item()), f(by); math.Abs(got-want) > 5e-5*(1+math.Abs(want)) {
		t.Fatalf("energy %v, want %v", got, want)
	}
	for j, got := range prog.Value(g).Slice() {
		const h = 1e-5
		at := &by.h[6*d+j]
		old := *at
		*at = old + h
		up := f(by)
		*at = old - h
		want := (up - f(by)) / (2 * h)
		*at = old
		if math.Abs(float64(got)-want) > 2e-3*(0.1+math.Abs(want)) {
			t.Fatalf("derivative to number %d is %v, want %v", j, got, want)
		}
	}
}

// TestNewcomersStart: of squared distances the start is where the mean square to what neighbours say is smallest, and
// of inner products it points there with the length of an old entity.
func TestNewcomersStart(t *testing.T) {
	n, _ := among(small(energy.TransE(energy.NormSquared, 0)), t)
	x := ad.Eval(n.start(n.m.E.Var))
	by, d := naiveOf(n.m), n.m.Config.Dim
	for j := range d { // 6 answers (1, r₀⁻¹, ?), (2, r₀⁻¹, ?) and (3, r₁, ?); 7 answers (4, r₀, ?)
		want := []float64{(by.h[d+j] + by.h[2*d+j] - 2*by.e[j] + by.h[3*d+j] + by.e[d+j]) / 3, by.h[4*d+j] + by.e[j]}
		for v, w := range want {
			if got := float64(x.Slice()[v*d+j]); math.Abs(got-w) > 1e-5 {
				t.Errorf("entity %d, number %d starts at %v, want %v", 6+v, j, got, w)
			}
		}
	}
	n, _ = among(small(energy.DistMult), t)
	x = ad.Eval(n.start(n.m.E.Var))
	by = naiveOf(n.m)
	length := 0.0
	for v := range 6 {
		length += norm2(by.h[v*d:(v+1)*d]) / 6
	}
	if got := norm2(floats(x)[:d]); math.Abs(got-length) > 1e-4 {
		t.Errorf("length %v, want %v", got, length)
	}
}

func norm2(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v * v
	}
	return math.Sqrt(s)
}

// TestNewcomersDescend: every model that was trained ordinarily takes new entities;
// steps lower the energy, and none leaves the start.
func TestNewcomersDescend(t *testing.T) {
	for _, m := range models {
		c := ways()["shared"]
		c.Model, c.Loss = m, Softmax{}
		model := fit(t, c, smallData(t, 60, 3, 300), 6)
		facts := []graph.Triple{{U: 60, R: 0, V: 3}, {U: 5, R: 1, V: 60}, {U: 60, R: 2, V: 60}}
		var before float64
		for i, steps := range []int{-1, 3, 30} {
			out, _, err := model.Add([]string{"new"}, facts, Settle{L: steps, Gamma: 0.05, Negatives: 16})
			if err != nil {
				t.Fatal(err)
			}
			n := newMoving(out, facts, []int32{60}, 16, mat.Mix(0, 12))
			rows := mat.New(1, c.Dim)
			mat.Gather(rows, out.H.Value(), n.rows)
			now := float64(ad.Eval(n.lower(out.E.Var).Smooth(ad.Const(rows))).Item())
			if i > 0 && !(now < before) {
				t.Errorf("%#v: energy %v after %d steps, %v before", m, now, steps, before)
			}
			before = now
		}
	}
}
