package fit

import (
	"slices"

	"github.com/bloomgml/bloom/internal/kernel"
)

// cell is a bin of a histogram: the sums of the derivatives of its rows, and how many there are.
type cell struct {
	g, h float64
	n    int32
}

// split is the best way to part a leaf.
type split struct {
	gain   float64
	column int32 // −1 for none
	bin    uint8 // rows up to this bin go left
	gaps   bool  // and those without a value
	may    bool  // some split leaves both sides enough rows, whatever it gains
	left   cell
}

// leaf is a leaf of a tree that grows.
type leaf struct {
	node     int32
	from, to int // its rows in grower.rows
	sum      cell
	cells    []cell
	best     split
	columns  []int32 // by which it may be split: what leaves a side of a leaf too few rows does so in its children
}

// grower grows one tree, leaf by leaf: the leaf whose split gains most is split first.
type grower struct {
	*Table
	TreeOptions
	g, h    []float32 // of every row
	flat    float64   // h of all rows if it is the same; else 0
	rows    []int32   // rows of the leaves, leaf after leaf
	columns []int32   // that may be split by
	tree    Tree
	leaves  []leaf

	// what a parallel region works on
	now     *leaf
	parent  []cell // where the cells of now follow by subtracting the cells of sibling; nil if rows are counted
	sibling []cell
	gather  [][2]float32 // g and h of the rows of now
	right   []int32      // room for a partition
	best    []split      // by place in columns
	spare   [][]cell
}

// grow returns the tree.
func (b *grower) grow() Tree {
	root := leaf{to: len(b.rows), cells: b.room(), columns: b.columns}
	b.tree = append(b.tree, TreeNode{Column: -1})
	if b.weigh(&root); b.divisible(&root) {
		b.measure(&root, nil, nil)
	}
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

// value returns what a leaf with such derivatives adds to the score: the minimum of g·v + ½(h + L2)·v², times the
// rate.
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
	b.tree = append(b.tree, TreeNode{Column: -1}, TreeNode{Column: -1})
	left := leaf{node: n, from: l.from, to: middle, columns: l.columns}
	right := leaf{node: n + 1, from: middle, to: l.to, columns: l.columns}
	small, large := &left, &right
	if right.to-right.from < left.to-left.from {
		small, large = large, small
	}
	small.cells, large.cells = b.room(), l.cells // the parent's become the larger one's
	b.weigh(small)
	b.weigh(large)
	if len(b.leaves)+1 < b.Leaves && (b.divisible(small) || b.divisible(large)) {
		b.measure(small, nil, nil)
		b.measure(large, l.cells, small.cells)
	}
	b.leaves[i] = left
	b.leaves = append(b.leaves, right)
}

// room is cells for a leaf, and maxBins more after them, so that those of a column are part of an array.
func (b *grower) room() []cell {
	if n := len(b.spare); n > 0 {
		c := b.spare[n-1]
		b.spare = b.spare[:n-1]
		return c
	}
	return make([]cell, b.at[len(b.cuts)]+maxBins)
}

// weigh sums the derivatives of the rows of a leaf.
func (b *grower) weigh(l *leaf) {
	var g, h float64
	for _, r := range b.rows[l.from:l.to] {
		g, h = g+float64(b.g[r]), h+float64(b.h[r])
	}
	l.sum, l.best = cell{g, h, int32(l.to - l.from)}, split{column: -1}
	b.tree[l.node].Value = b.value(l.sum)
}

// divisible reports whether a leaf has rows for two.
func (b *grower) divisible(l *leaf) bool {
	return int(l.sum.n) >= 2*b.MinRows && l.sum.h >= 2*b.MinHessian
}

// measure fills the cells of a leaf, from its rows or as the parent's less the sibling's, and finds its best split.
func (b *grower) measure(l *leaf, parent, sibling []cell) {
	b.now, b.parent, b.sibling = l, parent, sibling
	rows := b.rows[l.from:l.to]
	if b.gather = b.gather[:0]; parent == nil {
		for _, r := range rows {
			b.gather = append(b.gather, [2]float32{b.g[r], b.h[r]})
		}
	}
	columns := l.columns
	b.best = slices.Grow(b.best[:0], len(columns))[:len(columns)]
	const few = 1 << 14 // cells and rows below which threads are not worth waking
	if len(columns)*(len(rows)+maxBins) < few {
		for i := range columns {
			b.Do(i)
		}
	} else {
		kernel.Each(len(columns), b)
	}
	l.columns = nil
	for i, s := range b.best {
		if s.may {
			l.columns = append(l.columns, columns[i])
		}
		if s.column >= 0 && s.gain > l.best.gain {
			l.best = s
		}
	}
}

