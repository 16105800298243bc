package relax

import (
	"errors"
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/block"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/run"
	"github.com/bloomgml/bloom/upper"
)

// Model is what is trained: π, the energy in numbers, and the head with what it is compared with.
type Model struct {
	Pi        input.Model
	Features  int // columns of x
	Width     int // columns of H
	Local     func() (descent.Local, error)
	Lambda    ad.Var      // λ of f
	Energy    []*ad.Param // that Lambda depends on; nil where it is not trained
	Head      upper.Head
	Classes   int
	Criterion upper.Criterion
	Random    bool // something is dropped in π
	Steps     int  // of the descent; 0 means its fixed point. It is for Stream alone
	Seed      uint64
}

// Network is a Model on the rows that are looked at, whose states are kept with the weights. Where it has a Graph it is
// trained, and states follow the weights.
type Network struct {
	Model
	*Graph
	class  []int32 // of the rows that are looked at
	states *ad.Param
	stale  bool // the weights may have changed since the states were computed
	fresh  bool // π and H in the files are of the present weights

	work  *sweeper
	pi    *projector
	heads map[int]*header
	loss  *mat.Dense
	grads []*mat.Dense
	epoch int
}

// NewNetwork is m on rows of these classes; g is nil for a run that is done.
func NewNetwork(m Model, g *Graph, class []int32) *Network {
	return &Network{Model: m, Graph: g, class: class, heads: map[int]*header{}, stale: true,
		states: ad.NewParam("states", mat.New(len(class), m.Width))}
}

// Params of π, then of the energy, then of the head.
func (n *Network) Params() []*ad.Param {
	list := append([]*ad.Param{}, n.Pi.Params()...)
	return append(append(list, n.Energy...), n.Head.Params()...)
}

// State are the states of the rows that are looked at.
func (n *Network) State() []*ad.Param { return []*ad.Param{n.states} }

// Predict is g(H; Θ) of all rows that are looked at.
func (n *Network) Predict(c input.Context) (ad.Var, error) {
	return n.Head.Predict(c, n.states.Var), nil
}

// Loss is ℓ_up of them, with their states held.
func (n *Network) Loss(c input.Context) (ad.Var, error) {
	class, err := mat.NewIndex(n.class, n.Classes)
	if err != nil {
		return ad.Var{}, err
	}
	return n.Criterion.Of(n.Head.Predict(c, n.states.Var), upper.Target{Class: class}), nil
}

// Passed are loss and derivatives of the last Batch.
func (n *Network) Passed() (*mat.Dense, []*mat.Dense) { return n.loss, n.grads }

// begin makes the files and the programs.
func (n *Network) begin() error {
	if n.Graph == nil {
		return errors.New("relax: the graph is on the disk and was not opened")
	}
	if n.work != nil && n.files != nil {
		return nil
	}
	f, err := n.open(n.Width, n.Random)
	if err != nil {
		return err
	}
	l, err := n.Local()
	if err != nil {
		return err
	}
	n.pi = newProjector(n.Model, n.piece(n.Width))
	n.loss = mat.New(1, 1)
	for _, p := range n.Params() {
		n.grads = append(n.grads, mat.New(p.Rows(), p.Cols()))
	}
	n.work, err = newSweeper(n.Graph, l, block.Widest(f.cut))
	return err
}

// settle brings the states h in the files to the present weights; in training π is random where it is.
func (n *Network) settle(epoch int, training bool, h *states, most int) (Certificate, error) {
	if err := n.project(epoch, training); err != nil {
		return Certificate{}, err
	}
	l, err := n.Local()
	if err != nil {
		return Certificate{}, err
	}
	if err := n.work.use(l); err != nil {
		return Certificate{}, err
	}
	if n.Steps > 0 {
		return Certificate{}, n.work.steps(n.files.pi, h, l, n.Steps)
	}
	c, err := n.work.descend(n.files.pi, h, most)
	if err == nil && !(c.Residual < math.Inf(1)) {
		err = &run.NotFinite{Epoch: epoch, What: "a state of a node"}
	}
	return c, err
}

