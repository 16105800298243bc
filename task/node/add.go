package node

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// Add is t with newcomers as if they had been there: the same weights on the graph with them, where old nodes react to
// them. It predicts what the run does that Save writes, bit for bit; newcomer i is node n+i, n being the number of
// nodes of t. The error is a *train.BadData where the model cannot say anything about nodes that it has not seen.
func (t *Task) Add(n *dataset.Newcomers) (*Task, error) {
	c, whole, err := t.joined(n)
	if err != nil {
		return nil, err
	}
	with, err := assemble(c, whole, t.Trial, Options{Model: t.made})
	if err != nil {
		return nil, err
	}
	from := weights(t.network)
	for i, p := range weights(with.network) {
		mat.Copy(p.Value(), from[i].Value())
	}
	with.goal.recall(t.goal.calibration())
	return with, nil
}

// joined is the data with newcomers, and the config under which old rows are what they were before.
func (t *Task) joined(n *dataset.Newcomers) (c config.Config, whole *dataset.Dataset, err error) {
	if err := t.canAdd(n); err != nil {
		return c, nil, err
	}
	if whole, err = n.Join(t.raw); err != nil {
		return c, nil, &train.BadData{Data: t.Data.Name, Text: err.Error()}
	}
	c = t.Config
	c.Data.Scale = build.Scaling(t.raw.Features[0], c.Data.Scale) // new rows could speak for another
	if c.Data.Scale == "columns" && c.Data.ScaleRows == 0 {       // else they would be other columns with new rows
		c.Data.ScaleRows = t.raw.Graph.NumNodes()
	}
	return c, whole, nil
}

// canAdd turns down what cannot be added.
func (t *Task) canAdd(n *dataset.Newcomers) error {
	bad := func(format string, args ...any) error {
		return &train.BadData{Data: t.Data.Name, Text: fmt.Sprintf(format, args...)}
	}
	_, solved := t.network.(*closedForm)
	switch {
	case t.Stack == nil && t.forest == nil && !solved:
		return bad("%s has no energy to descend on: nodes can be added to models of recipes, trees and closed forms, "+
			"not of baselines", t.Config.Recipe)
	case t.Config.Energy != nil && t.Config.Energy.FromLabels():
		return bad("%s is about the labels of the nodes it was trained on; nodes cannot be added", t.Config.Recipe)
	case t.Data.Graph.NumTypes() > 1:
		return bad("nodes have several types, and adding to those is not supported")
	case t.Config.Data.Corrupt != "":
		return bad("rows were corrupted for this run, others with every new node: a run with data.corrupt takes no " +
			"new nodes")
	}
	return t.rowsFit(0, n.Features)
}

// rowsFit turns rows down that nodes of a type do not have.
func (t *Task) rowsFit(kind int, x dataset.Matrix) error {
	bad := func(format string, args ...any) error {
		return &train.BadData{Data: t.Data.Name, Text: fmt.Sprintf(format, args...)}
	}
	switch own := t.Features(kind); {
	case own.Cols == 0:
		return bad("nodes have no features, so nothing is known about new ones")
	case x.Cols != own.Cols:
		return bad("new nodes have %d features, want %d", x.Cols, own.Cols)
	}
	for i, x := range x.Values {
		if v := float64(x); math.IsNaN(v) || math.IsInf(v, 0) {
			return bad("value %d of the features of new nodes is %g, want a finite number", i, v)
		}
	}
	return nil
}

// Save writes the model into a run folder of its own, with the data that it was trained on and newcomers as one data
// set: all that can be asked of a run can then be asked about them, and further ones added. The model and its result
// are copies, as nothing was trained. dir must not hold a run already.
func (t *Trained) Save(dir string, n *dataset.Newcomers) error {
	c, whole, err := t.joined(n)
	if err != nil {
		return err
	}
	kept := map[string]func(io.Writer) error{
		"model.safetensors": func(w io.Writer) error { return t.Job().Write(w, t.Epoch) },
	}
	for _, name := range []string{"result.json", "metrics.jsonl", foldsName, racedName} {
		text, err := files.Read(filepath.Join(t.Dir, name))
		if errors.Is(err, fs.ErrNotExist) { // of a run that was saved, or killed
			continue
		}
		if err != nil {
			return err
		}
		kept[name] = func(w io.Writer) error { _, err := w.Write(text); return err }
	}
	c.Train.Repeat, c.Data.Name = 1, ""
	return train.Save(dir, c, whole, kept)
}
