package ondisk

import (
	"context"
	"time"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
)

// SettlePlan is how columns are cut.
type SettlePlan struct {
	Width  int   // columns of the widest panel
	Panels int   // of X and 1
	Kept   int   // rows
	Trains int   // nodes that train
	Memory int64 // bytes that it takes
	Disk   int64 // bytes read, and bytes of the rows that are kept or trained on
	cut    []int // see block.Cut
	kept   int64 // bytes of the rows that are kept
	limit  int64
}

// Heap returns what the collector is to keep to within the memory: the kept rows are mapped from their file in the end,
// once by training and once by the page, and the program itself is not on the heap.
func (p SettlePlan) Heap() int64 { return p.limit - 2*p.kept - 96<<20 }

// numbers is how many numbers per column of a panel every node holds at once: its states before and after a step, and
// its features.
const numbers = 3

// FitSettle chooses a plan. It keeps all training rows if they fit into memory and the number of panels at most
// doubles;
// otherwise it thins them, and all of them are on disk (Options.Train). It keeps all training rows of a graph without
// validation nodes, which are drawn from them.
func FitSettle(s *Store, o SettleOptions) (SettleOptions, SettlePlan, error) {
	thin := o
	thin.Thin = true
	k, err := Choose(s, thin)
	if err != nil {
		return o, SettlePlan{}, err
	}
	whole, bad := NewSettlePlan(s, k, o)
	if k.all[Valid] == 0 || k.count(true) == k.count(false) {
		return o, whole, bad
	}
	some, err := NewSettlePlan(s, k, thin)
	if err == nil && bad == nil && whole.Panels <= 2*some.Panels {
		return o, whole, nil
	}
	return thin, some, err
}

// NewSettlePlan returns a plan with the widest panels that the memory allows, see block.Cut. k tells how many rows
// are kept
// and how many train. The error says how much memory is needed.
func NewSettlePlan(s *Store, k *Kept, o SettleOptions) (SettlePlan, error) {
	columns, kept, trains := o.Columns(s), k.count(o.Thin), k.Trains()
	fixed, rows := base(s, kept, columns), int64(0)
	if o.Thin {
		rows = 4 * int64(trains) * int64(columns+1)
		fixed += 8 * int64(Piece(trains)) * int64(columns+1) // a piece, and its columns of a panel
	}
	p, err := widest(s, o.Memory, columns, fixed)
	if err != nil {
		return p, err
	}
	p.Kept, p.Trains, p.kept = kept, trains, 4*int64(kept)*int64(columns)
	p.Disk = int64(p.Panels)*(int64(o.Steps)*8*s.Edges+4*int64(s.Nodes)*int64(s.Columns)) + p.kept + rows
	return p, nil
}

// widest returns a plan with the widest panels that the memory allows in addition to fixed bytes.
func widest(s *Store, memory int64, columns int, fixed int64) (SettlePlan, error) {
	each := numbers * 4 * int64(s.Nodes)
	most := (memory - fixed) / max(1, each)
	if most < 1 {
		return SettlePlan{}, files.Errorf(s.Dir(), "%d nodes with %d features need at least %s of memory, and %s is "+
			"allowed (--memory %s allows "+
			"more)", s.Nodes, s.Columns, files.BytesText(fixed+each), files.BytesText(memory),
			files.BytesText(2*(fixed+each)))
	}
	p := SettlePlan{cut: Cut(columns, int(min(most, int64(columns)))), limit: memory}
	p.Width, p.Panels = Widest(p.cut), len(p.cut)-1
	p.Memory = fixed + each*int64(p.Width)
	return p, nil
}

// base returns what is held whatever the width of panels: blocks with their features and their sums, a number per node
// for its degree, the kept rows, twice while they are written, with ids and logits, and the program itself with the
// pieces of rows that it trains on and the files that it writes in the end.
func base(s *Store, kept, columns int) int64 {
	const program = 160 << 20
	largest, walk := 0, Walk{Store: s}
	for i := range s.Blocks() {
		first, end := s.Rows(i)
		largest = max(largest, end-first)
	}
	held := walk.Memory() + 4*int64(largest)*int64(Places(s.Blocks())*s.Columns+s.Columns+16)
	return program + held + 4*int64(s.Nodes) + int64(kept)*int64(8*columns+40*len(s.Classes)+256)
}

// line is how many numbers fit into a cache line.
const line = 16

// Cut cuts columns into panels of most at the most: their first columns, then the number of all. Where there is room
// for it panels have whole lines in every row but for one panel, which has the rest: a row of 17 numbers is two lines
// to the memory, from where most neighbours come on a large graph, and one of 16 is one. Else panels are alike.
func Cut(columns, most int) []int {
	width, first := most/line*line, 0
	if width == 0 || columns <= most {
		count := max(1, (columns+most-1)/most)
		width = max(1, (columns+count-1)/count)
		first = min(width, columns)
	} else {
		first = columns - (columns-most+width-1)/width*width
	}
	cut := []int{0}
	for at := first; at < columns; at += width {
		cut = append(cut, at)
	}
	return append(cut, columns)
}

// Widest returns the number of columns of the widest panel.
func Widest(cut []int) (most int) {
	for k := range len(cut) - 1 {
		most = max(most, cut[k+1]-cut[k])
	}
	return most
}

// ProbeSettle estimates how many seconds Run would take, from steps on the first blocks with rows whose values do
// not matter.
// It spends limit on them.
func ProbeSettle(ctx context.Context, s *Store, p SettlePlan, o SettleOptions, limit time.Duration) (float64, error) {
	w, err := newSweep(ctx, s, o, p)
	if err != nil {
		return 0, err
	}
	w.h, w.next = make([]mat.Real, s.Nodes*p.Width), make([]mat.Real, s.Nodes*p.Width)
	w.p, w.scale = w.h, make([]mat.Real, s.Nodes)
	begin := time.Now()
	err = w.walk.Each(ctx, w.step, w.scale, func(_ int, b solve.Block) error {
		if time.Since(begin) > limit {
			return ErrEnough
		}
		return w.block(b, p.Width)
	})
	if err != nil {
		return 0, err
	}
	steps := float64(2*s.Edges) * float64(o.Steps) * float64(p.Panels)
	return time.Since(begin).Seconds() * steps / max(1, float64(w.done)), nil
}
