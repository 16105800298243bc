package node

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/certify"
	"github.com/bloomgml/bloom/task"
)

// TestAttacks: no certified answer on a benchmark changes by random or greedy removals of edges within the budget. With
// -v it says how many of the others do. BLOOM_ATTACKS=DIR attacks the runs of base in DIR, NAME-base; the commands and
// figures are in docs/lab/proofs.md.
func TestAttacks(t *testing.T) {
	dir := os.Getenv("BLOOM_ATTACKS")
	if dir == "" || dir == "all" {
		run := openOn(t, planetoid(t, "cora"), "base", "train.epochs=10", "model.after=0",
			"energy.steps=8")
		attackRun(t, run, task.Changes{Each: 1}, 50, 30)
		attackRun(t, run, task.Changes{Each: 2, Total: 2, Minimiser: true}, 10, 10)
		return
	}
	for _, name := range []string{"cora", "citeseer", "pubmed", "tolokers"} {
		for _, c := range []task.Changes{{Each: 1}, {Each: 3}, {Each: 5, Total: 5}, {Each: 1, Minimiser: true}} {
			t.Run(fmt.Sprintf("%s/%d-%d-%v", name, c.Each, c.Total, c.Minimiser), func(t *testing.T) {
				run, err := Open(filepath.Join(dir, name+"-base"))
				if err != nil {
					t.Fatal(err)
				}
				attackRun(t, run, c, *randomAttacks, *greedyAttacks)
			})
		}
	}
}

var (
	randomAttacks = flag.Int("random", 10000, "random attacks of TestAttacks")
	greedyAttacks = flag.Int("greedy", 1000, "greedy attacks of TestAttacks")
)

// victim is a linear run, or one with a perceptron after a linear descent, that edges are taken from. What it computes
// it takes from the formulas of a step alone:
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

// thin is a graph without some edges.
type thin struct {
	gone   []bool
	degree []int
	left   []int // of the budget
	most   int   // edges that may go
}

