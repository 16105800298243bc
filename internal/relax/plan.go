package relax

import (
	"errors"

	"github.com/bloomgml/bloom/internal/block"
	"github.com/bloomgml/bloom/internal/budget"
	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/host"
)

// Plan is how the columns of states are cut, and what that takes.
type Plan struct {
	Width  int   // columns of the widest panel
	Panels int   // of all columns
	Memory int64 // bytes
	Disk   int64 // bytes of the files, while it trains
	cut    []int // see block.Cut
}

// What every node has of a panel at once, see sweeper.array.
const (
	itsState     = iota
	itsGradient  // there; with η, the state that momentum has carried on
	itsDirection // that it goes in; with η, the state after a step
	itsPull      // by neighbours, along the direction
	itsOwn       // π, or the curvature of κ
	numbers
)

// NewPlan is the widest panel of states of d columns that the memory allows; twice says that states in training are
// others than those of predictions. The error says how much memory or disk there must be.
func (g *Graph) NewPlan(d int, twice bool) (Plan, error) {
	fixed, each := g.base(d), numbers*realBytes*int64(g.Nodes)
	most := (g.Memory - fixed) / max(1, each)
	if most < 1 {
		return Plan{}, fileerr.In(g.Dir(), "states of %d nodes, relaxed from the disk, need at least %s of memory, "+
			"and there may be %s (--memory %s allows more)", g.Nodes, budget.Text(fixed+each), budget.Text(g.Memory),
			budget.Text(2*(fixed+each)))
	}
	p := Plan{cut: block.Cut(d, int(min(most, int64(d))))}
	p.Width, p.Panels = block.Widest(p.cut), len(p.cut)-1
	p.Memory = fixed + each*int64(p.Width)
	count := int64(3)
	if twice {
		count++
	}
	p.Disk = realBytes * int64(d) * (count*int64(g.Nodes) + int64(len(g.train)))
	return p, nil
}

// base is what is held whatever the width of panels: the program, blocks, of one its features and rows too, a number
// a node for its degree, the nodes that train, and the rows that are looked at, with copies and predictions.
func (g *Graph) base(d int) int64 {
	const program = 160 << 20
	largest, walk := int64(0), block.Walk{Store: g.Store}
	for i := range g.Blocks() {
		first, end := g.Rows(i)
		largest = max(largest, int64(end-first)*realBytes*int64(2*g.Columns+3*d))
	}
	kept := int64(g.Kept()) * int64(4*g.Columns+16*d+40*len(g.Classes)+256)
	largest += int64(g.piece(d)) * realBytes * int64(6*d) // of π and the head, while they are computed
	return program + walk.Memory() + largest + realBytes*int64(g.Nodes) + 8*int64(len(g.train)) + kept
}

// files are the states of a network: π or ∂ℓ_up/∂π, H in training and in evaluation, S, and ∂ℓ_up/∂H of the rows that
// train.
type files struct {
	pi, h, seen, adjoint, up *states
	cut                      []int
}

// open makes the files of states of d columns, in the place of those of a network before. Where nothing is random in
// π, seen is h.
func (g *Graph) open(d int, twice bool) (*files, error) {
	if err := g.Close(); err != nil {
		return nil, err
	}
	p, err := g.NewPlan(d, twice)
	if err != nil {
		return nil, err
	}
	if free, ok := host.DiskFree(g.Scratch); ok && free < uint64(p.Disk) {
		return nil, fileerr.In(g.Scratch, "the disk has %s free, and states of %d nodes take %s",
			budget.Text(int64(free)), g.Nodes, budget.Text(p.Disk))
	}
	f := &files{cut: p.cut}
	first := []int{0}
	for i := range g.Blocks() {
		_, end := g.Rows(i)
		first = append(first, end)
	}
	for _, x := range []struct {
		name  string
		to    **states
		first []int
		cut   []int
	}{{"pi", &f.pi, first, f.cut}, {"states", &f.h, first, f.cut}, {"adjoint", &f.adjoint, first, f.cut},
		{"up", &f.up, cutInto(len(g.train), pieceRows), []int{0, d}}, {"seen", &f.seen, first, f.cut}} {
		if x.to == &f.seen && !twice {
			f.seen = f.h
			break
		}
		if *x.to, err = createStates(g.Scratch, x.name, x.first, x.cut); err != nil {
			return nil, errors.Join(err, f.close())
		}
	}
	g.files = f
	return f, nil
}

// cutInto are the multiples of width from 0, and n.
func cutInto(n, width int) []int {
	var cut []int
	for at := 0; at < n; at += width {
		cut = append(cut, at)
	}
	return append(cut, n)
}

// close removes all of them.
func (f *files) close() error {
	var errs []error
	for _, s := range []*states{f.pi, f.h, f.adjoint, f.up, f.seen} {
		if s != nil && (s != f.seen || s != f.h) {
			errs = append(errs, s.close())
		}
	}
	if f.seen == f.h && f.h != nil {
		errs = append(errs, f.h.close())
	}
	return errors.Join(errs...)
}
