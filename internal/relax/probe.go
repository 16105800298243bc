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
	x, y, pi, _ := w.panel(p.Width)
	s, begin, heard := pulled{w, pi}, time.Now(), int64(0)
	err = w.blocks(func(b block.Block) error {
		if time.Since(begin) > limit {
			return block.ErrEnough
		}
		heard += int64(len(b.Idx))
		_, err := w.visit(s, x, y, 0, false, b)
		return err
	})
	return time.Since(begin).Seconds() * float64(2*g.Edges) * float64(p.Panels) / max(1, float64(heard)), err
}
