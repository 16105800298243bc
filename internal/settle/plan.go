package settle

import (
	"github.com/bloomgml/bloom/internal/blocks"
	"github.com/bloomgml/bloom/internal/budget"
	"github.com/bloomgml/bloom/internal/fileerr"
)

// Plan is how columns are cut.
type Plan struct {
	Width  int   // columns of a panel
	Panels int   // of X and 1
	Memory int64 // bytes that it takes
	Disk   int64 // bytes that are read, and those that the kept rows take
	kept   int64 // bytes of the rows that are kept
	limit  int64
}

// Heap is what the collector is to keep to within the memory: the kept rows are mapped from their file in the end, once
// by training and once by the page, and the program itself is not on the heap.
func (p Plan) Heap() int64 { return p.limit - 2*p.kept - 48<<20 }

// numbers is how many of a panel every node has at once: before and after a step, and its features.
const numbers = 3

// Whole is how much memory training on the whole graph takes, about: the data, and for a network whose states have so
// many columns what an epoch works in.
func Whole(s *blocks.Store, width int) int64 {
	return s.Whole() + 40*s.Edges + 4*int64(s.Nodes)*int64(s.Columns+8*width)
}

// NewPlan is the widest panel that the memory allows, all of them alike, where so many rows are kept. The error says
// how much there must be.
func NewPlan(s *blocks.Store, kept int, o Options) (Plan, error) {
	columns := o.Columns(s)
	fixed := base(s, kept, columns)
	each := numbers * 4 * int64(s.Nodes)
	most := (o.Memory - fixed) / max(1, each)
	if most < 1 {
		return Plan{}, fileerr.In(s.Dir(), "%d nodes with %d features need at least %s of memory, and there may be %s "+
			"(--memory %s allows more)", s.Nodes, s.Columns, budget.Text(fixed+each), budget.Text(o.Memory),
			budget.Text(2*(fixed+each)))
	}
	p := Plan{Panels: int((int64(columns) + most - 1) / most), kept: 4 * int64(kept) * int64(columns),
		limit: o.Memory}
	p.Width = (columns + p.Panels - 1) / p.Panels
	p.Panels = (columns + p.Width - 1) / p.Width
	p.Memory = fixed + each*int64(p.Width)
	p.Disk = int64(p.Panels)*(int64(o.Steps)*8*s.Edges+4*int64(s.Nodes)*int64(s.Columns)) + p.kept
	return p, nil
}

// base is what is held whatever the width of panels: the largest block with its features and its sums, a number a node
// for its degree, the kept rows, twice while they are written, with ids and logits, and the program itself with the
// pieces of rows that it trains on and the files that it writes in the end.
func base(s *blocks.Store, kept, columns int) int64 {
	const program = 160 << 20
	largest := int64(0)
	for i := range s.Blocks() {
		first, end := s.Rows(i)
		largest = max(largest, 12*int64(s.Entries(i))+int64(end-first)*8*int64(s.Columns+8))
	}
	return program + largest + 4*int64(s.Nodes) + int64(kept)*int64(8*columns+40*len(s.Classes)+256)
}
