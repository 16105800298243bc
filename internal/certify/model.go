package certify

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/internal/kernel"
)

// Model says how classes follow from values: the class of v is the column k in which Σ_j v_j Weight_jk + Offset_k is
// largest, where every column of Pi, r, becomes v by the rule.
type Model struct {
	Rule   Rule
	Steps  int                   // from Start; 0 for the fixed point
	Start  func(float64) float64 // of an entry of Pi
	Linear bool                  // v is a linear function of r, the same for all columns
	Pi     [][]float64           // by columns
	Weight [][]float64           // a row for every column of Pi; nil for the identity
	Offset []float64             // of every class
}

// Verdict is what is known about the class of a node.
type Verdict struct {
	Margin float64 // the least that the class can be ahead of Rival
	Rival  int32   // the other class with the least Margin
	Holds  bool    // the class cannot change
}

// single is the share of the largest entry by which a margin must be positive: models run in single precision.
const single = 1e-5

// Certify bounds what the adversary can do to the class of every node.
func (p *Problem) Certify(m *Model, class []int32) []Verdict {
	list := make([]Verdict, len(class))
	for v := range list {
		list[v] = Verdict{math.Inf(1), -1, true}
	}
	if m.Linear {
		p.byPairs(m, class, list)
	} else {
		p.byColumns(m, class, list)
	}
	least := single * m.scale()
	for v := range list {
		list[v].Holds = list[v].Margin > least
	}
	return list
}

// byPairs bounds the margin of every pair of classes itself.
func (p *Problem) byPairs(m *Model, class []int32, list []Verdict) {
	type pair struct {
		a, b  int32
		worst []float64
	}
	var pairs []pair
	for a := range int32(len(m.Offset)) {
		for b := range int32(len(m.Offset)) {
			if a != b && slices.Contains(class, a) {
				pairs = append(pairs, pair{a: a, b: b})
			}
		}
	}
	z := m.times(m.Pi)
	kernel.Each(len(pairs), doing(func(i int) {
		pairs[i].worst = p.values(m, difference(z, pairs[i].a, pairs[i].b)).Value
	}))
	for _, x := range pairs {
		for v := range list {
			if class[v] == x.a {
				list[v].take(x.worst[v]+m.Offset[x.a]-m.Offset[x.b], x.b)
			}
		}
	}
}

// doing is a kernel.Task.
type doing func(i int)

func (f doing) Do(i int) { f(i) }

func difference(z [][]float64, a, b int32) []float64 {
	r := slices.Clone(z[a])
	for v, x := range z[b] {
		r[v] -= x
	}
	return r
}

func (w *Verdict) take(margin float64, rival int32) {
	if margin < w.Margin {
		w.Margin, w.Rival = margin, rival
	}
}

// byColumns bounds every column from both sides, and the margin by the worst of each:
//
//	Σ_j v_j c_j ≥ Σ_{c_j > 0} c_j lower_j + Σ_{c_j < 0} c_j upper_j        c = Weight_a − Weight_b
func (p *Problem) byColumns(m *Model, class []int32, list []Verdict) {
	d := len(m.Pi)
	bounds := make([][]float64, 2*d) // lower ones, then upper ones with the other sign
	kernel.Each(2*d, doing(func(i int) {
		one, r := *m, m.Pi[i%d]
		if i >= d {
			r, one.Rule, one.Start = negative(r), m.Rule.mirror(), func(x float64) float64 { return -m.Start(-x) }
		}
		bounds[i] = p.values(&one, r).Value
	}))
	for v := range list {
		for b := range int32(len(m.Offset)) {
			a := class[v]
			if a == b {
				continue
			}
			margin := m.Offset[a] - m.Offset[b]
			for j := range d {
				if c := m.weight(j, a) - m.weight(j, b); c > 0 {
					margin += c * bounds[j][v]
				} else {
					margin -= c * bounds[d+j][v]
				}
			}
			list[v].take(margin, b)
		}
	}
}

func negative(r []float64) []float64 {
	out := make([]float64, len(r))
	for v, x := range r {
		out[v] = -x
	}
	return out
}

func (m *Model) weight(j int, k int32) float64 {
	switch {
	case m.Weight != nil:
		return m.Weight[j][k]
	case j == int(k):
		return 1
	}
	return 0
}

// times returns x Weight of columns x.
func (m *Model) times(x [][]float64) [][]float64 {
	if m.Weight == nil {
		return x
	}
	z := make([][]float64, len(m.Offset))
	for k := range z {
		z[k] = make([]float64, len(x[0]))
		for j, column := range x {
			for v, y := range column {
				z[k][v] += y * m.Weight[j][k]
			}
		}
	}
	return z
}

// scale returns the size of the largest logit.
func (m *Model) scale() (most float64) {
	for _, column := range m.times(m.Pi) {
		for _, x := range column {
			most = max(most, math.Abs(x))
		}
	}
	return most
}

// values returns the worst values of r.
func (p *Problem) values(m *Model, r []float64) *Worst {
	if m.Steps == 0 {
		return p.Exact(m.Rule, r)
	}
	start := make([]float64, len(r))
	for v, x := range r {
		start[v] = m.Start(x)
	}
	return p.Steps(m.Rule, r, start, m.Steps)
}
