package certify

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/internal/kernel"
)

// Overview. A closed form whose weights W are held is a sum of channels,
//
//	logit_v = Offset + Σ f(S) z / ‖f(S) X‖        z = X W
//
// where rows are divided by their norms or not. For f(S) z = (I + λ(I − S))⁻¹ z let u = D̃^(−½) f(S) z. Then
//
//	u_v = (√d̃_v z_v + λ Σ_{w ∈ N(v)} u_w) / ((1 + λ) d̃_v − λ)        d̃ = d + 1
//
// depends on the row of v alone, though S is symmetric: a PageRank, for which Exact has the worst rows. For
// (I + λ(I + S))⁻¹ z the sign of λ changes and that of the last term; it is the same in a graph of two copies of every
// node, u and −u, where every edge goes to the other copy. Powers of P = D⁻¹ A are steps of v ← mean of N(v).
//
// Each of these is attained by changes of single rows. Their sum, in which every channel may have rows of its own, is
// bounded conservatively, and so is the norm: u moves by at most the D that obeys
//
//	D_v = max over rows N′ of (J + λ Σ_{w ∈ N′} D_w) / ((1 + λ) d̃′ − λ)
//	J = ‖(√d̃′ − √d̃) x_v − Σ_{w gone} (λ u_w − (1 + λ) u_v)‖
//
// which is the triangle inequality for a step on other rows, and then for all steps that follow.

// Channel is a part of logits that is a linear function of the rows of a filter.
type Channel struct {
	Lambda float64     // of a minimiser; 0 for Powers
	Powers []float64   // coefficients of Pᵏ
	Z      [][]float64 // by classes
	Gram   []float64   // Wᵀ W, for classes and classes
	Tail   float64     // the spectral norm of what the run computes less f(S)
	Unit   bool        // rows are divided by their norms
	// Norm has, of every node, the length of its row of X, of what every step takes, and of f(S) X or, for a minimiser,
	// of u.
	// Gap has, of every step, by how much its row misses those of neighbours, in the order of Near.
	Norm [][]float64
	Gap  [][][]float64
}

// smoothed returns the rule of u of a minimiser; for λ < 0 what is heard are the values of the other copies.
func smoothed(lambda float64) Rule {
	return Rule{Next: func(d, _, sum, r float64) float64 {
		return (math.Sqrt(d+1)*r + math.Abs(lambda)*sum) / pivot(lambda, d)
	}}
}

// pivot is (1 + |λ|) d̃ − λ.
func pivot(lambda, d float64) float64 { return (1+math.Abs(lambda))*(d+1) - lambda }

// mean is the rule of P.
var mean = Rule{Next: func(d, _, sum, _ float64) float64 { return sum / max(d, 1) }}

// two returns the graph of two copies of every node. Where neighbours of neighbours may be joined, all nodes may.
func (p *Problem) two() *Problem {
	n := int32(len(p.Near))
	q := &Problem{Near: make([][]int32, 2*n), Budget: slices.Concat(p.Budget, p.Budget), Add: p.Add}
	if q.Add == TwoHop {
		q.Add = All
	}
	for v, near := range p.Near {
		q.Near[n+int32(v)] = near
		for _, u := range near {
			q.Near[v] = append(q.Near[v], n+u)
		}
	}
	return q
}

// spectrum returns lower bounds of f(S) r, of u for a minimiser whose rows are divided by their norms.
func (p *Problem) spectrum(c *Channel, r []float64) []float64 {
	n := len(r)
	if c.Lambda == 0 {
		low := make([]float64, n)
		for k, x := range c.Powers {
			sign := math.Copysign(1, x)
			start := scaled(r, sign)
			for v, y := range p.Steps(mean, start, start, k).Value {
				low[v] += math.Abs(x) * y
			}
		}
		return low
	}
	rule, on := smoothed(c.Lambda), p
	if c.Lambda < 0 {
		on, r = p.two(), slices.Concat(r, negative(r))
	}
	u := on.Exact(rule, r).Value
	if !c.Unit {
		last := Rule{Next: func(d, own, sum, r float64) float64 {
			return math.Sqrt(d+1) * rule.Next(d, own, sum, r)
		}}
		u = on.Steps(last, r, u, 1).Value
	}
	return u[:n]
}

func scaled(r []float64, by float64) []float64 {
	out := make([]float64, len(r))
	for v, x := range r {
		out[v] = by * x
	}
	return out
}

// lower returns lower bounds of what the channel adds to the margin of class a over b; norms are of unit.
func (p *Problem) lower(c *Channel, norms [2][]float64, a, b int32) []float64 {
	r, steep := difference(c.Z, a, b), c.steep(a, b)
	low, off := p.spectrum(c, r), c.Tail*length(r)
	for v := range low {
		if !c.Unit {
			low[v] -= off
			continue
		}
		if low[v] -= off / p.root(c, v); low[v] >= 0 {
			low[v] /= norms[1][v]
		} else {
			low[v] = max(low[v]/norms[0][v], -steep)
		}
	}
	return low
}

