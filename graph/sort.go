package graph

import (
	"math/bits"
	"slices"
)

// Overview: building a pattern of ten million edges sorts ten million entries by (row, column, edge), and a counting
// sort with a bucket per row spends its time waiting for memory: consecutive entries go to far places. So entries first
// move, in order, into at most 1024 blocks of consecutive rows; what follows then stays within a block, which fits the
// cache.

// entry is an entry of a pattern on its way to its row.
type entry struct{ row, col, edge int32 }

const (
	blockEntries = 1 << 14 // entries a block should have
	maxBlockBits = 10      // log₂ of the most blocks
	digitBits    = 11      // bits of a column that one pass over a block sorts by
)

// blocks are the entries of a pattern by block of rows.
type blocks struct {
	shift   int     // a block has 2^shift rows
	first   []int64 // where each block begins in entries
	next    []int64 // where its next entry goes
	entries []entry
}

// newBlocks returns empty blocks for n entries that have rows as starts counted them.
func newBlocks(at []int64, rows, n int) blocks {
	cut := min(max(0, bits.Len(uint(n/blockEntries))), maxBlockBits)
	b := blocks{shift: max(0, bits.Len(uint(rows))-cut), entries: make([]entry, n)}
	for v := 0; v < rows; v += 1 << b.shift {
		b.first = append(b.first, at[v+1])
	}
	b.next = slices.Clone(b.first)
	b.first = append(b.first, int64(n))
	return b
}

// addEntry adds an entry to its block.
func (b *blocks) addEntry(row, col, edge int32) {
	k := row >> b.shift
	i := b.next[k]
	b.entries[i] = entry{row, col, edge}
	b.next[k] = i + 1
}

// newPattern returns the rows×cols pattern with an entry (row[e], col[e]) for every edge e of
// edges, or for every e when edges is nil.
func newPattern(row, col, edges []int32, rows, cols int) Pattern {
	at, n := starts(row, edges, rows), len(row)
	if edges != nil {
		n = len(edges)
	}
	b := newBlocks(at, rows, n)
	if edges == nil {
		for e, r := range row {
			b.addEntry(r, col[e], int32(e))
		}
	}
	for _, e := range edges {
		b.addEntry(row[e], col[e], e)
	}
	return b.pattern(at, rows, cols, true)
}

// transpose returns the pattern with rows and columns exchanged. Its rows come out sorted because
// the entries of each are met in the order of p's rows.
func (p Pattern) transpose() Pattern {
	at := starts(p.Idx, nil, p.Cols)
	b := newBlocks(at, p.Cols, len(p.Idx))
	for v := range p.Rows {
		for i := p.Ptr[v]; i < p.Ptr[v+1]; i++ {
			b.addEntry(p.Idx[i], int32(v), p.Edge[i])
		}
	}
	return b.pattern(at, p.Cols, p.Rows, false)
}

// pattern moves the entries of every block to their rows, sorted by column first if asked to.
func (b *blocks) pattern(at []int64, rows, cols int, sort bool) Pattern {
	n := len(b.entries)
	p := Pattern{Rows: rows, Cols: cols, Ptr: at[: rows+1 : rows+1]}
	p.Idx, p.Edge = make([]int32, n), make([]int32, n)
	var spare []entry
	for k := range b.next {
		x := b.entries[b.first[k]:b.first[k+1]]
		if sort {
			x, spare = sortByColumn(x, spare, cols)
		}
		for _, e := range x {
			i := at[e.row+1]
			p.Idx[i], p.Edge[i] = e.col, e.edge
			at[e.row+1] = i + 1
		}
	}
	return p
}

// sortByColumn sorts x by column, keeping the order within one: a radix sort from the low digit.
// It returns the sorted entries, in x or in spare, and a spare for the next call.
func sortByColumn(x, spare []entry, cols int) (sorted, free []entry) {
	if len(spare) < len(x) {
		spare = make([]entry, len(x))
	}
	from, to := x, spare[:len(x)]
	var at [1<<digitBits + 1]int32
	for shift := 0; cols>>shift > 0; shift += digitBits {
		clear(at[:])
		for i := range from {
			at[from[i].col>>shift&(1<<digitBits-1)+1]++
		}
		for d := 1; d < len(at); d++ {
			at[d] += at[d-1]
		}
		for _, e := range from {
			d := e.col >> shift & (1<<digitBits - 1)
			to[at[d]] = e
			at[d]++
		}
		from, to = to, from
	}
	return from, spare
}

// starts returns cursors for a counting sort by key: bucket k begins at starts[k+1]. Once every
// item of bucket k has moved starts[k+1] on by one, starts[:buckets+1] are the row pointers.
func starts(key, items []int32, buckets int) []int64 {
	at := make([]int64, buckets+2)
	if items == nil {
		for _, k := range key {
			at[k+2]++
		}
	}
	for _, i := range items {
		at[key[i]+2]++
	}
	for k := 2; k < len(at); k++ {
		at[k] += at[k-1]
	}
	return at
}

// sortByKey sorts ids by (key[id], id).
func sortByKey(ids, key []int32) {
	slices.SortFunc(ids, func(a, b int32) int {
		if key[a] != key[b] {
			return int(key[a]) - int(key[b])
		}
		return int(a) - int(b)
	})
}
