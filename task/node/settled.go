package node

import (
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
	"github.com/bloomgml/bloom/upper"
)

// settled is the network on rows that a linear descent P has gone through already (dataset.Dataset.Settled),
//
//	g(H; Θ),   H = P π(X; W) = (P X) W + (P 1) b
//
// where no row needs another. Rows are therefore brought to the device some at a time, and losses and derivatives of
// all pieces are added up: the sums are the full batch, up to rounding, in memory that does not grow with the rows.
type settled struct {
	x       dataset.Matrix // P x, then P 1, and where it is known the spread of P x
	cols    int            // columns of x that are P x
	pi      input.Model
	w, b    *ad.Param // of π; nil if that is x itself
	dropout float64   // of the features
	head    upper.Head

	class     []int32
	train     []int32
	pick      *mat.Index        // train
	rows      *ondisk.RowReader // of all rows that train, where x has some of them; nil if it has all
	criterion upper.Criterion
	pieces    map[int]*piece // by the number of rows
	seed      uint64
	epoch     uint64
	loss      *mat.Dense
	grads     []*mat.Dense
}

// fromDisk builds the network of settled features.
func (t *Task) fromDisk(o Options) error {
	now, of := t.energyLines(), t.Data.Settled.Energy
	if t.Config.Energy == nil || now != of {
		return &train.BadData{Data: t.Data.Name,
			Text: fmt.Sprintf("features have gone through the descent of\n%s\nand "+
				"cannot be used with that of\n%s", of, now)}
	}
	if err := t.byRows(); err != nil {
		return err
	}
	x := t.Data.Features[0]
	shape := mat.Shape{Rows: x.Rows, Cols: x.Cols - 1} // less P 1
	if t.Data.Settled.Spread {
		shape.Cols /= 2
	}
	t.On = bloom.Data{On: energy.NewStructure(t.Data.Graph), X: input.Of(ad.Fill(shape, 0))} // how wide they are
	return t.settle(x, o)
}

// byRows rejects what needs all rows at once, and what a descent that runs before training cannot have.
func (t *Task) byRows() error {
	c := t.Config
	for _, x := range []struct {
		bad       bool
		key       string
		is, wants string
	}{
		{c.Model.Norm == "batch", "model.norm", "batch", "layer or none, because rows are read in pieces"},
		{c.Model.DropNodes > 0, "model.drop_nodes", fmt.Sprint(c.Model.DropNodes), "0, because rows are read in " +
			"pieces"},
		{c.Train.Consistency.Weight > 0 || c.Train.Consistency.Samples > 1, "train.consistency",
			fmt.Sprintf("%+v", c.Train.Consistency), "one sample of weight 0, because rows are read in pieces"},
		{c.Train.ClassWeight.Word != "none", "train.class_weight", c.Train.ClassWeight.Word,
			"none, because rows are read in pieces"},
		{c.Model.Before > 1, "model.before", fmt.Sprint(c.Model.Before),
			"0 or 1, as the descent is run once: P π(X; W) is (P X) W only for a linear π"},
		{c.Model.Input == "pieces", "model.input", "pieces", "layers, as the descent is run once: π must be linear"},
		{c.Model.LearnLambda, "model.learn_lambda", "true", "false, as the descent is run once"},
		{c.Data.Decay > 0, "data.decay", c.Data.Decay.String(), "0s, because the graph is on disk"},
		{c.Stack.Levels > 1 || c.Data.Corrupt != "", "recipe", c.Recipe,
			"one level and uncorrupted features, because the graph is on disk"},
	} {
		if x.bad {
			return &train.BadSetting{Key: x.key, Value: x.is, Want: x.wants}
		}
	}
	return nil
}

