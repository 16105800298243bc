package ondisk

import (
	"context"
	"errors"
	"fmt"

	"github.com/bloomgml/bloom/mat"
)

// States are the rows of H of all nodes, for weights that are trained: the descent runs on the columns of π(X; W).
type States struct {
	*Store
	SettleOptions                 // except those about the kept rows
	Context       context.Context // cancels work in progress
	Scratch       string          // the folder of the file that holds H while Each runs
}

// Each yields H of every block, rows×d. pi computes π(x; W) of some rows: x is rows×Columns, the result rows×d.
func (s *States) Each(d int, pi func(x, to []mat.Real) error, yield func(block int, h []mat.Real) error) (err error) {
	largest := 0
	for i := range s.Blocks() {
		first, end := s.Rows(i)
		largest = max(largest, end-first)
	}
	own := 4 * int64(largest) * int64(s.Store.Columns+3*d) // features and π of a block, its H and logits
	plan, err := widest(s.Store, s.Memory, d, base(s.Store, 0, d)+own)
	if err != nil {
		return err
	}
	w, err := newSweep(s.Context, s.Store, s.SettleOptions, plan)
	if err != nil {
		return err
	}
	file, err := NewScratch(s.Scratch, "states")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	p := panels{Store: s.Store, file: file, cut: plan.cut, sums: make([]uint32, plan.Panels*s.Blocks())}
	for k := range plan.Panels {
		width := p.width(k)
		err := w.panel(width, func(dst []mat.Real) error { return s.project(d, pi, dst, p.cut[k], width) })
		if err != nil {
			return err
		}
		if err := p.writePanel(k, w.h); err != nil {
			return err
		}
	}
	h := make([]mat.Real, largest*d)
	for i := range s.Blocks() {
		from, to := s.Rows(i)
		if err := p.get(i, h, w.next[:cap(w.next)]); err != nil {
			return err
		}
		if err := yield(i, h[:(to-from)*d]); err != nil {
			return err
		}
	}
	return nil
}

// project writes width columns of π, starting with first, into dst, a row for every node.
func (s *States) project(d int, pi func(x, to []mat.Real) error, dst []mat.Real, first, width int) error {
	columns, err := NewSettleColumns(s.Store, s.Scale)
	if err != nil {
		return err
	}
	var x, p []mat.Real
	for i := range s.Blocks() {
		if err := s.Context.Err(); err != nil {
			return err
		}
		if x, err = columns.Block(i, x); err != nil {
			return err
		}
		from, to := s.Rows(i)
		if cap(p) < (to-from)*d {
			p = make([]mat.Real, (to-from)*d)
		}
		p = p[:(to-from)*d]
		if err := pi(x, p); err != nil {
			return err
		}
		for v := from; v < to; v++ {
			copy(dst[v*width:(v+1)*width], p[(v-from)*d+first:])
		}
	}
	return nil
}

// panels is a matrix with a row for every node, in a file: panel after panel of columns, each with all rows.
type panels struct {
	*Store
	file *Scratch
	cut  []int    // first column of every panel, then the number of columns
	sums []uint32 // by panel and block
}

func (p *panels) width(k int) int { return p.cut[k+1] - p.cut[k] }

// place returns the checksum of block i of panel k, and the offset of its rows.
func (p *panels) place(k, i int) (sum *uint32, at int64) {
	first, _ := p.Rows(i)
	return &p.sums[k*p.Blocks()+i], 4 * (int64(p.Nodes)*int64(p.cut[k]) + int64(first)*int64(p.width(k)))
}

// writePanel writes panel k; x is nodes×width.
func (p *panels) writePanel(k int, x []mat.Real) (err error) {
	for i := range p.Blocks() {
		from, to := p.Rows(i)
		sum, at := p.place(k, i)
		if *sum, err = p.file.Put(at, bytesOf(x[from*p.width(k):to*p.width(k)])); err != nil {
			return err
		}
	}
	return nil
}

// get reads all columns of block i into h, rows×columns; room is scratch memory for one panel.
func (p *panels) get(i int, h, room []mat.Real) error {
	from, to := p.Rows(i)
	d := p.cut[len(p.cut)-1]
	for k := range len(p.cut) - 1 {
		width := p.width(k)
		some := room[:(to-from)*width]
		sum, at := p.place(k, i)
		if err := p.file.Get(at, bytesOf(some), *sum, fmt.Sprintf("block %d of the states", i)); err != nil {
			return err
		}
		for r := range to - from {
			copy(h[r*d+p.cut[k]:], some[r*width:(r+1)*width])
		}
	}
	return nil
}
