package build

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// randomFeatures is a sparse matrix and the same one dense.
func randomFeatures(seed uint64, rows, cols int, ones bool) (sparse, dense dataset.Matrix) {
	rng := rand.New(rand.NewPCG(seed, 3))
	sparse = dataset.Matrix{Rows: rows, Cols: cols, Ptr: []int64{0}}
	dense = dataset.Matrix{Rows: rows, Cols: cols, Values: make([]mat.Real, rows*cols)}
	for i := range rows {
		for j := range cols {
			if rng.IntN(3) == 0 {
				v := mat.Real(1)
				if !ones {
					v = mat.Real(1 + rng.IntN(9))
					sparse.Values = append(sparse.Values, v)
				}
				sparse.Idx = append(sparse.Idx, int32(j))
				dense.Values[i*cols+j] = v
			}
		}
		sparse.Ptr = append(sparse.Ptr, int64(len(sparse.Idx)))
	}
	return sparse, dense
}

// bare is a data set of features alone.
func bare(t *testing.T, x dataset.Matrix) *dataset.Dataset {
	t.Helper()
	g, err := graph.Build(graph.Spec{Nodes: x.Rows})
	if err != nil {
		t.Fatal(err)
	}
	return &dataset.Dataset{Graph: g, Features: []dataset.Matrix{x}}
}

// rowsOf reads a matrix row by row.
func rowsOf(x dataset.Matrix) [][]mat.Real {
	rows := make([][]mat.Real, x.Rows)
	for i := range rows {
		rows[i] = make([]mat.Real, x.Cols)
		x.Row(rows[i], i)
	}
	return rows
}

// TestCorrupt corrupts sparse and dense features alike: the same rows by the same numbers, the
// given share of them, the others and the original untouched.
func TestCorrupt(t *testing.T) {
	for seed := range uint64(12) {
		sparse, dense := randomFeatures(seed, 41, 30, seed%2 == 0)
		for _, kind := range []string{"", replace, add, permute} {
			for _, noise := range []string{"", uniform} {
				c := Corruption{Rows: 0.3, Kind: kind, Noise: noise, Scale: 2}
				before := rowsOf(sparse)
				a, err := Corrupt(bare(t, sparse), c, seed)
				if err != nil {
					t.Fatal(err)
				}
				b, err := Corrupt(bare(t, dense), c, seed)
				if err != nil {
					t.Fatal(err)
				}
				x, y := rowsOf(a.Features[0]), rowsOf(b.Features[0])
				if len(a.Corrupted) != 12 || !slices.IsSorted(a.Corrupted) || !slices.Equal(a.Corrupted, b.Corrupted) ||
					!a.Features[0].IsSparse() {
					t.Fatalf("seed %d, %v: corrupted %v and %v", seed, c, a.Corrupted, b.Corrupted)
				}
				for i := range x {
					if !slices.Equal(x[i], y[i]) || !slices.Equal(before[i], rowsOf(sparse)[i]) {
						t.Fatalf("seed %d, %v: sparse and dense differ in row %d", seed, c, i)
					}
					if slices.Equal(x[i], before[i]) == slices.Contains(a.Corrupted, int32(i)) {
						t.Fatalf("seed %d, %v: row %d", seed, c, i)
					}
				}
			}
		}
	}
}

// TestCorruptNoise holds the noise to its mean and variance: c·N(0,1) has 0 and c², c·U[0,1) has
// c/2 and c²/12. Tolerances are five deviations of means of 200·50 numbers.
func TestCorruptNoise(t *testing.T) {
	_, x := randomFeatures(1, 200, 50, false)
	n := 200.0 * 50
	for _, c := range []struct {
		noise          string
		mean, variance float64
		fourth         float64 // central moment
	}{{gaussian, 0, 9, 3 * 81}, {uniform, 1.5, 0.75, 81.0 / 80}} {
		for _, kind := range []string{replace, add} {
			d, err := Corrupt(bare(t, x), Corruption{Rows: 1, Kind: kind, Noise: c.noise, Scale: 3}, 5)
			if err != nil {
				t.Fatal(err)
			}
			mean, square := 0.0, 0.0
			for i, v := range d.Features[0].Values {
				z := float64(v)
				if kind == add {
					z -= float64(x.Values[i])
				}
				mean += z / n
				square += (z - c.mean) * (z - c.mean) / n
			}
			if math.Abs(mean-c.mean) > 5*math.Sqrt(c.variance/n) ||
				math.Abs(square-c.variance) > 5*math.Sqrt((c.fourth-c.variance*c.variance)/n) {
				t.Errorf("%s, %s: mean %v, variance %v", c.noise, kind, mean, square)
			}
		}
	}
}

