package format

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// csr is a compressed sparse row matrix as files have it: entries ptr[i] ≤ e < ptr[i+1] of row i.
type csr struct {
	file             string
	rows, cols       int64
	ptr, idx, values *codec.Array
	budget           *files.Budget
}

// matrix returns the rows×cols matrix c after checking it: every entry lies inside it and is finite. It sorts the
// entries of a row if necessary; two entries in the same place are an error.
func (c csr) matrix() (dataset.Matrix, error) {
	for _, part := range []struct {
		name  string
		array *codec.Array
	}{{"indptr", c.ptr}, {"indices", c.idx}, {"data", c.values}} {
		if part.array == nil || !part.array.Is(-1) {
			return dataset.Matrix{}, files.Errorf(c.file, "a sparse matrix whose %s is not a vector", part.name)
		}
	}
	if c.rows < 0 || c.cols < 0 || c.cols > math.MaxInt32 ||
		c.rows != int64(c.ptr.Len())-1 || c.idx.Len() != c.values.Len() {
		return dataset.Matrix{}, files.Errorf(c.file,
			"a sparse matrix of shape %d×%d with %d row ends, %d columns and %d values",
			c.rows, c.cols, c.ptr.Len(), c.idx.Len(), c.values.Len())
	}
	// a column of the entries as 32 bits, and a few rows that are written out to work on them
	if err := c.budget.Take(4*int64(c.idx.Len())+16*c.cols, fmt.Sprintf("a matrix of %d columns", c.cols)); err != nil {
		return dataset.Matrix{}, err
	}
	m := dataset.Matrix{Rows: int(c.rows), Cols: int(c.cols)}
	var err error
	if m.Ptr, err = c.rowEnds(); err != nil {
		return dataset.Matrix{}, err
	}
	if m.Idx, err = c.columns(); err != nil {
		return dataset.Matrix{}, err
	}
	if m.Values, err = codec.Floats[mat.Real](c.values); err != nil {
		return dataset.Matrix{}, err
	}
	if err := checkFinite(c.values, m.Values); err != nil {
		return dataset.Matrix{}, err
	}
	if row := sortRows(m); row >= 0 {
		return dataset.Matrix{}, c.idx.Errorf(int(m.Ptr[row]),
			"row %d of a sparse matrix has two entries in the same column", row)
	}
	return compact(m), nil
}

// rowEnds returns the bounds of the rows, which ascend from 0 to the number of entries.
func (c csr) rowEnds() ([]int64, error) {
	ptr, err := c.ptr.Ints()
	if err != nil {
		return nil, err
	}
	if ptr[0] != 0 || ptr[c.rows] != int64(c.idx.Len()) {
		return nil, c.ptr.Errorf(0, "the row pointers of a sparse matrix go from %d to %d, want 0 to %d", ptr[0],
			ptr[c.rows], c.idx.Len())
	}
	for i := range c.rows {
		if ptr[i+1] < ptr[i] {
			return nil, c.ptr.Errorf(int(i+1), "row %d of a sparse matrix ends at %d, before its start at %d", i,
				ptr[i+1], ptr[i])
		}
	}
	return ptr, nil
}

func (c csr) columns() ([]int32, error) {
	wide, err := c.idx.Ints()
	if err != nil {
		return nil, err
	}
	idx := make([]int32, len(wide))
	for e, j := range wide {
		if j < 0 || j >= c.cols {
			return nil, c.idx.Errorf(e, "entry %d of a sparse matrix is in column %d of %d", e, j, c.cols)
		}
		idx[e] = int32(j)
	}
	return idx, nil
}

// checkFinite returns an error for the first NaN or Inf.
func checkFinite(a *codec.Array, values []mat.Real) error {
	for i, x := range values {
		if x-x != 0 {
			return a.Errorf(i, "element %d is %v, which is not finite", i, x)
		}
	}
	return nil
}

// sortRows sorts the entries of every row and returns the first row with two entries in the same column, −1 if there is
// no such row.
func sortRows(m dataset.Matrix) int {
	for i := range m.Rows {
		idx, values := m.Idx[m.Ptr[i]:m.Ptr[i+1]], m.Values[m.Ptr[i]:m.Ptr[i+1]]
		if !slices.IsSorted(idx) {
			order := make([]int, len(idx))
			for e := range order {
				order[e] = e
			}
			slices.SortFunc(order, func(a, b int) int { return int(idx[a]) - int(idx[b]) })
			from, with := slices.Clone(idx), slices.Clone(values)
			for e, o := range order {
				idx[e], values[e] = from[o], with[o]
			}
		}
		for e := 1; e < len(idx); e++ {
			if idx[e] == idx[e-1] {
				return i
			}
		}
	}
	return -1
}

// compact drops the values of a sparse matrix when all of them are 1.
func compact(m dataset.Matrix) dataset.Matrix {
	for _, x := range m.Values {
		if x != 1 {
			return m
		}
	}
	m.Values = nil
	return m
}

// readSparse reads a matrix that scipy.sparse.save_npz wrote.
func readSparse(path string, b *files.Budget) (dataset.Matrix, error) {
	z, err := codec.OpenNPZ(path, b)
	if err != nil {
		return dataset.Matrix{}, err
	}
	defer z.Close()
	parts := map[string]*codec.Array{}
	for _, name := range []string{"format", "shape", "indptr", "indices", "data"} {
		if parts[name], err = z.Read(name); err != nil {
			return dataset.Matrix{}, err
		}
	}
	if format, err := parts["format"].Strings(); err != nil || strings.Join(format, " ") != "csr" {
		return dataset.Matrix{}, files.Errorf(path, "a sparse matrix in format %q; csr is read: save it as m.tocsr()",
			format)
	}
	shape, err := parts["shape"].Ints()
	if err != nil {
		return dataset.Matrix{}, err
	}
	if len(shape) != 2 {
		return dataset.Matrix{}, files.Errorf(path, "a sparse matrix of %d dimensions", len(shape))
	}
	return csr{path, shape[0], shape[1], parts["indptr"], parts["indices"], parts["data"], b}.matrix()
}

// sparsest is the share of entries that are not 0 below which features are kept sparse.
//
// Chosen: 1/10. A sparse entry costs an index too and is reached by a jump, so that a product with
// a sparse matrix is clearly the faster one from about there.
const sparsest = 0.1

// featuresOf returns the features of n nodes in an array, of one column if that is a vector.
func featuresOf(a *codec.Array, n int) (dataset.Matrix, error) {
	if !a.Is(n) && !a.Is(n, -1) {
		return dataset.Matrix{}, a.Errorf(0, "features of shape %v for %d nodes", a.Shape, n)
	}
	values, err := codec.Floats[mat.Real](a)
	if err == nil {
		err = checkFinite(a, values)
	}
	if err != nil || n == 0 {
		return dataset.Matrix{}, err
	}
	return newMatrix(n, len(values)/n, values), nil
}

// newMatrix returns the rows×cols matrix of values given row by row, sparse if few are not 0.
func newMatrix(rows, cols int, values []mat.Real) dataset.Matrix {
	count := 0
	for _, x := range values {
		if x != 0 {
			count++
		}
	}
	if float64(count) >= sparsest*float64(len(values)) {
		return dataset.Matrix{Rows: rows, Cols: cols, Values: values}
	}
	m := dataset.Matrix{Cols: cols, Ptr: make([]int64, 1, rows+1), Idx: make([]int32, 0, count),
		Values: make([]mat.Real, 0, count)}
	for i := range rows {
		m.AppendRow(values[i*cols : (i+1)*cols])
	}
	return compact(m)
}
