package relax

import (
	"math"

	"github.com/bloomgml/bloom/internal/block"
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// relax finds the states x of π where η holds some, from where they are, until their certificate is good or there were
// enough sweeps. y is room for where momentum has carried x.
//
// Overview: Nesterov's sequence, dropped where the last move turns against the gradient (O'Donoghue and Candès 2015); y
// is overwritten block by block, so that a block sees those before it as they are by now. Without momentum every visit
// of a block lowers the energy.
func (w *sweeper) relax(x, y, pi []mat.Real, most int) (Certificate, error) {
	copy(y, x)
	t, beta := 1.0, 0.0
	for k := 0; ; k++ {
		last := k >= most
		m, err := w.sweep(x, y, pi, beta, false)
		if err != nil {
			return Certificate{}, err
		}
		if last || m.gradient() <= w.tolerance()*w.size(x) {
			copy(y, x)
			if m, err = w.sweep(x, y, pi, 0, true); err != nil {
				return Certificate{}, err
			}
			if c := (Certificate{ratio(m.gradient(), w.size(x)), k + 1}); last || c.Residual <= w.tolerance() {
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

// size is what the norm of a gradient at the states x is compared with.
func (w *sweeper) size(x []mat.Real) float64 { return w.local.Weight * w.norm(x) }

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
func (w *sweeper) sweep(x, y, pi []mat.Real, beta float64, look bool) (all moved, err error) {
	err = w.blocks(func(b block.Block) error {
		n, at := b.Rows()*w.width, b.First*w.width
		w.next = room(w.next, n)
		if err := w.step.Step(w.next, y, pi[at:at+n], w.scale, w.width, b); err != nil {
			return err
		}
		m := &move{sweeper: w, Block: b, x: x[at : at+n], y: y[at : at+n], beta: mat.Real(beta), look: look}
		m.sums = make([]moved, (b.Rows()+moveRows-1)/moveRows)
		kernel.Each(len(m.sums), m)
		for _, p := range m.sums {
			all.square, all.turn = all.square+p.square, all.turn+p.turn
		}
		return nil
	})
	return all, err
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

// Do is the i-th of them.
func (m *move) Do(i int) {
	sum := &m.sums[i]
	for r := i * moveRows; r < min((i+1)*moveRows, m.Rows()); r++ {
		length := m.local.Rate(2 * m.pair(float64(m.Ptr[r+1]-m.Ptr[r])))
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
