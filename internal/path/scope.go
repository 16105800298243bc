package path

import (
	"errors"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// errCapacity says that a query depends on more rows than a scope has room for.
var errCapacity = errors.New("path: a query reaches more rows than there is room for")

// must is for errors of numbers that are in range by construction.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// scope lists the nodes that a query depends on, layer by layer. The score of an answer needs the last state of that
// node alone, the state before of it and of the nodes that send to it, and so on: the last layers are computed for few
// rows, the first one for few as well if the state before is mostly 0, and the layers between for all.
type scope struct {
	*view
	every   *rows       // all nodes
	layers  []*rows     // of the states 0, …, L
	first   *firstLayer // layer 1 if it has few rows; or nil
	kept    *kept       // the rows of all layers if queries keep few entities; or nil
	asked   *mat.Index
	answers *mat.Index // rows of the answers in the last layer; nil if all are answers
	counts  *mat.Dense // logarithms of how many entities they stand for, a row for every query; Everything alone
	rivals  *rivals    // lists the answers after what is kept is known; Everything alone
	known   *known     // what is known of the answers; nil unless Send

	number [1]int32 // buffers
	rows   []int32
	reals  []mat.Real
}

// layout says how a scope is laid out.
type layout struct {
	layers  int
	answers int        // to a query, 0 for all nodes
	tail    []capacity // of the last layers, the last one last; the others have all rows
	sparse  bool       // the first layer has few rows
	list    bool       // messages are made one by one
	near    *nearby    // finds the entities that a query keeps; nil if it keeps all. tail and sparse do not matter then
	moments int        // columns of a state if these are added up by PNA; 0 otherwise. near alone
}

// layoutOf returns the layout of queries about n whose layers all have all rows that they may have.
func (m *Model) layoutOf(n *net) layout {
	p := layout{layers: m.Layers, list: m.listsMessages(), sparse: m.startsSparse()}
	if m.Keep > 0 {
		p.near = newNearby(m, n)
		if m.pna() {
			p.moments = m.Hidden
		}
	}
	return p
}

// newScope makes room for queries about the graph of all.
func newScope(all *rows, p layout) *scope {
	v := all.view
	f := &scope{view: v, every: all.forQuery(), asked: mat.NewBatchIndex(1, 2*v.net.relations)}
	if p.near != nil {
		f.kept = newKept(v, p.near, p.moments, p.list)
		f.layers = slices.Repeat([]*rows{f.kept.rows}, p.layers+1)
		f.makeAnswers(p.answers)
		return f
	}
	if p.sparse {
		f.first = newFirstLayer(v, p.list)
		f.layers = append(f.layers, f.first.origin, f.first.rows)
	}
	for len(f.layers) < p.layers+1-len(p.tail) {
		f.layers = append(f.layers, f.every)
	}
	before := f.every
	for _, most := range p.tail {
		before = newRows(v, most, before, p.list)
		f.layers = append(f.layers, before)
	}
	f.makeAnswers(p.answers)
	return f
}

// makeAnswers makes room for the answers to a query, 0 if all nodes are.
func (f *scope) makeAnswers(n int) {
	if n > 0 {
		f.answers = mat.NewBatchIndex(n, f.last().room)
		f.rows = make([]int32, n)
	}
}

func (f *scope) last() *rows { return f.layers[len(f.layers)-1] }

// setQuery sets the query. It fails with errCapacity if that does not fit.
func (f *scope) setQuery(q query, answers []int32) error {
	if err := f.spread(answers); err != nil {
		return err
	}
	f.number[0] = q.relation
	must(f.asked.Update(f.number[:]))
	from := 0
	if f.kept != nil {
		if err := f.kept.placeAround(q); err != nil {
			return err
		}
	}
	if f.first != nil {
		f.first.reachFrom(q.head)
		from = 2
	}
	for l := from; l < len(f.layers); l++ {
		if l == 0 || f.layers[l] != f.layers[l-1] {
			f.layers[l].setHead(q.head)
		}
	}
	if f.answers == nil {
		return nil
	}
	if f.rivals != nil {
		f.rivals.list(q, f.kept.nodes, answers, f.reals)
		f.counts.Write(f.reals)
	}
	if f.known != nil {
		f.known.fill(f.view, q, answers, f.reals, 0)
		f.known.write()
	}
	for i, v := range answers {
		f.rows[i] = f.last().at[v]
	}
	return f.answers.Update(f.rows)
}

// spread finds the rows of the layers from the last one back to the first that has all.
func (f *scope) spread(answers []int32) error {
	l := len(f.layers) - 1
	if f.last().whole {
		return nil
	}
	if !f.last().setNodes(answers) {
		return errCapacity
	}
	for ; f.cut(l - 1); l-- {
		if !f.layers[l-1].reach(f.layers[l]) {
			return errCapacity
		}
	}
	for before := f.every; l < len(f.layers); l++ {
		f.layers[l].place()
		if err := f.layers[l].fill(before); err != nil {
			return err
		}
		before = f.layers[l]
	}
	return nil
}

// cut reports whether layer l has the rows that later ones need.
func (f *scope) cut(l int) bool { return !f.layers[l].whole && (f.first == nil || l > 1) }
