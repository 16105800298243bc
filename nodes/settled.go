package nodes

import (
	"fmt"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/run"
	"github.com/bloomgml/bloom/upper"
)

// settled is the network on rows that a linear descent P has gone through already (dataset.Dataset.Settled),
//
//	g(H; Θ),   H = P π(X; W) = (P X) W + (P 1) b
//
// where no row needs another. Rows are therefore brought to the device some at a time, and losses and derivatives of
// all pieces are added up: the sums are the full batch, up to rounding, in memory that does not grow with the rows.
type settled struct {
	x       dataset.Matrix // P x, and in the last column P 1
	w, b    *ad.Param      // of π; nil where that is x itself
	dropout float64        // of the features
	head    upper.Head

	class     []int32
	train     []int32
	pick      *mat.Index // train
	criterion upper.Criterion
	pieces    map[int]*piece // by the number of rows
	seed      uint64
	epoch     uint64
	loss      *mat.Dense
	grads     []*mat.Dense
}

// pieceRows is how many rows are on the device at once.
const pieceRows = 1 << 15

// settle builds the network of settled features.
//
// Deviation: dropout of features drops entries of P X, as that of X would need the descent again in every epoch.
func (t *Task) settle() error {
	c, energyNow := t.Config, t.energyLines()
	switch {
	case c.Energy == nil || energyNow != t.Data.Settled:
		return &run.BadData{Data: t.Data.Name, Text: fmt.Sprintf("features have gone through the descent of\n%s\nand "+
			"cannot be used with that of\n%s", t.Data.Settled, energyNow)}
	case c.Model.Before > 1:
		return &run.BadSetting{Key: "model.before", Value: fmt.Sprint(c.Model.Before), Want: linearPi}
	case c.Model.Norm == "batch":
		return &run.BadSetting{Key: "model.norm", Value: "batch", Want: "layer or none, as rows come some at a time"}
	case c.Model.DropNodes > 0:
		return &run.BadSetting{Key: "model.drop_nodes", Value: fmt.Sprint(c.Model.DropNodes),
			Want: "0, as the descent is done"}
	case c.Train.Consistency.Weight > 0 || c.Train.Consistency.Samples > 1:
		return &run.BadSetting{Key: "train.consistency", Value: fmt.Sprintf("%+v", c.Train.Consistency),
			Want: "one sample of weight 0, as rows come some at a time"}
	case c.Train.ClassWeight.Word != "none":
		return &run.BadSetting{Key: "train.class_weight", Value: c.Train.ClassWeight.Word,
			Want: "none, as rows come some at a time"}
	case c.Stack.Levels > 1 || c.Model.LearnLambda || c.Data.Corrupt != "":
		return &run.BadSetting{Key: "recipe", Value: c.Recipe,
			Want: "one level, a λ that is not trained and features that are not spoilt, as the descent is done"}
	}
	x := t.Data.Features[0]
	t.On = bloom.Data{On: energy.NewStructure(t.Data.Graph),
		X: input.Of(ad.Fill(mat.Shape{Rows: x.Rows, Cols: x.Cols - 1}, 0))} // how wide they are
	dim, err := t.width()
	if err != nil {
		return err
	}
	s := &settled{x: x, dropout: c.Model.InputDropout, class: t.Data.Labels.Class, train: t.Split.Train, pick: t.pick,
		criterion: t.criterion, pieces: map[int]*piece{}, seed: mat.Mix(t.Trial.Seed, hash("dropout"))}
	if c.Model.Before == 1 {
		pi, err := part("pi", c.Model, t.On.X, dim, t.Trial.Seed)
		if err != nil {
			return err
		}
		s.w, s.b = pi.Params()[0], pi.Params()[1]
	}
	if s.head, err = t.head(dim); err != nil {
		return err
	}
	t.network, t.settled = s, s
	return nil
}

// linearPi is what a descent that is run once asks of π.
const linearPi = "0 or 1: P π(X; W) is (P X) W for a linear π alone, and another needs the descent in every epoch, " +
	"in memory"

// Params are W and b of π, and Θ.
func (s *settled) Params() []*ad.Param {
	if s.w == nil {
		return s.head.Params()
	}
	return append([]*ad.Param{s.w, s.b}, s.head.Params()...)
}

// State is empty: norms over rows are refused.
func (s *settled) State() []*ad.Param { return nil }

// Predict is g(H; Θ) of all rows at once: what look does in pieces.
func (s *settled) Predict(c input.Context) (ad.Var, error) {
	p, all := s.piece(s.x.Rows), s.all()
	return p.logits(c), p.bring(all)
}

