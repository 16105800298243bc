package live

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/graph"
)

// Settle makes H true after changes. With steps it is then H⁽ᴸ⁾, and the tolerance is not used. Otherwise rows are
// solved for one by one, all others held, as long as a row may have
//
//	‖∇_v ℓ_low‖ > tolerance · allowance(v)
//
// rounding included. Nothing else is looked at but the neighbours of rows that moved, in the order in which they are
// reached. If that goes on for longer than a few sweeps over the graph, all rows are solved for together.
//
// The error is an *Unsettled or the error of ctx. States are not settled then: the caller must drop a draft.
func (s *State) Settle(ctx context.Context) error {
	s.visited, s.told = 0, 0
	defer s.forget()
	if s.form.held {
		s.visited, s.given = s.given, 0
		return nil
	}
	if s.form.steps > 0 {
		return s.propagate(ctx)
	}
	if err := s.light(); err != nil {
		return err
	}
	for {
		if err := s.sweep(ctx); err != nil {
			return err
		}
		if len(s.blunt) == 0 {
			return nil
		}
		if err := s.sharpen(); err != nil {
			return err
		}
	}
}

// heaviest is the maximum of λd/w of a node if rows are not divided by degrees: the rounding error is 1e-5 of a row
// then, and conjugate gradients may take about √(λd/w) rounds.
const heaviest = 1e9

// light refuses nodes whose edges are too heavy.
func (s *State) light() error {
	if s.form.Norm != graph.None || s.form.Lambda == 0 {
		return nil
	}
	most := heaviest * s.form.Weight / s.form.Lambda
	for _, v := range s.queue {
		if d := s.list(v).degree; d > most {
			return &Unsettled{v, fmt.Sprintf("its edges have a total weight of %.2g, and %.2g is the limit", d, most)}
		}
	}
	return nil
}

// patience is the number of rows between two looks at the clock.
const patience = 64

// sweep processes the rows of the queue until it is empty.
func (s *State) sweep(ctx context.Context) error {
	most := s.told + sweeps*2*(s.edges+s.nodes)
	for at := 0; at < len(s.queue); at++ {
		if at%patience == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		v := s.queue[at]
		s.is[v] = false
		if !s.relax(v) {
			return notFinite(v)
		}
		if s.watch != nil {
			s.watch(v)
		}
		if s.told > most && s.form.Linear() {
			if err := s.together(ctx); err != nil {
				return err
			}
			most = s.told + sweeps*2*(s.edges+s.nodes)
		}
		if at > len(s.queue)/2 && at > 1<<16 {
			s.queue = append(s.queue[:0], s.queue[at+1:]...)
			at = -1
		}
	}
	s.queue = s.queue[:0]
	return nil
}

// Visited returns the number of rows that the last Settle solved for, repeats included.
func (s *State) Visited() int { return s.visited }

// relax solves for v if its gradient is too long, and tells its neighbours. A gradient that is not longer than twice
// its rounding stays, and the row is blunt if that is too long. A row that would not be finite stays where it is.
func (s *State) relax(v int32) (finite bool) {
	at := s.placed(v)
	left, size := s.gradient(&at)
	allowed, rounding := s.allowed(s.list(v), at.shy), at.rounding(size)
	most := max(allowed-rounding, 2*rounding)
	if !(left <= most) {
		s.visited++
		moved, z := s.solve(&at)
		if size = at.root * z; !(moved+size <= math.MaxFloat32) {
			return false
		}
		s.moveRow(v, moved, z)
		rounding = at.rounding(size)
		left, most = rounding, max(allowed-rounding, 2*rounding)
	}
	*s.room(v) = math.Inf(1)
	if at.by > 0 {
		*s.room(v) = (most - left) / at.by
	}
	if rounding > s.sharp()*allowed {
		s.blunt = append(s.blunt, v)
	}
	s.measured(size)
	return true
}

// sharp returns the part of what is allowed that rounding may take. Drafts leave some of it, so that a State that
// begins as they end, with other rounding, is never refused.
func (s *State) sharp() float64 {
	if s.base != nil {
		return 1. / 12
	}
	return 1. / 3
}

// sharpen looks at the blunt rows again: what they hear may have become shorter. If none of them moves, and one is as
// blunt as before, the tolerance cannot be kept.
func (s *State) sharpen() error {
	slices.Sort(s.blunt)
	list, told := slices.Compact(s.blunt), s.told
	s.blunt = nil
	for _, v := range list {
		if !s.relax(v) {
			return notFinite(v)
		}
	}
	if s.told > told || len(s.queue) > 0 || len(s.blunt) == 0 {
		return nil
	}
	var worst int32
	needs := 0.0 // the tolerance that it takes
	for _, v := range s.blunt {
		at := s.placed(v)
		_, size := s.gradient(&at)
		if x := s.tolerance * at.rounding(size) / (s.sharp() * s.allowed(s.list(v), at.shy)); x > needs {
			worst, needs = v, x
		}
	}
	return &Unsettled{worst, fmt.Sprintf("its features or its edge weights are so large or so small that rounding "+
		"alone can move its state by %.2g, and the tolerance is %g", needs, s.tolerance)}
}

// Unsettled is the error for a node whose state cannot be kept within the tolerance.
type Unsettled struct {
	Node int32
	Why  string // a sentence about "it"
}

// Error names the node by its number.
func (e *Unsettled) Error() string { return fmt.Sprintf("node %d: %s", e.Node, e.Why) }

// notFinite is the error for a row that would no longer be made of numbers.
func notFinite(v int32) error { return &Unsettled{v, "its state is not finite"} }
