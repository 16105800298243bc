package ondisk

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// Of returns a data set in memory as a Source. Blocks must be able to hold it: no weights, and labels that are classes.
func Of(d *dataset.Dataset) (Source, error) {
	g := d.Graph
	switch {
	case d.IsLinks() || d.Twin != nil:
		return nil, fmt.Errorf("%s has facts to predict; blocks hold classes of nodes", d.Name)
	case g.Weights() != nil:
		return nil, fmt.Errorf("%s has weights of edges, which blocks do not hold", d.Name)
	case d.Labels.Task != "":
		return nil, fmt.Errorf("%s has labels for %s; blocks hold classes", d.Name, d.Labels.Task)
	}
	s := &held{d: d, parts: make([][]Part, len(d.Splits))}
	for k, split := range d.Splits {
		s.parts[k] = make([]Part, g.NumNodes())
		for part, nodes := range map[Part][]int32{Train: split.Train, Valid: split.Valid, Test: split.Test} {
			for _, v := range nodes {
				s.parts[k][v] = part
			}
		}
	}
	if g.NumTypes() > 1 || g.NumRelations() > 1 {
		place := make([]int32, g.NumNodes())
		for t := range g.NumTypes() {
			for i, v := range g.NodesOfType(int32(t)) {
				place[v] = int32(i)
			}
		}
		return heldTyped{s, place}, nil
	}
	return s, nil
}

// held is a data set in memory.
type held struct {
	d     *dataset.Dataset
	parts [][]Part
}

func (s *held) Info() Info {
	d := s.d
	i := Info{Name: d.Name, Metric: d.Metric, Nodes: d.Graph.NumNodes(), Edges: int64(d.Graph.NumEdges()),
		Classes: d.Labels.Names, Splits: len(d.Splits), Named: d.IDs.Ends != nil}
	if len(d.Features) > 0 {
		i.Columns, i.Sparse = d.Features[0].Cols, d.Features[0].IsSparse()
	}
	return i
}

func (s *held) Pairs(yield func(u, v int32) error) error {
	targets := s.d.Graph.Targets()
	for e, u := range s.d.Graph.Sources() {
		if err := yield(u, targets[e]); err != nil {
			return err
		}
	}
	return nil
}

func (s *held) Row(v int32, x []mat.Real) error {
	if len(x) > 0 {
		s.d.Features[0].Row(x, int(v))
	}
	return nil
}

func (s *held) Label(v int32, parts []Part) int32 {
	for k := range parts {
		parts[k] = s.parts[k][v]
	}
	if s.d.Labels.Class == nil {
		return -1
	}
	return s.d.Labels.Class[v]
}

func (s *held) ID(v int32) string { return s.d.IDs.At(v) }

// Read loads a whole folder into memory, as an ordinary data set. Memory is taken from the budget of reading.
func Read(dir string) (*dataset.Dataset, error) {
	s, err := Open(dir)
	if err != nil {
		return nil, err
	}
	b := files.NewBudget()
	b.Admit(dir, s.Bytes())
	what := fmt.Sprintf("a graph of %d nodes and %d edges with %d features", s.Nodes, s.Edges, s.Columns)
	if err := b.Take(s.Whole(), what); err != nil {
		return nil, cmp.Or(err, s.Close())
	}
	d, err := s.dataset()
	return d, cmp.Or(err, s.Close())
}

// Whole returns how many bytes Read would take: features, a graph with the orders of its edges, labels and ids.
func (s *Store) Whole() int64 {
	n := int64(s.Nodes)
	return 4*s.values() + 44*s.Edges + n*int64(40+4*s.Splits) + s.m.bytes(ids)
}

// Bytes returns the total size of the files.
func (s *Store) Bytes() (n int64) {
	for k := range sections {
		n += s.m.bytes(k)
	}
	return n
}

// dataset reads every block.
func (s *Store) dataset() (*dataset.Dataset, error) {
	g := s.gather()
	for _, list := range []*[]int32{&g.spec.Sources, &g.spec.Targets, &g.spec.Relation} {
		if *list != nil {
			*list = make([]int32, 0, s.Edges)
		}
	}
	for i := range s.Blocks() {
		l, err := g.block(i, func(int) bool { return true })
		if err != nil {
			return nil, err
		}
		if len(s.Classes) > 0 {
			g.d.Labels.Class = append(g.d.Labels.Class, l.Class...)
		}
		for k, parts := range l.Parts {
			for r, p := range parts {
				p.AddTo(&g.d.Splits[k], int32(s.first[i]+r))
			}
		}
	}
	return g.dataset()
}

// gathering is a data set being assembled from rows of blocks.
type gathering struct {
	*Store
	d     *dataset.Dataset // without features, ids and graph
	spec  graph.Spec
	kinds []dataset.Matrix // the features of every type
	names []string
	count int32 // rows so far
}

