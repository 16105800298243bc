package certify

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/internal/kernel"
)

// Model says how classes follow from values: every column of Pi, r, becomes v by the rule, and the class of a node is
// the largest output of a perceptron of its row of v.
type Model struct {
	Rule   Rule
	Steps  int                   // from Start; 0 for the fixed point
	Start  func(float64) float64 // of an entry of Pi
	Linear bool                  // v is a linear function of r, the same for all columns
	Pi     [][]float64           // by columns
	Lead   bool                  // ReLU before the first layer
	Layers []Layer               // with ReLU between them; none for the identity
	Offset []float64             // added to the output, for every class
	// Steep bounds by how much the margin of class a over b moves if v of one node is a function of one row of features
	// alone, which moves by 1; it is reached if all is linear. nil if that is not known.
	Steep func(a, b int32) float64

	Channels []Channel                               // which add up to logits, in place of all above but Offset
	Most     float64                                 // of them, the size of the largest logit
	Held     func(near [][]int32) ([]float64, error) // of them, the logits on another graph, n×classes
}

// Layer is a linear layer, x Weight + Bias.
type Layer struct {
	Weight [][]float64 // a row for every entry of x
	Bias   []float64   // nil for 0
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
	switch {
	case m.Channels != nil:
		p.byChannels(m, class, list)
	case m.linear():
		p.byPairs(m, class, list)
	default:
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
	z := m.logits(m.Pi)
	kernel.Each(len(pairs), doing(func(i int) {
		pairs[i].worst = p.values(m, difference(z, pairs[i].a, pairs[i].b)).Value
	}))
	for _, x := range pairs {
		for v := range list {
			if class[v] == x.a {
				list[v].lower(x.worst[v]+m.offset(x.a)-m.offset(x.b), x.b)
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

// lower notes a margin of a rival that is below those before.
func (w *Verdict) lower(margin float64, rival int32) {
	if margin < w.Margin {
		w.Margin, w.Rival = margin, rival
	}
}

// byColumns bounds every column from both sides, then every entry of every layer, and the margin by the worst of each:
//
//	Σ_j x_j c_j ≥ Σ_{c_j > 0} c_j lower_j + Σ_{c_j < 0} c_j upper_j        c = Weight_a − Weight_b of the last layer
func (p *Problem) byColumns(m *Model, class []int32, list []Verdict) {
	d := len(m.Pi)
	lower, upper := make([][]float64, d), make([][]float64, d)
	kernel.Each(2*d, doing(func(i int) {
		if i < d {
			lower[i] = p.values(m, m.Pi[i]).Value
			return
		}
		other := *m
		other.Rule, other.Start = m.Rule.mirror(), func(x float64) float64 { return -m.Start(-x) }
		upper[i-d] = negative(p.values(&other, negative(m.Pi[i-d])).Value)
	}))
	for v := range list {
		low, high, last := m.bounds(row(lower, v), row(upper, v))
		for b := range m.Offset {
			if a := int(class[v]); a != b {
				margin := m.Offset[a] - m.Offset[b] + last.bias(a) - last.bias(b)
				for j := range low {
					c := last.weight(j, a) - last.weight(j, b)
					margin += c * pick(c > 0, low[j], high[j])
				}
				list[v].lower(margin, int32(b))
			}
		}
	}
}

// bounds returns bounds of what the last layer reads, and that layer.
func (m *Model) bounds(low, high []float64) (lower, upper []float64, last Layer) {
	if m.Lead {
		rectify(low)
		rectify(high)
	}
	for i, l := range m.Layers {
		if i == len(m.Layers)-1 {
			return low, high, l
		}
		lower, upper = make([]float64, len(l.Weight[0])), make([]float64, len(l.Weight[0]))
		for k := range lower {
			lower[k], upper[k] = l.bias(k), l.bias(k)
			for j := range low {
				c := l.Weight[j][k]
				lower[k] += c * pick(c > 0, low[j], high[j])
				upper[k] += c * pick(c > 0, high[j], low[j])
			}
		}
		rectify(lower)
		rectify(upper)
		low, high = lower, upper
	}
	return low, high, Layer{}
}

func pick(first bool, a, b float64) float64 {
	if first {
		return a
	}
	return b
}

func rectify(x []float64) {
	for i := range x {
		x[i] = max(x[i], 0)
	}
}

func row(columns [][]float64, v int) []float64 {
	x := make([]float64, len(columns))
	for j, c := range columns {
		x[j] = c[v]
	}
	return x
}

func negative(r []float64) []float64 {
	out := make([]float64, len(r))
	for v, x := range r {
		out[v] = -x
	}
	return out
}

// weight is of the identity if there is no layer.
func (l Layer) weight(j, k int) float64 {
	switch {
	case l.Weight != nil:
		return l.Weight[j][k]
	case j == k:
		return 1
	}
	return 0
}

func (l Layer) bias(k int) float64 {
	if l.Bias == nil {
		return 0
	}
	return l.Bias[k]
}

// linear reports whether logits are a linear function of Pi.
func (m *Model) linear() bool { return m.Linear && !m.Lead && len(m.Layers) <= 1 }

// logits returns the outputs for columns x, by columns, without the last bias and without offsets.
func (m *Model) logits(x [][]float64) [][]float64 {
	z := make([][]float64, len(m.Offset))
	for v := range x[0] {
		in, _, last := m.bounds(row(x, v), row(x, v))
		for k := range z {
			sum := 0.0
			for j, y := range in {
				sum += y * last.weight(j, k)
			}
			z[k] = append(z[k], sum)
		}
	}
	return z
}

// offset returns what is added to logits of class k.
func (m *Model) offset(k int32) float64 {
	if n := len(m.Layers); n > 0 {
		return m.Offset[k] + m.Layers[n-1].bias(int(k))
	}
	return m.Offset[k]
}

// scale returns the size of the largest logit.
func (m *Model) scale() (most float64) {
	if m.Channels != nil {
		return m.Most
	}
	for _, column := range m.logits(m.Pi) {
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
