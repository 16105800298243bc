package certify

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// matrix is a graph in the plainest form.
type matrix [][]bool

func randomMatrix(r *rand.Rand, n int, share float64) matrix {
	m := make(matrix, n)
	for v := range m {
		m[v] = make([]bool, n)
	}
	for u := range n {
		for v := range u {
			if r.Float64() < share {
				m[u][v], m[v][u] = true, true
			}
		}
	}
	return m
}

func (m matrix) lists() [][]int32 {
	near := make([][]int32, len(m))
	for v, row := range m {
		for u, is := range row {
			if is {
				near[v] = append(near[v], int32(u))
			}
		}
	}
	return near
}

func (m matrix) clone() matrix {
	out := make(matrix, len(m))
	for v := range m {
		out[v] = slices.Clone(m[v])
	}
	return out
}

func (m matrix) degree(v int) (d float64) {
	for _, is := range m[v] {
		if is {
			d++
		}
	}
	return d
}

// step is a step of the descent with λ, w = 1 and γ = 1, written as in the paper.
type step struct {
	lambda    float64
	symmetric bool
	huber     float64 // 0 for none
	nonNeg    bool
}

func (s step) local() descent.Local {
	l := descent.Local{Lambda: s.lambda, Weight: 1, Rate: func(q float64) float64 { return 1 / (1 + q/2) }}
	l.Kind.Phi = mat.PhiSquare
	if s.symmetric {
		l.Norm = graph.Symmetric
	}
	if s.huber > 0 {
		l.Kind.Phi, l.Kind.T = mat.PhiHuber, mat.Real(s.huber)
	}
	l.Kind.NonNeg = s.nonNeg
	return l
}

// run is h ← prox(h − (φ(h − r) + λ Σ_u (h/√d − h_u/√d_u)/√d) / (1 + λ)), or with 1 for √d and 1 + λd for 1 + λ.
func (s step) run(m matrix, r []float64, steps int) []float64 {
	h := make([]float64, len(r))
	prox := func(x float64) float64 {
		if s.nonNeg {
			return max(x, 0)
		}
		return x
	}
	for v, x := range r {
		h[v] = prox(x)
	}
	degree := make([]float64, len(r))
	for v := range r {
		degree[v] = m.degree(v)
	}
	for range steps {
		next := make([]float64, len(r))
		for v := range r {
			d := degree[v]
			phi := h[v] - r[v]
			if s.huber > 0 {
				phi = min(max(phi, -s.huber), s.huber)
			}
			pull, curve := 0.0, 1+s.lambda*d
			for u, is := range m[v] {
				switch {
				case !is:
				case s.symmetric:
					pull += (h[v]/math.Sqrt(d) - h[u]/math.Sqrt(degree[u])) / math.Sqrt(d)
				default:
					pull += h[v] - h[u]
				}
			}
			if s.symmetric && d > 0 {
				curve = 1 + s.lambda
			}
			next[v] = prox(h[v] - (phi+s.lambda*pull)/curve)
		}
		h = next
	}
	return h
}

func numbers(r *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = r.NormFloat64()
	}
	return out
}

func budgets(n, b int) []int { return slices.Repeat([]int{b}, n) }

// admissible calls f with every graph whose rows differ in at most b places from those of m, each for itself; add says
// whether edges may be added.
func admissible(m matrix, b int, add Additions, f func(matrix)) {
	m = m.clone()
	base := m.clone()
	var from func(v, u, left int)
	from = func(v, u, left int) {
		if v == len(m) {
			f(m)
			return
		}
		if u == len(m) {
			from(v+1, 0, b)
			return
		}
		from(v, u+1, left)
		if u != v && left > 0 && (m[v][u] || add == All || add == TwoHop && twoHop(base, v, u)) {
			m[v][u] = !m[v][u]
			from(v, u+1, left-1)
			m[v][u] = !m[v][u]
		}
	}
	from(0, 0, b)
}

func twoHop(m matrix, v, u int) bool {
	for w := range m {
		if m[v][w] && m[w][u] {
			return true
		}
	}
	return false
}

