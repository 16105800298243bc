package importer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// made is the value of a column of nodes in the tables of d.
func made(t *testing.T, d *dataset.Dataset, column string, node int) float64 {
	t.Helper()
	for _, c := range d.Raw.Nodes[0] {
		if c.Name != column {
			continue
		}
		x, err := strconv.ParseFloat(string(c.Values.Get(node)), 64)
		if err != nil {
			return math.NaN()
		}
		return x
	}
	t.Errorf("there is no column %s", column)
	return math.NaN()
}

// TestEdgeStatistics: what the rows of a table of edges say about a node.
func TestEdgeStatistics(t *testing.T) {
	r := &edgeRows{src: []int32{0, 0, 1, 2, 0, 3}, dst: []int32{1, 1, 0, 0, 2, 3},
		numbers: [][]float64{{10, 30, 5, 1000, math.NaN(), 7}}, time: []float64{0, 2, 30, 10, 20, 1},
		levels: [][]float64{{0, 1, 1, 1, math.NaN(), 0}, {0, 1, 2, 1, 1, 0}},
		stats: &dataset.EdgeStats{Name: "pay", Numbers: []dataset.Column{{Name: "amount"}},
			Categories: []dataset.Column{{Name: "by", Levels: []string{"card", "cash"}},
				{Name: "for", Levels: []string{"rent", "food", "fun"}}},
			Time: dataset.Column{Name: "ts"}, End: 30}}
	got := map[string]float64{}
	for _, c := range r.columns(4, func(string) bool { return true }) {
		got[c.name] = c.x[0]
	}
	for column, want := range map[string]float64{"count.out": 3, "count.in": 2, "partners.out": 2, "repeats.out": 2,
		"amount.sum.out": 40, "amount.mean.out": 20, "amount.max.in": 1000, "amount.sd.out": 10, "amount.share.out": 1,
		"amount.share.in": 1000.0 / 1005, "ts.first.out": 30, "ts.last.out": 10, "ts.last.in": 0,
		"ts.trend.out": -2.0 / 3, "reciprocity": 1,
		"by.cash.share.out": 0.5, "by.cash.share.in": 1, "for.food.share.out": 2.0 / 3, "for.fun.share.in": 0.5,
		"for.rent.share.in": 0} {
		if x, ok := got["pay."+column]; !ok || math.Abs(x-want) > 1e-12*math.Abs(want) {
			t.Errorf("%s is %v, %v; want %v", column, x, ok, want)
		}
	}
	if _, twice := got["pay.by.card.share.out"]; twice {
		t.Error("the share of the other of two levels is a column too")
	}
}

