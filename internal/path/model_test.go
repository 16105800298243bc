package path

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// TestPlansAgree: a batch that is run with little room has the loss and the derivatives of one with all rows.
func TestPlansAgree(t *testing.T) {
	g := mustBuild(t, 400, 3, randomFacts(400, 3, 500, 8))
	for _, way := range ways {
		for _, c := range variants() {
			c.Layers, c.Batch = 4, 6
			tr := newTrainerOf(t, c, g, way.together)
			tight, err := tr.evaluate(0, 0)
			if err != nil {
				t.Fatal(err)
			}
			var grads [][]mat.Real
			for _, s := range tr.Grads() {
				grads = append(grads, slices.Clone(s.Slice()))
			}
			if !loosen(tr) {
				t.Errorf("%s: a batch did not fit into little room", c.name())
			}
			loose, err := tr.evaluate(0, 0)
			if err != nil {
				t.Fatal(err)
			}
			compareRooms(t, way.name+" "+c.name(), tr, [2]float64{tight, loose}, grads)
		}
	}
}

// loosen takes the room for few rows away, and reports whether the last batch had run in it.
func loosen(tr *Trainer) (fitted bool) {
	switch w := tr.way.(type) {
	case *sideBySide:
		fitted = w.tight != nil && w.last == w.tight && len(w.tight.tail) > 1
		w.tight, w.next = nil, nil
	case *perQuery:
		tr.drawBatch(0, 0)
		s := w.solvers.free[0]
		p, err := s.solve(tr.batch.queries[0], tr.batch.answersOf(0))
		fitted = len(w.capacities) == 2 && err == nil && p == s.plans[0]
		for _, s := range w.solvers.free {
			s.plans = s.plans[1:]
		}
	}
	return fitted
}

// compareRooms compares losses with little and with much room, and the derivatives of the first with those of tr.
// Tolerance: the same numbers of float32, added in another order.
func compareRooms(t *testing.T, name string, tr *Trainer, losses [2]float64, grads [][]mat.Real) {
	t.Helper()
	if math.Abs(losses[0]-losses[1]) > 1e-5*losses[1] {
		t.Errorf("%s: loss %v with little room, %v with all rows", name, losses[0], losses[1])
	}
	for i, s := range tr.Grads() {
		for j, want := range s.Slice() {
			if d := math.Abs(float64(grads[i][j] - want)); d > 1e-4*(0.1+math.Abs(float64(want))) {
				t.Fatalf("%s: derivative to %s[%d] is %v with little room, %v with all rows",
					name, tr.Model.params[i].Name, j, grads[i][j], want)
			}
		}
	}
}

// TestPartsAddUp: the last batch of an epoch is smaller.
func TestPartsAddUp(t *testing.T) {
	c := variants()[0]
	c.Batch = 4
	tr := newTrainer(t, c, mustBuild(t, 30, 2, randomFacts(30, 2, 12, 4))) // 13 facts
	if tr.Batches() != 4 {
		t.Fatalf("%d batches of 13 facts", tr.Batches())
	}
	seen := map[int32]bool{}
	for i := range 4 {
		if _, err := tr.evaluate(0, i); err != nil {
			t.Fatal(err)
		}
		tr.drawBatch(0, i) // once more, as another one may have been drawn ahead
		if want := min(4, 13-4*i); len(tr.batch.queries) != want {
			t.Errorf("batch %d has %d queries, want %d", i, len(tr.batch.queries), want)
		}
		for _, e := range tr.batch.order {
			seen[e] = true
		}
	}
	if len(seen) != 13 {
		t.Errorf("an epoch has %d of 13 facts", len(seen))
	}
}

// TestNegativesAreNoFacts and come from all nodes.
func TestNegativesAreNoFacts(t *testing.T) {
	const relations = 2
	facts := randomFacts(12, relations, 40, 6)
	tr := newTrainer(t, variants()[0], mustBuild(t, 12, relations, facts))
	known := graph.NewTripleSet(false, withInverses(facts, relations))
	drawn := map[int32]bool{}
	for epoch := range 20 {
		for i := range tr.Batches() {
			tr.batch.drawQueries(epoch, i)
			for _, q := range drawnQueries(tr) {
				if !known.Has(graph.Triple{U: q.head, R: q.relation, V: q.answers[0]}) {
					t.Fatalf("the right answer of %v is no fact", q)
				}
				for _, a := range q.answers[1:] {
					drawn[a] = true
					if known.Has(graph.Triple{U: q.head, R: q.relation, V: a}) {
						t.Fatalf("the wrong answer %d to (%d, %d, ?) is a fact", a, q.head, q.relation)
					}
				}
			}
		}
	}
	if len(drawn) != 12 {
		t.Errorf("wrong answers are %d of 12 nodes", len(drawn))
	}
}

func TestSameBitsForAnyThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer mat.SetThreads(mat.Threads())
	g := mustBuild(t, 300, 3, randomFacts(300, 3, 200, 8))
	for _, c := range variants() {
		var want string
		for _, threads := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(threads)
			mat.SetThreads(threads)
			c.Hidden, c.Batch = 32, 20
			tr := newTrainer(t, c, g)
			got := ""
			for i := range 3 {
				if err := tr.Batch(1, i); err != nil {
					t.Fatal(err)
				}
				got += fmt.Sprintln(tr.Loss().Item(), tr.Grads()[i].Slice())
			}
			if want == "" {
				want = got
			}
			if got != want {
				t.Fatalf("%s, %d threads: %s\n1 thread: %s", c.name(), threads, got, want)
			}
		}
	}
}

func TestBatchAllocatesNothing(t *testing.T) {
	g := mustBuild(t, 200, 3, randomFacts(200, 3, 250, 8))
	for _, c := range variants() {
		allocatesNothing(t, "per query "+c.name(), newTrainerOf(t, c, g, false))
		allocatesNothing(t, "side by side "+c.name(), newTrainerOf(t, c, g, true))
	}
}

func allocatesNothing(t *testing.T, name string, tr *Trainer) {
	t.Helper()
	i := 0
	step := func() {
		if err := tr.Batch(1, i%tr.Batches()); err != nil {
			t.Fatal(err)
		}
		i++
	}
	for range 20 {
		step()
	}
	if n := testing.AllocsPerRun(10, step); n != 0 {
		t.Errorf("%s: %v allocations a batch, want 0", name, n)
	}
}

// TestRanksAreNaive compares ranks with those counted from the naive model's scores.
func TestRanksAreNaive(t *testing.T) {
	const nodes, relations = 25, 2
	facts := randomFacts(nodes, relations, 40, 9)
	test := randomFacts(nodes, relations, 6, 10)
	d := &dataset.Dataset{Graph: mustBuild(t, nodes, relations, facts)}
	known := graph.NewTripleSet(false, withInverses(facts, relations))
	for _, c := range []Config{variants()[0], variants()[4], graphVariant()} {
		m := newTrainer(t, c, d.Graph).Model
		e, err := m.Evaluate(context.Background(), d, test, metric.Candidates{})
		if err != nil {
			t.Fatal(err)
		}
		if len(e) != len(test) {
			t.Fatalf("%d ranked of %d facts", len(e), len(test))
		}
		n, v := &naive{m, nodes, withInverses(facts, relations)}, valuesOf(m)
		for i := range 2 * len(test) {
			f := test[i/2]
			head, relation, answer, got := f.U, f.R, f.V, e[i/2].Tail
			if i%2 == 1 {
				head, relation, answer, got = f.V, f.R+relations, f.U, e[i/2].Head
			}
			scores := n.scores(v, head, relation)
			want := metric.Ranking{}
			for a, s := range scores {
				// Scores that are within a rounding error of the right one's may rank either way.
				switch fact := (graph.Triple{U: head, R: relation, V: int32(a)}); {
				case known.Has(fact) || int32(a) == answer:
					continue
				case s > scores[answer]+1e-5:
					want.Greater++
				}
				want.Negatives++
			}
			if got.Negatives != want.Negatives || got.Greater < want.Greater || e[i/2].Fact != f {
				t.Errorf("%s: query %d: %+v, want %+v", c.name(), i, got, want)
			}
		}
	}
}

func TestGrailProtocol(t *testing.T) {
	facts := randomFacts(60, 2, 80, 9)
	d := &dataset.Dataset{Graph: mustBuild(t, 60, 2, facts)}
	m := newTrainer(t, variants()[0], d.Graph).Model
	p := metric.Candidates{Protocol: metric.Sampled50, Seed: 3}
	a, err := m.Evaluate(context.Background(), d, facts[:5], p)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := m.Evaluate(context.Background(), d, facts[:5], p)
	for i, x := range a {
		if x.Tail.Negatives != 49 || x.Head.Negatives != 49 || x != b[i] {
			t.Errorf("fact %d: %+v, then %+v", i, x, b[i])
		}
	}
}

