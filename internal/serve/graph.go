package serve

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/live"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/nodes"
)

// graph is a graph with the states of its nodes, which edits change. It is for one goroutine.
type graph struct {
	task      *nodes.Trained
	state     *live.State
	tolerance float64
	longest   float64              // of the rows that the data set has
	steps     int                  // L; 0 is the minimiser
	known     int32                // nodes of the data set: the first ones
	named     map[string]int32     // nodes that were added
	names     []string             // their ids
	hidden    map[int32]bool       // nodes that were removed
	rows      map[int32][]mat.Real // features of nodes that were added, or whose features are not those of the data set
	claims
}

// newGraph is the graph that a run was trained on. The error says why it cannot change.
func newGraph(t *nodes.Trained, settle bool, tolerance float64) (*graph, error) {
	local, steps, ok := t.Local()
	if !ok {
		return nil, fmt.Errorf("%s: its descent cannot follow a graph that changes: that takes an energy of Laplace "+
			"edges and a pull to π, by steps whose length is known", t.Config.Recipe)
	}
	if settle {
		steps = 0
	}
	s, err := live.Follow(local, steps, t.On.On.Graph, settle, tolerance)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Config.Recipe, err)
	}
	return &graph{task: t, state: s, tolerance: tolerance, longest: s.Longest(), steps: steps, known: int32(s.Nodes()),
		named: map[string]int32{}, hidden: map[int32]bool{}, rows: map[int32][]mat.Real{},
		claims: claims{map[int32]string{}, map[thing]bool{}}}, nil
}

// find is the node of an id.
func (g *graph) find(id string) (int32, error) {
	if v, ok := g.named[id]; ok {
		return v, nil
	}
	for _, v := range g.task.Data.IDs.Find(id, int(g.known)) {
		if !g.hidden[v] {
			return v, nil
		}
	}
	return 0, &NoNode{ID: id}
}

// NoNode is the error for an id that no node has.
type NoNode struct{ ID string }

// Error names it.
func (e *NoNode) Error() string { return fmt.Sprintf("there is no node %q", e.ID) }

// id is the id of node v, which the data set has or which was added.
func (g *graph) id(v int32) string {
	if v >= g.known {
		return g.names[v-g.known]
	}
	return g.task.Data.IDs.At(v)
}

// change is an edit that was made; undo takes it back.
type change struct{ undo func() }

// edit makes edits, all or none, and settles. The error is a *BadEdit, or that the states are no longer numbers, after
// which everything is as before.
func (g *graph) edit(edits []Edit) (made []change, err error) {
	if made, err = g.makeAll(edits); err != nil {
		return nil, err
	}
	if err := g.state.Settle(g.tolerance); err != nil {
		g.undo(made)
		return nil, fmt.Errorf("%w; nothing was changed", err)
	}
	return made, nil
}

// makeAll makes edits, all or none, and does not settle. The error is a *BadEdit.
func (g *graph) makeAll(edits []Edit) (made []change, err error) {
	for i, e := range edits {
		if made, err = g.make(made, e); err != nil {
			g.undo(made)
			return nil, &BadEdit{i, err}
		}
	}
	return made, nil
}

// undo takes changes back, the last first.
func (g *graph) undo(made []change) {
	for _, c := range slices.Backward(made) {
		c.undo()
	}
	must(g.state.Settle(g.tolerance)) // it was finite before
	if g.state.Longest() > stretch*g.longest {
		must(g.state.Certify(g.tolerance))
	}
}

// stretch is how many times as long as the longest row of the data set a row may have been before its traces are wiped
// when something is taken back: rounding, which bounds are wider for.
const stretch = 16

// make makes one edit.
func (g *graph) make(made []change, e Edit) ([]change, error) {
	if err := e.check(); err != nil {
		return made, err
	}
	switch {
	case e.AddEdge != nil:
		return g.connect(made, *e.AddEdge, e.Weight)
	case e.RemoveEdge != nil:
		return g.separate(made, *e.RemoveEdge)
	case e.AddNode != nil:
		return g.add(made, *e.AddNode)
	case e.SetFeatures != nil:
		return g.move(made, *e.SetFeatures)
	case e.SetLabel != nil:
		return g.label(made, *e.SetLabel)
	case e.Confirm != nil:
		return g.confirm(made, *e.Confirm)
	}
	return g.hide(made, e.RemoveNode)
}

func (g *graph) ends(p Pair) (u, v int32, err error) {
	if u, err = g.find(p[0]); err != nil {
		return
	}
	v, err = g.find(p[1])
	return
}