// TestEdgeColumns: rows of edges become columns of nodes, and repeats are joined; each can be switched off.
func TestEdgeColumns(t *testing.T) {
	dir := tables(t, map[string]string{"nodes.csv": "id,y\na,p\nb,q\nc,p\nd,q\n",
		"pay.csv": "from,to,amount,ts\na,b,€10,2024-01-01\na,b,30,2024-01-03\nb,a,5,2024-01-31\n" +
			"c,a,\"1,000.00\",2024-01-11\na,c,n/a,2024-01-21\nd,d,7,2024-01-02\n"})
	spec := Spec{Nodes: []Input{{Table: filepath.Join(dir, "nodes.csv")}}, Label: "y", Split: Split{None: true},
		Edges: []Input{{Table: filepath.Join(dir, "pay.csv")}}}
	d, report, err := Run(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if x := made(t, d, "pay.amount.max.in", 0); x != 1000 {
		t.Errorf("the largest amount is %v", x)
	}
	sum := slices.IndexFunc(d.Raw.Edges, func(c dataset.RawColumn) bool { return c.Name == "amount.sum" })
	if sum < 0 || string(d.Raw.Edges[sum].Values.Get(0)) != "45" || d.Graph.Weights()[0] != mat.Real(2) ||
		report.Edges[0].Joined[0] != "count" { // a–b three times: log2(1 + 3)
		t.Errorf("joined %q, weights %v", report.Edges[0].Joined, d.Graph.Weights())
	}
	spec.Weight = "amount.max"
	if d, _, err = Run(t.Context(), spec); err != nil || d.Graph.Weights()[0] != mat.Real(math.Log2(31)) {
		t.Errorf("weights by amount.max: %v", err)
	}
	spec.Weight, spec.Columns = "", []string{"max"}
	if _, report, err = Run(t.Context(), spec); err != nil ||
		!slices.Equal(report.Edges[0].Made, []string{"pay.amount.max.in", "pay.amount.max.out"}) {
		t.Errorf("some: %q, %v", report.Edges[0].Made, err)
	}
	spec.Columns = []string{}
	if d, report, err = Run(t.Context(), spec); err != nil || report.Edges[0].Made != nil || d.Graph.Weights() != nil {
		t.Errorf("none: %+v, %v", report.Edges[0], err)
	}
}

// payments are tables of 16 old and 4 new accounts, and of payments between old ones and of new ones.
func payments(seed uint64) (nodes, late, old, new string) {
	rng := rand.New(rand.NewPCG(seed, 0))
	nodes, late = "id,x,y\n", "id,y,x\n"
	for i := range 20 {
		if i < 16 {
			nodes += fmt.Sprintf("n%d,%d,%c\n", i, i*i%7, 'p'+i%2)
		} else {
			late += fmt.Sprintf("n%d,%c,%d\n", i, 'p'+i%2, i*i%7)
		}
	}
	old, new = "from,to,by,amount,ts\n", "from,to,by,amount,ts\n"
	for k := range 200 {
		u, v := rng.IntN(20), rng.IntN(20)
		row := fmt.Sprintf("n%d,n%d,%s,%d,2024-%02d-%02d\n", u, v, []string{"card", "cash", ""}[k%3],
			1+rng.IntN(50), 1+rng.IntN(12), 1+rng.IntN(28))
		if k < 2 { // the first and the last time, of old nodes
			row = fmt.Sprintf("n1,n2,card,5,2024-%02d-%02d\n", 1+11*k, 1+27*k)
		}
		if max(u, v) < 16 || k < 2 {
			old += row
		} else {
			new += row
		}
	}
	return nodes, late, old, new
}

// TestAddedEdgeColumns: newcomers and the old nodes at their other ends have the columns that an import of all rows
// makes of them.
func TestAddedEdgeColumns(t *testing.T) {
	const seed = 3
	nodes, late, old, new := payments(seed)
	dir := tables(t, map[string]string{"nodes.csv": nodes, "late.csv": late, "pay.csv": old, "new.csv": new})
	whole := tables(t, map[string]string{"nodes.csv": nodes + reordered(late), "pay.csv": old + strings.SplitN(new,
		"\n", 2)[1]})
	in := func(dir, name string) []Input { return []Input{{Table: filepath.Join(dir, name)}} }
	spec := Spec{Nodes: in(dir, "nodes.csv"), Edges: in(dir, "pay.csv"), Label: "y", Split: Split{None: true}}
	d, _, err := Run(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	n, report, err := Newcomers(t.Context(), d, Spec{Nodes: in(dir, "late.csv"), Edges: in(dir, "new.csv")})
	if err != nil || report.Rejected > 0 {
		t.Fatal(err, report)
	}
	got, err := n.Join(d)
	if err != nil {
		t.Fatal(err)
	}
	spec.Nodes, spec.Edges = in(whole, "nodes.csv"), in(whole, "pay.csv")
	want, _, err := Run(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range d.Schema.Stats {
		for _, column := range s.Columns {
			for v := range 20 {
				x, y := made(t, got, column, v), made(t, want, column, v)
				if x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
					t.Errorf("seed %d: %s of n%d is %v, want %v", seed, column, v, x, y)
				}
			}
		}
	}
	encoded, err := Encode(got, d.Schema)
	if err != nil || !near(encoded.Features[0].Values, got.Features[0].Values) {
		t.Errorf("features are not those of the columns: %v", err)
	}
	for e, w := range got.Graph.Weights() {
		u, v := got.Graph.Sources()[e], got.Graph.Targets()[e]
		for k := range want.Graph.NumEdges() {
			a, b := want.Graph.Sources()[k], want.Graph.Targets()[k]
			if (a == u && b == v || a == v && b == u) && math.Abs(float64(want.Graph.Weights()[k]-w)) > 1e-6 {
				t.Errorf("edge %d–%d weighs %v, want %v", u, v, w, want.Graph.Weights()[k])
			}
		}
	}
}

// reordered are the rows of a table id,y,x as id,x,y.
func reordered(text string) string {
	var out strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(text), "\n")[1:] {
		f := strings.Split(line, ",")
		fmt.Fprintf(&out, "%s,%s,%s\n", f[0], f[2], f[1])
	}
	return out.String()
}
