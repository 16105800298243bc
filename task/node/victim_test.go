package node

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/internal/certify"
	"github.com/bloomgml/bloom/task"
)

// victim is a linear run, or one with a perceptron after a linear descent, whose edges are changed. What it computes it
// takes from the formulas of a step alone:
//
//	h_v ← own(d) h_v + sum(d) Σ_u h_u + r(d) π_v
type victim struct {
	*certifier
	list    []certify.Verdict
	edge    [][]int32 // the number of the edge to every neighbour
	ends    [][2]int32
	pi      []float64 // by rows, or of logits if these are linear
	columns int
	total   int
}

// altered is a graph after changes: some edges are gone, others are new.
type altered struct {
	gone   []bool
	more   map[int32][]int32 // new neighbours
	degree []int
	left   []int // of the budget
	most   int   // edges that may change
}

func newVictim(t *testing.T, run *Trained, c task.Changes) *victim {
	t.Helper()
	c.Edges = cmp.Or(c.Edges, "existing")
	x, err := newCertifier(run, c)
	if err != nil {
		t.Fatal(err)
	}
	a := &victim{certifier: x, list: x.Certify(x.model, x.class), edge: make([][]int32, len(x.Near)), total: c.Total}
	for v, near := range x.Near {
		a.edge[v] = make([]int32, len(near))
		for i, u := range near {
			if int32(v) < u {
				a.edge[v][i] = int32(len(a.ends))
				a.ends = append(a.ends, [2]int32{int32(v), u})
			} else {
				at, _ := slices.BinarySearch(x.Near[u], int32(v))
				a.edge[v][i] = a.edge[u][at]
			}
		}
	}
	return a
}

func (a *victim) whole() *altered {
	g := &altered{make([]bool, len(a.ends)), map[int32][]int32{}, make([]int, len(a.Near)), slices.Clone(a.Budget),
		len(a.ends) + len(a.Near)}
	for v, near := range a.Near {
		g.degree[v] = len(near)
	}
	if a.total > 0 {
		g.most = a.total
	}
	return g
}

// take removes an edge if the budget allows it.
func (a *victim) take(g *altered, e int32) {
	u, v := a.ends[e][0], a.ends[e][1]
	if g.gone[e] || g.left[u] == 0 || g.left[v] == 0 || g.most == 0 {
		return
	}
	g.gone[e], g.most = true, g.most-1
	g.left[u], g.left[v] = g.left[u]-1, g.left[v]-1
	g.degree[u], g.degree[v] = g.degree[u]-1, g.degree[v]-1
}

// join adds an edge if the budget allows it.
func (a *victim) join(g *altered, u, v int32) {
	_, had := slices.BinarySearch(a.Near[u], v)
	if u == v || had || g.left[u] == 0 || g.left[v] == 0 || g.most == 0 || slices.Contains(g.more[u], v) {
		return
	}
	g.more[u], g.more[v], g.most = append(g.more[u], v), append(g.more[v], u), g.most-1
	g.left[u], g.left[v] = g.left[u]-1, g.left[v]-1
	g.degree[u], g.degree[v] = g.degree[u]+1, g.degree[v]+1
}

// joinable returns a random node that v may be joined to, or v.
func (a *victim) joinable(r *rand.Rand, v int32) int32 {
	if a.Add == certify.All {
		return int32(r.IntN(len(a.Near)))
	}
	for range 2 {
		if near := a.Near[v]; len(near) > 0 {
			v = near[r.IntN(len(near))]
		}
	}
	return v
}

// random removes random edges, all that the budget allows or a random share of them, after it has added some where it
// may; with a limit in all, of those at most two steps away from v.
func (a *victim) random(r *rand.Rand, v int32) *altered {
	g, tries := a.whole(), len(a.ends)
	if a.adds() {
		for range r.IntN(4 * len(a.Near)) {
			u := int32(r.IntN(len(a.Near)))
			a.join(g, u, a.joinable(r, u))
		}
	}
	if a.total > 0 {
		for range 8 * a.total {
			u := v
			for range r.IntN(3) {
				if near := a.Near[u]; len(near) > 0 {
					u = near[r.IntN(len(near))]
				}
			}
			if near := a.edge[u]; len(near) > 0 {
				a.take(g, near[r.IntN(len(near))])
			}
		}
		return g
	}
	if r.IntN(2) == 0 {
		tries = r.IntN(tries)
	}
	for _, e := range r.Perm(len(a.ends))[:tries] {
		a.take(g, int32(e))
	}
	return g
}

