package serve

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/task/node"
)

// opened is the journal of a folder, and what it says.
func opened(t testing.TB, dir, data string) (*journal, *history) {
	t.Helper()
	j, past, err := openJournal(dir, data, func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.close() })
	return j, past
}

// TestJournal: versions come back in order, belong to one data set and to one process, and are not those of an earlier
// version of the program.
func TestJournal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	refused := func(data, want string) {
		t.Helper()
		if _, _, err := openJournal(dir, data, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	j, _ := opened(t, dir, "one")
	for i := range 3 {
		if err := j.append(entry{Edits: []Edit{{RemoveNode: fmt.Sprint(i)}}}); err != nil {
			t.Fatal(err)
		}
	}
	refused("one", "is being served")
	if err := errors.Join(j.append(entry{Undo: 3}), j.close()); err != nil {
		t.Fatal(err)
	}
	refused("two", "other data")
	j, past := opened(t, dir, "one")
	if got := fmt.Sprint(past.recent[0].Version, past.recent[1].Edits[0].RemoveNode, len(past.recent)); got != "112" ||
		j.version != 4 {
		t.Errorf("%s, version %d", got, j.version)
	}
	if err := errors.Join(j.close(), os.WriteFile(filepath.Join(dir, formerName), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	refused("one", "earlier version")
}

// TestServedBefore: a run whose journal has edits has one server, as one without.
func TestServedBefore(t *testing.T) {
	dir := trained(t, "base")
	addr, kill := spawn(t, Options{}, dir)
	if writeSome(addr, 0, 3) != 3 {
		t.Fatal("3 edits were not made")
	}
	kill()
	addr, kill = spawn(t, Options{}, dir)
	defer kill()
	s, err := New(t.Context(), Options{}, nil, dir)
	if err == nil || !strings.Contains(err.Error(), "is being served by process") {
		if err == nil {
			s.Close()
		}
		t.Errorf("a second server: %v", err)
	}
	if n := writeSome(addr, 3, 3); n != 3 {
		t.Errorf("%d of 3 edits were made after a second server was started", n)
	}
}

// TestFlippedJournal kills a server and flips bits of what its journal left: all acknowledged versions are there as
// they were, or the start is refused with a version.
func TestFlippedJournal(t *testing.T) {
	dir := trained(t, "base")
	addr, kill := spawn(t, Options{}, dir)
	acknowledged := writeSome(addr, 0, 30)
	kill()
	pattern := filepath.Join(dir, "edits*")
	left := map[string][]byte{}
	for _, file := range glob(t, pattern) {
		left[file], _ = os.ReadFile(file)
	}
	want := state(t, dir)
	const seed = 35
	rng := rand.New(rand.NewPCG(seed, 0))
	refused := 0
	for try := range 60 {
		for _, file := range glob(t, pattern) {
			must(os.Remove(file))
		}
		for file, text := range left {
			must(os.WriteFile(file, text, 0o666))
		}
		file := slices.Sorted(maps.Keys(left))[rng.IntN(len(left))]
		bit := rng.IntN(8 * len(left[file]))
		spoilt := slices.Clone(left[file])
		spoilt[bit/8] ^= 1 << (bit % 8)
		must(os.WriteFile(file, spoilt, 0o666))
		what := fmt.Sprintf("seed %d, try %d, bit %d of %s", seed, try, bit, filepath.Base(file))
		switch s, err := New(t.Context(), Options{}, nil, dir); {
		case err != nil && !strings.Contains(err.Error(), "version"):
			t.Errorf("%s: no version in %v", what, err)
		case err != nil:
			refused++
		default:
			if got := stateOf(s); got != want {
				t.Errorf("%s: it begins with %.80s…, want %.80s…", what, got, want)
			}
			s.Close()
		}
	}
	t.Logf("%d versions, %d of 60 flips were refused", acknowledged, refused)
}

// glob are the files of a pattern.
func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v, %v", pattern, files, err)
	}
	return files
}

// state is what the server of a folder begins with.
func state(t *testing.T, dir string) string {
	t.Helper()
	s, err := New(t.Context(), Options{}, nil, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return stateOf(s)
}

func stateOf(s *Server) string {
	m := s.models()[0]
	d, err := m.graph.dataset("x")
	return fmt.Sprint(m.journal.version, len(m.made), d.Graph.Triples(), d.Features[0].Values, err)
}

// TestFold: what edits come to gives the graph that they give one by one, and so does what that comes to.
func TestFold(t *testing.T) {
	task, err := node.Open(trained(t, "base"))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(25) {
		rng := rand.New(rand.NewPCG(seed, 0))
		plain, short, f := graphOf(t, task), graphOf(t, task), newFold()
		for range 300 {
			edits := someEdits(rng, plain)
			if _, err := plain.repeat(edits); err != nil {
				continue // nothing was made
			}
			for _, e := range edits {
				f.add(e)
			}
			if rng.IntN(50) == 0 {
				again := newFold()
				for _, e := range f.edits() {
					again.add(e)
				}
				f = again
			}
		}
		if _, err := short.repeat(f.edits()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		alike(t, fmt.Sprint("seed ", seed), short, plain)
	}
}

// TestHistory: a journal that was made short and read again, any number of times, gives the graph that its versions
// give one by one, and the last of them can be taken back.
func TestHistory(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 0))
	task, err := node.Open(trained(t, "base"))
	if err != nil {
		t.Fatal(err)
	}
	plain, past := graphOf(t, task), newHistory("")
	past.base = newFold()
	var batches []batch
	for version := int64(1); version <= 8000; version++ {
		if n := len(batches); n > 0 && rng.IntN(40) == 0 {
			must(past.read(version, fmt.Appendf(nil, `{"undo":%d}`, batches[n-1].number)))
			takeBack(t, plain, batches[n-1].past)
			batches = batches[:n-1]
			continue
		}
		edits := someEdits(rng, plain)
		made, err := plain.repeat(edits)
		if err != nil {
			continue
		}
		batches = append(batches, batch{version, made})
		batches = batches[max(0, len(batches)-memory):]
		past.add(batchOf{version, edits})
		if rng.IntN(1000) == 0 {
			again := newHistory("")
			must(again.read(version, past.text()))
			past = again
		}
	}
	short := &Model{graph: graphOf(t, task)}
	if err := short.follow(t.Context(), &journal{}, past); err != nil {
		t.Fatal(err)
	}
	for _, back := range []int{0, 1, 10, len(batches) - 11} {
		for range back {
			n := len(batches) - 1
			last := short.made[len(short.made)-1]
			if short.made = short.made[:len(short.made)-1]; last.number != batches[n].number {
				t.Fatalf("version %d is the last, want %d", last.number, batches[n].number)
			}
			takeBack(t, short.graph, last.past)
			takeBack(t, plain, batches[n].past)
			batches = batches[:n]
		}
		alike(t, fmt.Sprintf("seed %d, %d batches left", seed, len(batches)), short.graph, plain)
	}
	t.Logf("%d edits in the place of those before the last %d batches", len(past.edits()), len(past.recent))
}

// takeBack undoes the last commit.
func takeBack(t *testing.T, g *graph, p *former) {
	t.Helper()
	d, err := g.returned(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	g.undo(p, d)
}

func graphOf(t *testing.T, task *node.Trained) *graph {
	t.Helper()
	g, err := newGraph(t.Context(), task, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// alike wants two graphs of which edits have said the same.
func alike(t *testing.T, what string, got, want *graph) {
	t.Helper()
	a, b := told(got), told(want)
	for _, id := range slices.Sorted(maps.Keys(b)) {
		if !reflect.DeepEqual(a[id], b[id]) {
			t.Fatalf("%s: %s is %v, one by one %v", what, id, a[id], b[id])
		}
	}
	if len(a) != len(b) {
		t.Fatalf("%s: %d things are told, one by one %d", what, len(a), len(b))
	}
}

// told is all that edits can say of a graph, by the ids of nodes.
func told(g *graph) map[string]any {
	all := map[string]any{}
	for place, v := range g.kept() {
		id := g.id(v)
		near := map[string]float64{}
		for _, u := range g.state.Neighbours(v) {
			near[g.id(u)] = g.state.Weight(u, v)
		}
		all[id] = []any{place, g.features(v), near, g.labelOf(v), g.right.has(thing{kind: "row", u: v}),
			g.right.has(thing{kind: "label", u: v})}
	}
	for x := range g.right.own {
		if x.kind == "edge" && !g.hidden.has(x.u) && !g.hidden.has(x.v) {
			ends := []string{g.id(x.u), g.id(x.v)}
			slices.Sort(ends)
			all[strings.Join(ends, "–")] = true
		}
	}
	return all
}

// someEdits are a few edits about few nodes, so that they often concern the same; some cannot be made.
func someEdits(rng *rand.Rand, g *graph) (list []Edit) {
	id := func() string {
		if rng.IntN(2) == 0 {
			return fmt.Sprint("x", rng.IntN(6))
		}
		return fmt.Sprint("n", rng.IntN(12))
	}
	row := func() *Row {
		if rng.IntN(3) == 0 {
			return &Row{ID: id(), Columns: Values{g.task.Columns()[rng.IntN(4)].Name: rng.NormFloat64()}}
		}
		return &Row{ID: id(), Features: []float64{rng.NormFloat64(), 0, 1, rng.NormFloat64()}}
	}
	for range 1 + rng.IntN(3) {
		pair := &Pair{id(), id()}
		if u, err := g.find(pair[0]); err == nil && rng.IntN(2) == 0 && len(g.state.Neighbours(u)) > 0 {
			pair[1] = g.id(g.state.Neighbours(u)[0])
		}
		list = append(list, [...]Edit{{AddEdge: pair, Weight: float64(rng.IntN(3))}, {RemoveEdge: pair},
			{AddEdge: pair, Weight: 0.3}, {RemoveEdge: pair}, {AddNode: row()}, {AddNode: row()}, {SetFeatures: row()},
			{RemoveNode: id()}, {SetLabel: &Label{id(), []string{"", "c0", "c1"}[rng.IntN(3)]}},
			{Confirm: &Confirm{Edge: pair, Withdraw: rng.IntN(3) == 0}},
			{Confirm: &Confirm{Row: id(), Withdraw: rng.IntN(3) == 0}},
			{Confirm: &Confirm{Label: id(), Withdraw: rng.IntN(3) == 0}}}[rng.IntN(12)])
	}
	return list
}

// TestShortened: a journal of many versions has few lines, which come to the same.
func TestShortened(t *testing.T) {
	dir := t.TempDir()
	j, _ := opened(t, dir, "one")
	for i := range 20 {
		var some []entry
		for k := range 200 {
			e := Edit{SetFeatures: &Row{ID: fmt.Sprint("n", k), Features: []float64{float64(i), float64(k)}}}
			some = append(some, entry{Edits: []Edit{e}})
		}
		if err := j.append(some...); err != nil {
			t.Fatal(err)
		}
		j.shorten()
	}
	before, err := j.read()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, journalName))
	if n := strings.Count(string(text), "\n"); err != nil || n > memory+200 || j.version != 4000 {
		t.Errorf("%d lines of version %d, %v", n, j.version, err)
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	j, past := opened(t, dir, "one")
	if !slices.Equal(before.text(), past.text()) || len(past.recent) != memory || len(past.edits()) != 200 ||
		past.recent[memory-1].Version != 4000 || j.version != 4000 {
		t.Errorf("%d edits and %d batches of version %d", len(past.edits()), len(past.recent), j.version)
	}
}

// TestNoColumns: an edit that names no column is the same when it is read again.
func TestNoColumns(t *testing.T) {
	dir := trained(t, "base")
	r := serving(t, Options{}, dir)
	r.ask("/v1/graph", `{"edits":[{"add_node":{"id":"x","columns":{}}},{"set_features":{"id":"n1","columns":{}}}]}`,
		200, nil)
	want := stateOf(r.s)
	r.s.Close()
	if got := state(t, dir); got != want {
		t.Errorf("%.300s became %.300s", want, got)
	}
}