// undirected calls f with every undirected graph in which no node has more than b changed edges.
func undirected(m matrix, b int, f func(matrix)) {
	m = m.clone()
	left := budgets(len(m), b)
	var from func(v, u int)
	from = func(v, u int) {
		if v == len(m) {
			f(m)
			return
		}
		if u == v {
			from(v+1, 0)
			return
		}
		from(v, u+1)
		if left[v] > 0 && left[u] > 0 {
			m[v][u], m[u][v] = !m[v][u], !m[u][v]
			left[v], left[u] = left[v]-1, left[u]-1
			from(v, u+1)
			m[v][u], m[u][v] = !m[v][u], !m[u][v]
			left[v], left[u] = left[v]+1, left[u]+1
		}
	}
	from(0, 0)
}

func leastOf(n int, each func(f func(values []float64))) []float64 {
	least := slices.Repeat([]float64{math.Inf(1)}, n)
	each(func(values []float64) {
		for v, x := range values {
			least[v] = min(least[v], x)
		}
	})
	return least
}

// TestExact compares policy iteration with the least value over all graphs whose rows are within the budget, solved by
// many plain steps.
func TestExact(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1))
		n, b := 5, 1
		if seed%3 == 2 {
			n, b = 4, 2
		}
		m, x := randomMatrix(r, n, 0.5), numbers(r, n)
		base := step{lambda: 0.5 + r.Float64()}
		rules := map[string]Rule{"pagerank": pageRankRule(0.3)}
		rules["base"], _ = Minimiser(base.local())
		for name, rule := range rules {
			for _, add := range []Additions{NoAdditions, TwoHop, All} {
				p := &Problem{Near: m.lists(), Budget: budgets(n, b), Add: add}
				got := p.Exact(rule, x).Value
				want := leastOf(n, func(f func([]float64)) {
					admissible(m, b, add, func(m matrix) {
						if name == "base" {
							f(base.run(m, x, 80))
							return
						}
						f(pageRank(m, x, 0.3, 60))
					})
				})
				for v := range got {
					if math.Abs(got[v]-want[v]) > 1e-5 { // the plain steps end within (λd/(1 + λd))⁸⁰ of the minimiser
						t.Errorf("seed %d, %s, %s: the worst value of node %d is %v, want %v", seed, name, add, v,
							got[v], want[v])
					}
				}
			}
		}
	}
}

// pageRank is v ← α r + (1 − α) D⁻¹A v.
func pageRank(m matrix, r []float64, alpha float64, steps int) []float64 {
	v := slices.Clone(r)
	for range steps {
		next := make([]float64, len(r))
		for i := range r {
			next[i] = alpha * r[i]
			for j, is := range m[i] {
				if is {
					next[i] += (1 - alpha) * v[j] / m.degree(i)
				}
			}
		}
		v = next
	}
	return v
}

// TestSteps: bounds of L steps are below all graphs, and are the least value itself after one step.
func TestSteps(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 2))
		m, x := randomMatrix(r, 5, 0.5), numbers(r, 5)
		base := step{lambda: 0.5 + r.Float64()}
		rule, err := Descent(base.local(), 6)
		if err != nil {
			t.Fatal(err)
		}
		p := &Problem{Near: m.lists(), Budget: budgets(5, 1), Add: All}
		for _, steps := range []int{1, 4} {
			got := p.Steps(rule, x, x, steps).Value
			want := leastOf(5, func(f func([]float64)) {
				admissible(m, 1, All, func(m matrix) { f(base.run(m, x, steps)) })
			})
			for v := range got {
				if d := want[v] - got[v]; d < -1e-12 || steps == 1 && d > 1e-12 || d > 0.5 {
					t.Errorf("seed %d, %d steps: the bound of node %d is %v, the least value %v", seed, steps, v,
						got[v], want[v])
				}
			}
		}
	}
}

// small returns a model of three classes with numbers from a seed.
func small(r *rand.Rand, n, columns, most int, s step, steps int) (*Model, error) {
	rule, err := Descent(s.local(), most)
	m := &Model{Rule: rule, Steps: steps, Start: func(x float64) float64 { return x },
		Linear: s.huber == 0 && !s.nonNeg, Offset: []float64{0.1, 0, -0.1}}
	if s.nonNeg {
		m.Start = func(x float64) float64 { return max(x, 0) }
	}
	for range columns {
		m.Pi = append(m.Pi, numbers(r, n))
	}
	if columns != 3 {
		m.Layers = []Layer{{Bias: numbers(r, 3)}}
		for range columns {
			m.Layers[0].Weight = append(m.Layers[0].Weight, numbers(r, 3))
		}
	}
	if columns > 4 { // a hidden layer of three
		last := Layer{Weight: [][]float64{numbers(r, 3), numbers(r, 3), numbers(r, 3)}}
		m.Lead, m.Layers = true, append(m.Layers, last)
	}
	return m, err
}

