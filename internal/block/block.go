// Package block does steps of a separable descent on a block of nodes: rows of the block and of its neighbours in,
// rows of the block out. What holds the rows, how they came there and where the others are is the caller's: a panel of
// columns in memory, files, or another machine.
//
//	s, err := block.New(local)
//	err = s.Step(dst, x, p, scale, cols, block.Block{Ptr: ptr, Idx: idx, First: first})
package block

import (
	"errors"

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
}

// Rows is how many nodes it has.
func (b Block) Rows() int { return len(b.Ptr) - 1 }

// Stepper does the steps of one descent. It keeps room from block to block, and is for one goroutine at a time, which
// computes on all threads.
type Stepper struct {
	local   descent.Local
	a, b, c []mat.Real // of the rows of a block
	heard   []mat.Real // rows×cols: Σ_u s_u h_u
	scale   []mat.Real // s_u of every neighbour
}

// New does the steps of l, whose π is not looked at. The error says that the step of a row looks at more than its
// neighbours.
func New(l descent.Local) (*Stepper, error) {
	if l.Rate == nil {
		return nil, errors.New("block: the step size of a row depends on other rows than its neighbours")
	}
	return &Stepper{local: l}, nil
}

// Scaled reports whether rows are scaled by their degrees before neighbours hear them: Step then needs the numbers.
func (s *Stepper) Scaled() bool { return s.local.Norm == graph.Symmetric }

// Scale is s of a row of degree d.
func (s *Stepper) Scale(d int) mat.Real {
	_, _, _, scale := s.local.Coefs(float64(d))
	return mat.Real(scale)
}

// Step is one step of the rows of blk,
//
//	dst_v = prox( a_v x_v + b_v Σ_u s_u x_u + c_v φ(x_v − p_v) )
//
// dst and p are Rows×cols, those of the block alone; x has rows of cols numbers, and scale, where Scaled, s of each of
// them. dst must not overlap x. Step fails where a neighbour is no row of x.
func (s *Stepper) Step(dst, x, p, scale []mat.Real, cols int, blk Block) error {
	n := blk.Rows()
	heard, err := s.Hear(x, scale, cols, blk)
	if err != nil {
		return err
	}
	s.a, s.b, s.c = room(s.a, n), room(s.b, n), room(s.c, n)
	for r := range n {
		a, b, c, _ := s.local.Coefs(float64(blk.Ptr[r+1] - blk.Ptr[r]))
		s.a[r], s.b[r], s.c[r] = mat.Real(a), mat.Real(b), mat.Real(c)
	}
	own := x[blk.First*cols : (blk.First+n)*cols]
	kernel.Step(dst, own, heard, p, s.a, s.b, s.c, n, cols, s.local.Kind)
	return nil
}

// Hear is what the rows of blk hear of their neighbours, Σ_u s_u x_u, Rows×cols, until the next call; for x and scale
// see Step.
func (s *Stepper) Hear(x, scale []mat.Real, cols int, blk Block) ([]mat.Real, error) {
	near, err := kernel.NewCSR(blk.Rows(), len(x)/max(1, cols), blk.Ptr, blk.Idx, nil)
	if err != nil {
		return nil, err
	}
	s.heard = room(s.heard, blk.Rows()*cols)
	kernel.SpMM(s.heard, near, s.scales(scale, blk.Idx), nil, x, cols, 1, 0)
	return s.heard, nil
}

// scales are s of every neighbour; nil where all are 1.
func (s *Stepper) scales(scale []mat.Real, idx []int32) []mat.Real {
	if !s.Scaled() {
		return nil
	}
	s.scale = room(s.scale, len(idx))
	for e, u := range idx {
		s.scale[e] = scale[u]
	}
	return s.scale
}

// room is x with n entries, whatever they are.
func room(x []mat.Real, n int) []mat.Real {
	if cap(x) < n {
		return make([]mat.Real, n)
	}
	return x[:n]
}
