package format

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// WriteGeometric writes d as a dict that torch.load reads, also with weights_only, and that from_dict of the class that
// it returns, Data or HeteroData, takes. Attributes have the names that are read, see geometric; an undirected edge is
// there in both directions. Links to validate and test on are val_edge_index and test_edge_index, with val_edge_type
// and test_edge_type. An existing file is an error unless force is set, and inputs are never replaced.
func WriteGeometric(path string, d *dataset.Dataset, force bool, inputs ...string) (class string, err error) {
	w := &geometricWriter{d: d, several: d.Graph.NumTypes() > 1}
	if w.several && len(d.Valid)+len(d.Test) > 0 {
		return "", files.Errorf(path, "HeteroData has no place for links to validate and test on; write tables instead")
	}
	var dict []codec.TorchEntry
	if class = "Data"; w.several {
		class, dict = "HeteroData", w.types()
	} else {
		dict = append(w.nodes(0), w.edges("", w.arcs())...)
		if w.relations() {
			var names []string
			for r := range d.Graph.NumRelations() {
				names = append(names, d.RelationName(int32(r)))
			}
			dict = append(dict, codec.TorchEntry{Key: "relation_names", Value: names})
		}
		for i, links := range [][]graph.Triple{d.Valid, d.Test} {
			if len(links) > 0 {
				dict = append(dict, w.edges([]string{"val_", "test_"}[i], held(links))...)
			}
		}
	}
	o := files.WriteOptions{Ours: func([]byte) bool { return false }, Force: force, Inputs: inputs}
	return class, files.Replace(path, o, func(out io.Writer) error { return codec.WriteTorch(out, dict) })
}

type geometricWriter struct {
	d       *dataset.Dataset
	several bool
}

// relations reports whether edges have relations, or one with a name.
func (w *geometricWriter) relations() bool {
	return w.d.Graph.NumRelations() > 1 || len(w.d.Relations) > 0
}

// tensorOf is a tensor whose element i is at(i).
func tensorOf[T float32 | int64 | uint8](kind string, shape []int, at func(i int) T) codec.TorchTensor {
	return codec.TorchTensor{Type: kind, Shape: shape, Write: func(w io.Writer) error {
		buf, n := bufio.NewWriterSize(w, 1<<16), 1
		for _, s := range shape {
			n *= s
		}
		var b [8]byte
		for i := range n {
			size := 1
			switch x := any(at(i)).(type) {
			case float32:
				binary.LittleEndian.PutUint32(b[:], math.Float32bits(x))
				size = 4
			case int64:
				binary.LittleEndian.PutUint64(b[:], uint64(x))
				size = 8
			case uint8:
				b[0] = x
			}
			buf.Write(b[:size]) // errors stay until Flush
		}
		return buf.Flush()
	}}
}

// arc is an edge in one direction.
type arc struct {
	u, v     int64
	relation int32
	edge     int32 // −1 for one that is not in the graph
}

// arcs returns the edges of a graph with one type of nodes; those of an undirected graph in both directions.
func (w *geometricWriter) arcs() (list []arc) {
	for e, x := range w.d.Graph.Triples() {
		list = append(list, arc{int64(x.U), int64(x.V), x.R, int32(e)})
	}
	if !w.d.Graph.Undirected() {
		return list
	}
	for _, x := range list[:len(list):len(list)] {
		if x.u != x.v {
			list = append(list, arc{x.v, x.u, x.relation, x.edge})
		}
	}
	return list
}

// held returns links that are not in the graph.
func held(links []graph.Triple) (list []arc) {
	for _, x := range links {
		list = append(list, arc{int64(x.U), int64(x.V), x.R, -1})
	}
	return list
}

// types returns a dict for every type of nodes, and for every relation between two types.
func (w *geometricWriter) types() (dict []codec.TorchEntry) {
	types := w.d.Graph.NodeTypes()
	at := make([]int64, len(types)) // of a node among those of its type
	for t := range w.d.Graph.NumTypes() {
		dict = append(dict, codec.TorchEntry{Key: w.d.TypeName(int32(t)), Value: w.nodes(int32(t))})
		for i, v := range w.d.Graph.NodesOfType(int32(t)) {
			at[v] = int64(i)
		}
	}
	rows := map[[3]string][]arc{}
	var keys [][3]string
	for e, x := range w.d.Graph.Triples() {
		source, target := w.d.TypeName(types[x.U]), w.d.TypeName(types[x.V])
		key := [3]string{source, w.d.RelationName(x.R), target}
		if rows[key] == nil {
			keys = append(keys, key)
		}
		rows[key] = append(rows[key], arc{at[x.U], at[x.V], x.R, int32(e)})
		if w.d.Graph.Undirected() && source == target && x.U != x.V {
			rows[key] = append(rows[key], arc{at[x.V], at[x.U], x.R, int32(e)})
		}
	}
	for _, key := range keys {
		dict = append(dict, codec.TorchEntry{Key: key, Value: w.edges("", rows[key])})
	}
	return dict
}