// settle builds the network of settled features x.
//
// Deviation: what dropout of X comes to is drawn for P X, see dropped, as X itself would need the descent again in
// every epoch.
func (t *Task) settle(x dataset.Matrix, o Options) error {
	c := t.Config
	dim, err := t.width()
	if err != nil {
		return err
	}
	s := &settled{x: x, cols: t.On.X.Shape().Cols, dropout: c.Model.InputDropout, class: t.Data.Labels.Class,
		train: t.Split.Train, pick: t.pick, criterion: t.criterion, pieces: map[int]*piece{},
		seed: mat.Mix(t.Trial.Seed, hash("dropout"))}
	if s.pi, err = part("pi", c.Model, t.On.X, dim, t.Trial.Seed); err != nil {
		return err
	}
	if s.head, err = t.head(dim); err != nil {
		return err
	}
	if o.Disk != nil && o.Disk.rows != nil {
		s.rows = &ondisk.RowReader{Rows: o.Disk.rows}
	}
	if c.Model.Before == 1 {
		s.w, s.b = s.pi.Params()[0], s.pi.Params()[1]
	}
	if c.Model.InputDropout > 0 && x.Cols == s.cols+1 {
		t.Warnings = append(t.Warnings, "no spread was stored with the rows: model.input_dropout drops entries of P "+
			"x instead of x, which regularises differently")
	}
	t.network = s
	return nil
}

// inBlock returns the predictions of block i of the graph on the disk, of logits z.
func (t *Task) inBlock(i int, z []mat.Real) (*Predictions, error) {
	on := t.all
	names, err := on.IDs(i)
	if err != nil {
		return nil, err
	}
	l, err := on.Labels(i)
	if err != nil {
		return nil, err
	}
	g, err := graph.Build(graph.Spec{Nodes: len(names), Undirected: true})
	if err != nil {
		return nil, err
	}
	sub := &Task{Config: t.Config, Data: &dataset.Dataset{Name: t.Data.Name, Graph: g, IDs: dataset.NewIDs(names),
		Labels: dataset.Labels{Class: l.Class, Names: t.Data.Labels.Names}}}
	if on.split < len(l.Parts) {
		for r, p := range l.Parts[on.split] {
			p.AddTo(&sub.Split, int32(r))
		}
	}
	if sub.goal, err = newGoal(sub.Data, sub.Split, t.Config.Train); err != nil {
		return nil, err
	}
	sub.goal.recall(t.goal.calibration())
	return sub.predictionsOf(ad.Const(mat.FromSlice(len(names), t.Classes(), z)), nil)
}

// streaming returns g(H; Θ) of all nodes of the graph of states, block by block.
func (s *settled) streaming(states *ondisk.States) streaming {
	pi := newRowwise(s.cols, s.width(), func(x ad.Var) ad.Var { return s.pi.Forward(input.Evaluation(), input.Of(x)) })
	head := newRowwise(s.width(), s.classes(), func(h ad.Var) ad.Var { return s.head.Predict(input.Evaluation(), h) })
	return func(yield func(block int, z []mat.Real) error) error {
		var z []mat.Real
		return states.Each(s.width(), pi.run, func(i int, h []mat.Real) error {
			z = slices.Grow(z[:0], len(h)/s.width()*s.classes())[:len(h)/s.width()*s.classes()]
			if err := head.run(h, z); err != nil {
				return err
			}
			return yield(i, z)
		})
	}
}

// rowwise is a function of single rows, which come to the device some at a time.
type rowwise struct {
	x        *mat.Dense
	y        ad.Var
	prog     *ad.Program
	from, to []mat.Real
}

// newRowwise returns f as a function of rows, from wide to narrow numbers each.
func newRowwise(wide, narrow int, f func(x ad.Var) ad.Var) *rowwise {
	rows := min(1<<13, max(256, 1<<21/max(wide, narrow)))
	r := &rowwise{x: mat.New(rows, wide), from: make([]mat.Real, rows*wide), to: make([]mat.Real, rows*narrow)}
	r.y = f(ad.Input(r.x))
	r.prog = ad.Compile(r.y)
	return r
}

