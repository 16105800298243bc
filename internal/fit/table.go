package fit

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/internal/kernel"
)

// maxBins is the maximum number of bins of a column. Bin 0 holds the rows without a value.
const maxBins = 256

// sampled is the number of rows of a column that determine where its bins end.
const sampled = 1 << 18

// Table is rows of numbers, each column in bins.
type Table struct {
	Rows int
	// cuts[j] are the upper ends of the bins of column j from bin 1 on, ascending; the last is the largest number. A
	// column that is the same in all rows has no cuts.
	cuts [][]float32
	bins [][]uint8 // by column: the bin of every row
	// often[j] is the bin with most of the rows of column j, −1 if none has half of them: it is not counted row by
	// row.
	often []int16
	at    []int // where the cells of a column begin in a histogram, and after the last one how many there are
}

// binning makes a Table, some columns at a time.
type binning struct {
	*Table
	first  int       // of these columns
	values []float32 // theirs, column by column
}

// together is the number of columns that are binned at a time.
const together = 64

// NewTable bins columns: bins with equal numbers of rows, or one bin per value if there are few values. row(to, i)
// fills in the columns of row i, NaN for a gap.
func NewTable(rows, columns int, row func(to []float32, i int)) *Table {
	t := &Table{Rows: rows, cuts: make([][]float32, columns), bins: make([][]uint8, columns),
		often: make([]int16, columns), at: make([]int, columns+1)}
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

// Columns returns the number of columns.
func (t *Table) Columns() int { return len(t.cuts) }

// Do bins column j of the current group.
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
	bins, rows, often := make([]uint8, b.Rows), [maxBins]int{}, int16(-1)
	for i, x := range column {
		bins[i] = binOf(cuts, x)
		if rows[bins[i]]++; 2*rows[bins[i]] >= b.Rows {
			often = int16(bins[i])
		}
	}
	b.cuts[b.first+j], b.bins[b.first+j], b.often[b.first+j] = cuts, bins, often
}

// cutsOf returns the upper ends of the bins of sorted values: a bin for each distinct value if there are few.
// Otherwise a value that fills a bin has it to itself, negative and positive values never share one, and the rest are
// in bins of equal counts, so that columns that are mostly 0 keep their resolution elsewhere.
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

// distinctOf returns the distinct values in sorted values, and how often each occurs.
func distinctOf(values []float32) (distinct []float32, counts []int) {
	for i, x := range values {
		if i == 0 || x != values[i-1] {
			distinct, counts = append(distinct, x), append(counts, 0)
		}
		counts[len(counts)-1]++
	}
	return distinct, counts
}

// between returns a number that is at least a and below b.
func between(a, b float32) float32 {
	if m := a/2 + b/2; m >= a && m < b {
		return m
	}
	return a // neighbours among floats
}

// binOf returns the bin of a value: the first whose upper end is not below it.
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
