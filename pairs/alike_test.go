package pairs

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/run"
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
	var bad *run.BadSetting
	if _, err := build(c, bare(d), run.Trial{Seed: 1}); !errors.As(err, &bad) {
		t.Errorf("a graph without features: %v", err)
	}
}

// TestSimple: of a graph with communities all methods know something, and others are refused.
func TestSimple(t *testing.T) {
	c, _ := settings(t, community)
	d, _, err := generate.Make("csbm:nodes=300,classes=6,features=8,signal=4,degree=16,homophily=0.9")
	if err != nil {
		t.Fatal(err)
	}
	least := map[string]float64{"adamic": 0.7, "cosine": 0.8, "logistic": 0.85, "gae": 0.8} // chance is 0.5
	for method, least := range least {
		list, err := Simple(method, c, d)
		if err != nil || len(list) != len(metrics()) || list[0].Test < least || list[0].Valid < least-0.1 {
			t.Errorf("%s: %+v, %v", method, list, err)
		}
	}
	for _, method := range []string{"logistic", "gae"} {
		if list, err := Simple(method, c, bare(d)); err != nil || list[0].Test < 0.7 {
			t.Errorf("%s without features: %+v, %v", method, list, err)
		}
	}
	if _, err := Simple("luck", c, d); err == nil {
		t.Error("luck is taken")
	}
	if _, err := Simple("cosine", c, bare(d)); err == nil {
		t.Error("the cosine of no features is taken")
	}
}

// TestLogistic: at the weights that are found the likelihood less ½‖w‖² is flat.
func TestLogistic(t *testing.T) {
	l := &logistic{k: 2}
	for i := range uint64(200) {
		x := float64(mat.Mix(1, i)%1000)/500 - 1
		y := 0.0
		if 2*x+0.5+float64(mat.Mix(2, i)%1000)/500-1 > 0 {
			y = 1
		}
		l.x, l.y = append(l.x, x, 1), append(l.y, y)
	}
	w := l.fit()
	g := []float64{-w[0], -w[1]}
	for i, y := range l.y {
		left := y - 1/(1+math.Exp(-w[0]*l.x[2*i]-w[1]))
		g[0], g[1] = g[0]+left*l.x[2*i], g[1]+left
	}
	if math.Abs(g[0]) > 1e-9 || math.Abs(g[1]) > 1e-9 || w[0] < 1 { // Newton's steps have converged
		t.Errorf("weights %v, slope %v", w, g)
	}
}
