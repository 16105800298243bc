package node

import (
	"cmp"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

// TestCertify: certified answers of runs stay the same when the network itself predicts on graphs with random edges
// removed or added within the budget. Without a budget nearly all answers are certified, as the run gives them.
func TestCertify(t *testing.T) {
	for name, set := range map[string][]string{
		"margins":      {"model.after=0"},
		"ReLU":         nil,
		"layers":       {"model.after=2"},
		"symmetric":    {"model.after=0", "energy.f={norm: symmetric}"},
		"robust":       {"energy.kappa={anchor: huber}"},
		"non-negative": {"energy.eta=nonnegative"},
		"threshold":    {"train.metric=macro_f1", "model.after=0"},
	} {
		t.Run(name, func(t *testing.T) { checkCertified(t, set) })
	}
}

func checkCertified(t *testing.T, set []string) {
	set = append(set, "train.epochs=30", "model.hidden=8", "energy.f={lambda: 0.2}", "energy.steps=6")
	c, err1 := config.Load(config.Options{Recipe: "base", Data: "-", Set: set})
	d, _, err2 := generate.Make("csbm:nodes=150,classes=2,degree=6,features=6,homophily=0.9,seed=3")
	if err := cmp.Or(err1, err2); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	trained(t, *c, d, Options{Options: train.Options{Dir: dir}})
	open := func(d *dataset.Dataset, budget int) (*certifier, []int) {
		run, err := Load(dir, *c, d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := newCertifier(run, task.Changes{Each: budget, Edges: "two-hop"})
		if err != nil {
			t.Fatal(err)
		}
		var holds []int
		for v, y := range x.Certify(x.model, x.class) {
			if y.Holds {
				holds = append(holds, v)
			}
		}
		return x, holds
	}
	x, all := open(d, 0)
	_, certified := open(d, 1)
	if len(all) < 145 || len(certified) < 50 || len(certified) > 145 {
		t.Errorf("%d of 150 answers are certified, without changes %d", len(certified), len(all))
	}
	for seed := range uint64(10) {
		changed := *d
		changed.Graph = rewired(t, x.Near, rand.New(rand.NewPCG(seed, 1)))
		now, _ := open(&changed, 0)
		for _, v := range certified {
			if now.class[v] != x.class[v] {
				t.Errorf("seed %d: node %d is certified and changed", seed, v)
			}
		}
	}
}

// rewired returns a graph in which at most one edge of every node was removed, or added to a neighbour of a neighbour.
func rewired(t *testing.T, near [][]int32, r *rand.Rand) *graph.Graph {
	t.Helper()
	joined, used := map[[2]int32]bool{}, map[int32]bool{}
	for u, list := range near {
		for _, v := range list {
			if int32(u) < v {
				joined[[2]int32{int32(u), v}] = true
			}
		}
	}
	for range 3 * len(near) {
		u := int32(r.IntN(len(near)))
		v := u
		for range 1 + r.IntN(2) {
			if len(near[v]) > 0 {
				v = near[v][r.IntN(len(near[v]))]
			}
		}
		if e := [2]int32{min(u, v), max(u, v)}; u != v && !used[u] && !used[v] {
			used[u], used[v], joined[e] = true, true, !joined[e]
		}
	}
	s := graph.Spec{Nodes: len(near), Undirected: true}
	for u := range int32(len(near)) {
		for v := range int32(len(near)) {
			if joined[[2]int32{u, v}] {
				s.Sources, s.Targets = append(s.Sources, u), append(s.Targets, v)
			}
		}
	}
	g, err := graph.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
