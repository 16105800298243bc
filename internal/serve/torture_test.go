package serve

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	bgraph "github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/live"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

var tortures = flag.Int("tortures", 10000, "how many edits, undos and questions TestTorture makes")

// world is a graph as plain lists, from which everything is computed afresh.
type world struct {
	pi    map[string][]mat.Real
	edges map[[2]string]mat.Real // the ends ascend
}

func (w *world) clone() *world { return &world{maps.Clone(w.pi), maps.Clone(w.edges)} }

// fresh is a state on the world that has no past.
func (w *world) fresh(t *testing.T, task *node.Trained, tolerance float64) (*live.State, []string) {
	t.Helper()
	ids := slices.Sorted(maps.Keys(w.pi))
	spec, place := bgraph.Spec{Nodes: len(ids), Undirected: true}, map[string]int32{}
	var p []mat.Real
	for i, id := range ids {
		place[id] = int32(i)
		p = append(p, w.pi[id]...)
	}
	for e, a := range w.edges {
		spec.Triples = append(spec.Triples, bgraph.Triple{U: place[e[0]], V: place[e[1]]})
		spec.Weights = append(spec.Weights, a)
	}
	g, err := bgraph.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	local, _, _ := task.Local()
	local.Pi = mat.FromSlice(len(ids), len(p)/len(ids), p)
	s, err := live.New(t.Context(), local, 0, g, tolerance)
	if err != nil {
		t.Fatalf("what was settled is not from scratch: %v", err)
	}
	return s, ids
}

// compare wants every state of g within its bound of the minimiser, which fresh has within its own. It returns the
// largest ratio of a distance to these bounds.
func (w *world) compare(t *testing.T, g *graph, tolerance float64) (worst float64) {
	t.Helper()
	fresh, ids := w.fresh(t, g.task, tolerance)
	if len(ids) != g.state.Nodes()-len(g.removed()) || len(w.edges) != g.state.Edges() {
		t.Fatalf("%d nodes less %d and %d edges, want %d and %d", g.state.Nodes(), len(g.removed()), g.state.Edges(),
			len(ids), len(w.edges))
	}
	for i, id := range ids {
		v, err := g.find(id)
		if err != nil {
			t.Fatal(err)
		}
		square, other := 0.0, fresh.Row(int32(i))
		for j, x := range g.state.Row(v) {
			square += (float64(x) - float64(other[j])) * (float64(x) - float64(other[j]))
		}
		far, bound := math.Sqrt(square), g.state.Bound(v)+fresh.Bound(int32(i))
		worst = max(worst, far/bound)
		if far > bound || g.state.Bound(v) > g.state.Widest() {
			t.Errorf("%s is %g away from what it is from scratch, bounds %g together, widest %g", id, far, bound,
				g.state.Widest())
		}
	}
	return worst
}

// removed are the nodes that were.
func (g *graph) removed() (list []int32) {
	for v := range int32(g.state.Nodes()) {
		if g.hidden.has(v) {
			list = append(list, v)
		}
	}
	return list
}

// wild is a number of any size from 1e-30 to 1e30, which no float32 is.
func wild(rng *rand.Rand) float64 { return math.Pow(10, 60*rng.Float64()-30) }

// wildEdit is an edit that can be made, which it makes to w.
func (w *world) wildEdit(t *testing.T, g *graph, rng *rand.Rand) Edit {
	t.Helper()
	ids := slices.Sorted(maps.Keys(w.pi))
	a, b := ids[rng.IntN(len(ids))], ids[rng.IntN(len(ids))]
	row := &Row{ID: a}
	for range g.task.Features(0).Cols {
		row.Features = append(row.Features, wild(rng)*float64(1-2*rng.IntN(2)))
	}
	pair, key := Pair{a, b}, [2]string{min(a, b), max(a, b)}
	_, there := w.edges[key]
	switch k := rng.IntN(20); {
	case k == 0 && len(ids) < 24:
		row.ID = fmt.Sprintf("x%d", rng.Uint64())
		w.pi[row.ID] = w.projected(t, g, row)
		return Edit{AddNode: row}
	case k == 1 && len(ids) > 12:
		delete(w.pi, a)
		maps.DeleteFunc(w.edges, func(e [2]string, _ mat.Real) bool { return e[0] == a || e[1] == a })
		return Edit{RemoveNode: a}
	case k < 4 || a == b:
		w.pi[a] = w.projected(t, g, row)
		return Edit{SetFeatures: row}
	case there:
		delete(w.edges, key)
		return Edit{RemoveEdge: &pair}
	}
	x := wild(rng)
	w.edges[key] = mat.Real(x)
	return Edit{AddEdge: &pair, Weight: x}
}

func (w *world) projected(t *testing.T, g *graph, row *Row) []mat.Real {
	t.Helper()
	x, err := g.row(*row, -1)
	must(err)
	p, err := g.pi(row.ID, x)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(p)
}

