package serve

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/importer"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// shop is the tables of accounts that pay each other.
type shop struct {
	ids  []string
	x    map[string]int
	city map[string]string
	paid []payment
}

type payment struct {
	from, to, day string
	amount        float64
}

var cities = []string{"Bern", "Ulm", "Jena", "Metz", "Graz"}

func newShop(rng *rand.Rand) *shop {
	s := &shop{x: map[string]int{}, city: map[string]string{}}
	for i := range 30 {
		s.ids = append(s.ids, fmt.Sprint("a", i))
		s.x[s.ids[i]], s.city[s.ids[i]] = i*i%11, cities[i%len(cities)]
	}
	s.paid = []payment{{"a0", "a1", "2024-01-01", 5}, {"a1", "a0", "2024-12-31", 7}}
	for len(s.paid) < 150 {
		u, v := rng.IntN(30), rng.IntN(30)
		if u != v {
			s.paid = append(s.paid, payment{s.ids[u], s.ids[v], day(rng), float64(rng.IntN(9000)) / 100})
		}
	}
	return s
}

func day(rng *rand.Rand) string { return fmt.Sprintf("2024-%02d-%02d", 2+rng.IntN(9), 1+rng.IntN(28)) }

// imported returns the data set of the tables as they are.
func (s *shop) imported(t *testing.T) *dataset.Dataset {
	t.Helper()
	nodes, edges := "id,x,y,city\n", "from,to,day,amount\n"
	for i, id := range s.ids {
		nodes += fmt.Sprintf("%s,%d,%d,%s\n", id, s.x[id], i%2, s.city[id])
	}
	for _, p := range s.paid {
		amount := ""
		if !math.IsNaN(p.amount) {
			amount = fmt.Sprint(p.amount)
		}
		edges += fmt.Sprintf("%s,%s,%s,%s\n", p.from, p.to, p.day, amount)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"nodes.csv": nodes, "pay.csv": edges} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) []importer.Input { return []importer.Input{{Table: filepath.Join(dir, name)}} }
	d, _, err := importer.Run(t.Context(), importer.Spec{Nodes: in("nodes.csv"), Edges: in("pay.csv"), Label: "y"})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// edit makes a random edit of the tables, and returns it as one of the graph.
func (s *shop) edit(rng *rand.Rand, k int) Edit {
	among := func(p payment, u, v string) bool { return p.from == u && p.to == v || p.from == v && p.to == u }
	switch k % 4 {
	case 0:
		gone := s.paid[2+rng.IntN(len(s.paid)-2)]
		s.paid = slices.DeleteFunc(s.paid, func(p payment) bool { return among(p, gone.from, gone.to) })
		return Edit{RemoveEdge: &Pair{gone.to, gone.from}}
	case 1:
		id := fmt.Sprint("new", k)
		s.ids, s.x[id] = append(s.ids, id), 3
		return Edit{AddNode: &Row{ID: id, Columns: Values{"x": 3.0, "city": ""}}}
	}
	for {
		u, v := s.ids[rng.IntN(len(s.ids))], s.ids[rng.IntN(len(s.ids))]
		if u == v || slices.ContainsFunc(s.paid, func(p payment) bool { return among(p, u, v) }) {
			continue
		}
		p := payment{u, v, day(rng), float64(rng.IntN(900)) / 4}
		said := Values{"day": p.day, "amount": p.amount}
		if k%8 == 7 { // what is not said is missing
			p.day, p.amount, said = "", math.NaN(), nil
		}
		s.paid = append(s.paid, p)
		return Edit{AddEdge: &Pair{u, v}, Columns: said}
	}
}

// trainedShop returns a run on d.
func trainedShop(t *testing.T, d *dataset.Dataset) string { return agedShop(t, d, 0, "") }