// steep is the length of the difference of two columns of W.
func (c *Channel) steep(a, b int32) float64 {
	i, j, k := int(a), int(b), len(c.Z)
	return math.Sqrt(max(c.Gram[i*k+i]+c.Gram[j*k+j]-2*c.Gram[i*k+j], 0))
}

// root is √d̃ of v without as many edges as may go, which errors of f(S) X are divided by for u.
func (p *Problem) root(c *Channel, v int) float64 {
	if c.Lambda == 0 {
		return 1
	}
	return math.Sqrt(float64(max(len(p.Near[v])-p.Budget[v], 0) + 1))
}

func length(x []float64) (sum float64) {
	for _, y := range x {
		sum += y * y
	}
	return math.Sqrt(sum)
}

// unit bounds the norms that rows of a channel are divided by, from below and from above.
func (p *Problem) unit(c *Channel) (norms [2][]float64) {
	if !c.Unit {
		return norms
	}
	var moved, most []float64 // by how much rows move; how long they are at most
	size := c.Norm[0]
	if c.Lambda != 0 {
		rule := smoothed(c.Lambda)
		most = negative(p.Exact(rule, negative(size)).Value)
		rule.Next = func(d, _, sum, r float64) float64 { return r + math.Abs(c.Lambda)*sum/pivot(c.Lambda, d) }
		moved = negative(p.Exact(rule, negative(p.jumps(c, 0))).Value)
	} else {
		moved, most = make([]float64, len(size)), make([]float64, len(size))
		far := make([]float64, len(size)) // by how much Pᵏ X moves
		for k, x := range c.Powers {
			if k > 0 {
				rule := Rule{Next: func(d, _, sum, r float64) float64 { return r + sum/max(d, 1) }}
				far = negative(p.Steps(rule, negative(p.jumps(c, k-1)), negative(far), 1).Value)
			}
			long := p.Steps(mean, negative(size), negative(size), k).Value
			for v := range far {
				moved[v] += math.Abs(x) * far[v]
				most[v] -= math.Abs(x) * long[v]
			}
		}
	}
	off, now := c.Tail*length(size), c.Norm[len(c.Norm)-1]
	norms = [2][]float64{make([]float64, len(size)), make([]float64, len(size))}
	for v, x := range now {
		e := off/p.root(c, v) + single*x
		norms[0][v] = max(x-moved[v]-e, 0)
		norms[1][v] = min(x+moved[v], most[v]) + e
	}
	return norms
}

// jumps bounds by how much the row of every node moves in step k if its edges change and all rows stay.
func (p *Problem) jumps(c *Channel, k int) []float64 {
	out, from, to := make([]float64, len(p.Near)), c.Norm[k+1], c.Norm[min(k+2, len(c.Norm)-1)]
	farthest := slices.Max(from) // of a node that may be joined
	other, own := 1.0, 1.0
	if c.Lambda != 0 {
		other, own = math.Abs(c.Lambda), 1+math.Abs(c.Lambda)
	}
	for v, near := range p.Near {
		gaps, d, b := slices.Clone(c.Gap[k][v]), len(near), p.Budget[v]
		slices.Sort(gaps)
		slices.Reverse(gaps)
		gone := 0.0
		for i := 0; i <= min(b, d); i++ {
			if i > 0 {
				gone += gaps[i-1]
			}
			for j := 0; j <= b-i && (j == 0 || p.Add == TwoHop || p.Add == All); j++ {
				now, move := float64(d-i+j), gone+float64(j)*(other*farthest+own*to[v])
				switch {
				case c.Lambda != 0:
					move += math.Abs(math.Sqrt(now+1)-math.Sqrt(float64(d+1))) * c.Norm[0][v]
					move /= pivot(c.Lambda, now)
				case now == 0:
					move = to[v]
				default:
					move /= now
				}
				out[v] = max(out[v], move)
			}
		}
	}
	return out
}

// byChannels bounds the margin of every pair of classes channel by channel.
func (p *Problem) byChannels(m *Model, class []int32, list []Verdict) {
	norms := make([][2][]float64, len(m.Channels))
	kernel.Each(len(norms), doing(func(i int) { norms[i] = p.unit(&m.Channels[i]) }))
	k, n := int32(len(m.Offset)), len(m.Channels)
	parts := make([][]float64, int(k)*n)
	for a := range k {
		if !slices.Contains(class, a) {
			continue
		}
		kernel.Each(len(parts), doing(func(i int) {
			if b := int32(i / n); b != a {
				parts[i] = p.lower(&m.Channels[i%n], norms[i%n], a, b)
			}
		}))
		for b := range k {
			for v := range list {
				if class[v] != a || b == a {
					continue
				}
				margin := m.Offset[a] - m.Offset[b]
				for _, part := range parts[int(b)*n : (int(b)+1)*n] {
					margin += part[v]
				}
				list[v].lower(margin, b)
			}
		}
	}
}
