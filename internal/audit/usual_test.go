package audit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// words is a graph of communities whose rows are words, most of them of the class, that add up to 1.
func words(t *testing.T) Data {
	d := made(t, "csbm:nodes=500,classes=4,degree=6,homophily=0.85,seed=3")
	rng := rand.New(rand.NewPCG(3, 9))
	const each, length = 60, 12 // words of a class, and of a row
	x := dataset.Matrix{Cols: 4 * each, Ptr: []int64{0}}
	row := make([]mat.Real, x.Cols)
	for _, y := range d.Class {
		clear(row)
		for range length {
			j := rng.IntN(x.Cols)
			if rng.Float64() < 0.6 {
				j = int(y)*each + rng.IntN(each)
			}
			row[j] += 1. / length
		}
		x.AppendRow(row)
	}
	d.Rows = x
	return d
}

// answers is a graph of communities whose rows are ten answers, yes or no, that differ a little between classes.
func answers(t *testing.T) Data {
	d := made(t, "csbm:nodes=1000,classes=2,degree=6,homophily=0.85,seed=3")
	rng := rand.New(rand.NewPCG(3, 9))
	x := dataset.Matrix{Rows: len(d.Class), Cols: 10}
	for _, y := range d.Class {
		for j := range x.Cols {
			yes := mat.Real(0)
			if rng.Float64() < 0.9-0.08*float64(j)+0.1*float64(int(y)*(j%3-1)) {
				yes = 1
			}
			x.Values = append(x.Values, yes)
		}
	}
	d.Rows = x
	return d
}

// residuals are ‖x_v − mean of x_u over neighbours‖, what an energy whose perceptron is the identity leaves of a row.
func residuals(t *testing.T, d Data) []float64 {
	hood, err := newNeighbours(d.Graph)
	if err != nil {
		t.Fatal(err)
	}
	x := newNumbers(d.Rows.Rows, d.Rows.Cols)
	for i := range x.rows {
		d.Rows.Row(x.at(i), i)
	}
	mean, out := hood.average(x), make([]float64, x.rows)
	for i := range out {
		for k, v := range x.at(i) {
			out[i] += math.Pow(float64(v-mean.at(i)[k]), 2)
		}
	}
	return out
}

// TestManyRowsOfNoise: rows of noise do not decide what is usual. The audit finds the same number as residuals, up to
// a row or two by rounding, and knows how many there are up to a factor of 1.5.
func TestManyRowsOfNoise(t *testing.T) {
	clean := words(t)
	for _, planted := range []float64{0.2, 0.4} {
		d, bad, err := Plant(clean, gaussian, planted, nil, 3)
		if err != nil {
			t.Fatal(err)
		}
		o, err := Judge(d, gaussian, bad, 3)
		if err != nil {
			t.Fatal(err)
		}
		got, plain, share := o.Precision, Precision(residuals(t, d), bad), o.Share
		t.Logf("%.2f: audit %.3f, residual %.3f, share %.3f", planted, got, plain, share)
		if got < plain-0.01 || share > 1.5*planted || share < planted/1.5 {
			t.Errorf("%.2f of the rows are noise: precision %.3f, of residuals %.3f, share %.3f", planted, got, plain,
				share)
		}
	}
}

// TestRounds: noise of about the size of the answers around it is found once networks learn without what was found
// before, better than by residuals. Too much is called wrong, up to twice what is.
func TestRounds(t *testing.T) {
	d, bad, err := Plant(answers(t), gaussian, 0.2, nil, 3)
	if err != nil {
		t.Fatal(err)
	}
	o, err := Judge(d, gaussian, bad, 3)
	if err != nil {
		t.Fatal(err)
	}
	got, plain, share := o.Precision, Precision(residuals(t, d), bad), o.Share
	if got < plain || share > 0.4 || share < 0.1 {
		t.Errorf("precision %.3f, of residuals %.3f, share %.3f of 0.2", got, plain, share)
	}
}

// TestUsualRows: rows of noise among words are not usual, those of another kind of node are, where they fit their
// neighbours, and so are empty ones.
func TestUsualRows(t *testing.T) {
	d := words(t)
	hood, err := newNeighbours(d.Graph)
	if err != nil {
		t.Fatal(err)
	}
	if n := count(usualRows(d.Rows, hood), false); n != 0 {
		t.Errorf("%d rows of words are not usual", n)
	}
	noisy, bad, err := Plant(d, gaussian, 0.4, nil, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, usual := range usualRows(noisy.Rows, hood) {
		if usual == bad[i] {
			t.Fatalf("row %d: usual %v, noise %v", i, usual, bad[i])
		}
	}
	long := dataset.Matrix{Cols: d.Rows.Cols, Ptr: []int64{0}}
	row := make([]mat.Real, d.Rows.Cols)
	for i := range d.Rows.Rows {
		d.Rows.Row(row, i)
		switch i % 4 {
		case 0:
			for j := range row { // of another unit, with the same meaning
				row[j] *= 1e4
			}
		case 1:
			clear(row)
		}
		long.AppendRow(row)
	}
	if n := count(usualRows(long, hood), false); n != 0 {
		t.Errorf("%d rows of another unit, or empty, are not usual", n)
	}
}

func count(list []bool, what bool) (n int) {
	for _, x := range list {
		if x == what {
			n++
		}
	}
	return n
}

// TestFences: fewer than half of the numbers, all on one side, do not move the fences to them.
func TestFences(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var x []float64
	for i := range 1000 {
		x = append(x, rng.NormFloat64())
		if i%10 < 4 {
			x[i] += 100
		}
	}
	low, high := fences(x, 0)
	if inside := slices.DeleteFunc(x, func(v float64) bool { return v < low || v > high }); len(inside) != 600 ||
		slices.Max(inside) > 10 {
		t.Errorf("%d numbers between %.2f and %.2f, want the 600 around 0", len(inside), low, high)
	}
}