// agedShop is trainedShop with edges that are forgotten, and another recipe.
func agedShop(t *testing.T, d *dataset.Dataset, decay time.Duration, recipe string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "shop.bloom")
	if err := native.Write(file, d); err != nil {
		t.Fatal(err)
	}
	c, err := config.Default(cmp.Or(recipe, "base"), file)
	if err != nil {
		t.Fatal(err)
	}
	c.Train.Epochs, c.Data.Decay = 3, decay
	dir := filepath.Join(t.TempDir(), "shop")
	if _, err := node.Run(t.Context(), *c, d, node.Options{Options: train.Options{Dir: dir}}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestTold: after edits the columns that are made from edges equal an import of the tables with the same
// changes; also after a restart, and, taken back, what they were.
func TestTold(t *testing.T) {
	const seed = 4
	rng := rand.New(rand.NewPCG(seed, 1))
	s := newShop(rng)
	d := s.imported(t)
	dir := trainedShop(t, d)
	r := serving(t, Options{}, dir)
	first := r.told(s.ids)
	notes := 0
	for k := range 40 {
		out, err := r.only().Edit(t.Context(), []Edit{s.edit(rng, k)})
		if err != nil {
			t.Fatal(err)
		}
		notes += len(out.Notes)
	}
	if notes != 5 {
		t.Errorf("%d edges are said to lack something, want 5", notes)
	}
	fresh, err := importer.Encode(s.imported(t), d.Schema)
	if err != nil {
		t.Fatal(err)
	}
	check := func(r running) {
		t.Helper()
		for i, x := range r.told(s.ids) {
			want := make([]mat.Real, len(x))
			fresh.Features[0].Row(want, i)
			for j := range want {
				if d := math.Abs(float64(x[j] - want[j])); d > 1e-5 { // texts of tables have the digits of a float32
					t.Errorf("%s, feature %d: %v, want %v", s.ids[i], j, x[j], want[j])
				}
			}
		}
	}
	check(r)
	r.s.Close()
	again := serving(t, Options{}, dir)
	check(again)
	for range 40 {
		if _, err := again.only().Undo(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for i, x := range again.told(s.ids[:30]) {
		if !slices.Equal(x, first[i]) {
			t.Errorf("%s, taken back: %v, want %v", s.ids[i], x, first[i])
		}
	}
	for _, said := range []Values{{"price": 1.0}, {"amount": "much"}, {"amount": []any{}}} {
		_, err := again.only().Edit(t.Context(), []Edit{{AddEdge: &Pair{"a0", "a9"}, Columns: said}})
		if err == nil || !strings.Contains(err.Error(), "column") {
			t.Errorf("%v: %v", said, err)
		}
	}
}

// TestTables: after 1,000 edits the values by which trees compare rows, and the rows of edges that they see, equal an
// import of the tables with the same changes; after a restart too.
func TestTables(t *testing.T) {
	const seed = 6
	rng := rand.New(rand.NewPCG(seed, 1))
	s := newShop(rng)
	d := s.imported(t)
	dir := agedShop(t, d, 0, "trees")
	r := serving(t, Options{}, dir)
	columns, edges := r.only().graph.task.Compared()
	if !slices.Contains(columns, "city") || !edges || r.only().graph.reach != -1 {
		t.Fatalf("trees compare %v, edges %v", columns, edges)
	}
	times := 1000
	if testing.Short() {
		times = 100
	}
	for made := 0; made < times; made += 50 {
		if _, err := r.only().Edit(t.Context(), s.batch(rng, made)); err != nil {
			t.Fatal(err)
		}
	}
	fresh, err := importer.Encode(s.imported(t), d.Schema)
	if err != nil {
		t.Fatal(err)
	}
	sameTables(t, r.only().graph, fresh, columns)
	r.s.Close()
	sameTables(t, serving(t, Options{}, dir).only().graph, fresh, columns)
}

// batch makes 50 random edits of the tables, values and a new node among them, and returns them as edits of the graph.
func (s *shop) batch(rng *rand.Rand, made int) (list []Edit) {
	id := fmt.Sprint("came", made)
	s.ids, s.x[id], s.city[id] = append(s.ids, id), 7, cities[rng.IntN(5)]
	list = append(list, Edit{AddNode: &Row{ID: id, Columns: Values{"city": s.city[id], "x": 7.0}}})
	for k := range 49 {
		if k%10 > 0 {
			list = append(list, s.edit(rng, 2*(k%2)))
			continue
		}
		id := s.ids[rng.IntN(len(s.ids))]
		s.city[id], s.x[id] = append(cities, "")[rng.IntN(6)], rng.IntN(11)
		list = append(list, Edit{SetFeatures: &Row{ID: id, Columns: Values{"city": s.city[id],
			"x": float64(s.x[id])}}})
	}
	return list
}

// sameTables wants the features, the values of columns and the rows of edges of a data set.
func sameTables(t *testing.T, g *graph, fresh *dataset.Dataset, columns []string) {
	t.Helper()
	p, err := g.part(nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range p.nodes {
		u, err := fresh.Node(g.id(v))
		if err != nil {
			t.Fatal(err)
		}
		x, want := make([]mat.Real, p.Features.Cols), make([]mat.Real, p.Features.Cols)
		p.Features.Row(x, i)
		fresh.Features[0].Row(want, int(u))
		for j, c := range g.task.Columns() { // of columns made of edges, an import leaves out those that say no more
			if !g.task.Data.Schema.Made(c.Name) && x[j] != want[j] {
				t.Fatalf("%s, %s: %v, want %v", g.id(v), c.Name, x[j], want[j])
			}
		}
		for c, name := range columns {
			at := slices.IndexFunc(fresh.Raw.Nodes[0], func(r dataset.RawColumn) bool { return r.Name == name })
			got, want := p.Raw.Nodes[0][c].Values.Text(i), fresh.Raw.Nodes[0][at].Values.Text(int(u))
			if got != want {
				t.Fatalf("%s, %s is %q, want %q", g.id(v), name, got, want)
			}
		}
	}
	list := func(r *dataset.EdgeRows, name func(v int32) string) (rows []string) {
		for i := range r.Src {
			rows = append(rows, fmt.Sprintf("%s %s %.3f %.3f", name(r.Src[i]), name(r.Dst[i]),
				r.Columns[0].Values[i], r.Columns[1].Values[i]))
		}
		slices.Sort(rows)
		return rows
	}
	got := list(p.Raw.Rows, func(v int32) string { return g.id(p.nodes[v]) })
	if want := list(fresh.Raw.Rows, fresh.NodeName); !slices.Equal(got, want) {
		t.Fatalf("%d rows, want %d: %.200v, want %.200v", len(got), len(want), got, want)
	}
}

// aging is a shop whose edges decay, with what they should weigh at the last time of the data, 2024-12-31.
type aging struct {
	*testing.T
	*Model
	want map[[2]string]float64
}

const agedBy = 30 * 24 * time.Hour

func newAging(t *testing.T) *aging {
	s := newShop(rand.New(rand.NewPCG(5, 1)))
	s.paid = append(s.paid, payment{"a0", "a1", "2024-12-01", 5})
	a := &aging{t, serving(t, Options{}, agedShop(t, s.imported(t), agedBy, "")).only(), map[[2]string]float64{}}
	for _, p := range s.paid {
		a.want[[2]string{min(p.from, p.to), max(p.from, p.to)}] += a.left(p.day)
	}
	return a
}

// left is e^(−age/τ).
func (a *aging) left(day string) float64 {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		a.Fatal(err)
	}
	return math.Exp(-float64(time.Date(2024, 12, 31, 0, 0, 0, 0, time.UTC).Sub(at)) / float64(agedBy))
}

func (a *aging) edit(edits ...Edit) {
	a.Helper()
	if _, err := a.Edit(a.Context(), edits); err != nil {
		a.Fatal(err)
	}
}

// check compares all weights, which are float32, with factor times those that are wanted.
func (a *aging) check(factor float64) {
	a.Helper()
	for p, x := range a.want {
		u, err := a.graph.find(p[0])
		v, err2 := a.graph.find(p[1])
		if err != nil || err2 != nil {
			a.Fatal(err, err2)
		}
		if got := a.graph.state.Weight(u, v); math.Abs(got-factor*x) > 1e-6*factor*x {
			a.Errorf("%v weighs %v, want %v", p, got, factor*x)
		}
	}
}

// TestDecay: with data.decay, edges weigh e^(−age/τ), summed over their rows, by the time that is said of new ones too;
// a run without times of edges refuses it.
func TestDecay(t *testing.T) {
	a := newAging(t)
	for _, at := range []string{"2025-02-01", "2024-03-01"} {
		u, v := "a0", "alone"+at
		a.edit(Edit{AddNode: &Row{ID: v, Columns: Values{"x": 3.0}}},
			Edit{AddEdge: &Pair{u, v}, Weight: 2, Columns: Values{"day": at}})
		a.want[[2]string{u, v}] = 2 * a.left(at)
	}
	a.check(1)
	d := newShop(rand.New(rand.NewPCG(5, 1))).imported(t)
	d.Raw.Rows = nil
	c, err := config.Default("base", d.Name)
	if err != nil {
		t.Fatal(err)
	}
	c.Data.Decay = agedBy
	_, err = node.Build(*c, d, node.Trials(*c, d)[0], node.Options{})
	if err == nil || !strings.Contains(err.Error(), "data.decay") || !strings.Contains(err.Error(), "have no times") {
		t.Errorf("edges without times: %v", err)
	}
}

// TestClock: the edit now makes all edges older, new ones as old as is said of them, and undo makes them young again.
func TestClock(t *testing.T) {
	a := newAging(t)
	a.edit(Edit{Now: "2025-01-10"})
	a.edit(Edit{Now: "2025-01-30"}) // thirty days after the last time of the data
	a.edit(Edit{AddNode: &Row{ID: "new", Columns: Values{"x": 3.0}}},
		Edit{AddEdge: &Pair{"a1", "new"}, Columns: Values{"day": "2025-01-30"}})
	a.want[[2]string{"a1", "new"}] = math.E
	a.check(1 / math.E)
	for _, now := range []string{"2025-01-29", "soon"} {
		if _, err := a.Edit(t.Context(), []Edit{{Now: now}}); err == nil {
			t.Errorf("the clock goes to %s", now)
		}
	}
	for range 3 {
		if _, err := a.Undo(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	delete(a.want, [2]string{"a1", "new"})
	a.check(1)
}

func (r running) only() *Model { return r.s.models()[0] }

// told returns the features of nodes.
func (r running) told(ids []string) (list [][]mat.Real) {
	r.Helper()
	g := r.only().graph
	for _, id := range ids {
		v, err := g.find(id)
		if err != nil {
			r.Fatal(err)
		}
		list = append(list, slices.Clone(g.features(v)))
	}
	return list
}
