package ondisk

import (
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
)

// mostLike is how many blocks Like looks at.
const mostLike = 16

// Like is a set of about n nodes on which it can be tried out what all of them would take: they are spread over some
// blocks, with their types, features and ids, and each with as many edges. An edge goes to the last chosen node up to
// its end. In every split a third of them trains, validates and tests, with classes in turn.
func (s *Store) Like(n int) (*dataset.Dataset, error) {
	l := &likeness{Store: s, kinds: []dataset.Matrix{{Cols: s.Columns}}}
	if s.Sparse {
		l.kinds[0].Ptr = []int64{0}
	}
	if s.Typed != nil {
		l.kinds = s.Typed.kinds()
	}
	k := min(mostLike, s.Blocks())
	of, all := make([]int, k), 0
	for j := range of {
		of[j] = j * s.Blocks() / k
		first, end := s.Rows(of[j])
		all += end - first
	}
	for _, i := range of {
		first, end := s.Rows(i)
		if err := l.take(i, max(1, n*(end-first)/max(1, all))); err != nil {
			return nil, err
		}
	}
	return l.dataset()
}

// likeness is such a set on its way.
type likeness struct {
	*Store
	nodes    []int32 // chosen, ascending
	labelled []bool  // of them; those that may be, where there is one type
	types    []int32
	names    []string
	kinds    []dataset.Matrix
	edges    []graph.Triple // from a place in nodes to a node
}

// take chooses so many nodes of block i, or all.
func (l *likeness) take(i, count int) error {
	first, end := l.Rows(i)
	count = min(count, end-first)
	var a Adjacency
	if err := l.Adjacency(i, &a); err != nil {
		return err
	}
	x, err := l.Features(i, nil)
	if err != nil {
		return err
	}
	labels, err := l.Labels(i)
	if err != nil {
		return err
	}
	list, err := l.Types(i)
	if err != nil {
		return err
	}
	var names []string
	if l.Named {
		if names, err = l.IDs(i); err != nil {
			return err
		}
	}
	at, next := 0, 0 // in x; the j-th of those that are chosen
	for r := range end - first {
		of := &l.kinds[0]
		if list != nil {
			of = &l.kinds[list[r]]
		}
		row := x[at : at+of.Cols]
		at += of.Cols
		if next == count || r != next*(end-first)/count {
			continue
		}
		next++
		if of.Cols > 0 {
			of.AppendRow(row)
		}
		l.connect(&a, r, int32(first+r))
		l.nodes, l.labelled = append(l.nodes, int32(first+r)), append(l.labelled, labels.Class[r] >= 0 || list == nil)
		if list != nil {
			l.types = append(l.types, list[r])
		}
		if names != nil {
			l.names = append(l.names, names[r])
		}
	}
	return nil
}

// connect notes the edges of node u, row r of its block, each from its smaller end or from its source.
func (l *likeness) connect(a *Adjacency, r int, u int32) {
	for e := a.Ptr[r]; e < a.Ptr[r+1]; e++ {
		x := graph.Triple{U: int32(len(l.nodes)), V: a.Idx[e]}
		if a.Code == nil && u > x.V || a.Code != nil && a.Code[e]%2 == 1 {
			continue
		}
		if a.Code != nil {
			x.R = a.Code[e] / 2
		}
		l.edges = append(l.edges, x)
	}
}

// dataset brings it together.
func (l *likeness) dataset() (*dataset.Dataset, error) {
	d := &dataset.Dataset{Name: l.Name, Metric: l.Metric, Splits: make([]dataset.Split, l.Splits),
		Labels: dataset.Labels{Names: l.Classes}}
	spec := graph.Spec{Nodes: len(l.nodes), Undirected: true}
	if t := l.Typed; t != nil {
		d.Types, d.Relations = t.names(), t.Names
		spec.Undirected, spec.Relations, spec.Types = !t.Directed, t.Relations, len(t.Types)
		spec.NodeTypes = l.types
	}
	for _, e := range l.edges {
		v, found := slices.BinarySearch(l.nodes, e.V)
		if !found {
			v = max(0, v-1)
		}
		spec.Sources, spec.Targets = append(spec.Sources, e.U), append(spec.Targets, int32(v))
		if l.Typed != nil {
			spec.Relation = append(spec.Relation, e.R)
		}
	}
	l.label(d)
	if l.Columns > 0 {
		d.Features = l.kinds
	}
	if l.Named {
		d.IDs = dataset.NewIDs(l.names)
	}
	var err error
	d.Graph, err = graph.Build(spec)
	return d, err
}

// label gives classes and parts to those that may have some.
func (l *likeness) label(d *dataset.Dataset) {
	k := len(l.Classes)
	if k == 0 {
		return
	}
	d.Labels.Class = make([]int32, len(l.nodes))
	count := 0
	for v := range l.nodes {
		d.Labels.Class[v] = -1
		if !l.labelled[v] {
			continue
		}
		d.Labels.Class[v] = int32(count % k)
		for i := range d.Splits {
			[]Part{Train, Valid, Test}[count/k%3].Of(&d.Splits[i], int32(v))
		}
		count++
	}
}
