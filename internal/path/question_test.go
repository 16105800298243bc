package path

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// asking are models of questions that keep few entities, of which some send.
func asking() []Config {
	return []Config{
		{Hidden: 4, Layers: 3, Batch: 6, Keep: 12, Send: 5},
		{Hidden: 4, Layers: 3, Batch: 6, Keep: 12, Send: 5, Against: Everything, Layered: true, Removal: Pairs},
		{Hidden: 4, Layers: 3, Batch: 6, Keep: 12, Send: 5, Against: Everything, Aggregate: PNA},
		{Hidden: 4, Layers: 3, Batch: 6, Keep: 9, Against: Everything, Aggregate: PNA, Message: TransE},
	}
}

// TestKeptWithoutTheFact: what a training query keeps is what a naive search finds in a graph that was built without
// the facts of the batch, so it cannot tell of them.
func TestKeptWithoutTheFact(t *testing.T) {
	const nodes, relations = 40, 3
	facts := randomFacts(nodes, relations, 90, 6)
	g := mustBuild(t, nodes, relations, facts)
	c := asking()[0].withDefaults()
	m := newTrainer(t, c, g).Model
	b := newBatch(m, newView(newNet(g, relations), false))
	for i := range 5 {
		b.drawQueries(0, i)
		var left []graph.Triple
		for e := range b.facts {
			if !b.removed.has(int32(e)) {
				left = append(left, graph.Triple{U: b.source[e], R: b.relation[e], V: b.target[e]})
			}
		}
		if len(left) > b.facts-len(b.queries) {
			t.Fatalf("%d of %d facts are left", len(left), b.facts)
		}
		for _, q := range b.queries {
			near := newNearby(m, b.net)
			near.within(b.view, q)
			send, receive := naiveKept(c, nodes, withInverses(facts, relations), withInverses(left, relations), q)
			if got := near.kept[:near.senders]; !slices.Equal(got, send) {
				t.Errorf("%v: %v send, want %v", q, got, send)
			}
			if got := near.kept[near.senders:]; !slices.Equal(got, receive) {
				t.Errorf("%v: %v receive, want %v", q, got, receive)
			}
			want := 0
			for _, f := range withInverses(left, relations) {
				if slices.Contains(send, f.U) && (slices.Contains(send, f.V) || slices.Contains(receive, f.V)) {
					want++
				}
			}
			if len(near.to) != want {
				t.Errorf("%v: %d edges, want %d", q, len(near.to), want)
			}
		}
	}
}

// naiveKept is K(q) by whole matrices: all are the edges of the graph, left those that a batch sees.
func naiveKept(c Config, nodes int, all, left []graph.Triple, q query) (send, receive []int32) {
	s, at := make([]float64, nodes), make([]float64, nodes)
	at[q.head] = 1
	out := make([]float64, nodes)
	for _, e := range left {
		out[e.U]++
	}
	for range c.Layers + 1 {
		next := make([]float64, nodes)
		for v, x := range at {
			s[v] += x
		}
		for _, e := range left {
			if share := 0.85 * at[e.U] / out[e.U]; share >= 1e-5 {
				next[e.V] += share
			}
		}
		at = next
	}
	p := naiveLikely(nodes, all, left, q)
	var order []int32
	for v := range int32(nodes) {
		order = append(order, v)
	}
	pick := func(n int, value func(v int32) float64) (list []int32) {
		slices.SortFunc(order, func(u, v int32) int {
			if d := value(v) - value(u); math.Abs(d) > 1e-12 {
				return cmp.Compare(d, 0)
			}
			return cmp.Compare(u, v)
		})
		for _, v := range order[:n] {
			if value(v) > 0 {
				list = append(list, v)
			}
		}
		slices.Sort(list)
		return list
	}
	s[q.head] += 10
	send = pick(c.Send, func(v int32) float64 { return s[v] })
	s[q.head] -= 10
	return send, pick(c.Keep-len(send), func(v int32) float64 {
		if slices.Contains(send, v) {
			return 0
		}
		return p[v] * p[v] * (s[v] + 1e-5)
	})
}

