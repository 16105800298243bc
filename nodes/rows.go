package nodes

import (
	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/run"
)

// Local is the descent of the task in numbers, where it is one that can follow a graph which changes; L is its steps.
func (t *Task) Local() (l descent.Local, steps int, ok bool) {
	m := t.alone()
	if m == nil || t.Config.Energy.FromLabels() || t.Data.Graph.NumTypes() > 1 || m.A == nil {
		return descent.Local{}, 0, false
	}
	l, ok = descent.Localize(m.Lower(input.Evaluation(), t.On), m.A)
	return l, m.L, ok
}

// alone is the only level of the network; nil where there are several, or something around it.
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

// Project is π(x; W) of rows of features, which are as those of the data set before scaling, of a task that has a
// Local. The error is a *run.BadData.
func (t *Task) Project(x dataset.Matrix) (*mat.Dense, error) {
	if err := t.canAdd(&dataset.Newcomers{Features: x}); err != nil {
		return nil, err
	}
	scaled, err := dataset.ScaleLike(t.raw.Features[0], x, t.Config.Data.Scale)
	if err != nil {
		return nil, err
	}
	features, err := load(scaled)
	if err != nil {
		return nil, &run.BadData{Data: t.Data.Name, Text: err.Error()}
	}
	pi := t.alone().Pi.Forward(input.Evaluation(), features)
	prog := ad.Compile(pi)
	if err := prog.Run(); err != nil {
		return nil, err
	}
	return prog.Value(pi), nil
}

// Features is the row of features of node v before scaling, of a task that has a Local; nil where nodes have none.
func (t *Task) Features(v int32) []mat.Real {
	if len(t.raw.Features) == 0 {
		return nil
	}
	x := make([]mat.Real, t.raw.Features[0].Cols)
	t.raw.Features[0].Row(x, int(v))
	return x
}

// Teller says what rows of H mean, so many at a time. It is for one goroutine.
type Teller struct {
	task        *Task
	rows, cols  int
	h           *mat.Dense
	prog        *ad.Program
	logits, say ad.Var
	room        []mat.Real
	z, p        []mat.Real
}

// Teller is g with what its answers mean, for some rows of H, cols wide, at once, of a task that has a Local.
func (t *Task) Teller(rows, cols int) *Teller {
	out := &Teller{task: t, rows: rows, cols: cols, h: mat.New(rows, cols), room: make([]mat.Real, rows*cols)}
	out.logits = t.alone().Head(input.Evaluation(), ad.Input(out.h))
	if out.say = t.goal.probability(out.logits); out.say.IsZero() {
		out.say = out.logits
	}
	out.prog = ad.Compile(out.logits, out.say)
	out.z = make([]mat.Real, out.logits.Shape().Len())
	out.p = make([]mat.Real, out.say.Shape().Len())
	return out
}

// Tell answers for rows of H, at most as many as the Teller has; row i belongs to node v[i], −1 for one that the data
// set does not know.
func (t *Teller) Tell(v []int32, row func(i int) []mat.Real) ([]Prediction, error) {
	for i := range v {
		copy(t.room[i*t.cols:(i+1)*t.cols], row(i))
	}
	t.h.Write(t.room)
	if err := t.prog.Run(); err != nil {
		return nil, err
	}
	t.prog.Value(t.logits).Read(t.z)
	t.prog.Value(t.say).Read(t.p)
	c := t.task.Classes()
	out := make([]Prediction, len(v))
	for i, node := range v {
		if node >= 0 {
			out[i].ID = t.task.Data.IDs.At(node)
		}
		t.task.goal.fill(&out[i], node, t.z[i*c:(i+1)*c], t.p[i*c:(i+1)*c])
	}
	return out, nil
}

// label is the class of node v, −1 where none is known.
func label(l dataset.Labels, v int32) int32 {
	if v < 0 {
		return -1
	}
	return l.Class[v]
}
