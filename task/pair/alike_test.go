package pair

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/bloomgml/bloom/dataset"
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
		for i := c; i < len(j.drawn.shared); i += k {
			sum += float64(j.drawn.shared[i])
		}
		if mean := sum / float64(j.drawn.rows); math.Abs(mean) > 1 { // a batch scatters by about 0.2
			t.Errorf("column %d has the mean %v", c, mean)
		}
	}
	c, d := settings(t, "karate", "pairs.alike=true")
	var bad *train.BadSetting
	if _, err := build(c, bare(d), train.Trial{Seed: 1}); !errors.As(err, &bad) {
		t.Errorf("a graph without features: %v", err)
	}
}
