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
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/train"
	"github.com/bloomgml/bloom/upper"
)

// Subgraph is a part of the current graph of a run, or all of it.
type Subgraph struct {
	Graph    *graph.Graph   // all edges between its nodes, undirected, without loops and duplicates
	Degree   []mat.Real     // the degrees of its nodes in the whole graph; nil if Graph is the whole
	Node     []int32        // the node of the data set that each is, −1 for a new one
	Features dataset.Matrix // in the form of Task.Features
	Raw      *dataset.Raw   // the columns and the rows of edges that Task.Compared asks for, of all nodes
}

// Reach returns the number of edges between a change of the graph and the farthest node whose prediction, residual or
// energy it changes; −1 if that is every node. The error says why the task cannot follow a graph that changes.
func (t *Task) Reach() (hops int, err error) {
	g := t.Data.Graph
	if t.Stack != nil && t.forest == nil {
		g = t.On.On.Graph
	}
	e, s := t.Config.Energy, g.Stats()
	switch _, onDisk := t.network.(*settled); {
	case t.made != nil:
		return 0, errors.New("it is a model written in Go, which may read the whole graph")
	case onDisk || t.all != nil:
		return 0, errors.New("its graph stays on disk")
	case t.Data.Graph.NumTypes() > 1 || g.NumRelations() > 1:
		return 0, errors.New("nodes or edges have several types")
	case !g.Undirected() || s.Loops > 0 || s.Duplicates > 0:
		return 0, errors.New("edges have directions, self loops or duplicates, which its model distinguishes")
	case t.Features(0).Cols == 0:
		return 0, errors.New("nodes have no features, so nothing is known about new ones")
	case e != nil && e.FromLabels():
		return 0, errors.New("its energy depends on the labels of the training nodes")
	case e != nil && e.Eta == recipe.Range:
		return 0, errors.New("its energy depends on the features of all nodes at once")
	}
	if t.forest != nil && t.Config.Model.Neighbours {
		hops = 1
	}
	columns, edges := t.Compared()
	if t.Stack == nil && t.forest == nil || t.forest != nil && t.Config.Model.Closed || len(columns) > 0 || edges {
		return -1, nil
	}
	return t.reachOfStack(hops)
}

// reachOfStack adds the levels of the stack, if there is one, to hops, and an edge for the energies of neighbours.
func (t *Task) reachOfStack(hops int) (int, error) {
	if t.Stack == nil {
		return hops, nil
	}
	all := false
	for _, l := range t.Stack.Levels {
		if l.Edges != nil {
			return 0, errors.New("edges are weighted by their features, which added edges would not have; " +
				"data.edge_features: none trains without")
		}
		_, couples := l.Eta.(energy.Coupling)
		_, nearby := descent.Looks(l.A)
		all = all || couples || l.L > 0 && !nearby
		hops += l.L
		if slices.ContainsFunc(l.F, func(f energy.EdgeTerm) bool { _, given := f.(energy.GivenEdges); return given }) {
			hops++
		}
	}
	if all {
		return -1, nil
	}
	return hops + 1, nil
}

// Solved reports whether answers are solved for from the data as it is, so that they do not depend on what it had
// before: Within on the whole graph forgets nodes and edges that are not in it.
func (t *Task) Solved() bool {
	_, ok := t.network.(*closedForm)
	return ok
}

// Within returns t on a subgraph of its graph in its current state, with the same weights. Its output for a node
// equals the output on the whole graph if the subgraph has all nodes within Reach edges of the node.
func (t *Task) Within(s Subgraph) (*Task, error) {
	if err := t.rowsFit(0, s.Features); err != nil {
		return nil, err
	}
	x, err := t.scaledLike(0, s.Features)
	if err != nil {
		return nil, &train.BadData{Data: t.Data.Name, Text: err.Error()}
	}
	data, sub := *t.Data, *t
	data.Graph, data.Features, data.Labels = s.Graph, []dataset.Matrix{x}, labelsWithin(t.Data.Labels, s.Node)
	data.Raw = nil // of other rows; newTable must not look for columns to compare either
	sub.Data, sub.Split, sub.rows, sub.all = &data, dataset.Split{}, nil, nil
	sub.goal = goalOf(t.goal, data.Labels)
	place := make(map[int32]int32, len(s.Node))
	for i, v := range s.Node {
		place[v] = int32(i)
	}
	trained := []int32{} // places in the split
	for i, v := range t.Split.Train {
		if at, ok := place[v]; ok {
			sub.Split.Train, trained = append(sub.Split.Train, at), append(trained, int32(i))
		}
	}
	if err := sub.place(s.Graph); err != nil {
		return nil, err
	}
	sub.On.On.Whole = s.Degree
	if t.forest != nil {
		sub.forest = t.forest.within(&sub, s.Raw, trained)
	}
	return &sub, sub.networkWithin(t, s)
}

