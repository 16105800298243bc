package node

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// Add returns t with newcomers as if they had always been there: the same weights on the larger graph, in which old
// nodes react to them. Its predictions equal the predictions of the run that Save writes, bit for bit; newcomer i is
// node n+i, where n is the number of nodes of t. The error is a *train.BadData if the model cannot predict nodes that
// it has not seen.
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
	for _, m := range t.others {
		x, err := m.Add(n)
		if err != nil {
			return nil, err
		}
		with.others = append(with.others, &Trained{Task: x, Dir: m.Dir, Epoch: m.Epoch})
	}
	return with, nil
}

// joined returns the data with newcomers, and the config under which old rows stay what they were.
func (t *Task) joined(n *dataset.Newcomers) (c config.Config, whole *dataset.Dataset, err error) {
	if err := t.canAdd(n); err != nil {
		return c, nil, err
	}
	if whole, err = n.Join(t.raw); err != nil {
		return c, nil, &train.BadData{Data: t.Data.Name, Text: err.Error()}
	}
	c = t.Config
	if x := t.raw.Features; !slices.ContainsFunc(x, func(y dataset.Matrix) bool { // new rows could suggest another
		return y.Cols > 0 && build.Scaling(y, c.Data.Scale) != build.Scaling(x[0], c.Data.Scale)
	}) {
		c.Data.Scale = build.Scaling(x[0], c.Data.Scale)
	}
	if c.Data.Scale == "columns" && c.Data.ScaleRows == 0 { // else they would be other columns with new rows
		c.Data.ScaleRows = t.raw.Graph.NumNodes()
	}
	return c, whole, nil
}

// canAdd rejects newcomers that cannot be added.
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
	case len(n.Features) != max(1, len(t.raw.Features)):
		return bad("new nodes have features of %d types, want %d", len(n.Features), len(t.raw.Features))
	case t.Config.Data.Corrupt != "":
		return bad("rows were corrupted for this run, and new nodes would change which ones: a run with data.corrupt " +
			"takes no new nodes")
	}
	for kind, x := range n.Features {
		if x.Rows == 0 && len(n.Features) > 1 {
			continue
		}
		if err := t.rowsFit(kind, x); err != nil {
			return err
		}
	}
	return nil
}

// rowsFit rejects rows that do not fit nodes of a type.
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

// Save writes the model into a new run folder, with the data that it was trained on and newcomers as one data set:
// newcomers can then be queried like other nodes, and more can be added. The model and its result are copies, as
// nothing was trained. dir must not already hold a run.
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
	if err := train.Save(dir, c, whole, kept); err != nil {
		return err
	}
	for _, m := range t.others {
		if err := m.Save(filepath.Join(dir, membersName, filepath.Base(m.Dir)), n); err != nil {
			return err
		}
	}
	return nil
}