// Batch is loss and derivatives of all rows that train.
func (n *Network) Batch(epoch int) error {
	if err := n.begin(); err != nil {
		return err
	}
	n.epoch = epoch
	if !n.fresh {
		if _, err := n.settle(epoch, n.Random, n.files.h, n.most()); err != nil {
			return err
		}
	}
	for _, g := range n.grads {
		mat.Fill(g, 0)
	}
	mat.Fill(n.loss, 0)
	n.fresh, n.stale = false, true
	if err := n.above(epoch); err != nil {
		return err
	}
	c, slope, err := n.work.adjoin(n.files, n.train, n.Energy != nil, n.most())
	if err != nil {
		return err
	}
	n.Adjoint = c
	if n.Energy != nil {
		n.inner(slope)
	}
	return n.below(epoch)
}

// inner adds the derivatives to the parameters of λ.
func (n *Network) inner(slope float64) {
	var vars []ad.Var
	for _, p := range n.Energy {
		vars = append(vars, p.Var)
	}
	for i, g := range ad.Grad(n.Lambda, vars...) {
		mat.Affine(n.grads[len(n.Pi.Params())+i], ad.Eval(g), mat.Real(slope), 0)
	}
}

// Look writes the predictions of the rows that are looked at to z, with states of the present weights where there is a
// Graph.
func (n *Network) Look(z []mat.Real) error {
	if n.Graph != nil && n.stale {
		if err := n.look(); err != nil {
			return err
		}
	}
	h := make([]mat.Real, len(n.class)*n.Width)
	n.states.Value().Read(h)
	if err := n.predict(h, z); err != nil {
		return err
	}
	for _, x := range z {
		if x-x != 0 {
			return &run.NotFinite{Epoch: n.epoch, What: "a logit, in evaluation,"}
		}
	}
	return nil
}

// look takes the states of the rows that are looked at.
func (n *Network) look() error {
	if err := n.begin(); err != nil {
		return err
	}
	var err error
	if n.Found, err = n.settle(n.epoch, false, n.files.seen, 10*n.most()); err != nil {
		return err
	}
	h, at := make([]mat.Real, len(n.class)*n.Width), 0
	err = n.eachRows(n.files.seen, func(first, end int, rows []mat.Real) error {
		for ; at < len(n.kept.Place) && int(n.kept.Place[at]) < end; at++ {
			v := int(n.kept.Place[at]) - first
			copy(h[at*n.Width:(at+1)*n.Width], rows[v*n.Width:])
		}
		return nil
	})
	if err != nil {
		return err
	}
	n.states.Value().Write(h)
	n.stale, n.fresh = false, !n.Random
	return nil
}

// Stream yields the predictions of all nodes, block by block: rows × Classes.
func (n *Network) Stream(yield func(block int, z []mat.Real) error) error {
	if err := n.begin(); err != nil {
		return err
	}
	var err error
	if n.Found, err = n.settle(n.epoch, false, n.files.seen, 10*n.most()); err != nil {
		return err
	}
	var z []mat.Real
	block := 0
	return n.eachRows(n.files.seen, func(first, end int, rows []mat.Real) error {
		z = room(z, (end-first)*n.Classes)
		if err := n.predict(rows, z); err != nil {
			return err
		}
		block++
		return yield(block-1, z)
	})
}

// eachRows yields the rows of every block.
func (n *Network) eachRows(s *states, yield func(first, end int, rows []mat.Real) error) error {
	var rows []mat.Real
	for i := range n.Blocks() {
		if err := n.Context.Err(); err != nil {
			return err
		}
		first, end := n.Rows(i)
		rows = room(rows, (end-first)*n.Width)
		if err := s.getRows(i, rows); err != nil {
			return err
		}
		if err := yield(first, end, rows); err != nil {
			return err
		}
	}
	return nil
}
