package pair

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// words is a bag of 4 words of 5 nodes; the third word is everywhere and says nothing.
var words = dataset.Matrix{Rows: 5, Cols: 4, Ptr: []int64{0, 2, 4, 6, 7, 10},
	Idx: []int32{0, 2, 1, 2, 0, 2, 2, 0, 1, 2}}

// TestAlike compares the numbers of all pairs with the formulas, some training pairs being hidden.
func TestAlike(t *testing.T) {
	dense := dataset.Matrix{Rows: 5, Cols: 2, Values: []mat.Real{1, 0, 3, 2, -1, 5, 2, 2, 0.5, 1}}
	train := []pair{{0, 1}, {0, 2}, {1, 2}, {1, 4}, {3, 4}}
	for name, x := range map[string]dataset.Matrix{"words": words, "dense": dense} {
		near := newNeighbours(5, train)
		a := newAlike(x, x.Rows, near)
		got := make([]mat.Real, likenesses)
		for _, hidden := range [][]int32{nil, {1, 4}, {0}} {
			near.hide(hidden, train)
			a.time++
			for u := range int32(5) {
				for v := range int32(5) {
					a.describe(got, u, v)
					for i, want := range naiveAlike(x, near, train, u, v) {
						if math.Abs(float64(got[i])-want) > 1e-5 { // single precision
							t.Fatalf("%s, hidden %v: number %d of %d and %d is %v, want %v", name, hidden, i, u, v,
								got[i], want)
						}
					}
				}
			}
		}
	}
}

// naiveAlike are the numbers by their formulas, with dense rows.
func naiveAlike(x dataset.Matrix, near *neighbours, train []pair, u, v int32) []float64 {
	rows := naiveRows(x)
	degree := func(v int32) float64 { return float64(near.degree[v]) }
	sum := func(v int32) []float64 {
		s := make([]float64, x.Cols)
		for i, p := range train {
			if w := p.u + p.v - v; !near.hidden[i] && (p.u == v || p.v == v) {
				for j, y := range rows[w] {
					s[j] += y
				}
			}
		}
		return s
	}
	smooth := func(v int32) []float64 {
		s := sum(v)
		for j := range s {
			s[j] = rows[v][j] + s[j]/math.Sqrt(max(1, degree(v)))
		}
		return s
	}
	a, b := smooth(u), smooth(v)
	cosine := 0.0
	if size := math.Sqrt(product(a, a) * product(b, b)); size > 0 {
		cosine = product(a, b) / size
	}
	one, other := product(rows[u], sum(v))/max(1, degree(v)), product(rows[v], sum(u))/max(1, degree(u))
	return []float64{product(rows[u], rows[v]), min(one, other), max(one, other), cosine,
		math.Log1p(degree(u)) + math.Log1p(degree(v)), math.Log1p(min(degree(u), degree(v)))}
}

// naiveRows are x̂.
func naiveRows(x dataset.Matrix) [][]float64 {
	rows, n := make([][]float64, x.Rows), float64(x.Rows)
	line := make([]mat.Real, x.Cols)
	for v := range rows {
		x.Row(line, v)
		for _, y := range line {
			rows[v] = append(rows[v], float64(y))
		}
	}
	for j := range x.Cols {
		mean, square, count := 0.0, 0.0, 0.0
		for _, r := range rows {
			mean, square = mean+r[j]/n, square+r[j]*r[j]/n
			if r[j] != 0 {
				count++
			}
		}
		for _, r := range rows {
			if x.IsSparse() {
				r[j] *= math.Log(n / max(1, count))
			} else {
				r[j] = (r[j] - mean) / math.Sqrt(square-mean*mean)
			}
		}
	}
	for _, r := range rows {
		if size := math.Sqrt(product(r, r)); size > 0 {
			for j := range r {
				r[j] /= size
			}
		}
	}
	return rows
}

func product(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// community is a small graph with features.
const community = "csbm:nodes=60,classes=3,features=4,degree=6"

// TestColumns: likeness changes what is trained, its columns have mean 0 and deviation 1, and a graph without features
// has none.
func TestColumns(t *testing.T) {
	if bytes.Equal(trained(t, community, "pairs.alike=true"), trained(t, community)) {
		t.Error("pairs.alike changes nothing")
	}
	j := newJob(t, community, "pairs.alike=true", "pairs.common=true", "model.after=0")
	for i := range j.Batches() {
		if err := j.Batch(1, i); err != nil {
			t.Fatal(err)
		}
	}
	k := j.columns.width()
	for c := range k {
		sum := 0.0
		for i := c; i < len(j.shared); i += k {
			sum += float64(j.shared[i])
		}
		if mean := sum / float64(j.rows); math.Abs(mean) > 1 { // a batch scatters by about 0.2
			t.Errorf("column %d has the mean %v", c, mean)
		}
	}
	c, d := settings(t, "karate", "pairs.alike=true")
	var bad *train.BadSetting
	if _, err := build(c, bare(d), train.Trial{Seed: 1}); !errors.As(err, &bad) {
		t.Errorf("a graph without features: %v", err)
	}
}

// TestHeld: scores are measured on pairs that were held out, a score of chance has a ROC-AUC near a half, and rows of
// training pairs say nothing of their own edge.
func TestHeld(t *testing.T) {
	c, _ := settings(t, community)
	d, _, err := generate.Make("csbm:nodes=300,classes=6,features=8,signal=4,degree=16,homophily=0.9")
	if err != nil {
		t.Fatal(err)
	}
	h, err := HoldOut(c, d)
	if err != nil {
		t.Fatal(err)
	}
	score := map[string]func(u, v int32) float64{
		"adamic": func(u, v int32) float64 { return float64(h.Row(u, v)[1]) },
		"cosine": func(u, v int32) float64 { return float64(h.Row(v, u)[commons]) },
		"chance": func(u, v int32) float64 { return float64(mat.Mix(uint64(u), uint64(v)) >> 40) },
	}
	for method, want := range map[string][2]float64{"adamic": {0.7, 1}, "cosine": {0.8, 1}, "chance": {0.4, 0.6}} {
		list, err := h.Measure(score[method])
		if err != nil || len(list) != len(metrics()) || list[0].Test < want[0] || list[0].Test > want[1] {
			t.Errorf("%s: %+v, %v", method, list, err)
		}
	}
	if list, err := h.Measure(score["adamic"], "average_precision"); err != nil || len(list) != 1 {
		t.Errorf("one metric: %+v, %v", list, err)
	}
	rest, err := h.Seen()
	if err != nil || len(joined(rest.Graph)) != len(h.Train()) || len(h.Train()) >= len(joined(d.Graph)) {
		t.Errorf("%d training pairs, %v", len(h.Train()), err)
	}
	shown, rows := 0.0, h.Examples()
	for _, p := range h.Train() {
		shown += float64(h.Row(p[0], p[1])[3])
	}
	hidden, k := 0.0, commons+likenesses
	for i := 0; i < len(rows); i += 2 * k {
		hidden += float64(rows[i+3])
	}
	if len(rows) != 2*k*len(h.Train()) || hidden >= shown {
		t.Errorf("%d numbers; paths of length three add up to %v where pairs are hidden, else to %v", len(rows), hidden,
			shown)
	}
}
