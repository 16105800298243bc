package kg

import "github.com/bloomgml/bloom/mat"

// batchRows are the entities that a batch reads, if they are few. They have rows of their own: the program reads these
// rows of H, gives their derivative, and the optimiser moves them, so the cost of a batch depends only on what it
// reads.
//
// A program has fixed shapes. Rows that a batch has no use for hold entities that it does not read; their derivative
// is 0.
type batchRows struct {
	index *mat.Index // the entity of every row; all different
	list  []int32    // the same, while a batch is drawn
	row   []int32    // by entity: its row
	batch []int      // by entity: the last batch that it was in
	now   int        // number of the batch
}

// newBatchRows has rows for at most m of n entities.
func newBatchRows(m, n int) *batchRows {
	m = min(m, n)
	return &batchRows{index: mat.NewBatchIndex(m, n), list: make([]int32, 0, m), row: make([]int32, n),
		batch: make([]int, n)}
}

// reset forgets the batch before.
func (f *batchRows) reset() {
	f.now++
	f.list = f.list[:0]
}

// rowOf returns the row of an entity, a new one if the batch has not named it yet.
func (f *batchRows) rowOf(v int32) int32 {
	if f.batch[v] != f.now {
		f.batch[v], f.row[v] = f.now, int32(len(f.list))
		f.list = append(f.list, v)
	}
	return f.row[v]
}

// finish fills the rows that are left and hands all to the program.
func (f *batchRows) finish() error {
	for v := int32(0); len(f.list) < f.index.Len(); v++ {
		f.rowOf(v)
	}
	return f.index.Update(f.list)
}
