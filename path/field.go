package path

import (
	"errors"

	"github.com/bloomgml/bloom/mat"
)

// errRoom says that a part of a batch depends on more rows than a field has room for.
var errRoom = errors.New("path: the queries reach more rows than there is room for")

// must is for errors of numbers that are in range by construction.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// field is what a few queries depend on, layer by layer. The score of an answer needs the last state of
// that node alone, the state before of it and of the nodes that send to it, and so on: the last layers
// are computed for few rows, and the first for all.
type field struct {
	*view
	queries int
	layers  []*rows // of the states 0, …, L
	asked   *mat.BatchIndex
	answers *mat.BatchIndex // rows of the answers in the last layer, query by query; nil where all are answers

	relations, rows []int32 // buffers
}

// newField makes room for the last layers, rooms[len−1] for the last of them; the others have all rows.
func newField(v *view, all *rows, layers, wide int, rooms []shape, list bool) *field {
	f := &field{view: v, queries: all.queries, asked: mat.NewBatchIndex(all.queries, 2*v.net.relations)}
	for range layers + 1 - len(rooms) {
		f.layers = append(f.layers, all)
	}
	for _, room := range rooms {
		f.layers = append(f.layers, newRows(v, f.queries, room, f.layers[len(f.layers)-1], list))
	}
	f.relations = make([]int32, f.queries)
	if wide > 0 {
		f.answers = mat.NewBatchIndex(f.queries*wide, f.last().room*f.queries)
		f.rows = make([]int32, f.queries*wide)
	}
	return f
}

func (f *field) last() *rows { return f.layers[len(f.layers)-1] }

// ask puts queries in place, with as many answers each. It fails with errRoom where they do not fit.
func (f *field) ask(qs []query, answers []int32) error {
	if err := f.spread(answers); err != nil {
		return err
	}
	for i, q := range qs {
		f.relations[i] = q.relation
	}
	must(f.asked.Update(f.relations))
	for l, r := range f.layers {
		if l == 0 || r != f.layers[l-1] {
			must(r.begin(qs))
		}
	}
	wide := len(answers) / len(qs)
	for i, v := range answers {
		f.rows[i] = f.last().row(v, i/wide)
	}
	if f.answers != nil {
		must(f.answers.Update(f.rows))
	}
	return nil
}

// spread finds the rows of the layers from the last one back to the first that has all.
func (f *field) spread(answers []int32) error {
	l := len(f.layers) - 1
	if f.last().whole {
		return nil
	}
	if !f.last().take(answers) {
		return errRoom
	}
	for ; !f.layers[l-1].whole; l-- {
		if !f.layers[l-1].reach(f.layers[l]) {
			return errRoom
		}
	}
	for ; l < len(f.layers); l++ {
		f.layers[l].place()
		if err := f.layers[l].fill(f.layers[l-1]); err != nil {
			return err
		}
	}
	return nil
}