// networkWithin turns the network of t into the network of sub, which is t on s.
func (sub *Task) networkWithin(t *Task, s Subgraph) (err error) {
	switch n := t.network.(type) {
	case bilevel:
		sub.Stack = t.Stack
		if sub.forest != nil {
			stack := *t.Stack
			stack.Levels = slices.Clone(stack.Levels)
			stack.Levels[0].Pi, sub.Stack = sub.forest, &stack
		}
		sub.network = bilevel{sub.Stack, sub.On}
	case *closedForm:
		sub.network = n.within(sub, s)
	case plain:
		if sub.forest != nil {
			n.Model, n.x = sub.forest, sub.On.X
			sub.network = n
			return nil
		}
		p := portion{graph: sub.Data.Graph, x: sub.On.X, class: sub.Data.Labels.Class}
		if sub.network, err = t.untied().onPlain(n, p, sub.On, upper.Supervised{Criterion: t.criterion}); err == nil {
			copyParams(weights(sub.network), weights(n))
		}
	}
	return err
}

// goalOf returns g for other nodes.
func goalOf(g goal, labels dataset.Labels) goal {
	switch g := g.(type) {
	case *classes:
		out := *g
		out.Labels = labels
		return &out
	case *sets:
		out := *g
		out.Labels = labels
		return &out
	case *numbers:
		out := *g
		out.Labels = labels
		return &out
	}
	return g
}

// labelsWithin returns the labels of nodes, none of new ones.
func labelsWithin(l dataset.Labels, nodes []int32) dataset.Labels {
	k := len(l.Names)
	out := dataset.Labels{Names: l.Names, Task: l.Task, Class: make([]int32, len(nodes))}
	if l.Values != nil {
		out.Values = make([]mat.Real, len(nodes)*k)
	}
	for i, v := range nodes {
		if out.Class[i] = label(l, v); v >= 0 && l.Values != nil {
			copy(out.Values[i*k:], l.Values[int(v)*k:int(v+1)*k])
		}
	}
	return out
}

// within returns f on the nodes of sub, whose tables are raw, with the residuals of the training nodes that are in sub,
// by their indices.
func (f *forest) within(sub *Task, raw *dataset.Raw, trained []int32) *forest {
	k := f.base.Cols()
	out := &forest{Task: sub, table: f.table.within(sub, raw), base: f.base, packed: f.packed,
		scores: ad.NewParam("trees.scores", mat.New(sub.Data.Graph.NumNodes(), k))}
	if f.left != nil {
		out.left = ad.NewParam("trees.residuals", mat.FromSlice(len(trained), k, picked(f.left.Value().Slice(), k,
			trained)))
	}
	out.scores.Value().Write(slices.Repeat(f.base.Value().Slice(), sub.Data.Graph.NumNodes()))
	return out
}

// within returns b for the nodes of sub, whose tables are raw.
func (b *table) within(sub *Task, raw *dataset.Raw) table {
	out := sub.newTable(b.nearby > 0)
	if b.comparison.width > 0 {
		sub.Data.Raw = raw
		out.comparison = b.comparison.anew(sub)
		out.sum()
	}
	return out
}

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
	features, err := load(x)
	if err != nil {
		return nil, &train.BadData{Data: t.Data.Name, Text: err.Error()}
	}
	of := t.alone().Pi
	if b, ok := of.(*byType); ok {
		of = b.parts[slices.IndexFunc(b.parts, func(p typePart) bool { return p.kind == kind })].model
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
			t.conformal.fill(&out[i], t.task.Data.Labels.Names, t.scores(node, i))
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
		return nil, &train.BadSetting{Key: "recipe", Value: c.Recipe, Want: "one whose descent is linear, such as base"}
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
