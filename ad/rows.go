package ad

import "github.com/bloomgml/bloom/mat"

// Overview. Every operation reads and writes its matrices once, and if those are larger than the caches, most of the
// time goes into that. But most operations work row by row and need not wait for each other: a group of them is run
// block by block, all of them on some rows that stay in the cache of a core, one block per thread. Where an operation
// reads rows that others of its group make, as a product with a sparse matrix does, a group ends and another begins.
//
// Blocks depend on shapes alone, so results have the same bits for any number of threads.

const (
	// blockNumbers is how many numbers the widest matrix of a block has at most: 128 KB, of which a cache holds some.
	blockNumbers = 1 << 15
	// blockUnit divides the rows of a block, as products with sparse matrices want it (mat.Dense.Alias). blockTiles
	// divides the rows of a large block, so products there have whole tiles of 14 rows too.
	blockUnit, blockTiles = 64, 448
	// leastBlocks is how many blocks a group has at least: else threads would wait for the last ones.
	leastBlocks = 8
	// widest is how many columns a matrix in blocks has at most: a product of a block of fewer rows would take long to
	// begin.
	widest = 128
	// fewEntries is how many entries a row a sparse matrix has less than, on average: SpMM has a faster form for more.
	fewEntries = 16
)

// rowwise reports whether row i of the outputs depends on row i of the inputs alone; all rows read an input that has a
// single row.
func rowwise(op Op) bool {
	switch o := op.(type) {
	case entry, entryMul, affine, axpby, mul, larger, greater, expand, slice, pad, concat, mulComplex, imComplex, turn,
		dropout, rowNorm, step, stepVJP, byRows:
		return true
	case sum:
		return o.axis == toCol
	case dot:
		return o.axis == toCol
	}
	return false
}

// reading is how an operation that works on blocks of rows reads its inputs and writes its outputs.
type reading struct {
	rows  int  // of the matrices that are cut into blocks, 0 where the operation does not work on blocks
	first bool // of its inputs the first is cut and the others are not
	none  bool // none of its inputs is
	parts int  // its outputs from this one on are sums over all rows
}

// blockwise returns how t works on blocks.
func (t task) blockwise() reading {
	out := t.outs()[0].Shape()
	switch o := t.op.(type) {
	case matmul:
		if small := t.in[1].shape.Len() <= widest*widest/2; small && !o.t.Left() {
			return reading{rows: out.Rows, first: true, parts: 1}
		}
		if o.t == mat.TN && out.Len() <= widest*widest/2 {
			return reading{rows: t.in[0].shape.Rows}
		}
	case sum:
		if o.axis == toRow {
			return reading{rows: t.in[0].shape.Rows}
		}
	case rowNormVJP:
		return reading{rows: out.Rows, parts: 1}
	case spmm:
		if !o.s.Batch() && o.s.NNZ() < fewEntries*out.Rows {
			return reading{rows: out.Rows, none: true, parts: 1}
		}
	}
	if rowwise(t.op) {
		return reading{rows: out.Rows, parts: len(t.n.shapes)}
	}
	return reading{}
}

// cuts reports whether input i, of the given rows, is cut.
func (r reading) cuts(i, rows int) bool {
	return !r.none && (i == 0 || !r.first) && rows == r.rows
}
