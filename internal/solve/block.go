package solve

import (
	"errors"
	"fmt"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// Block is a set of nodes with their neighbours. The nodes are consecutive rows of x, starting at First; their
// neighbours are rows of x too: node r has the neighbours Idx[Ptr[r]:Ptr[r+1]].
type Block struct {
	Ptr    []int64
	Idx    []int32
	First  int
	Weight []mat.Real // a_uv of every entry of Idx; nil if all are 1
	Degree []float64  // of its nodes; nil if it is the number of their neighbours
	ready  *ready
}

// ready caches what steps of a block need, as far as it depends on the block and the descent alone.
type ready struct {
	near    *kernel.CSR
	a, b, c []mat.Real // of its rows
	values  []mat.Real // a_uv s_u of every neighbour; nil if all are 1
	buffer  []mat.Real // for values
}

// Rows returns the number of nodes.
func (b Block) Rows() int { return len(b.Ptr) - 1 }

// degree returns the degree of node r.
func (b Block) degree(r int) float64 {
	if b.Degree != nil {
		return b.Degree[r]
	}
	return float64(b.Ptr[r+1] - b.Ptr[r])
}

// Stepper does the steps of one descent. It keeps its buffers from block to block; Step is for one goroutine at a time,
// which computes on all threads, and Ready is for any number of them, meanwhile too.
type Stepper struct {
	Form
	heard []mat.Real // rows×cols: Σ_u a_uv s_u h_u
	spare *ready     // buffers for blocks that are not ready; nil before the first
}

// NewStepper does the steps of l, whose π is not looked at. The error says that the step of a row looks at more than
// its neighbours.
func NewStepper(l descent.Local) (*Stepper, error) {
	if l.Rate == nil {
		return nil, errors.New("solve: the step size of a row depends on rows other than its neighbours")
	}
	return &Stepper{Form: NewForm(l)}, nil
}

// Scaled reports whether rows are scaled by their degrees before neighbours receive them: Step then needs the scales.
func (s *Stepper) Scaled() bool { return s.Norm == graph.Symmetric }

// Ready prepares blk for steps on states with the given number of rows, reusing the memory of the previous call; for
// scale see Step. It fails if a neighbour is not one of those rows.
func (s *Stepper) Ready(blk *Block, rows int, scale []mat.Real) error {
	if blk.ready == nil {
		blk.ready = new(ready)
	}
	q, n := blk.ready, blk.Rows()
	var err error
	if q.near, err = kernel.NewCSR(n, rows, blk.Ptr, blk.Idx, nil); err != nil {
		return err
	}
	q.a, q.b, q.c = resize(q.a, n), resize(q.b, n), resize(q.c, n)
	for r := range n {
		a, b, c, _ := s.Coefs(blk.degree(r))
		q.a[r], q.b[r], q.c[r] = mat.Real(a), mat.Real(b), mat.Real(c)
	}
	if q.values = blk.Weight; s.Scaled() {
		q.buffer = resize(q.buffer, len(blk.Idx))
		q.values = q.buffer
		for e, u := range blk.Idx {
			q.values[e] = scale[u]
			if blk.Weight != nil {
				q.values[e] *= blk.Weight[e]
			}
		}
	}
	return nil
}

// Step is one step of the rows of blk,
//
//	dst_v = prox( a_v x_v + b_v Σ_u a_uv s_u x_u + c_v φ(x_v − p_v) )      with descent.Local's a, b, c and s
//
// dst and p are Rows×cols and cover the block alone; x has rows of cols numbers, and scale, if Scaled, holds s of each
// of them. dst must not overlap x. Step fails if a neighbour is not a row of x.
func (s *Stepper) Step(dst, x, p, scale []mat.Real, cols int, blk Block) error {
	rows, n := len(x)/max(1, cols), blk.Rows()
	q := blk.ready
	switch {
	case q == nil:
		blk.ready = s.spare
		if err := s.Ready(&blk, rows, scale); err != nil {
			return err
		}
		q, s.spare = blk.ready, blk.ready
	case q.near.Cols > rows:
		return fmt.Errorf("solve: states of %d rows, the block was made ready for %d", rows, q.near.Cols)
	}
	s.heard = resize(s.heard, n*cols)
	kernel.SpMM(s.heard, q.near, q.values, nil, x, cols, 1, 0)
	own := x[blk.First*cols : (blk.First+n)*cols]
	kernel.Step(dst, own, s.heard, p, q.a, q.b, q.c, n, cols, s.kind)
	return nil
}

// resize returns x with n entries of any value.
func resize(x []mat.Real, n int) []mat.Real {
	if cap(x) < n {
		return make([]mat.Real, n, n+n/4)
	}
	return x[:n]
}
