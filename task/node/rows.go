package node

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// Local returns the descent of the task in numbers if it can follow a changing graph; steps is L.
func (t *Task) Local() (l descent.Local, steps int, ok bool) {
	m := t.alone()
	if m == nil || t.forest != nil || m.Edges != nil || !t.surrounded() || t.Data.Graph.NumTypes() > 1 || m.A == nil {
		return descent.Local{}, 0, false
	}
	l, ok = descent.Localize(m.Lower(input.Evaluation(), t.On), m.A)
	return l, m.L, ok
}

// alone returns the only level of the network; nil if there are several, or something around it.
func (t *Task) alone() *bloom.Model {
	if t.Stack == nil || len(t.Stack.Levels) != 1 || t.Stack.In != nil {
		return nil
	}
	if l := t.Stack.Levels[0]; l.Norm == nil && l.Out == nil && !l.Residual {
		m := l.Model
		m.Up = t.Stack.Up
		return &m
	}
	return nil
}

// Project returns π(x; W) for feature rows of a node type, in the form of Features; nil if π is not a function of the
// row alone, as for trees or a stack of levels, or is unknown, as for a custom model. The error is a *train.BadData.
func (t *Task) Project(kind int, x dataset.Matrix) (*mat.Dense, error) {
	if err := t.rowsFit(kind, x); err != nil || t.alone() == nil || t.forest != nil || !t.surrounded() {
		return nil, err
	}
	x, err := t.scaledLike(kind, x)
	if err != nil {
		return nil, &train.BadData{Data: t.Data.Name, Text: err.Error()}
	}
	return t.projected(kind, x)
}

// projected returns π of scaled rows, of a task for which Project is not nil.
func (t *Task) projected(kind int, x dataset.Matrix) (*mat.Dense, error) {
	features, err := load(x)
	if err != nil {
		return nil, &train.BadData{Data: t.Data.Name, Text: err.Error()}
	}
	of := t.alone().Pi
	if b, ok := of.(*byType); ok {
		of = b.modelFor(kind)
	}
	pi := of.Forward(input.Evaluation(), features)
	prog := ad.Compile(pi)
	if err := prog.Run(); err != nil {
		return nil, err
	}
	return prog.Value(pi), nil
}

// scaledLike returns rows in the form of Features, scaled as training scales them.
func (t *Task) scaledLike(kind int, x dataset.Matrix) (dataset.Matrix, error) {
	if t.Data.Corrupted != nil {
		return x, nil
	}
	return build.ScaleLike(t.raw.Features[kind], x, t.Config.Data.Scale,
		build.Leading(t.raw.Graph, kind, t.Config.Data.ScaleRows))
}

// Features returns the feature rows of a node type before scaling or, if they were corrupted, after corruption; empty
// if they have none.
func (t *Task) Features(kind int) dataset.Matrix {
	all := t.raw.Features
	if t.Data.Corrupted != nil {
		all = t.Data.Features
	}
	if kind >= len(all) {
		return dataset.Matrix{}
	}
	return all[kind]
}

// Teller turns rows of H into predictions, a fixed number at a time. It is not safe for concurrent use.
type Teller struct {
	task        *Task
	rows, cols  int
	h           *mat.Dense
	prog        *ad.Program
	logits, say ad.Var
	room        []mat.Real
	z, p        []mat.Real
	conformal   *Conformal // nil if sets were not requested
}

// Teller returns g with what its answers mean, for some rows of H, cols wide, at once, of a task that has a Stack.
func (t *Task) Teller(rows, cols int) *Teller {
	return t.teller(rows, cols, func(h ad.Var) ad.Var { return t.Stack.Head(input.Evaluation(), h) })
}

// LogitTeller says what rows of logits mean, of any task.
func (t *Task) LogitTeller(rows int) *Teller {
	return t.teller(rows, t.Classes(), func(z ad.Var) ad.Var { return z })
}

func (t *Task) teller(rows, cols int, head func(h ad.Var) ad.Var) *Teller {
	out := &Teller{task: t, rows: rows, cols: cols, h: mat.New(rows, cols), room: make([]mat.Real, rows*cols)}
	out.logits = head(ad.Input(out.h))
	if out.say = t.goal.probability(out.logits); out.say.IsZero() {
		out.say = out.logits
	}
	out.prog = ad.Compile(out.logits, out.say)
	out.z = make([]mat.Real, out.logits.Shape().Len())
	out.p = make([]mat.Real, out.say.Shape().Len())
	return out
}

