package trees

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/internal/kernel"
)

// cell is a bin of a histogram: the sums of the derivatives of its rows, and how many there are.
type cell struct {
	g, h float64
	n    int32
}

func (c *cell) add(o cell) { c.g, c.h, c.n = c.g+o.g, c.h+o.h, c.n+o.n }

// less is c without the rows of o.
func (c cell) less(o cell) cell { return cell{c.g - o.g, c.h - o.h, c.n - o.n} }

// split is the best way to part a leaf.
type split struct {
	gain   float64
	column int32 // −1 for none
	bin    uint8 // rows up to this bin go left
	gaps   bool  // and those without a value
	left   cell
}

// leaf is a leaf of a tree that grows.
type leaf struct {
	node     int32
	from, to int // its rows in grower.rows
	sum      cell
	cells    []cell
	best     split
}

// grower grows one tree, leaf by leaf, the one whose split gains most first.
type grower struct {
	*Table
	Options
	g, h    []float32 // of every row
	rows    []int32   // rows of the leaves, leaf after leaf
	columns []int32   // that may be split by
	tree    Tree
	leaves  []leaf

	// what a parallel region works on
	now     *leaf
	parent  []cell // where the cells of now follow by subtraction of those of sibling; nil where rows are counted
	sibling []cell
	gather  []float32 // g and h of the rows of now, in pairs
	right   []int32   // room for a partition
	best    []split   // by place in columns
	spare   [][]cell
}

// grow returns the tree.
func (b *grower) grow() Tree {
	root := leaf{to: len(b.rows), cells: b.room()}
	b.tree = append(b.tree, Node{Column: -1})
	b.measure(&root, nil, nil)
	b.leaves = append(b.leaves, root)
	for len(b.leaves) < b.Leaves {
		at := 0
		for i := range b.leaves {
			if b.leaves[i].best.gain > b.leaves[at].best.gain {
				at = i
			}
		}
		if b.leaves[at].best.column < 0 {
			break
		}
		b.part(at)
	}
	return b.tree
}

// value is what a leaf with such derivatives adds to the score: the minimum of g·v + ½(h + L2)·v², times the rate.
func (b *grower) value(s cell) float32 { return float32(-b.Rate * s.g / (s.h + b.L2)) }

// part splits leaf i; the left child takes its place.
func (b *grower) part(i int) {
	l := b.leaves[i]
	s := l.best
	bins, middle := b.Table.bins[s.column], l.from
	b.right = b.right[:0]
	for _, r := range b.rows[l.from:l.to] {
		if bin := bins[r]; bin <= s.bin && bin > 0 || bin == 0 && s.gaps {
			b.rows[middle] = r
			middle++
		} else {
			b.right = append(b.right, r)
		}
	}
	copy(b.rows[middle:], b.right)
	n := int32(len(b.tree))
	b.tree[l.node].Column, b.tree[l.node].Cut, b.tree[l.node].Gaps = s.column, b.cuts[s.column][s.bin-1], s.gaps
	b.tree[l.node].Left, b.tree[l.node].Right = n, n+1
	b.tree = append(b.tree, Node{Column: -1}, Node{Column: -1})
	left := leaf{node: n, from: l.from, to: middle}
	right := leaf{node: n + 1, from: middle, to: l.to}
	small, large := &left, &right
	if right.to-right.from < left.to-left.from {
		small, large = large, small
	}
	small.cells, large.cells = b.room(), l.cells // the parent's become the larger one's
	b.measure(small, nil, nil)
	b.measure(large, l.cells, small.cells)
	b.leaves[i] = left
	b.leaves = append(b.leaves, right)
}

// room is cells for a leaf.
func (b *grower) room() []cell {
	if n := len(b.spare); n > 0 {
		c := b.spare[n-1]
		b.spare = b.spare[:n-1]
		return c
	}
	return make([]cell, b.at[len(b.cuts)])
}

// measure fills the cells of a leaf, from its rows or as the parent's less the sibling's, and finds its best split.
func (b *grower) measure(l *leaf, parent, sibling []cell) {
	b.now, b.parent, b.sibling = l, parent, sibling
	rows := b.rows[l.from:l.to]
	if b.gather = b.gather[:0]; cap(b.gather) < 2*len(rows) {
		b.gather = make([]float32, 0, 2*len(rows))
	}
	for _, r := range rows {
		l.sum.add(cell{float64(b.g[r]), float64(b.h[r]), 1})
		if parent == nil {
			b.gather = append(b.gather, b.g[r], b.h[r])
		}
	}
	b.tree[l.node].Value = b.value(l.sum)
	b.best = slices.Grow(b.best[:0], len(b.columns))[:len(b.columns)]
	const few = 1 << 12 // cells and rows below which threads are not worth waking
	if len(b.columns)*(len(rows)+maxBins) < few {
		for i := range b.columns {
			b.Do(i)
		}
	} else {
		kernel.Each(len(b.columns), b)
	}
	l.best = split{column: -1}
	for _, s := range b.best {
		if s.column >= 0 && s.gain > l.best.gain {
			l.best = s
		}
	}
}

// Do counts the rows of the leaf by the i-th column, and finds its best split there.
func (b *grower) Do(i int) {
	j := b.columns[i]
	cells := b.now.cells[b.at[j]:b.at[j+1]]
	if b.parent == nil {
		clear(cells)
		bins := b.Table.bins[j]
		for k, r := range b.rows[b.now.from:b.now.to] {
			c := &cells[bins[r]]
			c.g += float64(b.gather[2*k])
			c.h += float64(b.gather[2*k+1])
			c.n++
		}
	} else {
		for k, o := range b.sibling[b.at[j]:b.at[j+1]] {
			cells[k] = cells[k].less(o)
		}
	}
	b.best[i] = b.search(j, cells)
}

// search is the best split of a leaf by column j. Rows without a value go to the better side, and where there are none
// in training, new ones go with the more numerous.
//
//	gain = ½ (G_l²/(H_l + L2) + G_r²/(H_r + L2) − G²/(H + L2))
func (b *grower) search(j int32, cells []cell) split {
	all, gaps := b.now.sum, cells[0]
	best := split{column: -1, gain: b.MinGain}
	before := b.score(all)
	try := func(bin int, left cell, with bool) {
		right := all.less(left)
		if int(left.n) < b.MinRows || int(right.n) < b.MinRows || left.h < b.MinHessian || right.h < b.MinHessian {
			return
		}
		if gain := (b.score(left) + b.score(right) - before) / 2; gain > best.gain {
			best = split{gain, j, uint8(bin), with, left}
			if gaps.n == 0 {
				best.gaps = left.n >= right.n
			}
		}
	}
	var left cell
	for bin := 1; bin < len(cells); bin++ {
		left.add(cells[bin])
		if bin+1 == len(cells) && gaps.n == 0 {
			break
		}
		if cells[bin].n == 0 && bin+1 < len(cells) {
			continue // the same as the split before
		}
		try(bin, left, false)
		if gaps.n > 0 && bin+1 < len(cells) {
			with := left
			with.add(gaps)
			try(bin, with, true)
		}
	}
	return best
}

func (b *grower) score(s cell) float64 {
	if d := s.h + b.L2; d > 0 {
		return s.g * s.g / d
	}
	return math.Inf(-1)
}
