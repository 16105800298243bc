package relax

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/run"
	"github.com/bloomgml/bloom/upper"
)

// pieceRows is how many rows a program sees at once, at most. A piece that has fewer is filled up with zeros.
const (
	pieceRows    = 1 << 13
	pieceEntries = 1 << 21 // and entries of what it makes of them
)

// projector is π of a piece, as it is, as it is in training, and with its derivatives.
type projector struct {
	x, by        *mat.Dense // features, ∂ℓ_up/∂π
	still, drawn *ad.Program
	z, random    ad.Var
	clock        *ad.Clock
	back         *run.Pass
	from, to     []mat.Real
}

// newProjector is π of pieces of so many rows.
func newProjector(m Model, rows int) *projector {
	p := &projector{x: mat.New(rows, m.Features), by: mat.New(rows, m.Width), clock: &ad.Clock{Seed: m.Seed},
		from: make([]mat.Real, rows*m.Features), to: make([]mat.Real, rows*m.Width)}
	x := input.Of(ad.Input(p.x))
	p.z = m.Pi.Forward(input.Evaluation(), x)
	p.still = ad.Compile(p.z)
	if m.Random {
		p.random = m.Pi.Forward(input.Training(p.clock), x)
		p.drawn = ad.Compile(p.random)
	}
	if len(m.Pi.Params()) > 0 {
		p.back, _ = run.NewPass(nil, m.Seed, m.Pi.Params(), func(c input.Context) (ad.Var, error) {
			return m.Pi.Forward(c, x).Mul(ad.Input(p.by)).Sum(), nil
		}) // it fails where the function does, which never does
	}
	return p
}

// tick is what dropout in a piece is drawn by.
func tick(epoch, row int) uint64 { return mat.Mix(uint64(epoch), uint64(row)) }

// fill writes x to a matrix, with zeros behind it.
func fill(m *mat.Dense, all, x []mat.Real) {
	clear(all[copy(all, x):])
	m.Write(all)
}

// run is π of some rows from a node on, written to z.
func (p *projector) run(epoch, row int, training bool, x, z []mat.Real) error {
	fill(p.x, p.from, x)
	prog, out := p.still, p.z
	if training {
		prog, out = p.drawn, p.random
		p.clock.Epoch = tick(epoch, row)
	}
	if err := prog.Run(); err != nil {
		return err
	}
	prog.Value(out).Read(p.to)
	copy(z, p.to)
	return nil
}

// inPieces yields the features of all blocks in pieces, by the block, its rows and where the piece begins in it.
func (n *Network) inPieces(yield func(block, at, rows int, x []mat.Real) error) (err error) {
	var x []mat.Real
	for i := range n.Blocks() {
		if err := n.Context.Err(); err != nil {
			return err
		}
		if x, err = n.x.Block(i, x); err != nil {
			return err
		}
		first, end := n.Rows(i)
		for at := 0; at < end-first; at += n.pi.x.Rows() {
			rows := min(n.pi.x.Rows(), end-first-at)
			if err := yield(i, at, rows, x[at*n.Columns:(at+rows)*n.Columns]); err != nil {
				return err
			}
		}
	}
	return nil
}

// project writes π of all nodes.
func (n *Network) project(epoch int, training bool) error {
	var z []mat.Real
	return n.inPieces(func(block, at, rows int, x []mat.Real) error {
		first, end := n.Rows(block)
		z = room(z, (end-first)*n.Width)
		err := n.pi.run(epoch, first+at, training, x, z[at*n.Width:(at+rows)*n.Width])
		if err == nil && at+rows == end-first {
			err = n.files.pi.putRows(block, z)
		}
		return err
	})
}