func (a *victim) adds() bool { return a.Add == certify.All || a.Add == certify.TwoHop }

// step is a step of c columns, by rows.
func (a *victim) step(g *altered, next, now, pi []float64, c int) (moved float64) {
	for v, near := range a.Near {
		own, sum, r := a.model.Rule.Slope(float64(g.degree[v]))
		to := next[v*c : (v+1)*c]
		clear(to)
		hear := func(u int32) {
			for j, x := range now[int(u)*c:][:c] {
				to[j] += x
			}
		}
		for i, u := range near {
			if !g.gone[a.edge[v][i]] {
				hear(u)
			}
		}
		for _, u := range g.more[int32(v)] {
			hear(u)
		}
		for j, x := range to {
			was := now[v*c+j]
			to[j] = own*was + sum*x + r*pi[v*c+j]
			moved = max(moved, math.Abs(to[j]-was))
		}
	}
	return moved
}

// settle returns the states after every step, or the minimiser alone, to 10⁻¹⁰ of a step.
func (a *victim) settle(g *altered, pi []float64, c int) (states [][]float64) {
	now := slices.Clone(pi)
	for k := 0; k < a.model.Steps || a.model.Steps == 0; k++ {
		states = append(states, now)
		next := make([]float64, len(now))
		moved := a.step(g, next, now, pi, c)
		if now = next; a.model.Steps == 0 {
			if states = nil; moved < 1e-10 {
				break
			}
		}
	}
	return append(states, now)
}

// head returns the outputs for a row of h.
func (a *victim) head(h []float64) []float64 {
	lead := a.model.Lead
	for _, l := range a.model.Layers {
		out := make([]float64, len(l.Weight[0]))
		if l.Bias != nil {
			copy(out, l.Bias)
		}
		for j, x := range h {
			if lead {
				x = max(x, 0)
			}
			for k, w := range l.Weight[j] {
				out[k] += x * w
			}
		}
		h, lead = out, true
	}
	out := slices.Clone(h)
	for k, x := range a.model.Offset {
		out[k] += x
	}
	return out
}

// spread returns P_v· of h_v = Σ_u P_vu π_u, and what every step back adds up to.
func (a *victim) spread(g *altered, v int32) (p []float64, back [][]float64) {
	n := len(a.Near)
	now := make([]float64, n)
	p = make([]float64, n)
	now[v] = 1
	for k, mass := 0, 1.0; a.model.Steps > 0 && k < a.model.Steps || a.model.Steps == 0 && mass > 1e-12; k++ {
		back = append(back, now)
		next := make([]float64, n)
		mass = 0
		for u, x := range now {
			if x == 0 {
				continue
			}
			own, sum, r := a.model.Rule.Slope(float64(g.degree[u]))
			p[u] += r * x
			next[u] += own * x
			mass += own * x
			for i, w := range a.Near[u] {
				if !g.gone[a.edge[u][i]] {
					next[w] += sum * x
					mass += sum * x
				}
			}
			for _, w := range g.more[int32(u)] {
				next[w] += sum * x
				mass += sum * x
			}
		}
		now = next
	}
	for u, x := range now {
		p[u] += x
	}
	return p, back
}

// row returns h of v.
func (a *victim) row(p []float64) []float64 {
	c, h := a.columns, make([]float64, a.columns)
	for u, x := range p {
		if x != 0 {
			for j, y := range a.pi[u*c : (u+1)*c] {
				h[j] += x * y
			}
		}
	}
	return h
}

