package nodes

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/durable"
	"github.com/bloomgml/bloom/internal/live"
	"github.com/bloomgml/bloom/internal/prepare"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/run"
)

// Added is what is known about newcomers, a row or an entry for each; H is what the last descent found.
type Added struct {
	H, Logits, Probability *mat.Dense
	Residual               []float64 // ‖h − π(x)‖, over all levels of a stack

	Held string // why old nodes were held where they are; empty where they reacted
	Rows int    // states of old and new nodes, in all layers, that were computed because of the newcomers

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

// Add embeds and classifies newcomers; no weight changes. Where the descent can follow a graph that changes, they get
// what Predict says about them in the run that Save writes, and old nodes react to them. Elsewhere they take the L
// steps with everything else held where it is. The error is a *run.BadData where the model cannot say anything about
// nodes that it has not seen.
func (t *Task) Add(n *dataset.Newcomers) (*Added, error) {
	if err := t.canAdd(n); err != nil {
		return nil, err
	}
	d, err := t.extended(n)
	if err != nil {
		return nil, err
	}
	s, why := t.follow(n, d.On.Graph)
	if why != nil {
		a, err := t.hold(d)
		if err == nil {
			a.Held = why.Error()
		}
		return a, err
	}
	return t.followed(s)
}

// follow is H with newcomers, g being the graph with them. The error says why it cannot be followed.
func (t *Task) follow(n *dataset.Newcomers, g *graph.Graph) (*live.State, error) {
	l, steps, ok := t.Local()
	if !ok {
		return nil, errors.New("following them takes an energy of Laplace edges and a pull to π, by steps whose " +
			"length is known")
	}
	s, err := live.Follow(l, steps, t.On.On.Graph, false, 0)
	if err != nil {
		return nil, err
	}
	x, err := t.scaled(n)
	if err != nil {
		return nil, err
	}
	p, err := t.projected(0, x)
	if err != nil {
		return nil, err
	}
	pi, old := make([]mat.Real, p.Rows()*p.Cols()), int32(s.Nodes())
	p.Read(pi)
	for row := range slices.Chunk(pi, p.Cols()) {
		s.Add(row)
	}
	for i, e := range g.Triples() {
		if max(e.U, e.V) < old {
			continue
		}
		if err := s.Connect(e.U, e.V, weightAt(g, i)); err != nil {
			return nil, err
		}
	}
	return s, s.Settle(0)
}

// weightAt is the weight of edge i of g.
func weightAt(g *graph.Graph, i int) float64 {
	if w := g.Weights(); w != nil {
		return float64(w[i])
	}
	return 1
}

// followed is what the model says about the nodes of s that the data set does not have.
func (t *Task) followed(s *live.State) (*Added, error) {
	old := int32(t.Data.Graph.NumNodes())
	rows := s.Nodes() - int(old)
	say := t.Teller(rows, s.Cols())
	if err := say.run(rows, func(i int) []mat.Real { return s.Row(old + int32(i)) }); err != nil {
		return nil, err
	}
	a := &Added{H: say.h, Logits: mat.FromSlice(rows, len(say.z)/rows, say.z),
		Probability: mat.FromSlice(rows, len(say.p)/rows, say.p), Rows: s.Visited(), goal: t.goal}
	for v := old; int(v) < s.Nodes(); v++ {
		var square float64
		for j, h := range s.Row(v) {
			far := float64(h) - float64(s.Pi(v)[j])
			square += far * far
		}
		a.Residual = append(a.Residual, math.Sqrt(square))
	}
	return t.finiteAdded(a)
}

// hold descends on d with the old nodes held where they are.
func (t *Task) hold(d bloom.Data) (*Added, error) {
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
	scaled, err := t.scaled(n)
	if err != nil {
		return bloom.Data{}, err
	}
	x, err := load(t.Data.Features[0].Append(scaled))
	return bloom.Data{On: energy.NewStructure(g), X: x}, err
}

// scaled are the features of newcomers as training scales them.
func (t *Task) scaled(n *dataset.Newcomers) (dataset.Matrix, error) {
	return prepare.ScaleLike(t.raw.Features[0], n.Features, t.Config.Data.Scale, t.Config.Data.ScaleRows)
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
	return t.finiteAdded(a)
}

// finiteAdded refuses what is not finite.
func (t *Task) finiteAdded(a *Added) (*Added, error) {
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