// edges returns the attributes of edges.
func (w *geometricWriter) edges(prefix string, list []arc) []codec.TorchEntry {
	m, g := len(list), w.d.Graph
	dict := []codec.TorchEntry{{Key: prefix + "edge_index", Value: tensorOf("i8", []int{2, m}, func(i int) int64 {
		if i < m {
			return list[i].u
		}
		return list[i-m].v
	})}}
	if !w.several && w.relations() {
		dict = append(dict, codec.TorchEntry{Key: prefix + "edge_type",
			Value: tensorOf("i8", []int{m}, func(i int) int64 { return int64(list[i].relation) })})
	}
	if x := g.Weights(); x != nil && prefix == "" {
		dict = append(dict, codec.TorchEntry{Key: "edge_weight",
			Value: tensorOf("f4", []int{m}, func(i int) float32 { return float32(x[list[i].edge]) })})
	}
	if x := g.Features(); x.Cols > 0 && prefix == "" {
		dict = append(dict, codec.TorchEntry{Key: "edge_attr", Value: tensorOf("f4", []int{m, x.Cols},
			func(i int) float32 {
				return float32(x.Values[int(list[i/x.Cols].edge)*x.Cols+i%x.Cols])
			})})
	}
	return dict
}

// nodes returns the attributes of the nodes of a type.
func (w *geometricWriter) nodes(t int32) []codec.TorchEntry {
	of := w.d.Graph.NodesOfType(t)
	ids := make([]string, len(of))
	for i, v := range of {
		ids[i] = w.d.IDs.At(v)
	}
	dict := []codec.TorchEntry{{Key: "num_nodes", Value: len(of)}, {Key: "node_id", Value: ids}}
	if int(t) < len(w.d.Features) && w.d.Features[t].Cols > 0 {
		x := w.d.Features[t]
		row, last := make([]mat.Real, x.Cols), -1
		dict = append(dict, codec.TorchEntry{Key: "x", Value: tensorOf("f4", []int{len(of), x.Cols},
			func(i int) float32 {
				if i/x.Cols != last {
					last = i / x.Cols
					x.Row(row, last)
				}
				return float32(row[i%x.Cols])
			})})
	}
	if w.d.Times != nil {
		dict = append(dict, codec.TorchEntry{Key: "time",
			Value: tensorOf("i8", []int{len(of)}, func(i int) int64 { return w.d.Times[of[i]] })})
	}
	known := func(v int32) bool { return w.d.Labels.Class[v] >= 0 }
	if w.d.Labels.Class == nil || !slices.ContainsFunc(of, known) {
		return dict
	}
	return append(append(dict, w.labels(of)...), w.masks(of)...)
}

// labels returns the labels of nodes: −1, or NaN, for nodes without one.
func (w *geometricWriter) labels(of []int32) []codec.TorchEntry {
	l := w.d.Labels
	names := codec.TorchEntry{Key: "class_names", Value: l.Names}
	if l.Task == "" {
		return []codec.TorchEntry{{Key: "y",
			Value: tensorOf("i8", []int{len(of)}, func(i int) int64 { return int64(l.Class[of[i]]) })}, names}
	}
	shape, c := []int{len(of), len(l.Names)}, len(l.Names)
	if l.Task == dataset.Numbers {
		shape = shape[:1]
	}
	y := tensorOf("f4", shape, func(i int) float32 {
		if v := of[i/c]; l.Class[v] >= 0 {
			return float32(l.Values[int(v)*c+i%c])
		}
		return float32(math.NaN())
	})
	return []codec.TorchEntry{{Key: "y", Value: y}, names}
}

// masks returns a flag for every node and split.
func (w *geometricWriter) masks(of []int32) (dict []codec.TorchEntry) {
	splits := w.d.Splits
	if len(splits) == 0 {
		return nil
	}
	for k, name := range []string{"train_mask", "val_mask", "test_mask"} {
		in := make([]uint8, w.d.Graph.NumNodes()*len(splits))
		for s, split := range splits {
			for _, v := range [][]int32{split.Train, split.Valid, split.Test}[k] {
				in[int(v)*len(splits)+s] = 1
			}
		}
		shape := []int{len(of), len(splits)}
		if len(splits) == 1 {
			shape = shape[:1]
		}
		dict = append(dict, codec.TorchEntry{Key: name, Value: tensorOf("b1", shape, func(i int) uint8 {
			return in[int(of[i/len(splits)])*len(splits)+i%len(splits)]
		})})
	}
	return dict
}
