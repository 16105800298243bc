package importer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"
)

// TestNear: what was near a node is the mean of what earlier nodes are, which paid it before its time, or it paid, and
// of the labels of training nodes. Statistics of the data say the same of every node.
func TestNear(t *testing.T) {
	const n, seed = 40, 3
	r := rand.New(rand.NewPCG(seed, 1))
	nodes, pays := "id,asked,age,y,fold\n", "from,to,at\n"
	age, bad, train := make([]float64, n), make([]float64, n), make([]bool, n)
	var rows [][3]int
	for v := range n {
		age[v], bad[v], train[v] = float64(20+r.IntN(50)), float64(r.IntN(2)), v < 30
		nodes += fmt.Sprintf("n%d,2024-03-01 %02d:%02d:00,%g,%g,%s\n", v, v/2, v%2*30, age[v], bad[v],
			[]string{"train", "valid", "test"}[max(0, v-25)/5%3])
		train[v] = max(0, v-25)/5 == 0
	}
	for range 6 * n {
		u, v, half := r.IntN(n), r.IntN(n), r.IntN(n)
		rows = append(rows, [3]int{u, v, half})
		pays += fmt.Sprintf("n%d,n%d,2024-03-01 %02d:%02d:00\n", u, v, half/2, half%2*30)
	}
	dir := tables(t, map[string]string{"nodes.csv": nodes, "pay.csv": pays})
	d, _, err := Run(t.Context(), Spec{Nodes: []Input{{Table: filepath.Join(dir, "nodes.csv")}}, Label: "y",
		Edges: []Input{{Table: filepath.Join(dir, "pay.csv")}}, Times: []string{"asked", "at"},
		Split: Split{Columns: []string{"fold"}}})
	if err != nil {
		t.Fatal(err)
	}
	s := NewStatistics(d)
	for name, want := range map[string][]float64{"near.age": meanNear(age, rows, func(int) bool { return true }),
		"near.y=1": meanNear(bad, rows, func(v int) bool { return train[v] })} {
		texts := textsOf(d.Raw.Nodes[0])(name)
		if texts == nil {
			t.Fatalf("seed %d: there is no column %q", seed, name)
		}
		for v := range n {
			got, err := strconv.ParseFloat(texts.Text(v), 64)
			if err != nil {
				got = math.NaN()
			}
			again := s.Columns(int32(v), s.Rows(int32(v)))[name]
			for _, x := range []float64{got, again} {
				if math.IsNaN(x) != math.IsNaN(want[v]) || math.Abs(x-want[v]) > 1e-5*math.Abs(want[v]) { // float32
					t.Errorf("seed %d: %s of %d is %v and %v, want %v", seed, name, v, got, again, want[v])
				}
			}
		}
	}
}

// meanNear is the naive form: x of nodes in the order of their times, of which the known ones count, and rows of two
// ends and a time.
func meanNear(x []float64, rows [][3]int, known func(int) bool) []float64 {
	n := len(x)
	h, m := make([]float64, n), make([]float64, n)
	for v := range n {
		sum, count := 0.0, 0.0
		for _, row := range rows {
			u := row[0] + row[1] - v
			if row[2] > v || u >= v || row[0] != v && row[1] != v || math.IsNaN(h[u]) {
				continue
			}
			sum, count = sum+h[u], count+1
		}
		m[v] = sum / count
		switch {
		case known(v) && count > 0:
			h[v] = (x[v] + m[v]) / 2
		case known(v):
			h[v] = x[v]
		default:
			h[v] = m[v]
		}
	}
	return m
}
