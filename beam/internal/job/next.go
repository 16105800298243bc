package job

import (
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// Rows holds the state of some nodes between two rounds, a row each.
type Rows struct {
	Told []mat.Real // what neighbours are told; after the last round it is H
	Kept []mat.Real // what they are not; the same in all rounds of a level
}

// FirstRows returns the rows of nodes before the first round, by their features.
func (r *Rounds) FirstRows(x input.Features) (Rows, error) {
	given := x.Var()
	if r.in != nil {
		given = r.in.Forward(input.Evaluation(), x)
	}
	return values(r.enter(0, given, ad.Fill(mat.Shape{Rows: given.Rows(), Cols: 1}, 0)))
}

// enter returns what nodes tell first, and keep, in a level with input h, where sum is Σ ‖y − π‖² of the levels
// before.
func (r *Rounds) enter(k int, h, sum ad.Var) (told, kept ad.Var) {
	if k == len(r.levels) {
		return h, sum
	}
	l := &r.levels[k]
	z, pi := l.project(h)
	if kept = ad.Concat(pi, sum); l.Residual {
		kept = ad.Concat(h, kept)
	}
	if l.said == nil {
		return ad.Concat(l.start(pi)...), kept
	}
	var said []ad.Var
	for _, f := range l.F {
		if g, ok := f.(energy.GivenEdges); ok {
			said = append(said, g.Send(z)...)
		}
	}
	return ad.Concat(said...), kept
}

// start returns the state at which the descent of a level begins: H, and the memory of the algorithm.
func (l *level) start(pi ad.Var) []ad.Var {
	s := l.A.Start((&energy.Lower{Eta: l.Eta}).Feasible(pi))
	return append([]ad.Var{s.H}, s.S...)
}

// Next returns the rows of nodes after one more round. heard is what all nodes of on told, nodes with all of their
// edges first; these are the nodes of kept and of the result.
func (r *Rounds) Next(done int, on *energy.Structure, heard, kept []mat.Real) (Rows, error) {
	t := r.table[done]
	l, all, cols := &r.levels[t.level], on.Graph.NumNodes(), r.Kept(t.level)
	n := len(kept) / cols
	own := first(n, all)
	rows := ad.Input(mat.FromSlice(all, r.Told(done), heard))
	mine := split(ad.Input(mat.FromSlice(n, cols, kept)), l.given, l.width, 1)
	given, pi, sum := mine[0], mine[1], mine[2]
	if t.layer == hearing {
		told := append(l.start(pi), gather(l.receive(on, rows), own)...)
		return within(ad.Concat(told...), kept)
	}
	s, known, err := l.step(on, t.layer, rows, pi.SegmentSum(own))
	if err != nil {
		return Rows{}, err
	}
	if t.layer < l.L-1 {
		told := append(append([]ad.Var{s.H}, s.S...), known...)
		return within(ad.Concat(gather(told, own)...), kept)
	}
	y := s.H.Gather(own)
	return values(r.enter(t.level+1, l.finish(given, y), sum.Add(y.Sub(pi).Square().SumCols())))
}

// receive returns what the terms of all nodes know after they heard what was said.
func (l *level) receive(on *energy.Structure, said ad.Var) (known []ad.Var) {
	at := 0
	for i, f := range l.F {
		if g, ok := f.(energy.GivenEdges); ok {
			known = append(known, g.Receive(on, nextColumns(said, &at, l.said[i]))...)
		}
	}
	return known
}

// step returns the state of all nodes after a step from rows, and what terms know, as they told it.
func (l *level) step(on *energy.Structure, layer int, rows, pi ad.Var) (s descent.State, known []ad.Var, err error) {
	at := 0
	state := nextColumns(rows, &at, slices.Repeat([]int{l.width}, 1+l.memory))
	low := &energy.Lower{On: on, Pi: pi, F: slices.Clone(l.F), Kappa: l.Kappa, Eta: l.Eta}
	for i, f := range l.F {
		if g, ok := f.(energy.GivenEdges); ok {
			of := nextColumns(rows, &at, l.known[i])
			low.F[i], known = g.Given(of), append(known, of...)
		}
	}
	if layer == 0 {
		if err := descent.Check(l.A, low); err != nil {
			return s, nil, err
		}
	}
	return l.A.Step(low, descent.State{H: state[0], S: state[1:], Layer: layer}), known, nil
}

// values returns the numbers of both.
func values(told, kept ad.Var) (Rows, error) {
	prog := ad.Compile(told, kept)
	if err := prog.Run(); err != nil {
		return Rows{}, err
	}
	return Rows{prog.Value(told).Slice(), prog.Value(kept).Slice()}, nil
}

// within returns the numbers of told, in a level that keeps what it has.
func within(told ad.Var, kept []mat.Real) (Rows, error) {
	prog := ad.Compile(told)
	if err := prog.Run(); err != nil {
		return Rows{}, err
	}
	return Rows{prog.Value(told).Slice(), kept}, nil
}

// first lists the first n of all nodes.
func first(n, all int) *mat.Index {
	list := make([]int32, n)
	for v := range list {
		list[v] = int32(v)
	}
	return mat.MustIndex(list, all)
}

// gather returns the rows of some nodes of every matrix.
func gather(list []ad.Var, of *mat.Index) []ad.Var {
	for i, v := range list {
		list[i] = v.Gather(of)
	}
	return list
}

// split returns v by columns; an absent Var stands for no columns.
func split(v ad.Var, widths ...int) []ad.Var {
	at := 0
	return nextColumns(v, &at, widths)
}

// nextColumns returns matrices of the next columns of v, from at on.
func nextColumns(v ad.Var, at *int, widths []int) []ad.Var {
	list := make([]ad.Var, len(widths))
	for i, w := range widths {
		if w > 0 {
			list[i] = v.Columns(*at, *at+w)
		}
		*at += w
	}
	return list
}
