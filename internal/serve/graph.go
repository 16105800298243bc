package serve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/importer"
	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/node"
)

// graph is a graph with the states of its nodes. It changes by drafts that are committed, and by undo; in between
// several goroutines may read it, and make drafts of it.
type graph struct {
	task    *node.Trained
	state   *solve.State  // rows of H that follow a separable descent, or what held says
	settled bool          // they are at the minimum of the energy, with a bound
	held    bool          // rows are what the task predicts, see hold
	reach   int           // see node.Task.Reach; −1 if a change reaches all nodes
	why     string        // why the graph cannot change; empty if it can
	running chan struct{} // held by the caller that runs the model, which takes memory: one at a time
	known   int32         // nodes of the data set: the first ones
	book
	base *graph // of which this is a draft; nil for none
	// nil if no columns are made from edges
	statistics func() *importer.Statistics
	decay      *dataset.Decay // nil if edges do not age
	dirty      map[int32]bool // nodes whose rows changed, and whose features did not yet
	notes      []string       // about the edits of this draft
}

// newGraph returns the graph that a run was trained on, its states following the descent if that is separable, or, with
// o.Settle, at its minimum. The error is about a state, that of ctx, or, if there is no bound, a *task.UsageError.
func newGraph(ctx context.Context, t *node.Trained, o Options) (*graph, error) {
	g := &graph{task: t, known: int32(t.On.On.Graph.NumNodes()), running: make(chan struct{}, 1), settled: o.Settle}
	g.statistics = sync.OnceValue(func() *importer.Statistics {
		if len(t.Data.Features) != 1 {
			return nil
		}
		return importer.NewStatistics(t.Data)
	})
	if by := t.Config.Data.Decay; by != 0 {
		var err error
		g.decay, err = dataset.NewDecay(t.Data, by)
		must(err) // it was trained with it
	}
	var why error
	if g.reach, why = t.Reach(); why != nil {
		g.why = why.Error()
		return g, g.holdUnless(o.Settle, why)
	}
	local, steps, ok := t.Local()
	if !ok {
		return g, g.holdUnless(o.Settle, errors.New("its answers are not those at the minimum of one energy in which "+
			"nodes are pulled by their neighbours and their features alone"))
	}
	var err error
	if o.Settle {
		g.state, err = solve.NewMinimum(ctx, local, o.filled().Tolerance, t.On.On.Graph)
	} else {
		g.state, err = solve.NewState(ctx, local, steps, t.On.On.Graph)
	}
	var unsettled *solve.Unsettled
	switch {
	case err == nil:
		return g, nil
	case errors.As(err, &unsettled), ctx.Err() != nil:
		return nil, fmt.Errorf("%s: %w", t.Config.Recipe, g.unsettled(err))
	}
	return g, g.holdUnless(o.Settle, err)
}

// holdUnless is hold, or says why there is no bound.
func (g *graph) holdUnless(settle bool, why error) error {
	if settle {
		return task.Usage("--settle: no bound can be given for %s: %w", g.task.Config.Recipe, why)
	}
	return g.hold()
}

func (g *graph) find(id string) (int32, error) {
	if v, ok := g.named.get(id); ok {
		return v, nil
	}
	if g.fixed() { // ids may belong to several types
		v, err := g.task.Data.Node(id)
		if err != nil {
			return 0, noNode(id)
		}
		return v, nil
	}
	for _, v := range g.task.Data.Find(id) {
		if !g.hidden.has(v) {
			return v, nil
		}
	}
	return 0, noNode(id)
}

// noNode is the error for an id that no node has.
type noNode string

func (id noNode) Error() string { return fmt.Sprintf("there is no node %q", string(id)) }

// id returns the id of node v, which the data set has or which was added.
func (g *graph) id(v int32) string {
	if v >= g.known {
		id, _ := g.names.get(v)
		return id
	}
	if g.fixed() {
		return g.task.Data.NodeName(v)
	}
	return g.task.Data.IDs.At(v)
}

