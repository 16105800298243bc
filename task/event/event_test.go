package event

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// made returns events between 8 sources and 6 targets, or between 8 nodes, some at equal times. Sources mostly stay
// with their last target.
func made(n int, oneType bool) *dataset.Dataset {
	rng := rand.New(rand.NewPCG(7, 1))
	e, triples, last := &dataset.Events{}, []graph.Triple(nil), map[int32]int32{}
	t := 100.0
	for range n {
		s := int32(rng.IntN(8))
		d, ok := last[s]
		if !ok || rng.IntN(3) == 0 {
			d = int32(8 + rng.IntN(6))
			if oneType {
				d = int32(rng.IntN(8))
			}
		}
		last[s] = d
		t += float64(rng.IntN(4))
		e.Source, e.Target, e.Time = append(e.Source, s), append(e.Target, d), append(e.Time, t)
		triples = append(triples, graph.Triple{U: s, V: d})
	}
	g, err := graph.Build(graph.Spec{Nodes: 14, Relations: 1, Triples: triples})
	if err != nil {
		panic(err)
	}
	return &dataset.Dataset{Name: "made", Graph: g, Events: e}
}

// madeJob returns a job on made events, whose weights are random.
func madeJob(t *testing.T, d *dataset.Dataset, set ...string) *job {
	t.Helper()
	c, err := config.Load(config.Options{Recipe: "decay", Task: "links", Data: "x.txt", Set: append([]string{
		"events.batch=20"}, set...)})
	if err != nil {
		t.Fatal(err)
	}
	j, err := build(*c, d, train.Trial{Seed: 1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	mat.Uniform(j.theta.Value(), -1, 1, 5)
	return j
}

// TestCounts: states equal Σ e^(−(t − tᵢ)/τ), summed naively.
func TestCounts(t *testing.T) {
	c := newClock(1000)
	if half := math.Exp(-c.rate[2] * 100); math.Abs(half-0.5) > 1e-12 {
		t.Errorf("after a tenth of the period the third count is %v of what it was, want a half", half)
	}
	times := []float64{3, 3, 8.5, 250, 999, 1000.25}
	var h count
	for i, at := range times {
		h.add(&c, at)
		for k, rate := range c.rate {
			for _, later := range []float64{at, at + 0.5, at + 70} {
				want := 0.0
				for _, x := range times[:i+1] {
					want += math.Exp(-(later - x) * rate)
				}
				// logarithms, of a sum of at most six terms in double precision
				if got := h.at(&c, later, k); math.Abs(got-math.Log(want)) > 1e-12*(1+math.Abs(got)) {
					t.Errorf("scale %d at %v after %d events: %v, want %v", k, later, i+1, got, math.Log(want))
				}
			}
		}
	}
}

// TestHistory compares what is known about a source with a scan through the events.
func TestHistory(t *testing.T) {
	d := made(400, true)
	e, m := d.Events, newModel(14, []int32{0}, newClock(500))
	m.advance(e, 300)
	for s := range int32(8) {
		var order []int32 // targets, the last one first
		number := map[int32]int32{}
		for i := 299; i >= 0; i-- {
			if e.Source[i] == s {
				if number[e.Target[i]]++; number[e.Target[i]] == 1 {
					order = append(order, e.Target[i])
				}
			}
		}
		n := &m.nodes[s]
		if len(n.recent) != len(order) {
			t.Fatalf("source %d met %d targets, want %d", s, len(n.recent), len(order))
		}
		for r, v := range order {
			p := n.pairs[n.recent[len(order)-1-r]]
			if p.to != v || p.n != number[v] || !slices.Contains(m.nodes[v].by, s) {
				t.Errorf("source %d, target of rank %d: %+v, want %d met %d times", s, r, p, v, number[v])
			}
		}
	}
}

// TestScores: the fast scores of all targets equal those of rows, and ranks those of a naive sort.
func TestScores(t *testing.T) {
	for _, oneType := range []bool{false, true} {
		d := made(500, oneType)
		j, e := madeJob(t, d), d.Events
		j.use(oneByOne)
		z := make([]mat.Real, len(j.targets))
		for i := range 450 {
			j.advance(e, i)
			s, at := e.Source[i], e.Time[i]
			j.scores(z, s, at)
			j.around(s)
			for k, v := range j.targets {
				// sums of some thirty terms below 1, in another order
				if want := j.read(j.hats(nil, s, v, at)); math.Abs(float64(z[k]-want)) > 1e-4 {
					t.Fatalf("event %d, target %d: %v, want %v", i, v, z[k], want)
				}
			}
			ranks, _ := j.walk(e, i, i+1, 1, j.scores)
			order := slices.Clone(z)
			slices.SortFunc(order, func(a, b mat.Real) int { return cmp.Compare(b, a) })
			own := z[j.place[e.Target[i]]]
			first := slices.Index(order, own)
			last := len(order) - 1
			for order[last] != own {
				last--
			}
			if got, want := ranks[0][0].Rank(metric.Realistic), 1+float64(first+last)/2; got != want {
				t.Fatalf("event %d: rank %v, want %v", i, got, want)
			}
		}
	}
}

// TestGradient compares the gradient of the loss with finite differences; all targets are candidates.
func TestGradient(t *testing.T) {
	d := made(300, true)
	j := madeJob(t, d, "events.negatives=4")
	j.advance(d.Events, 200)
	j.use(inBatches)
	g := make([]mat.Real, j.numWeights())
	loss := func(to []mat.Real) float64 {
		return j.softmax.loss(j.model, d.Events, 201, to, rand.New(rand.NewPCG(1, 1)))
	}
	loss(g)
	none := make([]mat.Real, len(g))
	largest := 0.0
	for k := range g {
		const by = 1e-2
		was := j.w[k]
		j.w[k] = was + by
		up := loss(none)
		j.w[k] = was - by
		down := loss(none)
		j.w[k] = was
		// second order of the difference, and rounding to single precision
		if want := (up - down) / (2 * by); math.Abs(want-float64(g[k])) > 1e-3 {
			t.Errorf("weight %d: %v, want %v", k, g[k], want)
		}
		largest = max(largest, math.Abs(float64(g[k])))
	}
	if largest < 0.01 {
		t.Errorf("the largest derivative is %v", largest)
	}
}

// TestNoLeak: changing any later event changes neither the rank nor the scores of earlier ones; in batches, nor does
// any event of the same batch.
func TestNoLeak(t *testing.T) {
	const n, at = 400, 330
	for way, batch := range []int{20, 1} {
		ranks := func(d *dataset.Dataset) []metric.Ranking {
			j := madeJob(t, d)
			j.use(way)
			r, _ := j.walk(d.Events, 280, n, batch, j.scores)
			return r[0]
		}
		want := ranks(made(n, true))
		d := made(n, true)
		for i := at; i < n; i++ {
			d.Events.Source[i], d.Events.Target[i] = d.Events.Target[i], (d.Events.Target[i]+1)%8
			d.Events.Time[i] = d.Events.Time[n-1] + float64(i)
		}
		got := ranks(d)
		if !slices.Equal(got[:at-280], want[:at-280]) {
			t.Errorf("batches of %d: ranks before event %d have changed", batch, at)
		}
		if slices.Equal(got[at-280:], want[at-280:]) {
			t.Errorf("batches of %d: no rank after event %d has changed", batch, at)
		}
	}
	d := made(n, true)
	j := madeJob(t, d)
	j.use(inBatches)
	z := make([][]mat.Real, 2)
	for k := range z { // the second event of a batch, when the first is another
		z[k] = make([]mat.Real, len(j.targets))
		j.walk(d.Events, 300, 302, 20, func(to []mat.Real, s int32, at float64) {
			if j.scores(to, s, at); at == d.Events.Time[301] {
				copy(z[k], to)
			}
		})
		d.Events.Target[300] = (d.Events.Target[300] + 1) % 8
		j.advance(d.Events, 0)
	}
	if !slices.Equal(z[0], z[1]) {
		t.Error("an event of the batch has changed the scores of the next")
	}
}

// TestLearns: training on sources that stay with their last target is better than the rules that it is compared with,
// and events that were learnt by Learn count like those of the data.
func TestLearns(t *testing.T) {
	d := made(3000, false)
	c, err := config.Load(config.Options{Recipe: "decay", Task: "links", Data: "x.txt",
		Set: []string{"events.batch=20"}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), *c, d, train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	score := map[string]float64{}
	for _, m := range r.Metrics {
		score[m.Metric] = m.Test.Mean
	}
	for _, rule := range []string{"recency", "edgebank", "edgebank_window"} {
		for _, way := range []string{"", "_event_by_event"} {
			if score["mrr"+way] < score["mrr_"+rule+way]-0.005 {
				t.Errorf("mrr%s is %.4f, and by %s %.4f", way, score["mrr"+way], rule, score["mrr_"+rule+way])
			}
		}
	}
	if score["mrr_event_by_event"] < 0.75 || score["mrr_event_by_event"] <= score["mrr"] {
		t.Errorf("mrr %.4f, event by event %.4f", score["mrr"], score["mrr_event_by_event"])
	}
}
