package kg_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/kg"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// More long runs that a flag asks for:
//
//	go test ./kg -run TestNewEntities -v -timeout 0 -kg.model distmult -kg.data FB15k-237 -kg.hold 0.05
//	go test ./kg -run TestInductive -v -timeout 0 -kg.model distmult-bilevel -kg.data fb237_v1
var (
	holdFlag  = flag.Float64("kg.hold", 0.05, "share of the entities that TestNewEntities holds out")
	gammaFlag = flag.Float64("kg.gamma", 0, "step size of Add in TestNewEntities")
	keepFlag  = flag.String("kg.keep", "", "folder where TestNewEntities keeps its models for the next time")
	poolFlag  = flag.Int("kg.pool", 0, "false answers of Add in TestNewEntities")
	muFlag    = flag.Float64("kg.mu", 0, "weight of the pull to 0 of Add in TestNewEntities")
)

// heldOut is d with a share of its entities numbered last. old has the others alone; facts are those about the last ones.
func heldOut(t *testing.T, d *dataset.Dataset, share float64) (whole, old *dataset.Dataset, facts []graph.Triple, names []string) {
	t.Helper()
	n := d.Graph.NumNodes()
	k := n - int(math.Round(share*float64(n)))
	number := make([]int32, n)
	var in, out int32 = 0, int32(k)
	for v := range number { // exactly n − k are drawn, by their hash
		left, room := n-v, n-int(out)
		if float64(mat.Mix(99, uint64(v))>>11)/(1<<53)*float64(left) < float64(room) {
			number[v], out = out, out+1
		} else {
			number[v], in = in, in+1
		}
	}
	all := make([]string, n)
	for v, to := range number {
		all[to] = d.IDs.At(int32(v))
	}
	renumber := func(list []graph.Triple) (same, about []graph.Triple) {
		for _, f := range list {
			f.U, f.V = number[f.U], number[f.V]
			if int(f.U) >= k || int(f.V) >= k {
				about = append(about, f)
			} else {
				same = append(same, f)
			}
		}
		return same, about
	}
	build := func(nodes int, list []graph.Triple) *graph.Graph {
		g, err := graph.Build(graph.Spec{Nodes: nodes, Relations: d.Graph.NumRelations(), Triples: list})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	train, facts := renumber(d.Graph.Triples())
	valid, validNew := renumber(d.Valid)
	test, testNew := renumber(d.Test)
	old = &dataset.Dataset{Name: d.Name, Graph: build(k, train), IDs: dataset.NewIDs(all[:k]), Relations: d.Relations, Valid: valid, Test: test}
	whole = &dataset.Dataset{Name: d.Name, Graph: build(n, append(append([]graph.Triple(nil), train...), facts...)),
		IDs: dataset.NewIDs(all), Relations: d.Relations, Valid: append(append([]graph.Triple(nil), valid...), validNew...), Test: append(append([]graph.Triple(nil), test...), testNew...)}
	return whole, old, facts, all[k:]
}

// kept is a model that was trained with the same name before, in the folder of -kg.keep, or a new one that is put there.
func kept(t *testing.T, name string, c kg.Config, d *dataset.Dataset) (*kg.Model, float64) {
	t.Helper()
	path := filepath.Join(*keepFlag, name)
	if m, err := kg.Load(path); *keepFlag != "" && err == nil {
		return m, math.NaN()
	}
	m, _, seconds := watched(t, name, c, d)
	if *keepFlag != "" {
		var file bytes.Buffer
		if err := errors.Join(m.Save(&file), os.WriteFile(path, file.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return m, seconds
}

// standing is how a model answers: MRR of all questions about facts of new entities, of those that new entities ask and of
// those that they answer; and of the questions of old entities, which must not suffer from the new ones.
type standing struct{ All, Asks, Answers, Old float64 }

func standingOf(t *testing.T, m *kg.Model, known *kg.Known, asked, others []graph.Triple, first int32) (s standing) {
	t.Helper()
	rank := func(facts []graph.Triple) []kg.Ranked {
		list, err := m.Rank(facts, known, kg.Full, 0)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	var all, asks, answers, old []metric.Ranking
	for _, x := range rank(asked) {
		all = append(all, x.Tail, x.Head)
		if x.Fact.U >= first {
			asks, answers = append(asks, x.Tail), append(answers, x.Head)
		}
		if x.Fact.V >= first {
			asks, answers = append(asks, x.Head), append(answers, x.Tail)
		}
	}
	for _, x := range rank(others) {
		old = append(old, x.Tail, x.Head)
	}
	mrr := func(list []metric.Ranking) float64 { return metric.MRR(list, metric.Realistic) }
	return standing{mrr(all), mrr(asks), mrr(answers), mrr(old)}
}

// TestNewEntities compares Add with full retraining: the MRR of facts about entities that were held out. The facts are
// those for validation, with which steps are chosen, unless -kg.test asks for the others.
func TestNewEntities(t *testing.T) {
	c, changed := settings(t)
	whole, old, facts, names := heldOut(t, open(t), *holdFlag)
	k := len(old.Valid)
	asked, others := whole.Valid[k:], whole.Valid[:min(k, 1000)]
	if *testFlag {
		asked = whole.Test[len(old.Test):]
	}
	c.Every = 0
	known, first := kg.KnownOf(whole), int32(old.Graph.NumNodes())
	base, _ := kept(t, "without", c, old)
	full, seconds := kept(t, "with", c, whole)
	want := standingOf(t, full, known, asked, others, first)
	fmt.Printf("%d new entities with %d facts, %d facts are asked for\n", len(names), len(facts), len(asked))
	fmt.Printf("%8s %8s %8s %8s %8s %8s %9s\n", "L", "MRR", "ratio", "asks", "answers", "old", "seconds")
	show := func(name string, s standing, seconds float64) {
		fmt.Printf("%8s %8.4f %8.3f %8.4f %8.4f %8.4f %9.2f\n", name, s.All, s.All/want.All, s.Asks, s.Answers, s.Old, seconds)
	}
	curve := map[int]standing{}
	for _, steps := range []int{-1, 1, 2, 5, 10, 20, 50} {
		start := time.Now()
		m, _, err := base.Add(names, facts, kg.Settle{L: steps, Gamma: *gammaFlag, Mu: *muFlag, Negatives: *poolFlag})
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(start).Seconds()
		s := standingOf(t, m, known, asked, others, first)
		show(strconv.Itoa(max(0, steps)), s, took)
		curve[max(0, steps)] = s
	}
	show("retrain", want, seconds)
	if math.IsNaN(seconds) {
		seconds = 0 // it was trained before
	}
	record(t, line{Experiment: "new entities", Recipe: *modelFlag, Data: *dataFlag, Seed: c.Seed, Epochs: c.Epochs, Changed: changed, Seconds: seconds,
		More: map[string]any{"facts": len(asked), "test": *testFlag, "gamma": *gammaFlag, "mu": *muFlag, "retrained": want, "curve": curve}})
}

// TestInductive trains on a graph and embeds its twin by the same steps.
func TestInductive(t *testing.T) {
	c, changed := settings(t)
	d := open(t)
	if d.Twin == nil {
		t.Fatalf("%s has no twin", d.Name)
	}
	m, best, seconds := watched(t, *modelFlag, c, d)
	twin, err := m.Embed(d.Twin.Graph)
	if err != nil {
		t.Fatal(err)
	}
	// Facts of the twin's graph alone are filtered, as NBFNet does.
	r, err := twin.Evaluate(d.Twin, d.Twin.Test, kg.Ranking{Known: kg.NewKnown(d.Twin.Graph.Triples())})
	if err != nil {
		t.Fatal(err)
	}
	record(t, line{Experiment: "inductive", Recipe: *modelFlag, Data: *dataFlag, Seed: c.Seed, Epochs: c.Epochs, Changed: changed,
		Seconds: seconds, Valid: best, Scores: r.Scores})
}
