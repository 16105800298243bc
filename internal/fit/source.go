package fit

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// source is a matrix n×cols that filters are applied to: numbers by rows, and by columns for panels of them.
type source struct {
	n, cols int
	byRow   dataset.Matrix
	ptr     []int64 // sparse: entries of column j
	rows    []int32
	values  []mat.Real
	sparse  bool
}

// encoded is the most dense columns that are cut into pieces.
const encoded = 64

// newSource joins the features of all types of nodes. Rows of words and other sparse features get norm 1; dense
// columns become pieces (see Knots) if they are few, else they get mean 0 and deviation 1.
func newSource(g *graph.Graph, features []dataset.Matrix) *source {
	total := 0
	for _, m := range features {
		total += m.Cols
	}
	x, first := dataset.Matrix{Rows: g.NumNodes(), Cols: total, Ptr: make([]int64, g.NumNodes()+1)}, 0
	rows := make([][]entry, x.Rows)
	sparse := true
	for t, m := range features {
		if m.Cols == 0 {
			continue
		}
		nodes := g.NodesOfType(int32(t))
		columns := make([]func(v mat.Real, emit func(j int, v mat.Real)), m.Cols)
		width := m.Cols
		if !m.IsSparse() {
			sparse = false
			columns, width = encode(m)
		}
		for i, v := range nodes {
			for j, value := range m.Entries(i) {
				if columns[j] == nil {
					rows[v] = append(rows[v], entry{int32(first + j), value})
					continue
				}
				columns[j](value, func(at int, value mat.Real) {
					rows[v] = append(rows[v], entry{int32(first + at), value})
				})
			}
		}
		first += width
	}
	x.Cols = first
	for v, list := range rows {
		square := 0.0
		for _, e := range list {
			square += float64(e.value) * float64(e.value)
		}
		factor := mat.Real(1)
		if sparse && square > 0 {
			factor = mat.Real(1 / math.Sqrt(square))
		}
		for _, e := range list {
			x.Idx, x.Values = append(x.Idx, e.column), append(x.Values, e.value*factor)
		}
		x.Ptr[v+1] = int64(len(x.Idx))
	}
	s := &source{n: x.Rows, cols: x.Cols, byRow: x, sparse: sparse}
	s.transpose()
	return s
}

type entry struct {
	column int32
	value  mat.Real
}

// encode says what becomes of the columns of a dense matrix, and how many there are afterwards.
func encode(m dataset.Matrix) ([]func(mat.Real, func(int, mat.Real)), int) {
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
		at := width
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

// transpose makes the columns.
func (s *source) transpose() {
	s.ptr = make([]int64, s.cols+1)
	for _, j := range s.byRow.Idx {
		s.ptr[j+1]++
	}
	for j := range s.cols {
		s.ptr[j+1] += s.ptr[j]
	}
	s.rows, s.values = make([]int32, len(s.byRow.Idx)), make([]mat.Real, len(s.byRow.Idx))
	next := slices.Clone(s.ptr)
	for v := range s.n {
		for e := s.byRow.Ptr[v]; e < s.byRow.Ptr[v+1]; e++ {
			j := s.byRow.Idx[e]
			s.rows[next[j]], s.values[next[j]] = int32(v), 1
			if s.byRow.Values != nil {
				s.values[next[j]] = s.byRow.Values[e]
			}
			next[j]++
		}
	}
}

// panel returns the columns first ≤ j < last, n×(last−first).
func (s *source) panel(first, last int) *mat.Dense {
	w := last - first
	data := make([]mat.Real, s.n*w)
	for j := first; j < last; j++ {
		for e := s.ptr[j]; e < s.ptr[j+1]; e++ {
			data[int(s.rows[e])*w+j-first] = s.values[e]
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
