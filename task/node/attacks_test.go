package node

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/task"
)

// TestAttacks: no certified answer on a benchmark changes by random or greedy changes of edges within the budget, which
// are removals, or additions too. With -v it says how many of the others do. BLOOM_ATTACKS=DIR attacks the runs of base
// in DIR, NAME-base; the commands and figures are in docs/lab/proofs.md.
func TestAttacks(t *testing.T) {
	dir := os.Getenv("BLOOM_ATTACKS")
	if dir == "" || dir == "all" {
		run := openOn(t, planetoid(t, "cora"), "base", "train.epochs=10", "model.after=0",
			"energy.steps=8")
		attackRun(t, run, task.Changes{Each: 1}, 50, 30)
		attackRun(t, run, task.Changes{Each: 2, Total: 2, Minimiser: true}, 10, 10)
		attackRun(t, run, task.Changes{Each: 1, Edges: "two-hop"}, 20, 20)
		return
	}
	for _, name := range []string{"cora", "citeseer", "pubmed", "tolokers"} {
		for _, c := range []task.Changes{{Each: 1}, {Each: 3}, {Each: 5, Total: 5}, {Each: 1, Minimiser: true},
			{Each: 1, Edges: "two-hop"}, {Each: 1, Edges: "all"}} {
			t.Run(fmt.Sprintf("%s/%d-%d-%v%s", name, c.Each, c.Total, c.Minimiser, c.Edges), func(t *testing.T) {
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
	attackPart    = flag.Int("attack-part", 0, "TestAttacks makes other random changes for every number, and greedy ones "+
		"about the nodes after those of smaller numbers")
)

// check reports whether the answer for v has changed, which a certified one must not.
func (a *victim) check(t *testing.T, kind string, v, now int32) bool {
	if now != a.class[v] && a.list[v].Holds {
		t.Errorf("%s: node %d is certified, %+v, and class %d instead of %d", kind, v, a.list[v], now, a.class[v])
	}
	return now != a.class[v]
}

// alone returns the class of v on a graph.
func (a *victim) alone(g *altered, v int32) int32 {
	p, _ := a.spread(g, v)
	return best(a.head(a.row(p)))
}

// attackRun attacks a run whose descent is linear.
func attackRun(t *testing.T, run *Trained, c task.Changes, random, greedy int) {
	t.Helper()
	began, r := time.Now(), rand.New(rand.NewPCG(42, 7+uint64(*attackPart)))
	a := newVictim(t, run, c)
	a.rows()
	if !a.model.Linear {
		t.Fatal("the descent is not linear")
	}
	if a.model.Steps > 0 {
		a.compare(t, run)
	}
	parts := a.parts()
	if len(parts[0]) == 0 {
		t.Skip("no answer is certified")
	}
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
	fallen, others := 0, 0
	for i := *attackPart * greedy; i < (*attackPart+1)*greedy; i++ {
		v := parts[0][i%len(parts[0])]
		rivals := a.rivals(v)
		a.check(t, "greedy", v, a.alone(a.greedy(v, rivals[i/len(parts[0])%len(rivals)]), v))
		if i < len(parts[1]) {
			others++
			if v := parts[1][i]; a.check(t, "greedy", v, a.alone(a.greedy(v, a.list[v].Rival), v)) {
				fallen++
			}
		}
	}
	t.Logf("%d greedy changes; %d of %d others overturned; %.0f s in all", greedy, fallen, others,
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
	for _, g := range []*altered{a.whole(), a.random(rand.New(rand.NewPCG(1, 2)), 0)} {
		d, s := *run.Data, graph.Spec{Nodes: len(a.Near), Undirected: true}
		for e, x := range a.ends {
			if !g.gone[e] {
				s.Sources, s.Targets = append(s.Sources, x[0]), append(s.Targets, x[1])
			}
		}
		for u, list := range g.more {
			for _, v := range list {
				if u < v {
					s.Sources, s.Targets = append(s.Sources, u), append(s.Targets, v)
				}
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