// greedy removes the edges without which the margin of v over a rival falls most, by the derivative
//
//	Σ_k back^k_u (Next(d − 1, h_u, Σ − h_w, π_u) − Next(d, h_u, Σ, π_u))        for both ends u
//
// where π leads to the margin alone, whose slopes by h are held. Where edges may be added, those to v and to its
// neighbours are compared with them, with d + 1 and Σ + h_w.
func (a *victim) greedy(v, rival int32) *altered {
	g := a.whole()
	p, back := a.spread(g, v)
	pi := a.margin(a.row(p), a.class[v], rival)
	states, next := a.settle(g, pi, 1), a.model.Rule.Next
	if a.model.Steps == 0 { // all steps are the last
		sum := make([]float64, len(pi))
		for _, b := range back {
			for u, x := range b {
				sum[u] += x
			}
		}
		back = [][]float64{sum}
	}
	gain, pairs := map[int32]float64{}, a.addable(v)
	for k, weights := range back {
		h := states[len(states)-1-k]
		if a.model.Steps > 0 {
			h = states[len(states)-2-k]
		}
		for u, x := range weights {
			if x == 0 {
				continue
			}
			d, sum := float64(g.degree[u]), 0.0
			for _, w := range a.Near[u] {
				sum += h[w]
			}
			for i, w := range a.Near[u] {
				gain[a.edge[u][i]] += x * (next(d-1, h[u], sum-h[w], pi[u]) - next(d, h[u], sum, pi[u]))
			}
		}
		for at, p := range pairs { // after the edges, by their place in pairs
			for i, u := range p {
				d, sum, w := float64(g.degree[u]), 0.0, p[1-i]
				for _, w := range a.Near[u] {
					sum += h[w]
				}
				more := next(d+1, h[u], sum+h[w], pi[u]) - next(d, h[u], sum, pi[u])
				gain[int32(len(a.ends)+at)] += weights[u] * more
			}
		}
	}
	return a.spend(g, gain, pairs)
}

// spend makes the changes that lower the margin, the largest first. gain is by the number of the edge, or of the pair.
func (a *victim) spend(g *altered, gain map[int32]float64, pairs [][2]int32) *altered {
	var list []int32
	for e, x := range gain {
		if x < 0 {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(e, f int32) int { return cmp.Or(cmp.Compare(gain[e], gain[f]), cmp.Compare(e, f)) })
	for _, e := range list {
		if at := int(e) - len(a.ends); at >= 0 {
			a.join(g, pairs[at][0], pairs[at][1])
		} else {
			a.take(g, e)
		}
	}
	return g
}

// addable returns pairs that may be joined: v and at most 20 of its neighbours, each with at most 500 nodes.
func (a *victim) addable(v int32) (pairs [][2]int32) {
	if !a.adds() {
		return nil
	}
	r := rand.New(rand.NewPCG(uint64(v), 3))
	for i, u := range append([]int32{v}, a.Near[v]...) {
		if i > 20 {
			break
		}
		seen := map[int32]bool{u: true}
		for _, w := range a.Near[u] {
			seen[w] = true
		}
		for range 500 {
			if w := a.joinable(r, u); !seen[w] {
				seen[w] = true
				pairs = append(pairs, [2]int32{u, w})
			}
		}
	}
	return pairs
}

// margin returns π of the margin between two classes at a node of state h.
func (a *victim) margin(h []float64, class, rival int32) []float64 {
	slopes, still := make([]float64, a.columns), a.head(h)
	for j, x := range h {
		e := 1e-6 * max(math.Abs(x), 1e-3)
		h[j] += e
		z := a.head(h)
		h[j] = x
		slopes[j] = (z[class] - z[rival] - still[class] + still[rival]) / e
	}
	pi := make([]float64, len(a.Near))
	for u := range pi {
		for j, s := range slopes {
			pi[u] += s * a.pi[u*a.columns+j]
		}
	}
	return pi
}

// rows sets π by rows; where logits are linear, π of the logits, which have less columns.
func (a *victim) rows() {
	m := a.model
	a.columns = len(m.Pi)
	for v := range a.Near {
		for _, column := range m.Pi {
			a.pi = append(a.pi, column[v])
		}
	}
	if m.Lead || len(m.Layers) != 1 {
		return
	}
	w := m.Layers[0]
	k, c, all := len(m.Offset), a.columns, a.pi
	a.pi, a.columns = make([]float64, len(a.Near)*k), k
	for v := range a.Near {
		for j := range c {
			for o := range k {
				a.pi[v*k+o] += all[v*c+j] * w.Weight[j][o]
			}
		}
	}
	linear := *m
	linear.Layers, linear.Offset = nil, slices.Clone(m.Offset)
	for o, x := range w.Bias {
		linear.Offset[o] += x
	}
	a.model = &linear
}

// classes returns the classes of all nodes on a graph.
func (a *victim) classes(g *altered) (class []int32) {
	states := a.settle(g, a.pi, a.columns)
	h := states[len(states)-1]
	for at := 0; at < len(h); at += a.columns {
		class = append(class, best(a.head(h[at:at+a.columns])))
	}
	return class
}

func best(z []float64) int32 { return int32(slices.Index(z, slices.Max(z))) }