// run writes f of the rows of x to y. The last rows are filled up with zeros.
func (r *rowwise) run(x, y []mat.Real) error {
	for len(x) > 0 {
		n := copy(r.from, x)
		clear(r.from[n:])
		r.x.Write(r.from)
		if err := r.prog.Run(); err != nil {
			return err
		}
		r.prog.Value(r.y).Read(r.to)
		x, y = x[n:], y[copy(y, r.to):]
	}
	return nil
}

// Params returns W and b of π, and Θ.
func (s *settled) Params() []*ad.Param {
	if s.w == nil {
		return s.head.Params()
	}
	return append([]*ad.Param{s.w, s.b}, s.head.Params()...)
}

// State is empty: norms over rows are refused.
func (s *settled) State() []*ad.Param { return nil }

// Predict returns g(H; Θ) of all rows at once: what Look does in pieces.
func (s *settled) Predict(c input.Context) (ad.Var, error) {
	p := s.piece(s.x.Rows)
	return p.logits(c), p.copyToDevice(s.x.Values, s.class, upTo(s.x.Rows))
}

func (s *settled) Loss(c input.Context) (ad.Var, error) {
	z, err := s.Predict(c)
	if err != nil {
		return ad.Var{}, err
	}
	return s.criterion.Of(z, upper.Target{Class: s.piece(s.x.Rows).class, Pick: s.pick}), nil
}

