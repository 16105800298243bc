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
	if len(cuts) < 2 && len(values) == looked || len(values) == 0 {
		return // nothing to split by
	}
	bins := make([]uint8, b.Rows)
	for i, x := range column {
		bins[i] = binOf(cuts, x)
	}
	b.cuts[b.first+j], b.bins[b.first+j] = cuts, bins
}

// cutsOf are the upper ends of the bins of sorted values.
func cutsOf(values []float32) []float32 {
	distinct := slices.Compact(slices.Clone(values))
	if len(distinct) < maxBins {
		cuts := make([]float32, len(distinct))
		for i := range cuts {
			if cuts[i] = math.MaxFloat32; i+1 < len(distinct) {
				cuts[i] = distinct[i]/2 + distinct[i+1]/2
				if cuts[i] >= distinct[i+1] || cuts[i] < distinct[i] { // neighbours among floats
					cuts[i] = distinct[i]
				}
			}
		}
		return cuts
	}
	var cuts []float32
	for b := range maxBins - 2 {
		x := values[(b+1)*len(values)/(maxBins-1)]
		if n := len(cuts); (n == 0 || x > cuts[n-1]) && x < values[len(values)-1] {
			cuts = append(cuts, x)
		}
	}
	return append(cuts, math.MaxFloat32)
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