// Loss is ℓ_up of all training nodes at once: what batch does in pieces.
func (s *settled) Loss(c input.Context) (ad.Var, error) {
	z, err := s.Predict(c)
	if err != nil {
		return ad.Var{}, err
	}
	return s.criterion.Of(z, upper.Target{Class: s.piece(s.x.Rows).class, Pick: s.pick}), nil
}

// all are the numbers of all rows.
func (s *settled) all() []int32 {
	rows := make([]int32, s.x.Rows)
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// piece is some rows on the device, with the programs that run on them, which are compiled when first needed.
type piece struct {
	*settled
	x, ones *mat.Dense // n×k, n×1
	class   *mat.Index
	pass    *run.Pass
	looks   *ad.Program
	z       ad.Var
	host    []mat.Real // n×k
}

// piece is the one of n rows.
func (s *settled) piece(n int) *piece {
	p := s.pieces[n]
	if p == nil {
		k := s.x.Cols - 1
		p = &piece{settled: s, x: mat.New(n, k), ones: mat.New(n, 1), host: make([]mat.Real, n*k),
			class: mat.NewBatchIndex(n, s.classes())}
		s.pieces[n] = p
	}
	return p
}

// classes is how many columns predictions have.
func (s *settled) classes() int {
	return s.head.Predict(input.Evaluation(), ad.Fill(mat.Shape{Rows: 1, Cols: s.width()}, 0)).Cols()
}

// width is d.
func (s *settled) width() int {
	if s.w == nil {
		return s.x.Cols - 1
	}
	return s.w.Cols()
}

// logits are g(H; Θ) of the rows of the piece.
func (p *piece) logits(c input.Context) ad.Var {
	x := c.Drop(ad.Input(p.x), p.dropout, "pi input")
	if p.w == nil {
		return p.head.Predict(c, x)
	}
	return p.head.Predict(c, x.MatMul(p.w.Var).Add(ad.Input(p.ones).MatMul(p.b.Var)))
}

func (p *piece) loss(c input.Context) ad.Var {
	return p.criterion.Of(p.logits(c), upper.Target{Class: p.class})
}

// bring takes rows to the device.
func (p *piece) bring(rows []int32) error {
	k := p.x.Cols()
	ones, class := make([]mat.Real, len(rows)), make([]int32, len(rows))
	for i, v := range rows {
		row := p.settled.x.Values[int(v)*(k+1) : int(v+1)*(k+1)]
		copy(p.host[i*k:], row[:k])
		ones[i], class[i] = row[k], max(0, p.settled.class[v])
	}
	p.x.Write(p.host)
	p.ones.Write(ones)
	return p.class.Update(class)
}

// inPieces calls f with rows, some at a time, all of nearly one number: at most two programs are compiled.
func (s *settled) inPieces(rows []int32, f func(p *piece, at int, some []int32) error) error {
	if len(rows) == 0 {
		return nil
	}
	count := (len(rows) + pieceRows - 1) / pieceRows
	each := (len(rows) + count - 1) / count
	for at := 0; at < len(rows); at += each {
		some := rows[at:min(at+each, len(rows))]
		p := s.piece(len(some))
		if err := p.bring(some); err != nil {
			return err
		}
		if err := f(p, at, some); err != nil {
			return err
		}
	}
	return nil
}

// batch adds the losses and derivatives of all pieces of the training nodes up, each by its share of them.
func (s *settled) batch(epoch int) error {
	params := s.Params()
	if s.loss == nil {
		s.loss = mat.New(1, 1)
		for _, w := range params {
			s.grads = append(s.grads, mat.New(w.Rows(), w.Cols()))
		}
	}
	s.epoch = uint64(epoch)
	return s.inPieces(s.train, func(p *piece, at int, some []int32) (err error) {
		if p.pass == nil {
			p.pass, err = run.NewPass(nil, s.seed, params,
				func(c input.Context) (ad.Var, error) { return p.loss(c), nil })
			if err != nil {
				return err
			}
		}
		if err := p.pass.Run(epoch, mat.Mix(uint64(epoch), uint64(at))); err != nil {
			return err
		}
		share := mat.Real(float64(len(some)) / float64(len(s.train)))
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

// look writes the logits of all rows to z.
func (s *settled) look(z []mat.Real) error {
	rows := s.all()
	k := len(z) / max(1, len(rows))
	err := s.inPieces(rows, func(p *piece, at int, some []int32) error {
		if p.looks == nil {
			p.z = p.logits(input.Evaluation())
			p.looks = ad.Compile(p.z)
		}
		if err := p.looks.Run(); err != nil {
			return err
		}
		p.looks.Value(p.z).Read(z[at*k : (at+len(some))*k])
		return nil
	})
	for _, x := range z {
		if x-x != 0 {
			return &run.NotFinite{Epoch: int(s.epoch), What: "a logit, in evaluation,"}
		}
	}
	return err
}
