package path

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// keeping returns variants whose queries see 1, some and all entities.
func keeping() (all []Config) {
	for _, m := range []Message{DistMult, TransE, RotatE} {
		for _, k := range []int{1, 7, 1000} {
			all = append(all, Config{Message: m, Aggregate: Sum, Hidden: 4, Layers: 3, Keep: k, Layered: k == 7})
		}
	}
	for _, c := range asking() {
		c.Against, c.Removal = "", ""
		all = append(all, c)
	}
	return all
}

// TestNearby compares with products of the whole matrix.
func TestNearby(t *testing.T) {
	const nodes, steps = 30, 4
	n := newNet(mustBuild(t, nodes, 2, randomFacts(nodes, 2, 45, 3)), 2)
	for _, keep := range []int{1, 5, 12, nodes} {
		near := newNearby(&Model{Config: Config{Keep: keep, Layers: steps}}, n)
		clear(n.near)
		for head := range int32(nodes) {
			at, s := make([]float64, nodes), make([]float64, nodes)
			at[head] = 1
			for range steps + 1 {
				next := make([]float64, nodes)
				for v, x := range at {
					s[v] += x
				}
				for e := range n.edges() {
					u := n.source[e]
					next[n.target[e]] += 0.85 * at[u] / float64(len(n.out.edgesOf(u)))
				}
				at = next
			}
			var want []int32
			for v := range int32(nodes) {
				if s[v] > 0 {
					want = append(want, v)
				}
			}
			// far from ties: sums in another order
			slices.SortFunc(want, func(u, v int32) int {
				if d := s[v] - s[u]; math.Abs(d) > 1e-12 {
					return cmp.Compare(d, 0)
				}
				return cmp.Compare(u, v)
			})
			want = want[:min(keep, len(want))]
			if got := near.around(head); !slices.Contains(got, head) || !slices.IsSorted(got) || len(got) != len(want) {
				t.Errorf("%d of %d: %v, want %v", keep, head, got, want)
			} else if slices.Contains(want, head) {
				for _, v := range got {
					if !slices.Contains(want, v) && s[v] < s[want[len(want)-1]]-1e-12 {
						t.Errorf("%d of %d: %v, want %v", keep, head, got, want)
					}
				}
			}
		}
	}
}

// TestKeepAll: keeping as many entities as there are changes neither losses, derivatives nor ranks.
func TestKeepAll(t *testing.T) {
	const nodes = 60
	g := mustBuild(t, nodes, 2, randomFacts(nodes, 2, 400, 8))
	for _, c := range []Config{{Message: DistMult}, {Message: TransE}} {
		c.Aggregate, c.Hidden, c.Layers, c.Batch = Sum, 8, 3, 6
		for _, way := range ways {
			whole := newTrainerOf(t, c, g, way.together)
			c.Keep = nodes
			compareKept(t, way.name+" "+c.name(), whole, newTrainerOf(t, c, g, way.together))
		}
		// two ways to compute few
		c.Keep = 9
		compareKept(t, "9 kept, "+c.name(), newTrainerOf(t, c, g, false), newTrainerOf(t, c, g, true))
	}
}

// compareKept compares losses and derivatives of some batches, the last of which is smaller.
func compareKept(t *testing.T, name string, whole, kept *Trainer) {
	t.Helper()
	for _, i := range []int{0, 1, 2, whole.Batches() - 1} {
		a, err := whole.evaluate(0, i)
		if err != nil {
			t.Fatal(err)
		}
		b, err := kept.evaluate(0, i)
		if err != nil {
			t.Fatal(err)
		}
		var grads [][]mat.Real
		for _, s := range kept.Grads() {
			grads = append(grads, slices.Clone(s.Slice()))
		}
		compareRooms(t, name, whole, [2]float64{b, a}, grads)
	}
}

