package ondisk

import (
	"fmt"
	"math/bits"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// Typed describes a graph with several types of nodes or several relations.
type Typed struct {
	Directed  bool     `json:"directed"`
	Types     []Kind   `json:"types"`
	Relations int      `json:"relations"`
	Names     []string `json:"relation_names,omitempty"`
}

// Kind is a type of nodes, which has feature columns of its own.
type Kind struct {
	Name    string `json:"name,omitempty"`
	Nodes   int    `json:"nodes"`
	Columns int    `json:"columns"`
	Sparse  bool   `json:"sparse"` // features come from a sparse matrix
}

// TypedSource is a Source of such a graph. Its Info has Typed, and the length of x in Row is the number of columns of
// the type.
type TypedSource interface {
	Source
	// Triples is Pairs with relations: edges go from u to v.
	Triples(yield func(u, r, v int32) error) error
	// Type returns the type of node v.
	Type(v int32) int32
}

// packing says how an edge, seen from its end u, is packed into one number that sorts by u, then v: node is the number
// of bits of a node, code of a code. The code is 2r, or 2r + 1 if the edge goes from v to u; without relations there is
// no code.
type packing struct{ node, code int }

// packing returns the packing of all edges; the error says that an edge does not fit.
func (i Info) packing() (packing, error) {
	if i.Typed == nil {
		return packing{node: 32}, nil
	}
	p := packing{bits.Len(uint(i.Nodes)), bits.Len(uint(2*i.Typed.Relations - 1))}
	if 2*p.node+p.code > 64 {
		return p, fmt.Errorf("%d nodes and %d relations are more than edges in 64 bits can tell apart", i.Nodes,
			i.Typed.Relations)
	}
	return p, nil
}

func (p packing) key(u, v, code int32) uint64 {
	return uint64(u)<<(p.node+p.code) | uint64(v)<<p.code | uint64(code)
}

func (p packing) unpack(key uint64) (u, v, code int32) {
	return int32(key >> (p.node + p.code)), int32(key >> p.code & (1<<p.node - 1)), int32(key & (1<<p.code - 1))
}

// values returns the total number of features of all nodes.
func (i Info) values() (n int64) {
	if i.Typed == nil {
		return int64(i.Nodes) * int64(i.Columns)
	}
	for _, k := range i.Typed.Types {
		n += int64(k.Nodes) * int64(k.Columns)
	}
	return n
}

// possible returns an error if the types do not add up.
func (t *Typed) possible(path string, nodes int) error {
	sum := 0
	for _, k := range t.Types {
		if sum += k.Nodes; k.Nodes < 0 || k.Columns < 0 || k.Columns > 1<<20 {
			return files.Errorf(path, "a type of %d nodes with %d columns is impossible", k.Nodes, k.Columns)
		}
	}
	if sum != nodes || t.Relations < 1 || t.Relations > 1<<20 || len(t.Names) > t.Relations {
		return files.Errorf(path, "types of %d nodes in all, of %d, and %d relations: at least one of these is "+
			"impossible", sum,
			nodes,
			t.Relations)
	}
	return nil
}

// writeTypes writes the type of every node, if there are several types or relations.
func (b *builder) writeTypes() error {
	src, ok := b.src.(TypedSource)
	if !ok {
		return nil
	}
	return b.writeRows(types, func(f *file, _ *span, first, end int) error {
		list := make([]int32, 0, end-first)
		for v := first; v < end; v++ {
			list = append(list, src.Type(b.old(v)))
		}
		fromFile(list)
		return f.writeBytes(bytesOf(list))
	})
}

// Types returns the types of the nodes of block i; nil if all nodes have one type.
func (s *Store) Types(i int) ([]int32, error) {
	if s.Typed == nil {
		return nil, nil
	}
	list := make([]int32, s.m.Blocks[i].Rows)
	if err := s.read(types, i, bytesOf(list)); err != nil {
		return nil, err
	}
	fromFile(list)
	values := int64(0)
	for r, t := range list {
		if t < 0 || int(t) >= len(s.Typed.Types) {
			return nil, files.ErrorAtByte(s.path(types), s.offset[types][i]+4*int64(r), "type %d of %d", t,
				len(s.Typed.Types))
		}
		values += int64(s.Typed.Types[t].Columns)
	}
	if want := s.m.Blocks[i].Values; values != want {
		return nil, files.Errorf(s.path(types), "types of block %d have %d features, want %d", i, values, want)
	}
	return list, nil
}

// codes reads the relations of block i, see packing.
func (s *Store) codes(i int, dst []int32) ([]int32, error) {
	if s.Typed == nil {
		return nil, nil
	}
	dst = sized(dst, int(s.m.Blocks[i].Entries))
	if err := s.read(relations, i, bytesOf(dst)); err != nil {
		return dst, err
	}
	fromFile(dst)
	for e, c := range dst {
		if c < 0 || int(c) >= 2*s.Typed.Relations {
			at := s.offset[relations][i] + 4*int64(e)
			return dst, files.ErrorAtByte(s.path(relations), at, "code %d of %d relations", c, s.Typed.Relations)
		}
	}
	return dst, nil
}

// heldTyped is a data set with types or relations in memory.
type heldTyped struct {
	*held
	place []int32 // index of every node within its type
}

// Row writes the features of node v, which are a row of the matrix of its type.
func (s heldTyped) Row(v int32, x []mat.Real) error {
	if len(x) > 0 {
		s.d.Features[s.Type(v)].Row(x, int(s.place[v]))
	}
	return nil
}

var _ TypedSource = heldTyped{}

// Info describes every type.
func (s heldTyped) Info() Info {
	d, i := s.d, s.held.Info()
	g := d.Graph
	i.Columns, i.Sparse = d.NumFeatures(), false
	i.Typed = &Typed{Directed: !g.Undirected(), Relations: g.NumRelations(), Names: d.Relations}
	for t := range g.NumTypes() {
		k := Kind{Nodes: len(g.NodesOfType(int32(t)))}
		if t < len(d.Types) {
			k.Name = d.Types[t]
		}
		if t < len(d.Features) {
			k.Columns, k.Sparse = d.Features[t].Cols, d.Features[t].IsSparse()
		}
		i.Typed.Types = append(i.Typed.Types, k)
	}
	return i
}

// Triples yields the edges of the graph.
func (s heldTyped) Triples(yield func(u, r, v int32) error) error {
	for e := range int32(s.d.Graph.NumEdges()) {
		x := s.d.Graph.Edge(e)
		if err := yield(x.U, x.R, x.V); err != nil {
			return err
		}
	}
	return nil
}

// Type returns the type of node v.
func (s heldTyped) Type(v int32) int32 {
	if list := s.d.Graph.NodeTypes(); list != nil {
		return list[v]
	}
	return 0
}

// kinds returns empty feature matrices, one for every type.
func (t *Typed) kinds() []dataset.Matrix {
	var list []dataset.Matrix
	for _, k := range t.Types {
		x := dataset.Matrix{Cols: k.Columns}
		if k.Sparse {
			x.Ptr = []int64{0}
		}
		list = append(list, x)
	}
	return list
}

// names returns the names of the types; empty if the only type has no name.
func (t *Typed) names() (list []string) {
	for _, k := range t.Types {
		if len(t.Types) > 1 || k.Name != "" {
			list = append(list, k.Name)
		}
	}
	return list
}
