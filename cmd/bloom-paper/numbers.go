package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// columnTarget is a column of a published data set that is predicted from others and from the graph.
type columnTarget struct {
	name    string
	about   int  // its column
	from    int  // the first column that it is predicted from: all up to the last, without the column itself
	divided bool // nodes are divided at random, 60, 20 and 20 %: the splits of the data are of few nodes
}

// columnTargets are by data set. Columns 0 to 3 of tolokers are the shares of a worker's tasks that were approved,
// skipped, expired and rejected, which add up to 1; the others are the worker's profile. The columns of pubmed are the
// weights (tf-idf) of 500 terms in a paper's abstract; the predicted column is in units of the sum of the others.
var columnTargets = map[string]columnTarget{"tolokers": {"expired", 2, 4, false}, "pubmed": {"term 498", 498, 0, true}}

// relabel is d with the column as its labels; the seed is of the division.
func (c columnTarget) relabel(d *dataset.Dataset, seed uint64) *dataset.Dataset {
	x := d.Features[0]
	out, row, rest := *d, make([]mat.Real, x.Cols), dataset.Matrix{Cols: x.Cols - c.from}
	if c.from <= c.about {
		rest.Cols--
	}
	out.Labels = dataset.Labels{Task: dataset.Numbers, Names: []string{c.name}, Class: make([]int32, x.Rows)}
	for v := range x.Rows {
		x.Row(row, v)
		y := row[c.about]
		if c.from <= c.about {
			y *= without(row, c.about)
		}
		out.Labels.Values = append(out.Labels.Values, y)
		rest.AppendRow(row[c.from:][:rest.Cols])
	}
	out.Features, out.Metric = []dataset.Matrix{rest}, "rmse"
	if c.divided {
		out.Splits = []dataset.Split{divide(x.Rows, seed)}
	}
	return &out
}

// without takes a number out of a row and makes the others add up to 1, by the factor that it returns; 1 if they add
// up to 0. In a row whose numbers added up to 1 before, the others would tell the missing one.
func without(row []mat.Real, at int) (factor mat.Real) {
	copy(row[at:], row[at+1:])
	sum, factor := mat.Real(0), mat.Real(1)
	for _, x := range row[:len(row)-1] {
		sum += x
	}
	if sum > 0 {
		factor = 1 / sum
	}
	for i := range row[:len(row)-1] {
		row[i] *= factor
	}
	return factor
}

// divide returns a random division of n nodes: 60 % for training, 20 % for validation, 20 % for test.
func divide(n int, seed uint64) dataset.Split {
	all := make([]int32, n)
	for v := range all {
		all[v] = int32(v)
	}
	all = shuffled(all, mat.Mix(seed, uint64(n)))
	s := dataset.Split{Train: all[:n*3/5], Valid: all[n*3/5 : n*4/5], Test: all[n*4/5:]}
	for _, part := range [][]int32{s.Train, s.Valid, s.Test} {
		slices.Sort(part)
	}
	return s
}

// measureNumbers predicts a column of the data set: rmse, mae and r2 of the test nodes, as percentages.
func measureNumbers(ctx context.Context, j job) (Outcome, error) {
	target, ok := columnTargets[j.cell.Data]
	if !ok {
		return Outcome{}, fmt.Errorf("%s has no column to predict", j.cell.Data)
	}
	j.data = target.relabel(j.data, j.config.Train.Seed)
	switch j.cell.Row {
	case "ridge":
		return ridge(j.data, false), nil
	case "ridge-neighbours":
		return ridge(j.data, true), nil
	}
	r, err := trained(ctx, j, j.config)
	if err != nil {
		return diverged(err)
	}
	o := Outcome{Valid: -100 * r.Valid.Mean, Numbers: map[string]float64{}}
	for _, m := range r.Metrics {
		o.Numbers[m.Metric] = 100 * m.Test.Mean
	}
	return o, nil
}

// ridge returns a ridge regression on the features, and, if neighbours is set, on the mean of the neighbours'
// features. The penalty is the best of 1, 10, … 10⁴ on validation nodes.
func ridge(d *dataset.Dataset, neighbours bool) Outcome {
	x, k := design(d, neighbours)
	y, s := d.Labels.Values, d.Splits[0]
	best := Outcome{Valid: math.Inf(-1)}
	fit := fitRidge(x, k, y, s.Train)
	for _, penalty := range []float64{1, 10, 100, 1e3, 1e4} {
		w := fit(penalty)
		of := func(nodes []int32, name string) float64 {
			n := metric.Numbers{}
			for _, v := range nodes {
				n.Got = append(n.Got, dot(w, x[int(v)*k:int(v+1)*k]))
				n.Want = append(n.Want, float64(y[v]))
			}
			m, _ := metric.ByName(name)
			return 100 * m.Numbers(n)
		}
		if valid := -of(s.Valid, "rmse"); valid > best.Valid {
			best = Outcome{Valid: valid, Numbers: map[string]float64{"rmse": of(s.Test, "rmse"),
				"mae": of(s.Test, "mae"), "r2": of(s.Test, "r2")}}
		}
	}
	return best
}

// fitRidge returns the weights w that minimise Σ (y − ⟨w, x⟩)² + penalty ‖w‖² over nodes.
func fitRidge(x []float64, k int, y []mat.Real, nodes []int32) func(penalty float64) []float64 {
	b, gram := make([]float64, k), make([]float64, k*k)
	for _, v := range nodes {
		row := x[int(v)*k : int(v+1)*k]
		for i, a := range row {
			b[i] += a * float64(y[v])
			for j, c := range row {
				gram[i*k+j] += a * c
			}
		}
	}
	return func(penalty float64) []float64 {
		return inverse(func(out, w []float64) {
			for i := range out {
				out[i] = penalty*w[i] + dot(gram[i*k:(i+1)*k], w)
			}
		}, b, 2*k)
	}
}

// design returns a row of k numbers for every node: its features to mean 0 and deviation 1, the mean of its
// neighbours' if neighbours is set, and 1.
func design(d *dataset.Dataset, neighbours bool) (x []float64, k int) {
	own := standard(d.Features[0])
	n, cols := d.Features[0].Rows, d.Features[0].Cols
	near, count := make([]float64, len(own)), make([]float64, n)
	for _, e := range d.Graph.Triples() {
		for _, p := range [][2]int32{{e.U, e.V}, {e.V, e.U}} {
			count[p[0]]++
			for j, v := range own[int(p[1])*cols : int(p[1]+1)*cols] {
				near[int(p[0])*cols+j] += v
			}
		}
	}
	for v := range n {
		x = append(x, own[v*cols:(v+1)*cols]...)
		for j := range cols {
			if neighbours {
				x = append(x, near[v*cols+j]/max(count[v], 1))
			}
		}
		x = append(x, 1)
	}
	return x, len(x) / n
}

// standard returns the numbers of m, row by row, columns to mean 0 and deviation 1.
func standard(m dataset.Matrix) []float64 {
	row, out := make([]mat.Real, m.Cols), make([]float64, 0, m.Rows*m.Cols)
	for v := range m.Rows {
		m.Row(row, v)
		for _, x := range row {
			out = append(out, float64(x))
		}
	}
	column := make([]float64, m.Rows)
	for j := range m.Cols {
		for v := range column {
			column[v] = out[v*m.Cols+j]
		}
		mean, sd := metric.Mean(column), metric.SD(column)
		for v := range column {
			out[v*m.Cols+j] = (out[v*m.Cols+j] - mean) / max(sd, 1e-9)
		}
	}
	return out
}