// upTo returns the numbers below n.
func upTo(n int) []int32 {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// piece is some rows on the device, with the programs that run on them, which are compiled when first needed.
type piece struct {
	*settled
	x, ones *mat.Dense // n×k, n×1
	spread  *mat.Dense // n×k; nil if it is not known
	class   *mat.Index
	pass    *train.Pass
	looks   *ad.Program
	z       ad.Var
	host    []mat.Real // n×k
}

// piece returns the piece of n rows.
func (s *settled) piece(n int) *piece {
	p := s.pieces[n]
	if p == nil {
		k := s.cols
		p = &piece{settled: s, x: mat.New(n, k), ones: mat.New(n, 1), host: make([]mat.Real, n*k),
			class: mat.NewBatchIndex(n, s.classes())}
		if s.x.Cols > k+1 && s.dropout > 0 {
			p.spread = mat.New(n, k)
		}
		s.pieces[n] = p
	}
	return p
}

// classes returns how many columns predictions have.
func (s *settled) classes() int {
	return s.head.Predict(input.Evaluation(), ad.Fill(mat.Shape{Rows: 1, Cols: s.width()}, 0)).Cols()
}

// width returns d.
func (s *settled) width() int {
	if s.w == nil {
		return s.cols
	}
	return s.w.Cols()
}

// logits returns g(H; Θ) of the rows of the piece.
func (p *piece) logits(c input.Context) ad.Var {
	x := p.dropped(c)
	if p.w == nil {
		return p.head.Predict(c, x)
	}
	return p.head.Predict(c, x.MatMul(p.w.Var).Add(ad.Input(p.ones).MatMul(p.b.Var)))
}

// dropped returns P x with the effect of dropout of x in training,
//
//	P x + √(p/(1 − p)) G ∘ ε,   G = P (X ∘ S)
//
// where ε are random signs. Every row has the mean and, on average over the signs S, the covariances between columns
// that it has in P (X ∘ M), where M is the dropout mask; the loss is a sum over rows, so the dependence between rows
// does not affect its mean. Without the spread G, entries of P x are dropped.
func (p *piece) dropped(c input.Context) ad.Var {
	x := ad.Input(p.x)
	if p.spread == nil || !c.Training {
		return c.Drop(x, p.dropout, "pi input")
	}
	g := ad.Input(p.spread)
	signed := c.Drop(g, 0.5, "pi input").Sub(g) // 0 or 2 of each, less 1
	return x.Add(signed.Scale(math.Sqrt(p.dropout / (1 - p.dropout))))
}

func (p *piece) loss(c input.Context) ad.Var {
	return p.criterion.Of(p.logits(c), upper.Target{Class: p.class})
}

// copyToDevice copies rows of x and class to the device.
func (p *piece) copyToDevice(x []mat.Real, class, rows []int32) error {
	k, all := p.cols, p.settled.x.Cols
	ones, classes := make([]mat.Real, len(rows)), make([]int32, len(rows))
	for i, v := range rows {
		row := x[int(v)*all : int(v+1)*all]
		copy(p.host[i*k:], row[:k])
		ones[i], classes[i] = row[k], max(0, class[v])
	}
	p.x.Write(p.host)
	p.ones.Write(ones)
	if p.spread != nil {
		for i, v := range rows {
			copy(p.host[i*k:(i+1)*k], x[int(v)*all+k+1:])
		}
		p.spread.Write(p.host)
	}
	return p.class.Update(classes)
}

// inPieces calls f with rows, some at a time, all of nearly one number: at most two programs are compiled.
func (s *settled) inPieces(rows []int32, f func(p *piece, at int) error) error {
	each := ondisk.Piece(len(rows))
	for at := 0; at < len(rows); at += each {
		some := rows[at:min(at+each, len(rows))]
		p := s.piece(len(some))
		if err := p.copyToDevice(s.x.Values, s.class, some); err != nil {
			return err
		}
		if err := f(p, at); err != nil {
			return err
		}
	}
	return nil
}

// training calls f with all training rows, in the pieces of inPieces, read from the disk if they are there.
func (s *settled) training(f func(p *piece, at int) error) error {
	if s.rows == nil {
		return s.inPieces(s.train, f)
	}
	for at := 0; at < s.rows.Count; at += len(s.rows.Class) {
		if err := s.rows.Read(at); err != nil {
			return err
		}
		p := s.piece(len(s.rows.Class))
		if err := p.copyToDevice(s.rows.X, s.rows.Class, upTo(p.x.Rows())); err != nil {
			return err
		}
		if err := f(p, at); err != nil {
			return err
		}
	}
	return nil
}

// trains returns the number of rows that train.
func (s *settled) trains() int {
	if s.rows == nil {
		return len(s.train)
	}
	return s.rows.Count
}

// Batch adds up the losses and derivatives of all pieces of the training nodes, each weighted by its share of them.
func (s *settled) Batch(epoch int) error {
	params := s.Params()
	if s.loss == nil {
		s.loss = mat.New(1, 1)
		for _, w := range params {
			s.grads = append(s.grads, mat.New(w.Rows(), w.Cols()))
		}
	}
	s.epoch = uint64(epoch)
	return s.training(func(p *piece, at int) (err error) {
		if p.pass == nil {
			p.pass, err = train.NewPass(nil, s.seed, params,
				func(c input.Context) (ad.Var, error) { return p.loss(c), nil })
			if err != nil {
				return err
			}
		}
		if err := p.pass.Run(epoch, mat.Mix(uint64(epoch), uint64(at))); err != nil {
			return err
		}
		share := mat.Real(float64(p.x.Rows()) / float64(s.trains()))
		collect(s.loss, p.pass.Loss(), share, at == 0)
		for i, g := range p.pass.Grads() {
			collect(s.grads[i], g, share, at == 0)
		}
		return nil
	})
}

// collect adds a share of x to sum, or begins it.
func collect(sum, x *mat.Dense, share mat.Real, first bool) {
	if first {
		mat.Affine(sum, x, share, 0)
		return
	}
	mat.Axpby(sum, sum, x, 1, share)
}

// Look writes the logits of all rows to z.
func (s *settled) Look(z []mat.Real) error {
	k := len(z) / max(1, s.x.Rows)
	err := s.inPieces(upTo(s.x.Rows), func(p *piece, at int) error {
		if p.looks == nil {
			p.z = p.logits(input.Evaluation())
			p.looks = ad.Compile(p.z)
		}
		if err := p.looks.Run(); err != nil {
			return err
		}
		p.looks.Value(p.z).Read(z[at*k : (at+p.x.Rows())*k])
		return nil
	})
	for _, x := range z {
		if x-x != 0 {
			return &train.NotFinite{Epoch: int(s.epoch), What: "a logit, in evaluation,"}
		}
	}
	return err
}