func (g *graph) connect(made []change, p Pair, w float64) ([]change, error) {
	if w == 0 {
		w = 1
	}
	u, v, err := g.ends(p)
	if err == nil {
		err = g.state.Connect(u, v, w)
	}
	if err != nil {
		return made, err
	}
	return append(made, change{func() { must(g.state.Separate(u, v)) }}), nil
}

func (g *graph) separate(made []change, p Pair) ([]change, error) {
	u, v, err := g.ends(p)
	if err != nil {
		return made, err
	}
	return g.cut(made, u, v)
}

func (g *graph) cut(made []change, u, v int32) ([]change, error) {
	w := g.state.Weight(u, v)
	if err := g.state.Separate(u, v); err != nil {
		return made, err
	}
	return append(made, change{func() { must(g.state.Connect(u, v, w)) }}), nil
}

// byName is a row of features some of which have others by name; v is the node that has the rest, −1 for a new one.
func (g *graph) byName(r Row, v int32) ([]mat.Real, error) {
	list := g.task.Columns()
	x := make([]mat.Real, len(list))
	for j, c := range list {
		x[j] = mat.Real(c.Usual)
	}
	if v >= 0 {
		copy(x, g.features(v))
	}
	for name, value := range r.Columns {
		j := slices.IndexFunc(list, func(c nodes.Column) bool { return c.Name == name })
		if j < 0 {
			return nil, fmt.Errorf("there is no column %q", short([]byte(name)))
		}
		x[j] = mat.Real((value - list[j].Mean) / or(list[j].SD, 1))
	}
	return x, nil
}

// project is a row of features, and π of it; for v see byName.
func (g *graph) project(r Row, v int32) (x, pi []mat.Real, err error) {
	x = make([]mat.Real, len(r.Features))
	for i, v := range r.Features {
		x[i] = mat.Real(v)
	}
	if r.Columns != nil {
		if x, err = g.byName(r, v); err != nil {
			return nil, nil, err
		}
	}
	p, err := g.task.Project(0, dataset.Matrix{Rows: 1, Cols: len(x), Values: x})
	if err != nil {
		return nil, nil, err
	}
	for _, x := range p.Slice() {
		if x-x != 0 {
			return nil, nil, fmt.Errorf("the features of %q are so large that π of them is not finite", r.ID)
		}
	}
	return x, p.Slice(), nil
}

// features is the row of features of v, which is not to be changed.
func (g *graph) features(v int32) []mat.Real {
	if x, ok := g.rows[v]; ok {
		return x
	}
	return featuresOf(g.task, v)
}

func (g *graph) add(made []change, r Row) ([]change, error) {
	if _, err := g.find(r.ID); err == nil {
		return made, fmt.Errorf("there is a node %q already", r.ID)
	}
	x, p, err := g.project(r, -1)
	if err != nil {
		return made, err
	}
	v := g.state.Add(p)
	g.named[r.ID], g.names, g.rows[v] = v, append(g.names, r.ID), x
	return append(made, change{func() { g.forget(r.ID) }}), nil
}

// forget takes back the node that was added last, which has no edges: of what is only asked about nothing stays.
func (g *graph) forget(id string) {
	v := g.named[id]
	delete(g.named, id)
	delete(g.rows, v)
	g.names = g.names[:len(g.names)-1]
	g.state.TakeBack()
}

// drop hides v, which has no edges.
func (g *graph) drop(v int32) {
	g.hidden[v] = true
	if v >= g.known {
		delete(g.named, g.id(v))
	}
}

func (g *graph) move(made []change, r Row) ([]change, error) {
	v, err := g.find(r.ID)
	if err != nil {
		return made, err
	}
	x, p, err := g.project(r, v)
	if err != nil {
		return made, err
	}
	before, was := g.rows[v]
	old := slices.Clone(g.state.Pi(v))
	g.state.Move(v, p)
	delete(g.rows, v)
	if v >= g.known || !slices.Equal(x, g.features(v)) {
		g.rows[v] = x
	}
	return append(made, change{func() {
		g.state.Move(v, old)
		delete(g.rows, v)
		if was {
			g.rows[v] = before
		}
	}}), nil
}

func (g *graph) hide(made []change, id string) ([]change, error) {
	v, err := g.find(id)
	if err != nil {
		return made, err
	}
	for _, u := range slices.Clone(g.state.Neighbours(v)) {
		if made, err = g.cut(made, v, u); err != nil {
			return made, err
		}
	}
	g.drop(v)
	return append(made, change{func() {
		delete(g.hidden, v)
		if v >= g.known {
			g.named[id] = v
		}
	}}), nil
}

// must is for what cannot fail, as it was so before.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
