package ondisk

import (
	"errors"
	"fmt"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// Block is some nodes with their neighbours. Rows of x hold the nodes, one after the other from First on, and somewhere
// all of their neighbours: those of node r are the rows Idx[Ptr[r]:Ptr[r+1]].
type Block struct {
	Ptr   []int64
	Idx   []int32
	First int
	ready *ready
}

// ready is what steps of a block need that depends on the block and the descent alone.
type ready struct {
	near    *kernel.CSR
	a, b, c []mat.Real // of its rows
	scale   []mat.Real // s_u of every neighbour; nil where all are 1
	room    []mat.Real
}

// Rows is how many nodes it has.
func (b Block) Rows() int { return len(b.Ptr) - 1 }

// Stepper does the steps of one descent. It keeps room from block to block; Step is for one goroutine at a time,
// which computes on all threads, and Ready is for any number of them, meanwhile too.
type Stepper struct {
	local descent.Local
	heard []mat.Real // rows×cols: Σ_u s_u h_u
	own   Block      // in whose room a block is made ready that is not
}

// NewStepper does the steps of l, whose π is not looked at. The error says that the step of a row looks at more than
// its neighbours.
func NewStepper(l descent.Local) (*Stepper, error) {
	if l.Rate == nil {
		return nil, errors.New("block: the step size of a row depends on other rows than its neighbours")
	}
	return &Stepper{local: l}, nil
}

// Scaled reports whether rows are scaled by their degrees before neighbours hear them: Step then needs the numbers.
func (s *Stepper) Scaled() bool { return s.local.Norm == graph.Symmetric }

// Scale is s of a row of degree d.
func (s *Stepper) Scale(d int) mat.Real { return mat.Real(s.local.Scale(float64(d))) }

// Ready makes blk ready for steps on states of so many rows, in the memory that it was made ready in before; for scale
// see Step. It fails where a neighbour is no such row.
func (s *Stepper) Ready(blk *Block, rows int, scale []mat.Real) error {
	if blk.ready == nil {
		blk.ready = new(ready)
	}
	q, n := blk.ready, blk.Rows()
	var err error
	if q.near, err = kernel.NewCSR(n, rows, blk.Ptr, blk.Idx, nil); err != nil {
		return err
	}
	q.a, q.b, q.c = room(q.a, n), room(q.b, n), room(q.c, n)
	for r := range n {
		a, b, c, _ := s.local.Coefs(float64(blk.Ptr[r+1] - blk.Ptr[r]))
		q.a[r], q.b[r], q.c[r] = mat.Real(a), mat.Real(b), mat.Real(c)
	}
	if q.scale = nil; s.Scaled() {
		q.room = room(q.room, len(blk.Idx))
		q.scale = q.room
		for e, u := range blk.Idx {
			q.scale[e] = scale[u]
		}
	}
	return nil
}

// Step is one step of the rows of blk,
//
//	dst_v = prox( a_v x_v + b_v Σ_u s_u x_u + c_v φ(x_v − p_v) )
//
// dst and p are Rows×cols, those of the block alone; x has rows of cols numbers, and scale, where Scaled, s of each of
// them. dst must not overlap x. Step fails where a neighbour is no row of x.
func (s *Stepper) Step(dst, x, p, scale []mat.Real, cols int, blk Block) error {
	q, err := s.prepared(x, scale, cols, blk)
	if err != nil {
		return err
	}
	n := blk.Rows()
	own := x[blk.First*cols : (blk.First+n)*cols]
	k := s.local.Kind
	kernel.Step(dst, own, s.hear(x, cols, q), p, q.a, q.b, q.c, n, cols,
		kernel.StepKind{Phi: kernel.Phi(k.Phi), T: k.T, NonNeg: k.NonNeg})
	return nil
}

// prepared is what blk was made ready with, or is now.
func (s *Stepper) prepared(x, scale []mat.Real, cols int, blk Block) (*ready, error) {
	rows := len(x) / max(1, cols)
	if blk.ready == nil {
		s.own.Ptr, s.own.Idx, s.own.First = blk.Ptr, blk.Idx, blk.First
		if err := s.Ready(&s.own, rows, scale); err != nil {
			return nil, err
		}
		return s.own.ready, nil
	}
	if blk.ready.near.Cols > rows {
		return nil, fmt.Errorf("block: states of %d rows, it was made ready for %d", rows, blk.ready.near.Cols)
	}
	return blk.ready, nil
}

func (s *Stepper) hear(x []mat.Real, cols int, q *ready) []mat.Real {
	s.heard = room(s.heard, q.near.Rows*cols)
	kernel.SpMM(s.heard, q.near, q.scale, nil, x, cols, 1, 0)
	return s.heard
}

// room is x with n entries, whatever they are.
func room(x []mat.Real, n int) []mat.Real {
	if cap(x) < n {
		return make([]mat.Real, n)
	}
	return x[:n]
}
