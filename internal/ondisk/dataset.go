package ondisk

import (
	"encoding/json"
	"fmt"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// Of is a data set in memory as a Source. It must be one that blocks can hold: without weights, and with labels that
// are classes.
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
		return newHeldTyped(s), nil
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

func (s *held) Origin() []string {
	sums, _ := json.Marshal(s.d.Fingerprint()) // which has nothing that JSON lacks
	return []string{s.d.Name, string(sums)}
}

func (s *held) Pairs(told int64, yield func(u, v int32) error) error {
	targets := s.d.Graph.Targets()[told:]
	for e, u := range s.d.Graph.Sources()[told:] {
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

// Read brings all of a folder into memory, as a data set like any other. Memory is taken from the budget of reading.
func Read(dir string) (*dataset.Dataset, error) {
	s, err := Open(dir)
	if err != nil {
		return nil, err
	}
	b := files.NewBudget()
	b.Admit(dir, s.Bytes())
	what := fmt.Sprintf("a graph of %d nodes and %d edges with %d features", s.Nodes, s.Edges, s.Columns)
	if err := b.Take(s.Whole(), what); err != nil {
		return nil, first(err, s.Close())
	}
	d, err := s.dataset()
	return d, first(err, s.Close())
}

// Whole is how many bytes Read would take: features, a graph with the orders of its edges, labels and ids.
func (s *Store) Whole() int64 {
	n := int64(s.Nodes)
	return 4*s.values() + 44*s.Edges + n*int64(40+4*s.Splits) + s.m.bytes(ids)
}

// Bytes is how large the files are together.
func (s *Store) Bytes() (n int64) {
	for k := range sections {
		n += s.m.bytes(k)
	}
	return n
}

// dataset reads every block.
func (s *Store) dataset() (*dataset.Dataset, error) {
	d := &dataset.Dataset{Name: s.Name, Metric: s.Metric, Splits: make([]dataset.Split, s.Splits),
		Labels: dataset.Labels{Names: s.Classes}}
	spec := graph.Spec{Nodes: s.Nodes, Undirected: true, Sources: make([]int32, 0, s.Edges),
		Targets: make([]int32, 0, s.Edges)}
	kinds := []dataset.Matrix{{Cols: s.Columns}}
	if s.Sparse {
		kinds[0].Ptr = []int64{0}
	}
	if t := s.Typed; t != nil {
		kinds = t.kinds()
		d.Types, d.Relations = t.names(), t.Names
		spec.Undirected, spec.Relations, spec.Types = !t.Directed, t.Relations, len(t.Types)
		spec.Relation = make([]int32, 0, s.Edges)
	}
	var names []string
	for i := range s.Blocks() {
		if err := s.connect(i, &spec); err != nil {
			return nil, err
		}
		list, err := s.describe(i, d, kinds)
		if err != nil {
			return nil, err
		}
		spec.NodeTypes = append(spec.NodeTypes, list...)
		if s.Named {
			more, err := s.IDs(i)
			if err != nil {
				return nil, err
			}
			names = append(names, more...)
		}
	}
	if s.Columns > 0 {
		d.Features = kinds
	}
	if s.Named {
		d.IDs = dataset.NewIDs(names)
	}
	var err error
	d.Graph, err = graph.Build(spec)
	return d, err
}

// connect adds the edges of block i, each from its smaller end, or from its source where there are relations.
func (s *Store) connect(i int, spec *graph.Spec) error {
	var a Adjacency
	if err := s.Adjacency(i, &a); err != nil {
		return err
	}
	for r := range len(a.Ptr) - 1 {
		u := int32(s.first[i] + r)
		for e := a.Ptr[r]; e < a.Ptr[r+1]; e++ {
			v := a.Idx[e]
			if a.Code == nil && u > v || a.Code != nil && a.Code[e]%2 == 1 {
				continue
			}
			spec.Sources, spec.Targets = append(spec.Sources, u), append(spec.Targets, v)
			if a.Code != nil {
				spec.Relation = append(spec.Relation, a.Code[e]/2)
			}
		}
	}
	return nil
}

// describe adds features, by type, classes and splits of block i, and returns the types of its nodes.
func (s *Store) describe(i int, d *dataset.Dataset, x []dataset.Matrix) ([]int32, error) {
	rows, err := s.Features(i, nil)
	if err != nil {
		return nil, err
	}
	l, err := s.Labels(i)
	if err != nil {
		return nil, err
	}
	list, err := s.Types(i)
	if err != nil {
		return nil, err
	}
	at := 0
	for r := range l.Class {
		of := &x[0]
		if list != nil {
			of = &x[list[r]]
		}
		row := rows[at : at+of.Cols]
		if j := unreal(row); j >= 0 {
			at := s.offset[features][i] + 4*int64(at+j)
			return nil, files.ErrorAtByte(s.path(features), at, "%v is no feature", row[j])
		}
		if at += of.Cols; of.Cols > 0 {
			of.AppendRow(row)
		}
	}
	if len(s.Classes) > 0 {
		d.Labels.Class = append(d.Labels.Class, l.Class...)
	}
	for k, parts := range l.Parts {
		for r, p := range parts {
			p.Of(&d.Splits[k], int32(s.first[i]+r))
		}
	}
	return list, nil
}