// TestPermuteKeepsRows finds every row of the chosen nodes at another of them.
func TestPermuteKeepsRows(t *testing.T) {
	_, x := randomFeatures(4, 30, 20, false)
	d, err := Corrupt(bare(t, x), Corruption{Rows: 0.5, Kind: permute}, 8)
	if err != nil {
		t.Fatal(err)
	}
	before, after := rowsOf(x), rowsOf(d.Features[0])
	key := func(rows [][]mat.Real) (keys []string) {
		for _, v := range d.Corrupted {
			s := ""
			for _, r := range rows[v] {
				s += string(rune('0' + int(r)))
			}
			keys = append(keys, s)
		}
		slices.Sort(keys)
		return keys
	}
	if !slices.Equal(key(before), key(after)) {
		t.Error("rows were lost")
	}
}

// TestCorruptTypes leaves a type without features alone.
func TestCorruptTypes(t *testing.T) {
	g, err := graph.Build(graph.Spec{Nodes: 6, NodeTypes: []int32{0, 1, 0, 1, 2, 0}, Types: 3})
	if err != nil {
		t.Fatal(err)
	}
	_, x := randomFeatures(2, 3, 8, false)
	_, y := randomFeatures(3, 2, 5, false)
	d, err := Corrupt(&dataset.Dataset{Graph: g, Features: []dataset.Matrix{x, y}, Corrupted: []int32{2}},
		Corruption{Rows: 1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.Corrupted, []int32{0, 1, 2, 3, 5}) {
		t.Errorf("corrupted %v", d.Corrupted)
	}
}

// TestCorruptShare wants the sizes of the paper: floor(0.2 n), and no rounding trap.
func TestCorruptShare(t *testing.T) {
	for _, c := range []struct {
		p    float64
		n, k int
	}{{0.2, 2708, 541}, {0.2, 3327, 665}, {0.2, 19717, 3943}, {0.29, 100, 29}, {0, 10, 0}, {1, 10, 10}, {0.99, 10, 9}} {
		if k := floorShare(c.p, c.n); k != c.k {
			t.Errorf("%v of %d is %d, want %d", c.p, c.n, k, c.k)
		}
	}
}

// TestCorruptedNorm: with norm=l1 the absolute values of a spoilt row add up to 1, and its direction stays.
func TestCorruptedNorm(t *testing.T) {
	_, x := randomFeatures(3, 20, 6, false)
	c := Corruption{Rows: 0.5, Scale: 7}
	plain, err := Corrupt(bare(t, x), c, 9)
	if err != nil {
		t.Fatal(err)
	}
	c.Norm = l1
	d, err := Corrupt(bare(t, x), c, 9)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range d.Corrupted {
		sum, row, long := 0.0, rowsOf(d.Features[0])[v], rowsOf(plain.Features[0])[v]
		for j := range row {
			sum += math.Abs(float64(row[j]))
			if e := float64(row[j]*long[0] - row[0]*long[j]); math.Abs(e) > 1e-4 {
				t.Errorf("node %d: row %v for %v", v, row, long)
			}
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Errorf("node %d: absolute values add up to %v", v, sum)
		}
	}
}

func TestParseCorruption(t *testing.T) {
	for spec, want := range map[string]Corruption{
		"":                          {0, replace, gaussian, 1, unscaled},
		"rows=0.2":                  {0.2, replace, gaussian, 1, unscaled},
		"rows=1,kind=add,scale=0.5": {1, add, gaussian, 0.5, unscaled},
		"noise=uniform,rows=0.1":    {0.1, replace, uniform, 1, unscaled},
		"rows=0.5,kind=permute":     {0.5, permute, gaussian, 1, unscaled},
		"rows=0.5,norm=l1":          {0.5, replace, gaussian, 1, l1},
	} {
		c, err := ParseCorruption(spec)
		if err != nil || c != want {
			t.Errorf("%q: %+v, %v", spec, c, err)
		}
	}
	for spec, want := range map[string]string{
		"rows=2":                `corruption "rows=2": rows=2 is not between 0 and 1`,
		"rows=x":                `corruption "rows=x": rows=x is not a number`,
		"kind=add":              `corruption "kind=add": rows is missing, as in rows=0.2`,
		"rows=0.1,kind=repalce": `corruption "rows=0.1,kind=repalce": no kind "repalce"; did you mean "replace"?`,
		"row=0.1":               `corruption "row=0.1": no key "row"; did you mean "rows"?`,
		"rows=0.1,noise=white":  `corruption "rows=0.1,noise=white": no noise "white"; there are gaussian, uniform`,
		"rows=0.1,norm=l2":      `corruption "rows=0.1,norm=l2": no norm "l2"; did you mean "l1"?`,
		"rows=0.1,scale=0":      `corruption "rows=0.1,scale=0": scale=0 adds no noise`,
		"rows=0.1,scale=Inf":    `corruption "rows=0.1,scale=Inf": scale=+Inf is not a finite number`,
	} {
		if _, err := ParseCorruption(spec); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", spec, err, want)
		}
	}
}