// Predict returns predictions for rows of H, at most the number of rows of the Teller; row i belongs to node v[i], −1
// for a node that is not in the data set.
func (t *Teller) Predict(v []int32, row func(i int) []mat.Real) ([]Prediction, error) {
	if err := t.run(len(v), row); err != nil {
		return nil, err
	}
	c := t.task.Classes()
	out := make([]Prediction, len(v))
	for i, node := range v {
		if node >= 0 {
			out[i].ID = t.task.Data.IDs.At(node)
		}
		t.task.goal.fill(&out[i], node, t.z[i*c:(i+1)*c], t.p[i*c:(i+1)*c])
		if t.conformal != nil {
			t.conform(&out[i], node, i)
		}
	}
	return out, nil
}

// run takes the logits and probabilities of the first rows.
func (t *Teller) run(rows int, row func(i int) []mat.Real) error {
	for i := range rows {
		copy(t.room[i*t.cols:(i+1)*t.cols], row(i))
	}
	t.h.Write(t.room)
	if err := t.prog.Run(); err != nil {
		return err
	}
	t.prog.Value(t.logits).Read(t.z)
	t.prog.Value(t.say).Read(t.p)
	return nil
}

// Logits returns the logits of a row of H.
func (t *Teller) Logits(row []mat.Real) ([]mat.Real, error) {
	err := t.run(1, func(int) []mat.Real { return row })
	return slices.Clone(t.z[:t.task.Classes()]), err
}

// label returns the class of node v, −1 if none is known.
func label(l dataset.Labels, v int32) int32 {
	if v < 0 {
		return -1
	}
	return l.Class[v]
}

// Disk is the descent of a config on a graph that stays on the disk, in numbers.
type Disk struct {
	descent.Local
	Steps  int
	Energy string // as dataset.Settled has it
	Spread bool   // dropout of features asks for ondisk.SettleOptions.Spread
}

// NewDisk returns the descent of c on features of the given number of columns. It must be a linear map of the output
// of a linear π, which allows running it once before training. The error is a *train.BadSetting for other descents.
func NewDisk(c config.Config, columns int, classes []string) (*Disk, error) {
	sample, err := sampleOf(columns, classes)
	if err != nil {
		return nil, err
	}
	c.Train.Sample.Clusters = 0                                               // there are three nodes
	t, err := assemble(c, sample, train.Trial{Seed: c.Train.Seed}, Options{}) // keys that nothing reads are for Build
	if err != nil {
		return nil, err
	}
	if b := c.Train.Sample.Batch; b > 0 && len(t.network.Params()) == 0 {
		return nil, &train.BadSetting{Key: "train.sample.batch", Value: fmt.Sprint(b), Want: "0: nothing is trained"}
	}
	l, steps, ok := t.Local()
	if !ok || len(t.alone().F) == 0 || len(descent.Params(t.alone().A)) > 0 || !(l.Weight > 0) || steps == 0 ||
		l.Rate == nil || l.Kind.Phi != mat.PhiSquare || l.Kind.NonNeg {
		return nil, &train.BadSetting{Key: "recipe", Value: c.Recipe,
			Want: "one whose descent is linear, such as base"}
	}
	d := &Disk{Local: l, Steps: steps, Energy: t.energyLines(), Spread: t.Config.Model.InputDropout > 0}
	return d, t.byRows()
}

// sampleOf returns three nodes, two of which are joined: the kind of descent does not depend on the graph.
func sampleOf(columns int, classes []string) (*dataset.Dataset, error) {
	if columns == 0 || len(classes) == 0 {
		return nil, errors.New("a linear descent needs nodes with features and classes")
	}
	g, err := graph.Build(graph.Spec{Nodes: 3, Triples: []graph.Triple{{U: 0, V: 1}}, Undirected: true})
	return &dataset.Dataset{Name: "sample", Graph: g, Labels: dataset.Labels{Class: make([]int32, 3), Names: classes},
		Features: []dataset.Matrix{{Rows: 3, Cols: columns, Values: make([]mat.Real, 3*columns)}},
		Splits:   []dataset.Split{{Train: []int32{0}, Valid: []int32{1}, Test: []int32{2}}}}, err
}