// begin is the world of a graph that did not change.
func begin(g *graph) *world {
	w := &world{map[string][]mat.Real{}, map[[2]string]mat.Real{}}
	for v := range int32(g.state.Nodes()) {
		w.pi[g.id(v)] = slices.Clone(g.state.Pi(v))
		for _, u := range g.state.Neighbours(v) {
			w.edges[[2]string{min(g.id(u), g.id(v)), max(g.id(u), g.id(v))}] = mat.Real(g.state.Weight(u, v))
		}
	}
	return w
}

// TestTorture makes random edits, undos and questions with weights and features from 1e-30 to 1e30 that float32 cannot
// hold. After each of them every state is within its bound of what it is from scratch. What is refused, or only asked,
// leaves no trace, and what is taken back is what it was, to the last bit; where states are computed again for that,
// within the bound.
func TestTorture(t *testing.T) {
	rounds := *tortures / 2
	if testing.Short() {
		rounds /= 10
	}
	for _, norm := range []string{"none", "symmetric"} {
		t.Run(norm, func(t *testing.T) { torture(t, norm, rounds) })
	}
}

// tortured is a graph with the world that it should be, and its versions.
type tortured struct {
	*testing.T
	*graph
	rng       *rand.Rand
	tolerance float64
	world     *world
	made      []tortureVersion
	count     map[string]int
	worst     float64 // distance from a state from scratch, in their bounds together
}

type tortureVersion struct {
	past  *former
	world *world // before it
	print string // the same
}

func torture(t *testing.T, norm string, rounds int) {
	const seed, tolerance = 5, 1e-4
	g, err := newGraph(t.Context(), small(t, norm), true, tolerance)
	if err != nil {
		t.Fatal(err)
	}
	x := &tortured{t, g, rand.New(rand.NewPCG(seed, 1)), tolerance, begin(g), nil, map[string]int{}, 0}
	for round := range rounds {
		if t.Failed() {
			t.Fatalf("seed %d, round %d", seed, round)
		}
		if len(x.made) > 0 && x.rng.IntN(4) == 0 {
			x.back()
		} else {
			x.on()
		}
	}
	t.Logf("%v; states are at most %.2g of their bounds from those from scratch", x.count, x.worst)
	for _, what := range []string{"undone", "refused", "asked", "made"} {
		if x.count[what] < rounds/50 {
			t.Errorf("%d %s of %d", x.count[what], what, rounds)
		}
	}
}

// back takes the last version back. Now and then its states, and those of the versions before, are no longer kept.
func (x *tortured) back() {
	last := x.made[len(x.made)-1]
	x.made, x.world = x.made[:len(x.made)-1], last.world
	if x.rng.IntN(8) == 0 {
		last.past.state.Trim()
		for _, v := range x.made {
			v.past.state.Trim()
		}
	}
	takeBack(x.T, x.graph, last.past)
	if !last.past.state.Trimmed() && x.print() != last.print {
		x.Error("taken back, it is not what it was")
	}
	x.count["undone"]++
	x.worst = max(x.worst, x.world.compare(x.T, x.graph, x.tolerance))
}

// on makes edits, or asks what would be.
func (x *tortured) on() {
	before, next := x.print(), x.world.clone()
	var edits []Edit
	for range 1 + x.rng.IntN(3) {
		edits = append(edits, next.wildEdit(x.T, x.graph, x.rng))
	}
	d, err := x.edited(x.Context(), edits)
	var refused *Unsettled
	switch {
	case errors.As(err, &refused):
		x.count["refused"]++
	case err != nil:
		x.Error(err)
	case x.rng.IntN(3) == 0:
		x.count["asked"]++
		x.worst = max(x.worst, next.compare(x.T, d, x.tolerance))
		d.drop()
	default:
		x.count["made"]++
		if wrong, err := d.state.Check(x.Context(), 2); err != nil || wrong > 0 {
			x.Errorf("%d rows are wrong, %v", wrong, err)
		}
		x.made = append(x.made, tortureVersion{d.commit(), x.world, before})
		x.world = next
		x.worst = max(x.worst, x.world.compare(x.T, x.graph, x.tolerance))
		return
	}
	if x.print() != before {
		x.Error("nothing was made, and the graph has changed")
	}
}

// print is what can be told of a graph, to the last bit.
func (g *graph) print() string {
	text := fmt.Sprint(g.named.own, g.hidden.own, g.rows.own, g.state.Edges(), g.state.Widest())
	for v := range int32(g.state.Nodes()) {
		text += fmt.Sprint(g.state.Row(v), g.state.Pi(v), g.state.Neighbours(v), g.state.Bound(v))
	}
	return text
}

// small is a run on 16 nodes.
func small(t *testing.T, norm string) *node.Trained {
	t.Helper()
	const data = "csbm:nodes=16,features=3,degree=3"
	c, err := config.Load(config.Options{Recipe: "base", Data: data, Set: []string{"train.epochs=2", "model.hidden=4",
		"energy.f.norm=" + norm}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := catalogue.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() + "/small"
	if _, err := node.Run(t.Context(), *c, d, node.Options{Options: train.Options{Dir: dir}}); err != nil {
		t.Fatal(err)
	}
	task, err := node.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return task
}
