package importer

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
)

// paid is a row of the table of edges of TestStatistics.
type paid struct {
	from, to       int
	due, at, money string
	by             string
}

func paidTable(rows []paid) string {
	text := "from,to,due,paid,amount,by\n"
	for _, r := range rows {
		text += fmt.Sprintf("n%d,n%d,%s,%s,%s,%s\n", r.from, r.to, r.due, r.at, r.money, r.by)
	}
	return text
}

func somePaid(rng *rand.Rand) paid {
	day := func() string { return fmt.Sprintf("2024-%02d-%02d", 2+rng.IntN(8), 1+rng.IntN(28)) }
	r := paid{rng.IntN(10), rng.IntN(10), day(), day(), fmt.Sprintf("€%d.%02d", rng.IntN(90), rng.IntN(100)),
		[]string{"card", "cash", "wire", ""}[rng.IntN(4)]}
	if rng.IntN(5) == 0 {
		r.money = "n/a"
	}
	return r
}

// TestStatistics: after random edits the columns that are made from edges equal a fresh import of the edges that are
// left, bit by bit; one of them is the time between two columns of times.
func TestStatistics(t *testing.T) {
	for _, direction := range []Direction{Directed, Undirected} {
		for seed := range uint64(6) {
			testStatistics(t, direction, rand.New(rand.NewPCG(seed, 38)))
		}
	}
}

func testStatistics(t *testing.T, direction Direction, rng *rand.Rand) {
	nodes := "id,x,y\n"
	for i := range 12 {
		nodes += fmt.Sprintf("n%d,%d,%d\n", i, i*i%7, i%2)
	}
	some := func() paid { return somePaid(rng) }
	rows := []paid{{10, 11, "2024-01-01", "2024-01-02", "€1.50", "card"},
		{11, 10, "2024-12-31", "2025-01-02", "€2.50", "cash"}}
	for range 60 {
		rows = append(rows, some())
	}
	d := importPaid(t, direction, nodes, rows)
	s := NewStatistics(d)
	lists := map[int32][]EdgeRow{}
	for v := range int32(12) {
		lists[v] = s.Rows(v)
	}
	for range 25 {
		if rng.IntN(2) == 0 && len(rows) > 30 { // all rows of a pair
			gone := rows[2+rng.IntN(len(rows)-2)]
			same := func(u, v int) bool {
				return u == gone.from && v == gone.to || u == gone.to && v == gone.from
			}
			rows = slices.DeleteFunc(rows, func(r paid) bool { return same(r.from, r.to) })
			for v := range lists {
				lists[v] = slices.DeleteFunc(lists[v], func(r EdgeRow) bool { return same(int(r.Src), int(r.Dst)) })
			}
			continue
		}
		r := some()
		rows = append(rows, r)
		values, missing, err := s.Read(map[string]string{"due": r.due, "paid": r.at, "amount": r.money, "by": r.by})
		if err != nil || len(missing) > 2 {
			t.Fatal(missing, err)
		}
		row := EdgeRow{Src: int32(r.from), Dst: int32(r.to), Values: values}
		lists[row.Src] = append(lists[row.Src], row)
		if row.Src != row.Dst {
			lists[row.Dst] = append(lists[row.Dst], row)
		}
	}
	compareFresh(t, s, importPaid(t, direction, nodes, rows), lists)
	if span := "pay.paid-due.mean"; !slices.ContainsFunc(d.Schema.Stats[0].Columns, func(name string) bool {
		return strings.HasPrefix(name, span)
	}) {
		t.Errorf("columns are %q", d.Schema.Stats[0].Columns)
	}
	if _, missing, err := s.Read(map[string]string{"by": "cheque"}); err != nil || !slices.Contains(missing, "by") {
		t.Errorf("a new level: %q, %v", missing, err)
	}
	if _, _, err := s.Read(map[string]string{"amount": "much"}); err == nil {
		t.Error(`an amount "much" is read`)
	}
	if _, _, err := s.Read(map[string]string{"price": "1"}); err == nil {
		t.Error("an unknown column is read")
	}
}

// compareFresh compares the columns of rows with those of a fresh import.
func compareFresh(t *testing.T, s *Statistics, fresh *dataset.Dataset, lists map[int32][]EdgeRow) {
	t.Helper()
	compared := 0
	for v := range lists {
		for name, x := range s.Columns(v, lists[v]) {
			if !fresh.Schema.Made(name) {
				continue
			}
			compared++
			x, _ := strconv.ParseFloat(numberText(x), 64)
			y := made(t, fresh, name, int(v))
			if numberText(y) == "" {
				y = 0
			}
			if x != y {
				t.Errorf("%s of n%d is %v, want %v", name, v, x, y)
			}
		}
	}
	if compared < 100 {
		t.Errorf("%d values are compared", compared)
	}
}

func importPaid(t *testing.T, direction Direction, nodes string, rows []paid) *dataset.Dataset {
	t.Helper()
	dir := tables(t, map[string]string{"nodes.csv": nodes, "pay.csv": paidTable(rows)})
	d, _, err := Run(t.Context(), Spec{Nodes: []Input{{Table: filepath.Join(dir, "nodes.csv")}}, Label: "y",
		Edges: []Input{{Table: filepath.Join(dir, "pay.csv")}}, Direction: direction, Split: Split{None: true}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
