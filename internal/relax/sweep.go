package relax

import (
	"math"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/internal/block"
	"github.com/bloomgml/bloom/internal/hugepage"
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// sweeper relaxes a panel. The step of a row has the length 1/(w + 2 λ d s²), which no curvature of it exceeds.
type sweeper struct {
	*Graph
	local  descent.Local
	step   *block.Stepper
	scale  []mat.Real    // s of every node; nil where all are 1
	arrays [4][]mat.Real // nodes × width of a panel

	walk  block.Walk
	next  []mat.Real // rows of a block after a step
	width int
}

// newSweeper relaxes states of panels so wide.
func newSweeper(g *Graph, l descent.Local, width int) (*sweeper, error) {
	w := &sweeper{Graph: g, walk: block.Walk{Store: g.Store}}
	for i := range w.arrays {
		w.arrays[i] = make([]mat.Real, g.Nodes*width)
		hugepage.Advise(w.arrays[i])
	}
	return w, w.use(l)
}

// use takes the numbers of an energy.
func (w *sweeper) use(l descent.Local) (err error) {
	l.Rate = func(q float64) float64 { return 1 / max(l.Weight+q, 1e-12) }
	w.local = l
	if w.step, err = block.New(l); err == nil && w.scale == nil {
		w.scale, err = w.walk.Scales(w.Context, w.step)
	}
	return err
}

// blocks calls f with every block, its neighbours read.
func (w *sweeper) blocks(f func(b block.Block) error) error {
	return w.walk.Each(w.Context, w.step, w.scale, func(_ int, b block.Block) error { return f(b) })
}

// panel are the arrays in the width of a panel.
func (w *sweeper) panel(width int) (a, b, c, d []mat.Real) {
	w.width = width
	n := w.Nodes * width
	return w.arrays[0][:n], w.arrays[1][:n], w.arrays[2][:n], w.arrays[3][:n]
}

// system is what a panel is relaxed for.
type system interface {
	// next is a step of the rows of a block from y, which holds all rows.
	next(dst, y []mat.Real, b block.Block) error
	// size is what the norm of a gradient at x is compared with.
	size(x []mat.Real) float64
}

// solve relaxes x, from where it is, until its certificate is good or there were enough sweeps. y is room for where
// momentum has carried x.
//
// Overview: Nesterov's sequence, dropped where the last move turns against the gradient (O'Donoghue and Candès 2015); y
// is overwritten block by block, so that a block sees those before it as they are by now. Without momentum every visit
// of a block lowers the energy.
func (w *sweeper) solve(s system, x, y []mat.Real, most int) (Certificate, error) {
	copy(y, x)
	t, beta := 1.0, 0.0
	for k := 0; ; k++ {
		last := k >= most
		m, err := w.sweep(s, x, y, beta, false)
		if err != nil {
			return Certificate{}, err
		}
		if last || m.gradient() <= w.tolerance()*s.size(x) {
			copy(y, x)
			if m, err = w.sweep(s, x, y, 0, true); err != nil {
				return Certificate{}, err
			}
			if c := (Certificate{ratio(m.gradient(), s.size(x)), k + 1}); last || c.Residual <= w.tolerance() {
				return c, nil
			}
			t, beta = 1, 0
			continue
		}
		if beta = 0; m.turn > 0 {
			copy(y, x)
			t = 1
			continue
		}
		next := (1 + math.Sqrt(1+4*t*t)) / 2
		t, beta = next, (t-1)/next
	}
}

// ratio is a/b, 0 where both are.
func ratio(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a / b
}

// moved is what a sweep came to: the squared norm of the gradient, and ⟨y − x′, x′ − x⟩ for x before and x′ after.
type moved struct{ square, turn float64 }

func (m moved) gradient() float64 { return math.Sqrt(m.square) }

// sweep visits every block; where it only looks, nothing moves.
func (w *sweeper) sweep(s system, x, y []mat.Real, beta float64, look bool) (all moved, err error) {
	err = w.blocks(func(b block.Block) error {
		m, err := w.visit(s, x, y, beta, look, b)
		all.square, all.turn = all.square+m.square, all.turn+m.turn
		return err
	})
	return all, err
}

// visit relaxes a block.
func (w *sweeper) visit(s system, x, y []mat.Real, beta float64, look bool, b block.Block) (all moved, err error) {
	n, at := b.Rows()*w.width, b.First*w.width
	w.next = room(w.next, n)
	if err := s.next(w.next, y, b); err != nil {
		return all, err
	}
	m := &move{sweeper: w, Block: b, x: x[at : at+n], y: y[at : at+n], beta: mat.Real(beta), look: look}
	m.sums = make([]moved, (b.Rows()+moveRows-1)/moveRows)
	kernel.Each(len(m.sums), m)
	for _, p := range m.sums {
		all.square, all.turn = all.square+p.square, all.turn+p.turn
	}
	return all, nil
}

// move takes the rows of a block to where a step has found them, some rows at a time.
type move struct {
	*sweeper
	block.Block
	x, y []mat.Real
	beta mat.Real
	look bool
	sums []moved
}

const moveRows = 1024

// Do is the i-th of them.
func (m *move) Do(i int) {
	sum := &m.sums[i]
	for r := i * moveRows; r < min((i+1)*moveRows, m.Rows()); r++ {
		length := m.local.Rate(2 * m.pair(m.Ptr[r+1]-m.Ptr[r]))
		square, turn := 0.0, 0.0
		for j := r * m.width; j < (r+1)*m.width; j++ {
			x, to := m.x[j], m.next[j]
			step, on := m.y[j]-to, to-x
			square += float64(step) * float64(step)
			turn += float64(step) * float64(on)
			if !m.look {
				m.x[j], m.y[j] = to, to+m.beta*on
			}
		}
		sum.square += square / (length * length)
		sum.turn += turn
	}
}

// pair is λ d s² of a row of degree d.
func (w *sweeper) pair(d int64) float64 {
	s := float64(w.step.Scale(int(d)))
	return w.local.Lambda * float64(d) * s * s
}

// norm is ‖x‖, in fixed pieces.
func norm(x []mat.Real) float64 {
	s := &squares{x: x, sums: make([]float64, (len(x)+squaresEach-1)/squaresEach)}
	kernel.Each(len(s.sums), s)
	sum := 0.0
	for _, v := range s.sums {
		sum += v
	}
	return math.Sqrt(sum)
}

const squaresEach = 1 << 16

type squares struct {
	x    []mat.Real
	sums []float64
}

// Do adds the squares of a piece up.
func (s *squares) Do(i int) {
	sum := 0.0
	for _, v := range s.x[i*squaresEach : min((i+1)*squaresEach, len(s.x))] {
		sum += float64(v) * float64(v)
	}
	s.sums[i] = sum
}