// draft returns a copy of g that can be changed without changing g, and is then dropped or committed.
func (g *graph) draft() *graph {
	return &graph{task: g.task, state: g.state.Draft(), settled: g.settled, held: g.held, reach: g.reach, why: g.why,
		running: g.running, known: g.known, book: g.book.over(), base: g, statistics: g.statistics, decay: g.decay}
}

// drop ends a draft; nothing of it stays.
func (g *graph) drop() { g.state.Drop() }

// former holds what a commit has replaced.
type former struct {
	state *solve.Past
	book  book
}

// commit makes a draft what the graph is that it is of.
func (g *graph) commit() *former {
	g.base.book.exchange(&g.book, true)
	return &former{g.state.Commit(), g.book}
}

// withEdits returns a draft in which edits are made, all of them; it is not settled. The error is a *BadEdit.
func (g *graph) withEdits(edits []Edit) (*graph, error) {
	d := g.draft()
	for i, e := range edits {
		if err := d.make(e); err != nil {
			d.drop()
			return nil, &BadEdit{i, err}
		}
	}
	if err := d.retell(); err != nil {
		d.drop()
		return nil, &BadEdit{len(edits) - 1, err}
	}
	return d, nil
}

// edited is with, settled. The error is a *BadEdit, about a state, or the error of ctx.
func (g *graph) edited(ctx context.Context, edits []Edit) (*graph, error) {
	d, err := g.withEdits(edits)
	if err != nil {
		return nil, err
	}
	if err := d.settle(ctx); err != nil {
		d.drop()
		return nil, err
	}
	return d, nil
}

func (g *graph) settle(ctx context.Context) error {
	if g.held {
		if err := g.predict(ctx); err != nil {
			return err
		}
	}
	return g.unsettled(g.state.Settle(ctx))
}

// unsettled is an error with the id of the node that it is about.
func (g *graph) unsettled(err error) error {
	var number *solve.Unsettled
	if errors.As(err, &number) {
		return unprocessable("node %q: %s", g.id(number.Node), number.Why)
	}
	return err
}

// returned returns what undo makes of g, as a settled draft; it returns nil if that takes no computation.
func (g *graph) returned(ctx context.Context, p *former) (*graph, error) {
	if !p.state.Trimmed() {
		return nil, nil
	}
	d := g.draft()
	d.state.Return(p.state)
	d.book.exchange(&p.book, false)
	if err := d.settle(ctx); err != nil {
		d.drop()
		return nil, err
	}
	return d, nil
}

// undo makes g what it was before the commit that returned p, the last that is not undone; d is from returned.
func (g *graph) undo(p *former, d *graph) {
	g.book.exchange(&p.book, true)
	if d == nil {
		g.state.Restore(p.state)
	} else {
		d.state.Commit()
	}
}

func (g *graph) make(e Edit) error {
	if err := e.check(); err != nil {
		return err
	}
	switch {
	case e.Forget && !g.task.Solved():
		return fmt.Errorf("the weights of %s were trained with what is to be forgotten, and stay: bloom forget makes "+
			"the run again without it; without \"forget\" it is only removed from the graph", g.task.Config.Recipe)
	case e.AddEdge != nil:
		return g.connect(*e.AddEdge, e.Weight, e.Columns)
	case e.RemoveEdge != nil:
		return g.separate(*e.RemoveEdge)
	case e.AddNode != nil:
		return g.add(*e.AddNode)
	case e.SetFeatures != nil:
		return g.move(*e.SetFeatures)
	case e.SetLabel != nil && e.Forget:
		return g.silence(e.SetLabel.ID)
	case e.SetLabel != nil:
		return g.label(*e.SetLabel)
	case e.Confirm != nil:
		return g.confirm(*e.Confirm)
	case e.Now != "":
		return g.age(e.Now)
	}
	return g.hide(e.RemoveNode)
}

func (g *graph) ends(p Pair) (u, v int32, err error) {
	if u, err = g.find(p[0]); err != nil {
		return
	}
	v, err = g.find(p[1])
	return
}

func (g *graph) connect(p Pair, w float64, said Values) error {
	if w == 0 {
		w = 1
	}
	u, v, err := g.ends(p)
	if err != nil {
		return err
	}
	if s := g.statistics(); s == nil || s.Together(u, v) {
		if err := g.state.Connect(u, v, w*g.fresh(said)); err != nil {
			return err
		}
	}
	return g.addEdgeRow(p, u, v, said)
}

