package nodes

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/durable"
	"github.com/bloomgml/bloom/internal/prepare"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/run"
)

// Added is what is known about newcomers, a row or an entry for each; H is what the last descent found.
type Added struct {
	H, Logits, Probability *mat.Dense
	Residual               []float64 // ‖h − π(x)‖, over all levels of a stack

	goal goal
}

// At is what is said about newcomer i: its class, classes or number, and its residual.
func (a *Added) At(i int) Prediction {
	row := func(m *mat.Dense) []mat.Real {
		k := m.Cols()
		return m.Slice()[i*k : (i+1)*k]
	}
	p := Prediction{Residual: &a.Residual[i]}
	a.goal.fill(&p, -1, row(a.Logits), row(a.Probability))
	return p
}

// Add embeds and classifies newcomers by L steps of the descent, everything else held where it is: no weight and no old
// node changes. The error is a *run.BadData where the model cannot say anything about nodes it has not seen.
func (t *Task) Add(n *dataset.Newcomers) (*Added, error) {
	if err := t.canAdd(n); err != nil {
		return nil, err
	}
	d, err := t.extended(n)
	if err != nil {
		return nil, err
	}
	old, err := t.Stack.Settle(t.On)
	if err != nil {
		return nil, err
	}
	all, err := t.Stack.Add(d, old)
	if err != nil {
		return nil, err
	}
	return t.newRows(all, old[0].Y.Rows())
}

// canAdd turns down what cannot be added.
func (t *Task) canAdd(n *dataset.Newcomers) error {
	bad := func(format string, args ...any) error {
		return &run.BadData{Data: t.Data.Name, Text: fmt.Sprintf(format, args...)}
	}
	switch {
	case t.Stack == nil:
		return bad("%s has no energy to descend on: nodes can be added to models of recipes, not of baselines",
			t.Config.Recipe)
	case t.Config.Energy.FromLabels():
		return bad("%s is about the labels of the nodes it was trained on; nodes cannot be added", t.Config.Recipe)
	case t.Data.Graph.NumTypes() > 1:
		return bad("nodes have several types, and adding to those is not supported")
	}
	return t.rowsFit(0, n.Features)
}

// rowsFit turns rows down that nodes of a type do not have.
func (t *Task) rowsFit(kind int, x dataset.Matrix) error {
	bad := func(format string, args ...any) error {
		return &run.BadData{Data: t.Data.Name, Text: fmt.Sprintf(format, args...)}
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

// extended is the graph and the features with the newcomers after the old nodes.
func (t *Task) extended(n *dataset.Newcomers) (bloom.Data, error) {
	whole, err := n.Join(t.raw)
	if err != nil {
		return bloom.Data{}, &run.BadData{Data: t.Data.Name, Text: err.Error()}
	}
	g, err := edgesFor(t.Config.Data, whole.Graph)
	if err != nil {
		return bloom.Data{}, err
	}
	kind, err := t.Config.Energy.Edges()
	if err != nil {
		return bloom.Data{}, err
	}
	if g, err = graphFor(kind, g); err != nil {
		return bloom.Data{}, err
	}
	scaled, err := prepare.ScaleLike(t.raw.Features[0], n.Features, t.Config.Data.Scale, t.Config.Data.ScaleRows)
	if err != nil {
		return bloom.Data{}, err
	}
	x, err := load(t.Data.Features[0].Append(scaled))
	return bloom.Data{On: energy.NewStructure(g), X: x}, err
}

// newRows are the rows from n on of what the model says about the levels.
func (t *Task) newRows(levels []bloom.Settled, n int) (*Added, error) {
	top := levels[len(levels)-1]
	rows := make([]int32, top.Y.Rows()-n)
	for i := range rows {
		rows[i] = int32(n + i)
	}
	pick, err := mat.NewIndex(rows, top.Y.Rows())
	if err != nil {
		return nil, err
	}
	c := input.Evaluation()
	own, squares := ad.Const(top.Y).Gather(pick), ad.Number(0)
	logits := top.Head(c, ad.Const(top.Y)).Gather(pick)
	for _, l := range levels {
		squares = ad.Const(l.Y).Sub(l.Lower(c, l.On).Pi).Gather(pick).Square().SumCols().Add(squares)
	}
	prob, residual := t.goal.probability(logits), squares.Sqrt()
	if prob.IsZero() {
		prob = logits
	}
	prog := ad.Compile(own, logits, prob, residual)
	if err := prog.Run(); err != nil {
		return nil, err
	}
	a := &Added{H: prog.Value(own), Logits: prog.Value(logits), Probability: prog.Value(prob), goal: t.goal}
	for _, x := range prog.Value(residual).Slice() {
		a.Residual = append(a.Residual, float64(x))
	}
	if err := t.finiteRows("the logits of new node", a.Logits); err != nil {
		return nil, err
	}
	return a, t.finiteNumbers("the residual of new node", a.Residual)
}

// Save writes the model into a run folder of its own, with the data that it was trained on and newcomers as one data
// set: all that can be asked of a run can then be asked about them, and further ones added. The model and its result
// are copies, as nothing was trained. dir must not hold a run already.
func (t *Trained) Save(dir string, n *dataset.Newcomers) error {
	if err := t.canAdd(n); err != nil {
		return err
	}
	if t.Config.Data.Corrupt != "" {
		return &run.BadData{Data: t.Data.Name, Text: "rows were corrupted for this run, others with every new node: " +
			"a run with data.corrupt cannot be saved with new nodes"}
	}
	whole, err := n.Join(t.raw)
	if err != nil {
		return err
	}
	files := map[string]func(io.Writer) error{
		"model.safetensors": func(w io.Writer) error { return t.Job().Write(w, t.Epoch) },
	}
	for _, name := range []string{"result.json", "metrics.jsonl"} {
		text, err := durable.ReadFile(filepath.Join(t.Dir, name))
		if errors.Is(err, fs.ErrNotExist) { // of a run that was saved, or killed
			continue
		}
		if err != nil {
			return err
		}
		files[name] = func(w io.Writer) error { _, err := w.Write(text); return err }
	}
	c := t.Config
	c.Train.Repeat, c.Data.Name = 1, ""
	if c.Data.Scale == "columns" && c.Data.ScaleRows == 0 { // else they would be other columns with new rows
		c.Data.ScaleRows = t.raw.Graph.NumNodes()
	}
	return run.Save(dir, c, whole, files)
}
