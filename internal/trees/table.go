package trees

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/internal/kernel"
)

// maxBins is how many bins a column has at most. Bin 0 holds the rows without a value.
const maxBins = 256

// sampled is how many rows of a column tell where its bins end.
const sampled = 1 << 18

// Table is rows of numbers, each column in bins.
type Table struct {
	Rows int
	// cuts[j] are the upper ends of the bins of column j from bin 1 on, ascending; the last is the largest number. A
	// column that is the same in all rows has no cuts.
	cuts [][]float32
	bins [][]uint8 // by column: the bin of every row
	at   []int     // where the cells of a column begin in a histogram, and after the last one how many there are
}

// binning makes a Table, some columns at a time.
type binning struct {
	*Table
	first  int       // of these columns
	values []float32 // theirs, column by column
}

// together is how many columns are binned at a time.
const together = 64

// NewTable bins columns: bins of equally many rows, or one for each value where there are few. row(to, i) fills in what
// columns row i has, NaN for a gap.
func NewTable(rows, columns int, row func(to []float32, i int)) *Table {
	t := &Table{Rows: rows, cuts: make([][]float32, columns), bins: make([][]uint8, columns),
		at: make([]int, columns+1)}
	b := &binning{Table: t, values: make([]float32, rows*min(columns, together))}
	to := make([]float32, columns)
	for ; b.first < columns; b.first += together {
		n := min(columns-b.first, together)
		for i := range rows {
			row(to, i)
			for j, x := range to[b.first:][:n] {
				b.values[j*rows+i] = x
			}
		}
		kernel.Each(n, b)
	}
	for j, cuts := range t.cuts {
		t.at[j+1] = t.at[j]
		if len(cuts) > 0 {
			t.at[j+1] += len(cuts) + 1
		}
	}
	return t
}

// Columns is how many columns there are.
func (t *Table) Columns() int { return len(t.cuts) }

// Do bins column j of those at hand.
func (b *binning) Do(j int) {
	column := b.values[j*b.Rows:][:b.Rows]
	values, step := make([]float32, 0, min(b.Rows, sampled)), max(1, (b.Rows+sampled-1)/sampled)
	looked := 0
	for i := 0; i < b.Rows; i += step {
		if looked++; column[i] == column[i] {
			values = append(values, column[i])
		}
	}
	slices.Sort(values)
	cuts := cutsOf(values)
	if len(cuts) < 2 && len(values) == looked || len(cuts) == 0 {
		return // nothing to split by
	}
	bins := make([]uint8, b.Rows)
	for i, x := range column {
		bins[i] = binOf(cuts, x)
	}
	b.cuts[b.first+j], b.bins[b.first+j] = cuts, bins
}

// cutsOf are the upper ends of the bins of sorted values: a bin for each distinct one where there are few. Else values
// that fill a bin have it for themselves, negative and positive ones never share one, and the rest are in bins of
// equally many, so that columns which are mostly 0 are told apart where they are not.
func cutsOf(values []float32) []float32 {
	distinct, counts := distinctOf(values)
	heavy, left := 0, len(values) // values that fill a bin, and rows of the others
	for _, n := range counts {
		if n*(maxBins-1) >= len(values) {
			heavy, left = heavy+1, left-n
		}
	}
	room := max(maxBins-2-2*heavy, 16)
	few := len(distinct) < maxBins
	var cuts []float32
	within := 0 // rows of the bin so far
	for i := range len(distinct) - 1 {
		within += counts[i]
		fills := func(i int) bool { return counts[i]*(maxBins-1) >= len(values) }
		full := within*room >= left || fills(i) || fills(i+1) || distinct[i] <= 0 && distinct[i+1] > 0
		if few || full && len(cuts) < maxBins-2 {
			cuts, within = append(cuts, between(distinct[i], distinct[i+1])), 0
		}
	}
	if len(distinct) == 0 {
		return nil
	}
	return append(cuts, math.MaxFloat32)
}

// distinctOf are the different ones of sorted values, and how often each is there.
func distinctOf(values []float32) (distinct []float32, counts []int) {
	for i, x := range values {
		if i == 0 || x != values[i-1] {
			distinct, counts = append(distinct, x), append(counts, 0)
		}
		counts[len(counts)-1]++
	}
	return distinct, counts
}

// between is a number that is at least a and below b.
func between(a, b float32) float32 {
	if m := a/2 + b/2; m >= a && m < b {
		return m
	}
	return a // neighbours among floats
}

// binOf is the bin of a value: the first whose upper end is not below it.
func binOf(cuts []float32, x float32) uint8 {
	if x != x {
		return 0
	}
	lo, hi := 0, len(cuts)-1
	for lo < hi {
		if mid := (lo + hi) / 2; cuts[mid] < x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return uint8(lo + 1)
}
