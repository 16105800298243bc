package baseline

import (
	"slices"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// Overview: a loss about few nodes needs the last layer at these, the layer below at these and their neighbours, and
// so on. With R the requested rows and C the columns of their rows of S,
//
//	(S h W)[R] = S[R, C] h[C] W
//
// so a layer works on C instead of all nodes, and returns R.

// local is a convolution a row of which depends on some rows of its input.
type local interface {
	convolution
	reach(rows []int32) []int32 // the rows of the input that these depend on, ascending
	// restrictTo returns the convolution for these rows, of an input with the rows from, or all rows if from is nil.
	restrictTo(rows, from []int32) convolution
	withOperator(o operator) convolution // with another operator
}

// On returns m on another graph, with its parameters. It returns m itself and false unless m is gcn or sage without
// blocks.
func On(m Model, g *graph.Graph) (Model, bool) {
	s, ok := m.(*stack)
	if !ok || operators[s.name] == nil {
		return m, false
	}
	other, op := *s, operators[s.name](g)
	other.layers = slices.Clone(s.layers)
	for i, c := range s.layers {
		l, ok := c.(local)
		if !ok {
			return m, false
		}
		other.layers[i] = l.withOperator(op)
	}
	return &other, true
}

// operators are the operators of models whose layers are local.
var operators = map[string]func(*graph.Graph) operator{
	"gcn":  func(g *graph.Graph) operator { return newOperator(g, graph.Symmetric, graph.AddLoops) },
	"sage": func(g *graph.Graph) operator { return newOperator(g, graph.Left, graph.KeepLoops) },
}

// Narrow returns m with predictions for the given nodes only, ascending, one row for each, and without anything that
// these do not depend on. It shares the parameters of m. It returns m itself and false unless m is gcn or sage, or if
// batch norm, residuals or blocks join rows in another way. Dropout draws for other rows.
func Narrow(m Model, rows []int32) (narrow Model, ok bool) {
	s, ok := m.(*stack)
	if !ok || s.o.Norm == input.BatchNorm || s.skips() {
		return m, false
	}
	few := *s
	few.layers = slices.Clone(s.layers)
	for i := len(s.layers) - 1; i >= 0; i-- {
		l, ok := s.layers[i].(local)
		if !ok {
			return m, false
		}
		var from []int32
		if i > 0 {
			from = l.reach(rows)
		}
		few.layers[i] = l.restrictTo(rows, from)
		rows = from
	}
	return &few, true
}

// reach returns the columns of some rows.
func (o operator) reach(rows []int32) []int32 {
	var list []int32
	seen := make([]bool, o.Cols)
	for _, r := range rows {
		for _, c := range o.Idx[o.Ptr[r]:o.Ptr[r+1]] {
			if !seen[c] {
				seen[c], list = true, append(list, c)
			}
		}
	}
	slices.Sort(list)
	return list
}

// restrictTo returns S[rows, from], where from has all that rows reach.
func (o operator) restrictTo(rows, from []int32) operator {
	a, values := graph.Pattern{Rows: len(rows), Cols: o.Cols, Ptr: []int64{0}}, []mat.Real{}
	at := lookup(from, o.Cols)
	if from != nil {
		a.Cols = len(from)
	}
	for _, r := range rows {
		first, end := o.Ptr[r], o.Ptr[r+1]
		for _, c := range o.Idx[first:end] {
			a.Idx = append(a.Idx, at(c))
		}
		values = append(values, o.values[first:end]...)
		a.Ptr = append(a.Ptr, int64(len(a.Idx)))
	}
	return operatorOf(a, values)
}

// lookup returns the position of a number below n in from, which means all numbers if it is nil.
func lookup(from []int32, n int) func(int32) int32 {
	if from == nil {
		return func(v int32) int32 { return v }
	}
	at := make([]int32, n)
	for i, v := range from {
		at[v] = int32(i)
	}
	return func(v int32) int32 { return at[v] }
}

// places returns the positions of rows in from.
func places(rows, from []int32, n int) *mat.Index {
	at, list := lookup(from, n), make([]int32, len(rows))
	for i, r := range rows {
		list[i] = at(r)
	}
	if from != nil {
		n = len(from)
	}
	return mat.MustIndex(list, n)
}

// union returns the numbers of two lists, ascending.
func union(a, b []int32) []int32 {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