// below adds the derivatives to the parameters of π up, from ∂ℓ_up/∂π in the file of π.
func (n *Network) below(epoch int) error {
	p := n.pi
	if p.back == nil {
		return nil
	}
	var by []mat.Real
	return n.inPieces(func(block, at, rows int, x []mat.Real) error {
		first, end := n.Rows(block)
		if at == 0 {
			by = room(by, (end-first)*n.Width)
			if err := n.files.pi.getRows(block, by); err != nil {
				return err
			}
		}
		fill(p.x, p.from, x)
		fill(p.by, p.to, by[at*n.Width:(at+rows)*n.Width])
		if err := p.back.Run(epoch, tick(epoch, first+at)); err != nil {
			return err
		}
		for i, g := range p.back.Grads() {
			mat.Axpby(n.grads[i], n.grads[i], g, 1, 1)
		}
		return nil
	})
}

// header is the head on some rows: predictions, and ℓ_up with its derivatives.
type header struct {
	h     *mat.Dense
	class *mat.Index
	pass  *run.Pass
	looks *ad.Program
	z     ad.Var
}

// header is the head on so many rows. What the states themselves are to ℓ_up is the last derivative.
func (n *Network) header(rows int) (p *header, err error) {
	if p = n.heads[rows]; p != nil {
		return p, nil
	}
	p = &header{h: mat.New(rows, n.Width), class: mat.NewBatchIndex(rows, n.Classes)}
	of := ad.NewParam("rows", p.h)
	p.z = n.Head.Predict(input.Evaluation(), of.Var)
	p.looks = ad.Compile(p.z)
	params := append(append([]*ad.Param{}, n.Head.Params()...), of)
	p.pass, err = run.NewPass(nil, mat.Mix(n.Seed, 1), params, func(c input.Context) (ad.Var, error) {
		return n.Criterion.Of(n.Head.Predict(c, of.Var), upper.Target{Class: p.class}), nil
	})
	n.heads[rows] = p
	return p, err
}

// predict writes g of the rows h to z.
func (n *Network) predict(h, z []mat.Real) error {
	for at := 0; at < len(h)/n.Width; at += pieceRows {
		end := min(at+pieceRows, len(h)/n.Width)
		p, err := n.header(end - at)
		if err != nil {
			return err
		}
		p.h.Write(h[at*n.Width : end*n.Width])
		if err := p.looks.Run(); err != nil {
			return err
		}
		p.looks.Value(p.z).Read(z[at*n.Classes : end*n.Classes])
	}
	return nil
}

// above adds losses and derivatives of the head up, and writes ∂ℓ_up/∂H of the rows that train.
func (n *Network) above(epoch int) error {
	rows, at := make([]mat.Real, min(pieceRows, len(n.train))*n.Width), 0
	return n.eachRows(n.files.h, func(first, end int, h []mat.Real) error {
		for ; at < len(n.train) && int(n.train[at]) < end; at++ {
			v, to := int(n.train[at])-first, at%pieceRows*n.Width
			copy(rows[to:to+n.Width], h[v*n.Width:])
			if at%pieceRows == pieceRows-1 || at == len(n.train)-1 {
				from := at - at%pieceRows
				if err := n.judge(epoch, from, rows[:(at+1-from)*n.Width]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// judge takes the loss of the rows that train from one of them on.
func (n *Network) judge(epoch, from int, h []mat.Real) error {
	count := len(h) / n.Width
	p, err := n.header(count)
	if err != nil {
		return err
	}
	p.h.Write(h)
	if err := p.class.Update(n.Graph.class[from : from+count]); err != nil {
		return err
	}
	if err := p.pass.Run(epoch, tick(epoch, from)); err != nil {
		return err
	}
	share := mat.Real(float64(count) / float64(len(n.train)))
	mat.Axpby(n.loss, n.loss, p.pass.Loss(), 1, share)
	grads, base := p.pass.Grads(), len(n.Pi.Params())+len(n.Energy)
	for i := range n.Head.Params() {
		mat.Axpby(n.grads[base+i], n.grads[base+i], grads[i], 1, share)
	}
	by := make([]mat.Real, len(h))
	grads[len(grads)-1].Read(by)
	for i := range by {
		by[i] *= share
	}
	return n.files.up.put(0, from/pieceRows, by)
}