func (g *graph) separate(p Pair) error {
	u, v, err := g.ends(p)
	if err != nil {
		return err
	}
	if s := g.statistics(); s == nil || s.Together(u, v) {
		if err := g.state.Separate(u, v); err != nil {
			return err
		}
	}
	g.untell(u, v)
	return nil
}

// byName returns a row of features, some of which are set by name; v is the node that has the rest, −1 for a new one.
func (g *graph) byName(r Row, v int32) ([]mat.Real, error) {
	list := g.task.Columns()
	x := make([]mat.Real, len(list))
	for j, c := range list {
		x[j] = mat.Real(c.Usual)
	}
	if v >= 0 {
		given, told := g.bare.get(v)
		if !told {
			given = g.features(v)
		}
		copy(x, given)
	} else if g.statistics() != nil { // it has no edges yet
		g.count(x, g.known, nil)
	}
	for name, value := range r.Columns {
		j := slices.IndexFunc(list, func(c node.Column) bool { return c.Name == name })
		if number, ok := value.(float64); ok && j >= 0 {
			x[j] = mat.Real(list[j].Scaled(number))
			continue
		}
		if text := fmt.Sprint(value); !g.sayText(x, v, name, strings.TrimSpace(text)) {
			return nil, fmt.Errorf("there is no column %q with such values", short([]byte(name)))
		}
	}
	return x, nil
}

// row returns the features that r gives; for v see byName.
func (g *graph) row(r Row, v int32) (x []mat.Real, err error) {
	if r.Columns != nil {
		return g.byName(r, v)
	}
	for _, value := range r.Features {
		x = append(x, mat.Real(value))
	}
	return x, nil
}

// pi returns π of a row of features of a node.
func (g *graph) pi(id string, x []mat.Real) ([]mat.Real, error) {
	if g.held {
		if want := g.task.Features(0).Cols; len(x) != want {
			return nil, fmt.Errorf("%q has %d features, want %d", id, len(x), want)
		}
		return make([]mat.Real, g.state.Cols()), nil
	}
	p, err := g.task.Project(0, dataset.Matrix{Rows: 1, Cols: len(x), Values: x})
	if err != nil {
		return nil, err
	}
	for _, x := range p.Slice() {
		if x-x != 0 {
			return nil, fmt.Errorf("the features of %q are too large: π(x) is not finite", id)
		}
	}
	return p.Slice(), nil
}

// features returns the row of features of v, which is not to be changed.
func (g *graph) features(v int32) []mat.Real {
	if x, ok := g.rows.get(v); ok {
		return x
	}
	return featuresOf(g.task, v)
}

func (g *graph) add(r Row) error {
	if _, err := g.find(r.ID); err == nil {
		return fmt.Errorf("node %q exists already", r.ID)
	}
	x, err := g.row(r, -1)
	if err != nil {
		return err
	}
	p, err := g.pi(r.ID, x)
	if err != nil {
		return err
	}
	v := g.state.Add(p)
	g.named.set(r.ID, v)
	g.names.set(v, r.ID)
	g.rows.set(v, x)
	return nil
}

func (g *graph) move(r Row) error {
	v, err := g.find(r.ID)
	if err != nil {
		return err
	}
	x, err := g.row(r, v)
	if err != nil {
		return err
	}
	if g.told.has(v) {
		g.bare.set(v, x)
	}
	return g.place(r.ID, v, x)
}

// hide removes a node with its edges.
func (g *graph) hide(id string) error {
	v, err := g.find(id)
	if err != nil {
		return err
	}
	for _, u := range slices.Clone(g.state.Neighbours(v)) {
		if err := g.state.Separate(v, u); err != nil {
			return err
		}
		g.untell(u, v)
	}
	for _, r := range g.rowsOf(v) { // of edges that are not in the graph, as nodes have times
		g.untell(r.Src, r.Dst)
	}
	g.hidden.set(v, struct{}{})
	if v >= g.known {
		g.named.drop(id)
	}
	return nil
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
