package ondisk

import (
	"context"
	"time"

	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
)

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
