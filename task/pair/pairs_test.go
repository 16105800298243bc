package pair

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// settings are for links on a data set, small, with some keys set; it opens the data set too.
func settings(t testing.TB, data string, set ...string) (config.Config, *dataset.Dataset) {
	t.Helper()
	c, err := config.Load(config.Options{Task: "links", Data: data,
		Set: append([]string{"train.epochs=3", "model.hidden=8"}, set...)})
	if err != nil {
		t.Fatal(err)
	}
	return *c, must(catalogue.Open(data))
}

func newJob(t testing.TB, data string, set ...string) *job {
	t.Helper()
	c, d := settings(t, data, set...)
	j, err := build(c, d, train.Trial{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestSplit: the parts are disjoint, cover all pairs, and differ from pairs that are not joined; a seed gives one
// split.
func TestSplit(t *testing.T) {
	_, d := settings(t, "karate")
	c := config.Pairs{Valid: 0.1, Test: 0.2, Batches: 2}
	s := must(newSplit(c, d, 0, 1))
	if len(s.valid) != 7 || len(s.test) != 15 || len(s.train) != 56 {
		t.Errorf("%d, %d and %d of 78 edges", len(s.train), len(s.valid), len(s.test))
	}
	all := slices.Concat(s.train, s.valid, s.test)
	slices.SortFunc(all, comparePairs)
	if n := len(slices.Compact(all)); n != 78 {
		t.Errorf("the parts have %d different pairs", n)
	}
	for _, p := range slices.Concat(s.validFalse, s.testFalse) {
		if s.known[p] || p.u >= p.v {
			t.Errorf("%v is not joined?", p)
		}
	}
	again := must(newSplit(c, d, 0, 1))
	if !slices.Equal(again.test, s.test) || !slices.Equal(again.testFalse, s.testFalse) {
		t.Error("the same seed gives another split")
	}
	if other := must(newSplit(c, d, 0, 2)); slices.Equal(other.test, s.test) {
		t.Error("another seed gives the same split")
	}
}

// TestHeldOut: no message goes along a held-out pair, whatever the recipe makes of the graph.
func TestHeldOut(t *testing.T) {
	for _, name := range []string{"base", "heterophily"} {
		j := newJob(t, "karate", "recipe="+name)
		held := map[pair]bool{}
		for _, p := range slices.Concat(j.split.valid, j.split.test) {
			held[p] = true
		}
		g := j.On.On.Graph
		for e := range g.NumEdges() {
			if x := g.Edge(int32(e)); held[newPair(x.U, x.V)] {
				t.Errorf("%s: a message goes along %v", name, x)
			}
		}
	}
}

// TestNoLeak: embeddings with some pairs hidden equal embeddings on the graph without these edges, and so does what is
// counted.
func TestNoLeak(t *testing.T) {
	j := newJob(t, "karate")
	s := must(newScorer(j.model))
	hidden := []int32{0, 3, 7, 20}
	if err := s.settle(hidden...); err != nil {
		t.Fatal(err)
	}
	masked := s.descent.Value(s.h).Slice()
	without := *j.data
	var rest []graph.Triple
	var left []pair
	for i, p := range j.split.train {
		if !slices.Contains(hidden, int32(i)) {
			rest, left = append(rest, graph.Triple{U: p.u, V: p.v}), append(left, p)
		}
	}
	n := j.data.Graph.NumNodes()
	without.Graph = must(graph.Build(graph.Spec{Nodes: n, Triples: rest, Undirected: true}))
	other := must(node.NewEncoder(j.Config, &without, 1))
	h := must(other.Stack.Embed(input.Evaluation(), other.On))
	for i, x := range ad.Eval(h).Slice() {
		if math.Abs(float64(x-masked[i])) > 1e-5*(1+math.Abs(float64(x))) { // other order of sums
			t.Fatalf("entry %d is %v with hidden edges and %v without them", i, masked[i], x)
		}
	}
	near, a, b := newNeighbours(n, left), make([]mat.Real, commons), make([]mat.Real, commons)
	for u := range int32(n) {
		for v := range int32(n) {
			if near.describe(a, u, v); u != v {
				if j.near.describe(b, u, v); !slices.Equal(a, b) {
					t.Fatalf("%d and %d have %v in common, with hidden edges %v", u, v, a, b)
				}
			}
		}
	}
}

// TestCommon: a square with a diagonal.
func TestCommon(t *testing.T) {
	near := newNeighbours(4, []pair{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {2, 3}})
	x := make([]mat.Real, commons)
	near.describe(x, 1, 3)
	want := []float64{math.Log1p(2), 2 / math.Log1p(3), 2. / 3, math.Log1p(2. / 3)}
	for i, w := range want {
		if math.Abs(float64(x[i])-w) > 1e-6 {
			t.Errorf("number %d is %v, want %v", i, x[i], w)
		}
	}
}

// TestBatches: the parts of an epoch are disjoint, false pairs are no training pairs, and hard ones have a common
// neighbour.
func TestBatches(t *testing.T) {
	j := newJob(t, "karate", "pairs.hard=1", "pairs.negatives=2", "pairs.common=true")
	seen, far := map[pair]bool{}, 0
	for i := range j.Batches() {
		if err := j.Batch(1, i); err != nil {
			t.Fatal(err)
		}
		for k := range j.drawn.rows {
			p := newPair(j.drawn.ends[0][k], j.drawn.ends[1][k])
			if k < j.drawn.positives {
				if seen[p] || !j.split.taught[p] {
					t.Errorf("%v is in two parts or none", p)
				}
				seen[p] = true
				continue
			}
			common := 0
			if j.near.common(p.u, p.v, func(int32) { common++ }); common == 0 {
				far++
			}
			if j.split.taught[p] || p.u == p.v {
				t.Errorf("%v is joined", p)
			}
		}
	}
	if total := j.Batches() * 2 * j.drawn.positives; far > total/5 {
		t.Errorf("%d of %d hard pairs have no common neighbour", far, total)
	}
}

// trained is the model file of a run.
func trained(t *testing.T, data string, set ...string) []byte {
	t.Helper()
	c, d := settings(t, data, set...)
	r, err := Run(context.Background(), c, d, train.Options{})
	if err != nil {
		t.Fatalf("%v: %v", set, err)
	}
	var b bytes.Buffer
	if err := r.Job.Write(&b, 1); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestKeys: every key of pairs changes what is trained, and the same config gives the same bits.
func TestKeys(t *testing.T) {
	base := trained(t, "karate")
	if !bytes.Equal(base, trained(t, "karate")) {
		t.Error("the same config gives other bits")
	}
	for _, set := range []string{"pairs.valid=0.2", "pairs.test=0.3", "pairs.batches=4", "pairs.negatives=2",
		"pairs.hard=1",
		"pairs.common=true", "model.after=0", "model.after=3", "model.input_dropout=0.1", "train.seed=2",
		"energy.f.lambda=3", "model.learn_lambda=true"} {
		if bytes.Equal(base, trained(t, "karate", set)) {
			t.Errorf("%s changes nothing", set)
		}
	}
}

// TestRefused: keys that nothing reads, and recipes that embed nothing.
func TestRefused(t *testing.T) {
	for _, set := range []string{"model.before=2", "data.corrupt=rows=0.5", "train.metric=accuracy", "recipe=lp",
		"recipe=gcn"} {
		c, d := settings(t, "karate")
		if _, err := build(c, bare(d), train.Trial{Seed: 1}); err != nil {
			t.Fatal(err)
		}
		c, _ = settings(t, "karate", set)
		if _, err := build(c, bare(d), train.Trial{Seed: 1}); err == nil {
			t.Errorf("%s is taken", set)
		}
	}
}

// bare is d without features.
func bare(d *dataset.Dataset) *dataset.Dataset {
	x := *d
	x.Features = nil
	return &x
}

// TestCommunities: links of a graph of communities without features are learnt well above chance. Ten communities of 20
// nodes have 30 % of the pairs inside and 1 % of those between them.
func TestCommunities(t *testing.T) {
	c, _ := settings(t, "karate", "train.epochs=60", "model.hidden=32", "train.rate=0.01")
	const n = 200
	var edges []graph.Triple
	for u := range int32(n) {
		for v := range u {
			share := 0.01
			if u/20 == v/20 {
				share = 0.3
			}
			if float64(mat.Mix(mat.Mix(7, uint64(u)), uint64(v))>>11)/(1<<53) < share {
				edges = append(edges, graph.Triple{U: u, V: v})
			}
		}
	}
	x := dataset.Dataset{Name: "communities", Graph: must(graph.Build(graph.Spec{Nodes: n, Triples: edges,
		Undirected: true}))}
	r := must(Run(context.Background(), c, &x, train.Options{}))
	if !(r.Test.Mean > 0.75) { // chance is 0.5; telling communities alone gives about 0.85
		t.Errorf("test %s %v", r.Metric, r.Test.Mean)
	}
}

// TestRecommend: never the node itself, nor what it is joined with, in either direction.
func TestRecommend(t *testing.T) {
	j := newJob(t, "karate")
	if err := j.evaluate(); err != nil {
		t.Fatal(err)
	}
	tr := j.trained("")
	for u := range int32(34) {
		found := must(tr.Recommend(tr.Data.NodeName(u), 40))
		near := 0
		for p := range j.split.known {
			if p.u == u || p.v == u {
				near++
			}
		}
		if len(found) != 33-near {
			t.Errorf("node %d: %d links, want all but %d and itself", u, len(found), near)
		}
		for i, x := range found {
			v := must(tr.Data.Node(x.Target))
			if v == u || j.split.known[newPair(u, v)] || x.Rank != i+1 ||
				i > 0 && x.Probability > found[i-1].Probability {
				t.Errorf("node %d: %+v", u, x)
			}
		}
	}
}

// TestExplain: pulls are the derivatives of the score by the weights of edges.
func TestExplain(t *testing.T) {
	j := newJob(t, "karate")
	if err := j.evaluate(); err != nil {
		t.Fatal(err)
	}
	tr := j.trained("")
	p := j.split.train[5]
	e := must(tr.Explain(tr.Data.NodeName(p.u), tr.Data.NodeName(p.v), 0))
	if !e.Joined || len(e.Edges) == 0 {
		t.Fatalf("%+v", e)
	}
	best := e.Edges[0]
	at := slices.IndexFunc(j.of, func(i int32) bool {
		q := j.split.train[i]
		return tr.Data.NodeName(q.u) == best.Source && tr.Data.NodeName(q.v) == best.Target ||
			tr.Data.NodeName(q.v) == best.Source && tr.Data.NodeName(q.u) == best.Target
	})
	const step = 1e-2
	var z [2]float64
	for k, sign := range []float64{-1, 1} {
		j.hide([]int32{5})
		j.kept[at] += mat.Real(sign * step)
		j.value.Write(j.kept)
		if err := j.eval.descent.Run(); err != nil {
			t.Fatal(err)
		}
		z[k] = float64(must(j.eval.scores([]pair{p}))[0])
	}
	slope := (z[1] - z[0]) / (2 * step)
	if math.Abs(slope-best.Pull) > 0.02*math.Abs(best.Pull)+1e-6 { // rounding of z over the step
		t.Errorf("pull %v, by differences %v", best.Pull, slope)
	}
	for _, x := range e.Edges {
		if x.Source == e.Source && x.Target == e.Target {
			t.Error("the edge itself has a say")
		}
	}
}

// TestAudit: every edge is judged once.
func TestAudit(t *testing.T) {
	j := newJob(t, "karate")
	if err := j.evaluate(); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, x := range must(j.trained("").Audit()) {
		seen[fmt.Sprint(x.Source, "–", x.Target)] = true
	}
	if len(seen) != 78 {
		t.Errorf("%d edges of 78", len(seen))
	}
}

// TestRanks: a model that gives all the same score has the mean rank, by either metric.
func TestRanks(t *testing.T) {
	j := newJob(t, "karate", "model.after=1")
	for _, p := range j.Params() {
		mat.Fill(p.Value(), 0)
	}
	if err := j.evaluate(); err != nil {
		t.Fatal(err)
	}
	auc := must(j.eval.measure("roc_auc", j.split.test, j.split.testFalse, 1))
	mrr := must(j.eval.measure("mrr", j.split.test, nil, 1))
	if auc != 0.5 || mrr > 0.12 || mrr < 2./34 {
		t.Errorf("roc_auc %v, mrr %v of a model without an opinion", auc, mrr)
	}
}

// TestOutgrownStep: links are trained with a fixed step size as long as the trained C allows it.
func TestOutgrownStep(t *testing.T) {
	j := newJob(t, "karate", "recipe=heterophily", "energy.descent.sigma=none", "energy.descent.gamma=1e-3")
	if _, err := j.Certify(); err != nil {
		t.Error(err)
	}
	for _, p := range j.Params() {
		if p.Name == "C" {
			mat.Affine(p.Value(), p.Value(), 100, 0)
		}
	}
	var long *descent.StepTooLong
	if _, err := j.Certify(); !errors.As(err, &long) {
		t.Errorf("error %v", err)
	}
}
