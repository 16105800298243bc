package node

import (
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/fit"
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// forest is π(X) by boosted trees, n×k: a round of boosting is an epoch, which fits a tree for each of the k columns to
// the derivatives of ℓ_up by π(X), of all nodes ("Convergent boosted smoothing", Chen et al. 2022). What is above it
// may be a descent, whose adjoint brings the derivatives here, or nothing.
type forest struct {
	*Task
	table  table
	base   *ad.Param // 1×k, what π is before the first round
	packed *ad.Param // the trees of all rounds, each padded to the maximum number of nodes
	scores *ad.Param // n×k, what they say about all nodes
	left   *ad.Param // residuals of the training nodes, a row each; nil if no neighbours hear of them

	rounds  int // that scores has
	booster *fit.Booster
}

var (
	_ input.Model    = (*forest)(nil)
	_ input.Stateful = (*forest)(nil)
)

// newForest has room for the trees of all epochs.
func (t *Task) newForest() (*forest, error) {
	k, n := t.Classes(), t.Data.Graph.NumNodes()
	f := &forest{Task: t, table: t.newTable(t.Config.Model.Neighbours && t.Data.Graph.NumEdges() > 0)}
	if f.table.columns == 0 {
		return nil, &train.BadData{Data: t.Data.Name, Text: "trees split by columns, and the nodes have none"}
	}
	rows := t.Config.Train.Epochs * k * fit.NewBooster(&fit.Table{}, 0, f.options()).Nodes()
	if rows > 1<<24 {
		return nil, &train.BadSetting{Key: "train.epochs", Value: fmt.Sprint(t.Config.Train.Epochs),
			Want: fmt.Sprintf("fewer: each of the %d classes needs a tree in every round", k)}
	}
	f.base = ad.NewParam("trees.base", mat.FromSlice(1, k, f.first()))
	f.packed = ad.NewParam("trees.nodes", mat.New(rows, fit.NodeWidth))
	f.scores = ad.NewParam("trees.scores", mat.New(n, k))
	if f.table.unknown > 0 {
		f.left = ad.NewParam("trees.residuals", mat.New(len(t.Split.Train), k))
	}
	f.scores.Value().Write(slices.Repeat(f.first(), n))
	return f, nil
}

// options returns how trees grow.
//
// Chosen: a leaf has at least a fiftieth of the training nodes, clamped to 3 to 20, which lets trees tell few labels
// apart. In an energy trees are fitted to all nodes, among which the second derivatives of the training nodes are
// divided, so what is added to the sums of leaves is smaller by that share.
func (f *forest) options() fit.TreeOptions {
	o := fit.TreeOptions{Rate: f.Config.Train.Rate, L2: 1, Seed: f.Trial.Seed, Columns: 0.6, Sample: 0.8, Leaves: 15,
		MinRows: min(max(len(f.Split.Train)/50, 3), 20)}
	if f.Config.Recipe != "trees" {
		o.L2 = float64(len(f.Split.Train)) / float64(max(1, f.Data.Graph.NumNodes()))
	}
	return o
}

// first returns the score of all nodes before the first round: the log of the odds of every class, or the mean, 0.
func (f *forest) first() []mat.Real {
	switch g := f.goal.(type) {
	case *sets:
		row := make([]mat.Real, len(g.share))
		for c, p := range g.share {
			row[c] = mat.Real(logit(min(max(p, 1e-3), 1-1e-3)))
		}
		return row
	default:
		return g.constant()
	}
}

// Forward returns the scores of the trees for all nodes.
func (f *forest) Forward(input.Context, input.Features) ad.Var {
	f.refresh()
	return f.scores.Var
}

// Params is empty: no optimiser changes trees.
func (f *forest) Params() []*ad.Param { return nil }

// State returns the trees.
func (f *forest) State() []*ad.Param {
	if f.left == nil {
		return []*ad.Param{f.base, f.packed}
	}
	return []*ad.Param{f.base, f.packed, f.left}
}

// perRound returns how many rows of packed a round has.
func (f *forest) perRound() int { return f.packed.Rows() / max(1, f.Config.Train.Epochs) }

// refresh recomputes scores from the trees after these have been read from a file or set back.
func (f *forest) refresh() {
	rows, each := make([]mat.Real, f.packed.Rows()*fit.NodeWidth), f.perRound()*fit.NodeWidth
	f.packed.Value().Read(rows)
	rounds := 0
	for rounds < f.Config.Train.Epochs && rows[rounds*each] != 0 {
		rounds++
	}
	if rounds != f.rounds {
		f.rounds, f.booster = rounds, nil
		f.fill(&f.table)
		f.fillResiduals()
		f.rescore(rows[:rounds*each])
	}
}

// tree returns tree i of packed trees, the k of a round one after the other, and whether it is one.
func (f *forest) tree(rows []mat.Real, i int) (fit.Tree, bool) {
	room := make([]float32, f.perRound()/f.base.Cols()*fit.NodeWidth)
	for at := range room {
		room[at] = float32(rows[i*len(room)+at])
	}
	return fit.Unpack(room, f.table.columns)
}

// whole reports whether all that packed holds are trees.
func (f *forest) whole() bool {
	rows := f.packed.Value().Slice()
	for i := range f.Config.Train.Epochs * f.base.Cols() {
		if _, ok := f.tree(rows, i); !ok {
			return false
		}
	}
	return true
}

// fillResiduals puts the residuals of neighbours into the table.
func (f *forest) fillResiduals() {
	if f.left != nil {
		f.table.setResiduals(f.Data.Graph, f.Split.Train, f.left.Value().Slice())
	}
}

// rescore sets scores to what packed trees say.
func (f *forest) rescore(rows []mat.Real) {
	k := f.base.Cols()
	base := make([]mat.Real, k)
	f.base.Value().Read(base)
	s := &saying{f.table, base, make([]mat.Real, f.scores.Rows()*k), nil}
	for i := range f.rounds * k {
		tree, _ := f.tree(rows, i) // Load has looked whether it is one
		s.trees = append(s.trees, tree)
	}
	kernel.Each((f.scores.Rows()+pieceRows-1)/pieceRows, s)
	f.scores.Value().Write(s.to)
}

// pieceRows is the number of rows that pass through the trees at a time.
const pieceRows = 1 << 10

// saying computes the scores of trees for rows of a table, piece by piece.
type saying struct {
	table table
	base  []mat.Real
	to    []mat.Real
	trees []fit.Tree
}

// Do computes piece i.
func (s *saying) Do(i int) {
	k, row := len(s.base), make([]float32, s.table.columns)
	for v := i * pieceRows; v < min((i+1)*pieceRows, len(s.to)/k); v++ {
		s.table.row(row, v)
		copy(s.to[v*k:], s.base)
		for at, t := range s.trees {
			s.to[v*k+at%k] += mat.Real(t.Predict(row))
		}
	}
}

// boosted is whole for a network with a forest in it.
type boosted struct {
	whole
	forest *forest
	h      *ad.Param   // n×k: second derivatives of the loss by the logits
	bring  *ad.Program // Jᵀh, J the derivatives of logits by scores
	down   ad.Var
}

var _ placement = (*boosted)(nil)

// State is empty: the network has the trees.
func (b *boosted) State() []*ad.Param { return nil }

// Batch runs a round: the pass of an epoch, and trees fitted to the derivatives that it leaves.
//
// Chosen: second derivatives of ℓ_up by scores are bounded by Jᵀh, h being those by the logits one by one; where J
// has no negative entries and rows that add up to at most 1, as a descent on a quadratic energy has, the sum over a
// row of Jᵀ diag(h) J is at most that.
func (b *boosted) Batch(epoch, _ int) (err error) {
	b.forest.refresh()
	b.forest.fill(&b.forest.table)
	if b.forest.rounds == 0 && b.forest.left != nil {
		b.forest.left.Value().Write(b.forest.outOfFold())
		b.forest.fillResiduals()
	}
	params := b.network.Params()
	if b.pass == nil {
		seed := mat.Mix(b.Trial.Seed, hash("dropout"))
		b.pass, err = train.NewPass(nil, seed, append(params[:len(params):len(params)], b.forest.scores),
			func(c input.Context) (ad.Var, error) { return b.lossOf(c, b.network) })
		if err != nil {
			return err
		}
	}
	if err := b.pass.Run(epoch, uint64(epoch)); err != nil {
		return err
	}
	h, err := b.curvature()
	if err != nil {
		return err
	}
	all := b.pass.Grads()
	g := all[len(all)-1].Slice()
	// the loss is a mean over training nodes; trees take sums
	n := float32(len(b.Split.Train))
	g32, h32 := make([]float32, len(g)), make([]float32, len(g))
	for i := range g {
		g32[i], h32[i] = float32(g[i])*n, float32(h[i])
	}
	b.round(epoch-1, g32, h32)
	return nil
}

// Grads returns the gradients of the parameters that an optimiser trains.
func (b *boosted) Grads() []*mat.Dense {
	all := b.pass.Grads()
	return all[:len(all)-1]
}

// round fits trees and keeps them.
func (b *boosted) round(round int, g, h []float32) {
	f := b.forest
	if f.booster == nil {
		f.booster = fit.NewBooster(fit.NewTable(f.scores.Rows(), f.table.columns, f.table.row), f.base.Cols(),
			f.options())
		for i, x := range f.scores.Value().Slice() { // trees are added as say adds them: the same bits
			f.booster.Scores()[i] = float32(x)
		}
		if _, alone := b.network.(plain); alone {
			f.booster.Fitted = b.Split.Train
		}
	}
	f.booster.Mirror = f.base.Cols() == 2 && opposite(g)
	list := f.booster.Round(round, g, h)
	each, k := f.perRound(), f.base.Cols()
	rows := make([]mat.Real, f.packed.Rows()*fit.NodeWidth)
	f.packed.Value().Read(rows)
	room := make([]float32, each/k*fit.NodeWidth)
	for c, tree := range list {
		clear(room)
		tree.Pack(room)
		for i, x := range room {
			rows[(round*each+c*(each/k))*fit.NodeWidth+i] = mat.Real(x)
		}
	}
	f.packed.Value().Write(rows)
	now := make([]mat.Real, len(f.booster.Scores()))
	for i, x := range f.booster.Scores() {
		now[i] = mat.Real(x)
	}
	f.scores.Value().Write(now)
	f.rounds = round + 1
}

// opposite reports whether of rows of two numbers one is the negated other, up to rounding.
func opposite(rows []float32) bool {
	var sum, largest float64
	for i := 0; i < len(rows); i += 2 {
		sum = max(sum, math.Abs(float64(rows[i])+float64(rows[i+1])))
		largest = max(largest, math.Abs(float64(rows[i])))
	}
	return sum <= 1e-5*largest
}

// curvature returns Jᵀh, n×k.
func (b *boosted) curvature() ([]mat.Real, error) {
	z, err := b.evaluate()
	if err != nil {
		return nil, err
	}
	h := b.second(z)
	if _, alone := b.network.(plain); alone {
		return h, nil
	}
	if b.bring == nil {
		b.h = ad.NewParam("h", mat.New(b.forest.scores.Rows(), b.forest.scores.Cols()))
		logits, err := b.network.Predict(input.Evaluation())
		if err != nil {
			return nil, err
		}
		b.down = ad.Grad(logits.Mul(b.h.Var).Sum(), b.forest.scores.Var)[0]
		b.bring = ad.Compile(b.down)
	}
	b.h.Value().Write(h)
	if err := b.bring.Run(); err != nil {
		return nil, err
	}
	down := b.bring.Value(b.down).Slice()
	for i, x := range down {
		down[i] = max(x, 1e-6)
	}
	return down, nil
}

// second returns second derivatives of the loss by the logits z, of training nodes; 0 of others.
func (b *boosted) second(z []mat.Real) []mat.Real {
	k := b.forest.base.Cols()
	h, g := make([]mat.Real, len(z)), make([]mat.Real, k)
	for _, v := range b.Split.Train {
		b.forest.derive(v, z[int(v)*k:int(v+1)*k], g, h[int(v)*k:])
	}
	return h
}

// treesAlone builds the network of trees without an energy.
func (t *Task) treesAlone() (err error) {
	if err := t.place(t.Data.Graph); err != nil {
		return err
	}
	if t.forest, err = t.newForest(); err != nil {
		return err
	}
	t.network = plain{Model: t.forest, x: t.On.X, labels: t.Data.Labels.Class, train: t.Split.Train, up: t.Up(nil)}
	return nil
}