// Do counts the rows of the leaf by the i-th column, and finds its best split there.
func (b *grower) Do(i int) {
	j := b.now.columns[i]
	cells := b.now.cells[b.at[j]:b.at[j+1]]
	if b.parent == nil {
		clear(cells)
		rows, array := b.rows[b.now.from:b.now.to], (*[maxBins]cell)(b.now.cells[b.at[j]:])
		if often := b.often[j]; often >= 0 {
			countRare(array, b.Table.bins[j], rows, b.gather, uint8(often))
			cells[often] = rest(b.now.sum, cells)
		} else {
			count(array, b.Table.bins[j], rows, b.gather, b.flat)
		}
		if b.flat > 0 {
			for k := range cells {
				cells[k].h = b.flat * float64(cells[k].n)
			}
		}
	} else {
		for k, o := range b.sibling[b.at[j]:b.at[j+1]] {
			c := &cells[k]
			c.g, c.h, c.n = c.g-o.g, c.h-o.h, c.n-o.n
		}
	}
	if b.best[i] = (split{column: -1}); b.divisible(b.now) {
		b.best[i] = b.search(j, cells)
	}
}

// count adds rows to the cells of a column, which begin with its first; it skips second derivatives if they are flat.
func count(cells *[maxBins]cell, bins []uint8, rows []int32, pairs [][2]float32, flat float64) {
	pairs = pairs[:len(rows)]
	if flat > 0 {
		for k, r := range rows {
			c := &cells[bins[r]]
			c.g += float64(pairs[k][0])
			c.n++
		}
		return
	}
	for k, r := range rows {
		c, p := &cells[bins[r]], &pairs[k]
		c.g += float64(p[0])
		c.h += float64(p[1])
		c.n++
	}
}

// countRare is count without the rows of bin often: of columns that are mostly the same, few rows are left.
func countRare(cells *[maxBins]cell, bins []uint8, rows []int32, pairs [][2]float32, often uint8) {
	pairs = pairs[:len(rows)]
	for k, r := range rows {
		if bin := bins[r]; bin != often {
			c, p := &cells[bin], &pairs[k]
			c.g += float64(p[0])
			c.h += float64(p[1])
			c.n++
		}
	}
}

// rest returns all less the cells.
func rest(all cell, cells []cell) cell {
	for _, c := range cells {
		all.g, all.h, all.n = all.g-c.g, all.h-c.h, all.n-c.n
	}
	if all.n == 0 {
		return cell{} // and not what rounding leaves
	}
	return all
}

// search returns the best split of a leaf by column j. Rows without a value go to the better side, and if training has
// none, new ones go with the majority.
func (b *grower) search(j int32, cells []cell) split {
	best := split{column: -1}
	gaps := cells[0]
	if b.scan(&best, cells, cell{}) {
		best.column, best.gaps = j, gaps.n == 0 && 2*best.left.n >= b.now.sum.n
	}
	if gaps.n > 0 && b.scan(&best, cells[:len(cells)-1], gaps) {
		best.column, best.gaps = j, true
	}
	return best
}

// scan moves bins from the right to the left, starting from left, and reports whether it found a split better than
// best.
//
//	gain = ½ (G_l²/(H_l + L2) + G_r²/(H_r + L2) − G²/(H + L2))
func (b *grower) scan(best *split, cells []cell, left cell) bool {
	all, at := b.now.sum, -1
	before := all.g * all.g / (all.h + b.L2)
	rows, least, ridge, most := int32(b.MinRows), b.MinHessian, b.L2, 2*best.gain+before
	for bin := 1; bin < len(cells); bin++ {
		c := &cells[bin]
		if c.n == 0 {
			continue // the same as the split before
		}
		left.g, left.h, left.n = left.g+c.g, left.h+c.h, left.n+c.n
		if left.n < rows || left.h < least {
			continue
		}
		g, h := all.g-left.g, all.h-left.h
		if all.n-left.n < rows || h < least {
			break
		}
		best.may = true
		if score := left.g*left.g/(left.h+ridge) + g*g/(h+ridge); score > most {
			most, at, best.left = score, bin, left
		}
	}
	if at >= 0 {
		best.gain, best.bin = (most-before)/2, uint8(at)
	}
	return at >= 0
}
