package serve

import (
	"context"
	"fmt"
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/importer"
)

// age makes edges that decay as old as they are at a time, which is not before the last one.
func (g *graph) age(now string) error {
	at, ok := importer.Moment(&dataset.Column{Kind: dataset.Time}, now)
	switch {
	case g.decay == nil:
		return fmt.Errorf("edges of this run do not age: it was trained without data.decay")
	case !ok:
		return fmt.Errorf("now is %q, want a time such as 2024-06-01", short([]byte(now)))
	}
	was := g.now()
	if at.Before(was) {
		return fmt.Errorf("now is %s, before %s, until which edges have aged", now, was.Format(time.DateTime))
	}
	g.state.Fade(g.decay.Weight(g.decay.End() - at.Sub(was).Hours()/24))
	g.aged.set(struct{}{}, days(at)-g.decay.End())
	return nil
}

// now returns the time until which edges have aged.
func (g *graph) now() time.Time {
	aged, _ := g.aged.get(struct{}{})
	return time.UnixMilli(int64((g.decay.End() + aged) * 24 * 3600e3)).UTC()
}

func days(at time.Time) float64 { return float64(at.UnixMilli()) / (24 * 3600e3) }

// ticks is the number of steps in which edges age by the time that they decay in.
const ticks = 100

// tick lets the edges of a run age by as much as passes, until ctx is done. The run may be reloaded meanwhile.
func (s *Server) tick(ctx context.Context, name string, decay time.Duration) {
	every := time.NewTicker(max(decay/ticks, time.Second))
	defer every.Stop()
	for last := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		m, ok := s.all()[name].(*Model)
		if !ok || m.graph.decay == nil {
			return
		}
		m.mu.RLock()
		now := m.graph.now().Add(time.Since(last))
		m.mu.RUnlock()
		last = time.Now()
		if _, err := m.Edit(ctx, []Edit{{Now: now.Format(time.RFC3339Nano)}}); err != nil {
			s.warn(fmt.Sprintf("%s: edges have not aged: %v", name, err))
		}
	}
}