// plainly returns the classes of a model on a graph.
func (s step) plainly(m *Model, on matrix) []int32 {
	var h [][]float64
	for _, r := range m.Pi {
		h = append(h, s.run(on, r, m.Steps))
	}
	class := make([]int32, len(on))
	for v := range class {
		x := make([]float64, len(h))
		for j := range h {
			x[j] = h[j][v]
		}
		for i, l := range m.Layers {
			if i > 0 || m.Lead {
				for j := range x {
					x[j] = max(x[j], 0)
				}
			}
			y := make([]float64, len(l.Weight[0]))
			copy(y, l.Bias)
			for j := range x {
				for k := range y {
					y[k] += x[j] * l.Weight[j][k]
				}
			}
			x = y
		}
		best := math.Inf(-1)
		for k, z := range m.Offset {
			if z += x[k]; z > best {
				best, class[v] = z, int32(k)
			}
		}
	}
	return class
}

// TestCertifyAllGraphs: classes that are certified are the same on every undirected graph within the budget, for every
// kind of step; classes that Attack says it changes do change.
func TestCertifyAllGraphs(t *testing.T) {
	kinds := map[string]step{"base": {lambda: 0.3}, "symmetric": {lambda: 0.4, symmetric: true},
		"huber": {lambda: 0.3, huber: 0.5}, "non-negative": {lambda: 0.3, nonNeg: true}}
	for name, s := range kinds {
		certified, attacked := 0, 0
		for seed := range uint64(30) {
			r := rand.New(rand.NewPCG(seed, 3))
			on := randomMatrix(r, 6, 0.5)
			m, err := small(r, 6, 3+int(seed%3), 7, s, 4)
			if err != nil {
				t.Fatal(err)
			}
			p := &Problem{Near: on.lists(), Budget: budgets(6, 1), Add: All}
			class := s.plainly(m, on)
			list := p.Certify(m, class)
			changes := make([]bool, 6)
			undirected(on, 1, func(g matrix) {
				for v, c := range s.plainly(m, g) {
					changes[v] = changes[v] || c != class[v]
				}
			})
			for v, x := range list {
				if x.Holds {
					certified++
				}
				if x.Holds && changes[v] {
					t.Errorf("%s, seed %d: node %d is certified with margin %v, but can change", name, seed, v,
						x.Margin)
				}
				if made, becomes := p.Attack(m, int32(v), class[v], x.Rival, 0); becomes != class[v] {
					attacked++
					if got := s.plainly(m, on.with(made))[v]; got != becomes {
						t.Errorf("%s, seed %d: changes %v make node %d %d, not %d", name, seed, made, v, got, becomes)
					}
				}
			}
		}
		if certified < 5 || attacked < 5 {
			t.Errorf("%s: %d of 180 nodes certified and %d attacked, which tests little", name, certified, attacked)
		}
	}
}

func (m matrix) with(changes []Change) matrix {
	m = m.clone()
	for _, c := range changes {
		if m[c.From][c.To] == c.Added {
			panic(fmt.Sprint("no change: ", c))
		}
		m[c.From][c.To], m[c.To][c.From] = c.Added, c.Added
	}
	return m
}

// TestDescentRefuses steps that overshoot, whose worst case is not that of value iteration.
func TestDescentRefuses(t *testing.T) {
	l := step{lambda: 1}.local()
	l.Rate = func(float64) float64 { return 0.5 }
	if _, err := Descent(l, 4); err == nil {
		t.Error("γ = 0.5 at degree 4, where 1 + λd = 5: no error")
	}
	if _, err := Descent(l, 1); err != nil {
		t.Error(err)
	}
}

// pageRankRule returns the rule of personalised PageRank, v = α r + (1 − α) Σ v_u / d, as in APPNP.
func pageRankRule(alpha float64) Rule {
	return Rule{Next: func(d, _, sum, r float64) float64 {
		return alpha*r + (1-alpha)*sum/max(d, 1)
	}, Slope: func(d float64) (own, sum, r float64) { return 0, (1 - alpha) / max(d, 1), alpha }}
}