func newVictim(t *testing.T, run *Trained, c task.Changes) *victim {
	t.Helper()
	c.Edges = "existing"
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

func (a *victim) whole() *thin {
	g := &thin{make([]bool, len(a.ends)), make([]int, len(a.Near)), slices.Clone(a.Budget), len(a.ends)}
	for v, near := range a.Near {
		g.degree[v] = len(near)
	}
	if a.total > 0 {
		g.most = a.total
	}
	return g
}

// take removes an edge if the budget allows it.
func (a *victim) take(g *thin, e int32) {
	u, v := a.ends[e][0], a.ends[e][1]
	if g.gone[e] || g.left[u] == 0 || g.left[v] == 0 || g.most == 0 {
		return
	}
	g.gone[e], g.most = true, g.most-1
	g.left[u], g.left[v] = g.left[u]-1, g.left[v]-1
	g.degree[u], g.degree[v] = g.degree[u]-1, g.degree[v]-1
}

// random removes random edges, all that the budget allows or a random share of them; with a limit in all, of those at
// most two steps away from v.
func (a *victim) random(r *rand.Rand, v int32) *thin {
	g, tries := a.whole(), len(a.ends)
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

// step is a step of c columns, by rows.
func (a *victim) step(g *thin, next, now, pi []float64, c int) (moved float64) {
	for v, near := range a.Near {
		own, sum, r := a.model.Rule.Slope(float64(g.degree[v]))
		to := next[v*c : (v+1)*c]
		clear(to)
		for i, u := range near {
			if !g.gone[a.edge[v][i]] {
				for j, x := range now[int(u)*c:][:c] {
					to[j] += x
				}
			}
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
func (a *victim) settle(g *thin, pi []float64, c int) (states [][]float64) {
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
func (a *victim) spread(g *thin, v int32) (p []float64, back [][]float64) {
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
// where π leads to the margin alone, whose slopes by h are held.
func (a *victim) greedy(v, rival int32) *thin {
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
	gain := map[int32]float64{}
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
	}
	var list []int32
	for e, x := range gain {
		if x < 0 {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(e, f int32) int { return cmp.Or(cmp.Compare(gain[e], gain[f]), cmp.Compare(e, f)) })
	for _, e := range list {
		a.take(g, e)
	}
	return g
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
func (a *victim) classes(g *thin) (class []int32) {
	states := a.settle(g, a.pi, a.columns)
	h := states[len(states)-1]
	for at := 0; at < len(h); at += a.columns {
		class = append(class, best(a.head(h[at:at+a.columns])))
	}
	return class
}

func best(z []float64) int32 { return int32(slices.Index(z, slices.Max(z))) }

// check reports whether the answer for v has changed, which a certified one must not.
func (a *victim) check(t *testing.T, kind string, v, now int32) bool {
	if now != a.class[v] && a.list[v].Holds {
		t.Errorf("%s: node %d is certified, %+v, and class %d instead of %d", kind, v, a.list[v], now, a.class[v])
	}
	return now != a.class[v]
}

// alone returns the class of v on a graph.
func (a *victim) alone(g *thin, v int32) int32 {
	p, _ := a.spread(g, v)
	return best(a.head(a.row(p)))
}

// attackRun attacks a run whose descent is linear.
func attackRun(t *testing.T, run *Trained, c task.Changes, random, greedy int) {
	t.Helper()
	began, r := time.Now(), rand.New(rand.NewPCG(42, 7))
	a := newVictim(t, run, c)
	a.rows()
	if !a.model.Linear {
		t.Fatal("the descent is not linear")
	}
	if a.model.Steps > 0 {
		a.compare(t, run)
	}
	parts := a.parts()
	t.Logf("%d answers certified, %d not; %d columns, %d steps", len(parts[0]), len(parts[1]), a.columns, a.model.Steps)
	fell, checked := map[int32]bool{}, 0
	for i := range random {
		g := a.random(r, parts[0][i%len(parts[0])])
		if c.Total > 0 { // each is about one node
			for _, list := range parts {
				v := list[i%len(list)]
				if a.check(t, "random", v, a.alone(a.random(r, v), v)) {
					fell[v] = true
				}
			}
			checked++
			continue
		}
		for v, now := range a.classes(g) {
			if a.check(t, "random", int32(v), now) {
				fell[int32(v)] = true
			}
		}
		checked += len(parts[0])
	}
	t.Logf("%d random changes, %d comparisons of certified answers; %d of the %d others changed; %.0f s", random,
		checked, len(fell), len(parts[1]), time.Since(began).Seconds())
	fallen := 0
	for i := range greedy {
		v := parts[0][i%len(parts[0])]
		rivals := a.rivals(v)
		a.check(t, "greedy", v, a.alone(a.greedy(v, rivals[i/len(parts[0])%len(rivals)]), v))
		if i < len(parts[1]) {
			if v := parts[1][i]; a.check(t, "greedy", v, a.alone(a.greedy(v, a.list[v].Rival), v)) {
				fallen++
			}
		}
	}
	t.Logf("%d greedy changes; %d of %d others overturned; %.0f s in all", greedy, fallen, min(greedy, len(parts[1])),
		time.Since(began).Seconds())
	if random > 0 && len(fell)+fallen == 0 {
		t.Error("no attack has found anything, which tests little")
	}
}

// rivals returns all other classes, the closest first.
func (a *victim) rivals(v int32) []int32 {
	list := []int32{a.list[v].Rival}
	for k := range int32(len(a.model.Offset)) {
		if k != a.class[v] && k != list[0] {
			list = append(list, k)
		}
	}
	return list
}

// parts returns the certified nodes and the others, both in random order.
func (a *victim) parts() (parts [2][]int32) {
	for _, v := range rand.New(rand.NewPCG(1, 1)).Perm(len(a.list)) {
		at := 1
		if a.list[v].Holds {
			at = 0
		}
		parts[at] = append(parts[at], int32(v))
	}
	return parts
}

// compare compares outputs with those of the network, on the graph as it is and on a random one.
func (a *victim) compare(t *testing.T, run *Trained) {
	t.Helper()
	for _, g := range []*thin{a.whole(), a.random(rand.New(rand.NewPCG(1, 2)), 0)} {
		d, s := *run.Data, graph.Spec{Nodes: len(a.Near), Undirected: true}
		for e, x := range a.ends {
			if !g.gone[e] {
				s.Sources, s.Targets = append(s.Sources, x[0]), append(s.Targets, x[1])
			}
		}
		var err1 error
		d.Graph, err1 = graph.Build(s)
		now, err2 := Load(run.Dir, run.Config, &d, Options{})
		if err := cmp.Or(err1, err2); err != nil {
			t.Fatal(err)
		}
		x, err := newCertifier(now, task.Changes{Edges: "existing"})
		if err != nil {
			t.Fatal(err)
		}
		differ, class := 0, a.classes(g)
		for v := range class {
			if class[v] != x.class[v] {
				differ++
			}
		}
		if differ > len(class)/1000 {
			t.Fatalf("%d answers are not those of the network", differ)
		}
	}
}