// TestAgainstEverything compares the loss of a batch against everything, computed in two ways, with a softmax of the
// scores of all entities by the naive model on what each query sees.
func TestAgainstEverything(t *testing.T) {
	const nodes, relations = 40, 2
	g := mustBuild(t, nodes, relations, randomFacts(nodes, relations, 70, 4))
	for _, keep := range []int{9, nodes} {
		c := Config{Hidden: 4, Layers: 3, Batch: 6, Keep: keep, Against: Everything}.withDefaults()
		var first *Trainer
		for _, way := range ways {
			tr := newTrainerOf(t, c, g, way.together)
			for i := range 3 {
				loss, err := tr.evaluate(0, i)
				if err != nil {
					t.Fatal(err)
				}
				tr.drawBatch(0, i)
				if want := naiveAgainstEverything(tr); math.Abs(loss-want) > 1e-5*want {
					t.Errorf("keep %d, %s, batch %d: loss %v, want %v", keep, way.name, i, loss, want)
				}
			}
			if first == nil {
				first = tr
			} else {
				compareKept(t, fmt.Sprintf("keep %d", keep), first, tr)
			}
		}
	}
}

// naiveAgainstEverything is the loss of the trainer's present batch.
func naiveAgainstEverything(t *Trainer) (loss float64) {
	v, m := t.batch.view, t.Model
	for _, q := range t.batch.queries {
		near := newNearby(m, v.net)
		near.within(v, q)
		in := near.kept
		n := &naive{Model: m, nodes: v.nodes}
		for e := range int32(v.edges()) {
			if !v.removed.has(e) && slices.Contains(in, v.source[e]) && slices.Contains(in, v.target[e]) {
				n.edges = append(n.edges, graph.Triple{U: v.source[e], R: v.relation[e], V: v.target[e]})
			}
		}
		sum, scores := 0.0, n.scores(valuesOf(m), q.head, q.relation)
		for u, s := range scores {
			right := slices.ContainsFunc(v.out.edgesOf(q.head), func(e int32) bool {
				return v.relation[e] == q.relation && v.target[e] == int32(u)
			})
			if !right || int32(u) == q.answer {
				sum += math.Exp(s)
			}
		}
		loss += (math.Log(sum) - scores[q.answer]) / float64(len(t.batch.queries))
	}
	return loss
}

// TestNearbyIsReached: what a batch does not see joins nothing to the head.
func TestNearbyIsReached(t *testing.T) {
	// 0 – 1 – 2 and 0 – 3
	g := mustBuild(t, 5, 1, []graph.Triple{{U: 0, V: 1}, {U: 1, V: 2}, {U: 0, V: 3}})
	v := newView(newNet(g, 1), false)
	near := newNearby(&Model{Config: Config{Keep: 5, Layers: 3}}, v.net)
	near.within(v, query{})
	if got := near.kept; !slices.Equal(got, []int32{0, 1, 2, 3}) || len(near.to) != 6 {
		t.Errorf("%v, %d edges", got, len(near.to))
	}
	v.remove(0)
	v.renew()
	near.within(v, query{}) // 1 – 2 is out of reach
	if got := near.kept; !slices.Equal(got, []int32{0, 3}) || !slices.Equal(near.to, []int32{0, 1}) ||
		!slices.Equal(near.from, []int32{1, 0}) || !slices.Equal(near.numbered, []int32{5, 2}) {
		t.Errorf("without an edge %v: %v, %v, %v", got, near.to, near.from, near.numbered)
	}
}

// TestKeepRanks: ranks of facts are those by scores that count nodes outside of K(h) as nodes without edges.
func TestKeepRanks(t *testing.T) {
	const nodes = 40
	facts := randomFacts(nodes, 2, 80, 5)
	g := mustBuild(t, nodes, 2, facts)
	m := newTrainer(t, Config{Hidden: 4, Layers: 2, Keep: 6}, g).Model
	e, err := newEvaluator(m, g)
	if err != nil {
		t.Fatal(err)
	}
	ranked, err := e.evaluate(context.Background(), facts[:5], metric.Candidates{})
	if err != nil {
		t.Fatal(err)
	}
	a := newFused(t, m, g, query{head: facts[0].U, relation: facts[0].R})
	scores := a.byNode()
	outside := map[string]bool{}
	for v, s := range scores {
		if !a.kept.rows.in.has(int32(v)) {
			outside[fmt.Sprint(s)] = true
		}
	}
	if len(outside) != 1 || len(ranked) != 5 {
		t.Errorf("%d facts ranked; nodes outside have the scores %v", len(ranked), outside)
	}
	if want := (metric.Candidates{Known: e.known}).Place(scores, facts[0], 0, 0); ranked[0].Tail != want {
		t.Errorf("the tail has rank %v, by its scores %v", ranked[0].Tail, want)
	}
}
