package relax

import (
	"time"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/internal/block"
)

// Probe is how many seconds a sweep over all columns takes, concluded from the first blocks, on rows of which no number
// is looked at; limit is spent on them.
func (g *Graph) Probe(l descent.Local, p Plan, limit time.Duration) (float64, error) {
	w, err := newSweeper(g, l, p.Width)
	if err != nil {
		return 0, err
	}
	w.panel(p.Width)
	x, e, s := w.array(itsState), w.array(itsGradient), pulled{w, w.array(itsOwn)}
	q, m := w.array(itsDirection), w.array(itsPull)
	for i := range w.arrays {
		clear(w.array(i)) // memory that nobody has touched takes longer
	}
	begin, heard := time.Now(), int64(0)
	err = w.blocks(func(b block.Block) error {
		if time.Since(begin) > limit {
			return block.ErrEnough
		}
		heard += int64(len(b.Idx))
		lo, hi := b.First, b.First+b.Rows()
		if err := w.hear(q, m, b); err != nil {
			return err
		}
		s.bend(q, m, x, lo, hi)
		s.move(0, x, e, q, m, lo, hi)
		w.direct(s, e, q, 0, lo, hi)
		return nil
	})
	return time.Since(begin).Seconds() * float64(2*g.Edges) * float64(p.Panels) / max(1, float64(heard)), err
}