// naiveLikely is p_r of every entity, with what is left of its own facts.
func naiveLikely(nodes int, all, left []graph.Triple, q query) []float64 {
	to := func(edges []graph.Triple, r, v int32) bool {
		return slices.ContainsFunc(edges, func(e graph.Triple) bool { return e.R == r && e.V == v })
	}
	p := make([]float64, nodes)
	for v := range int32(nodes) {
		for r := range int32(6) {
			if !to(left, r, v) {
				continue
			}
			both, of := 0.0, 0.0
			for u := range int32(nodes) {
				if to(all, r, u) {
					of++
					if leads := to(all, q.relation, u); leads && (u != v || to(left, q.relation, v)) {
						both++
					}
				}
			}
			p[v] = max(p[v], both/of)
		}
	}
	return p
}

// TestAskedTogether: questions asked at once, and training batches computed in two ways, say the same as one by one.
func TestAskedTogether(t *testing.T) {
	const nodes, relations = 60, 2
	facts := randomFacts(nodes, relations, 150, 9)
	g := mustBuild(t, nodes, relations, facts)
	for _, c := range asking() {
		one, many := newTrainerOf(t, c, g, false), newTrainerOf(t, c, g, true)
		for _, m := range []*Model{one.Model, many.Model} {
			if m.hint != nil {
				mat.Normal(m.hint.Value(), 0, 1, 3)
			}
		}
		compareKept(t, c.withDefaults().name(), one, many)
		m := one.Model
		all, err := m.rowsOf(g)
		if err != nil {
			t.Fatal(err)
		}
		queries := all.net.asked(facts)
		want, single := map[int][]mat.Real{}, newScorerOf(m, all, nil)
		for i, q := range queries {
			if err := single.run(q); err != nil {
				t.Fatal(err)
			}
			want[i] = slices.Clone(single.byNode())
		}
		got := make([][]mat.Real, len(queries))
		if err := newAsker(m, all).score(context.Background(), queries, func(i int, s []mat.Real) {
			got[i] = slices.Clone(s)
		}); err != nil {
			t.Fatal(err)
		}
		for i := range queries {
			for v, x := range got[i] {
				agree(t, "score", float64(x), float64(want[i][v]))
			}
		}
	}
}

// TestKth compares with sorting.
func TestKth(t *testing.T) {
	for n := 1; n < 40; n++ {
		list := make([]float64, n)
		for i := range list {
			list[i] = float64(mat.Mix(uint64(n), uint64(i)) % 9)
		}
		sorted := slices.Clone(list)
		slices.Sort(sorted)
		slices.Reverse(sorted)
		for k := 1; k <= n; k++ {
			ties := 0
			for _, x := range sorted[:k] {
				if x == sorted[k-1] {
					ties++
				}
			}
			if least, got := kth(slices.Clone(list), k); least != sorted[k-1] || got != ties {
				t.Errorf("%d of %v: %v, %d ties", k, sorted, least, got)
			}
		}
	}
}

// TestExplainKept: answers to questions that keep few entities have paths of edges that these see.
func TestExplainKept(t *testing.T) {
	const nodes, relations = 40, 2
	g := mustBuild(t, nodes, relations, randomFacts(nodes, relations, 120, 2))
	d := &dataset.Dataset{Graph: g}
	for _, c := range asking() {
		m := newTrainer(t, c, g).Model
		found, err := m.Answers(d, metric.Question{End: 3}, nodes, 2)
		if err != nil {
			t.Fatal(err)
		}
		ways := 0
		for _, a := range found {
			ways += len(a.Paths)
		}
		if ways == 0 {
			t.Errorf("%s: %v has no path", m.name(), found)
		}
	}
}