func (s *Store) gather() *gathering {
	g := &gathering{Store: s, kinds: []dataset.Matrix{{Cols: s.Columns}}, spec: graph.Spec{Undirected: true},
		d: &dataset.Dataset{Name: s.Name, Metric: s.Metric, Splits: make([]dataset.Split, s.Splits),
			Labels: dataset.Labels{Names: s.Classes}}}
	if s.Sparse {
		g.kinds[0].Ptr = []int64{0}
	}
	g.spec.Sources, g.spec.Targets = []int32{}, []int32{}
	if t := s.Typed; t != nil {
		g.kinds = t.kinds()
		g.d.Types, g.d.Relations = t.names(), t.Names
		g.spec.Undirected, g.spec.Relations, g.spec.Types = !t.Directed, t.Relations, len(t.Types)
		g.spec.Relation = []int32{}
	}
	return g
}

// block adds the chosen rows of block i, with their types, features, ids and edges, and returns the labels of the
// block. Each edge is added once, by its smaller end, or by its source if there are relations. It leads from the
// position of that row among the added rows to the number of a node.
func (g *gathering) block(i int, chosen func(r int) bool) (l Labels, err error) {
	var a Adjacency
	if err := g.Adjacency(i, &a); err != nil {
		return l, err
	}
	x, err := g.Features(i, nil)
	if err != nil {
		return l, err
	}
	if l, err = g.Labels(i); err != nil {
		return l, err
	}
	types, err := g.Types(i)
	if err != nil {
		return l, err
	}
	var names []string
	if g.Named {
		if names, err = g.IDs(i); err != nil {
			return l, err
		}
	}
	at := 0 // position in x
	for r := range l.Class {
		of := &g.kinds[0]
		if types != nil {
			of = &g.kinds[types[r]]
		}
		row := x[at : at+of.Cols]
		at += of.Cols
		if !chosen(r) {
			continue
		}
		if j := unreal(row); j >= 0 {
			return l, files.ErrorAtByte(g.path(features), g.offset[features][i]+4*int64(at-of.Cols+j),
				"%v is no feature", row[j])
		}
		if of.Cols > 0 {
			of.AppendRow(row)
		}
		if types != nil {
			g.spec.NodeTypes = append(g.spec.NodeTypes, types[r])
		}
		if names != nil {
			g.names = append(g.names, names[r])
		}
		g.connect(&a, r, int32(g.first[i]+r))
		g.count++
	}
	return l, nil
}

// connect adds the edges of node u, row r of its block.
func (g *gathering) connect(a *Adjacency, r int, u int32) {
	for e := a.Ptr[r]; e < a.Ptr[r+1]; e++ {
		v := a.Idx[e]
		if a.Code == nil && u > v || a.Code != nil && a.Code[e]%2 == 1 {
			continue
		}
		g.spec.Sources, g.spec.Targets = append(g.spec.Sources, g.count), append(g.spec.Targets, v)
		if a.Code != nil {
			g.spec.Relation = append(g.spec.Relation, a.Code[e]/2)
		}
	}
}

// dataset assembles the data set.
func (g *gathering) dataset() (*dataset.Dataset, error) {
	if g.Columns > 0 {
		g.d.Features = g.kinds
	}
	if g.Named {
		g.d.IDs = dataset.NewIDs(g.names)
	}
	g.spec.Nodes = int(g.count)
	var err error
	g.d.Graph, err = graph.Build(g.spec)
	return g.d, err
}

// mostLike is the maximum number of blocks that Like reads.
const mostLike = 16

// Like returns a set of about n nodes, for estimating what the whole set would take. The nodes are spread over some
// blocks, with their types, features and ids, and keep their number of edges. An edge goes to the last chosen node up
// to its end. In every split a third of them trains, a third validates and a third tests, with classes in turn.
func (s *Store) Like(n int) (*dataset.Dataset, error) {
	k := min(mostLike, s.Blocks())
	of, all := make([]int, k), 0
	for j := range of {
		of[j] = j * s.Blocks() / k
		first, end := s.Rows(of[j])
		all += end - first
	}
	g := s.gather()
	var nodes []int32   // chosen, ascending
	var labelled []bool // of them; those that may be, where there is one type
	for _, i := range of {
		first, end := s.Rows(i)
		count, next := min(max(1, n*(end-first)/max(1, all)), end-first), 0
		from := len(nodes)
		l, err := g.block(i, func(r int) bool {
			if next == count || r != next*(end-first)/count {
				return false
			}
			next++
			nodes = append(nodes, int32(first+r))
			return true
		})
		if err != nil {
			return nil, err
		}
		for _, v := range nodes[from:] {
			labelled = append(labelled, l.Class[int(v)-first] >= 0 || s.Typed == nil)
		}
	}
	for e, v := range g.spec.Targets {
		at, found := slices.BinarySearch(nodes, v)
		if !found {
			at = max(0, at-1)
		}
		g.spec.Targets[e] = int32(at)
	}
	labelAlike(g.d, labelled)
	return g.dataset()
}

// labelAlike gives classes and parts of splits to the nodes that may have some.
func labelAlike(d *dataset.Dataset, labelled []bool) {
	k := len(d.Labels.Names)
	if k == 0 {
		return
	}
	d.Labels.Class = make([]int32, len(labelled))
	count := 0
	for v := range labelled {
		d.Labels.Class[v] = -1
		if !labelled[v] {
			continue
		}
		d.Labels.Class[v] = int32(count % k)
		for i := range d.Splits {
			[]Part{Train, Valid, Test}[count/k%3].AddTo(&d.Splits[i], int32(v))
		}
		count++
	}
}