// TestScale compares sparse with dense, and both with the definitions.
func TestScale(t *testing.T) {
	for seed := range uint64(6) {
		sparse, dense := randomFeatures(seed, 25, 12, seed%2 == 0)
		for _, mode := range []string{scaleByRow, scaleByColumn, scaleNone} {
			a, err1 := Scale(bare(t, sparse), mode, 0)
			b, err2 := Scale(bare(t, dense), mode, 0)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			x, y := rowsOf(a.Features[0]), rowsOf(b.Features[0])
			for i := range x {
				if !slices.Equal(x[i], y[i]) {
					t.Fatalf("seed %d, %s: sparse and dense differ in row %d", seed, mode, i)
				}
			}
			if a.Features[0].IsSparse() == (mode == scaleByColumn) {
				t.Errorf("%s: sparse %v", mode, a.Features[0].IsSparse())
			}
			checkScaled(t, mode, rowsOf(dense), x)
		}
	}
}

// checkScaled holds rows to sums of 1 or columns to their moments, up to the rounding of float32.
func checkScaled(t *testing.T, mode string, before, after [][]mat.Real) {
	t.Helper()
	n := float64(len(after))
	for i := range after {
		sum, was := 0.0, 0.0
		for j := range after[i] {
			sum, was = sum+float64(after[i][j]), was+float64(before[i][j])
		}
		if mode == scaleByRow && was > 0 && math.Abs(sum-1) > 1e-5 || mode == scaleNone && sum != was {
			t.Errorf("%s: row %d went from %v to %v", mode, i, was, sum)
		}
	}
	for j := range after[0] {
		mean, square := 0.0, 0.0
		for i := range after {
			mean += float64(after[i][j]) / n
			square += float64(after[i][j]) * float64(after[i][j]) / n
		}
		if mode == scaleByColumn && (math.Abs(mean) > 1e-5 || math.Abs(square-1) > 1e-5) {
			t.Errorf("column %d has mean %v and mean square %v", j, mean, square)
		}
	}
}

// TestScaleAuto knows a bag of words by being sparse and not negative.
func TestScaleAuto(t *testing.T) {
	sparse, dense := randomFeatures(1, 9, 6, false)
	negative := sparse
	negative.Values = slices.Clone(sparse.Values)
	negative.Values[0] = -1
	for _, c := range []struct {
		x    dataset.Matrix
		want string
	}{{sparse, scaleByRow}, {dense, scaleNone}, {negative, scaleNone}} {
		got := bare(t, c.x)
		auto, err := Scale(got, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		if (auto == got) != (c.want == scaleNone) {
			t.Errorf("want %s", c.want)
		}
	}
	if _, err := Scale(bare(t, dense), "colums", 0); err == nil ||
		err.Error() != `no scaling "colums"; did you mean "columns"?` {
		t.Error(err)
	}
	constant := dataset.Matrix{Rows: 2, Cols: 1, Values: []mat.Real{7, 7}}
	if d, err := Scale(bare(t, constant), scaleByColumn, 0); err != nil || d.Features[0].Values[0] != 0 {
		t.Errorf("a constant column became %v, %v", d.Features[0].Values, err)
	}
	zeros := dataset.Matrix{Rows: 1, Cols: 2, Ptr: []int64{0, 0}}
	if d, err := Scale(bare(t, zeros), scaleByRow, 0); err != nil || d.Features[0].Nonzeros() != 0 {
		t.Errorf("an empty row became %v, %v", d.Features[0], err)
	}
}

// FuzzParseCorruption: what is read is written as it was meant, and applies.
func FuzzParseCorruption(f *testing.F) {
	for _, spec := range []string{"", "rows=0.2", "rows=1,kind=permute", "rows=NaN", "rows=0.1,scale=-0",
		"rows=1,noise=uniform,scale=1e308"} {
		f.Add(spec)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		c, err := ParseCorruption(spec)
		if err != nil {
			return
		}
		sparse, _ := randomFeatures(1, 5, 4, true)
		d, err := Corrupt(bare(t, sparse), c, 1)
		if err != nil || len(d.Corrupted) != floorShare(c.Rows, 5) {
			t.Fatalf("%q: %v, %v", spec, d.Corrupted, err)
		}
	})
}

// TestScaleLike: rows that come later are scaled as they would have been among the old ones.
func TestScaleLike(t *testing.T) {
	old := dataset.Matrix{Rows: 4, Cols: 2, Values: []mat.Real{1, 5, 3, 5, 1, 5, 3, 5}}
	x := dataset.Matrix{Rows: 1, Cols: 2, Values: []mat.Real{4, 4}}
	for s, want := range map[string][]mat.Real{
		scaleNone: {4, 4}, scaleAuto: {4, 4}, scaleByRow: {0.5, 0.5}, scaleByColumn: {2, 0},
	} {
		got, err := ScaleLike(old, x, s, 0)
		if err != nil || !slices.Equal(got.Values, want) {
			t.Errorf("%s: %v, %v, want %v", s, got.Values, err, want)
		}
	}
	if _, err := ScaleLike(old, x, "row", 0); err == nil {
		t.Error("row was taken for a scaling")
	}
}
