package fit

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// source is a matrix n×cols that filters are applied to.
type source struct {
	n, cols int
	byRow   dataset.Matrix
	sparse  bool
}

// encoded is the most dense columns that are cut into pieces.
const encoded = 64

// newSource joins the features of all types of nodes. Rows of words and other sparse features get norm 1; dense
// columns become pieces (see Knots) if they are few, else they get mean 0 and deviation 1.
func newSource(nodes int, types []int32, features []dataset.Matrix) *source {
	x, sparse := dataset.Matrix{Rows: nodes, Ptr: make([]int64, 1, nodes+1)}, true
	rows, most := make([]func(i int, emit func(int, mat.Real)), len(features)), 0
	for t, m := range features {
		first := x.Cols
		if m.IsSparse() || m.Cols == 0 {
			rows[t] = func(i int, emit func(int, mat.Real)) {
				for j, v := range m.Entries(i) {
					emit(first+j, v)
				}
			}
			x.Cols, most = x.Cols+m.Cols, most+m.Nonzeros()
			continue
		}
		columns, width := encode(m, first)
		rows[t] = func(i int, emit func(int, mat.Real)) {
			for j, v := range m.Entries(i) {
				columns[j](v, emit)
			}
		}
		x.Cols, most, sparse = x.Cols+width, most+m.Rows*width, false
	}
	x.Idx, x.Values = make([]int32, 0, most), make([]mat.Real, 0, most)
	emit := func(j int, v mat.Real) {
		if v != 0 {
			x.Idx, x.Values = append(x.Idx, int32(j)), append(x.Values, v)
		}
	}
	next := make([]int, len(features))
	for v := range x.Rows {
		t, begin := 0, len(x.Values)
		if types != nil {
			t = int(types[v])
		}
		if t < len(rows) {
			rows[t](next[t], emit)
			next[t]++
		}
		if sparse {
			toUnit(x.Values[begin:])
		}
		x.Ptr = append(x.Ptr, int64(len(x.Idx)))
	}
	return &source{n: x.Rows, cols: x.Cols, byRow: x, sparse: sparse}
}

// toUnit gives a row norm 1.
func toUnit(row []mat.Real) {
	square := 0.0
	for _, v := range row {
		square += float64(v) * float64(v)
	}
	if factor := mat.Real(1 / math.Sqrt(square)); square > 0 {
		for i := range row {
			row[i] *= factor
		}
	}
}

// encode says what becomes of the columns of a dense matrix, from column first on, and how many there are afterwards.
func encode(m dataset.Matrix, first int) ([]func(mat.Real, func(int, mat.Real)), int) {
	out, width := make([]func(mat.Real, func(int, mat.Real)), m.Cols), 0
	for j := range m.Cols {
		column := make([]float64, m.Rows)
		for i := range column {
			column[i] = float64(m.Values[i*m.Cols+j])
		}
		knots := []float64{}
		if m.Cols <= encoded {
			if knots = Knots(column); len(knots) == 2 {
				knots = nil // the number itself says as much
			}
		}
		mean, sd := moments(column)
		at := first + width
		out[j] = func(v mat.Real, emit func(int, mat.Real)) {
			emit(at, mat.Real((float64(v)-mean)/sd))
			for k := range len(knots) - 1 {
				emit(at+1+k, mat.Real(min(max((float64(v)-knots[k])/(knots[k+1]-knots[k]), 0), 1)))
			}
		}
		width += 1 + max(len(knots)-1, 0)
	}
	return out, width
}

// Knots returns the knots of a piecewise linear function of a column, its eighths; of two values these, and one of a
// constant column. Column k is then min(max((v − knot_k)/(knot_{k+1} − knot_k), 0), 1) (Gorishniy et al. 2022).
func Knots(column []float64) []float64 {
	sorted := slices.Clone(column)
	slices.Sort(sorted)
	var knots []float64
	for i := range 9 {
		knots = append(knots, sorted[i*(len(sorted)-1)/8])
	}
	return slices.Compact(knots)
}

func moments(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sd += (x - mean) * (x - mean) / float64(len(v))
	}
	if sd = math.Sqrt(sd); sd < 1e-12 {
		sd = 1
	}
	return mean, sd
}

// panel returns the columns first ≤ j < last, n×(last−first).
func (s *source) panel(first, last int) *mat.Dense {
	w := last - first
	data := make([]mat.Real, s.n*w)
	for v := range s.n {
		for e := s.byRow.Ptr[v]; e < s.byRow.Ptr[v+1]; e++ {
			if j := int(s.byRow.Idx[e]) - first; 0 <= j && j < w {
				data[v*w+j] = s.byRow.Values[e]
			}
		}
	}
	return mat.FromSlice(s.n, w, data)
}

// times returns X w, n×k, for w cols×k.
func (s *source) times(w []float64, k int) *mat.Dense {
	data := make([]mat.Real, s.n*k)
	sum := make([]float64, k)
	for v := range s.n {
		clear(sum)
		for e := s.byRow.Ptr[v]; e < s.byRow.Ptr[v+1]; e++ {
			x := float64(s.byRow.Values[e])
			for c, b := range w[int(s.byRow.Idx[e])*k:][:k] {
				sum[c] += x * b
			}
		}
		for c, b := range sum {
			data[v*k+c] = mat.Real(b)
		}
	}
	return mat.FromSlice(s.n, k, data)
}