func TestFusedMomentDiffers(t *testing.T) {
	// Of h = 1 and e = 2 alone, with x = 0: mean 1.5, second moment 9/2 or (1+4)/2.
	n := &naive{Model: &Model{Config: Config{Message: TransE, Aggregate: PNA}}}
	m, right := n.message([]float64{1}, []float64{2})
	n.Aggregate = PNAFused
	_, fused := n.message([]float64{1}, []float64{2})
	a := naiveMoments([][]float64{m}, [][]float64{right}, []float64{0})[3]
	b := naiveMoments([][]float64{m}, [][]float64{fused}, []float64{0})[3]
	if math.Abs(a-1.5) > 1e-12 || math.Abs(b-0.5) > 1e-12 {
		t.Errorf("deviation %v, fused %v; want 1.5 and 0.5", a, b)
	}
	g := mustBuild(t, 30, 2, randomFacts(30, 2, 40, 5))
	losses := map[string]float64{}
	for _, c := range variants() {
		loss, err := newTrainer(t, c, g).evaluate(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		losses[c.name()] = loss
	}
	if losses["transe-pna-conditioned-triple"] == losses["transe-pna-fused-conditioned-triple"] {
		t.Error("TransE: the fused second moment makes no difference")
	}
	if losses["distmult-pna-conditioned-triple"] != losses["distmult-pna-fused-conditioned-triple"] {
		t.Error("DistMult: the fused second moment makes a difference")
	}
}

func TestSaveAndLoad(t *testing.T) {
	for _, c := range variants() {
		g := mustBuild(t, 30, 2, randomFacts(30, 2, 40, 5))
		m := newTrainer(t, c, g).Model
		file := filepath.Join(t.TempDir(), "model.safetensors")
		var a, b bytes.Buffer
		if err := m.Write(&a); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, a.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		again, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		if again.Config != m.Config || strings.Join(again.Names, " ") != strings.Join(m.Names, " ") {
			t.Errorf("%+v %v was saved, %+v %v loaded", m.Config, m.Names, again.Config, again.Names)
		}
		if err := again.Write(&b); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: other bytes after loading", c.name())
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, c := range append(variants()[:2], graphVariant()) {
		m, err := New(c, []string{"a", "b"})
		if err != nil {
			f.Fatal(err)
		}
		var b bytes.Buffer
		if err := m.Write(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := decode("fuzz", b); err == nil {
			if err := m.Write(&bytes.Buffer{}); err != nil {
				t.Errorf("what was read cannot be written: %v", err)
			}
		}
	})
}

func TestConfigErrors(t *testing.T) {
	for _, c := range []struct {
		Config
		want string
	}{
		{Config{Message: "transee"}, `did you mean "transe"?`},
		{Config{Aggregate: "median"}, "there are sum, pna, pna-fused"},
		{Config{Hidden: -1}, "hidden is -1"},
		{Config{Hidden: 5, Message: RotatE}, "must be even"},
	} {
		if _, err := New(c.Config, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.Config, err, c.want)
		}
	}
}

// TestOddGraphs: one node, facts that repeat, a relation without facts, and answers that are all known.
func TestOddGraphs(t *testing.T) {
	for name, facts := range map[string][]graph.Triple{
		"one node":  {{U: 0, R: 0, V: 0}, {U: 0, R: 0, V: 0}},
		"all known": {{U: 0, R: 1, V: 0}, {U: 0, R: 1, V: 1}, {U: 1, R: 1, V: 0}, {U: 1, R: 1, V: 1}},
	} {
		for _, c := range variants() {
			d := &dataset.Dataset{Graph: mustBuild(t, int(facts[len(facts)-1].U)+1, 3, facts)}
			tr := newTrainer(t, c, d.Graph)
			train(t, tr, 5e-3, 1)
			if _, err := tr.Model.Evaluate(context.Background(), d, facts, metric.Candidates{}); err != nil {
				t.Errorf("%s, %s: %v", name, c.name(), err)
			}
			for _, p := range tr.Params() {
				if err := p.Value().CheckFinite(); err != nil {
					t.Errorf("%s, %s: %s: %v", name, c.name(), p.Name, err)
				}
			}
		}
	}
	m := newTrainer(t, variants()[0], mustBuild(t, 3, 1, []graph.Triple{{U: 0, V: 1}})).Model
	if _, err := NewTrainer(m, mustBuild(t, 3, 1, nil)); err == nil || !strings.Contains(err.Error(), "no facts") {
		t.Errorf("a graph without facts: %v", err)
	}
}

func TestEvaluateStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	facts := randomFacts(30, 2, 40, 5)
	d := &dataset.Dataset{Graph: mustBuild(t, 30, 2, facts)}
	m := newTrainer(t, variants()[0], d.Graph).Model
	if _, err := m.Evaluate(ctx, d, facts, metric.Candidates{}); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}
