package format

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// readNodes numbers the nodes of all types, and reads ids, times and labels.
func (r *geometricReader) readNodes() error {
	total := 0
	for _, s := range r.nodes {
		if s.n = r.count(s); s.n > 1<<31-2-total {
			return files.Errorf(r.File, "more than 2³¹ nodes")
		}
		s.first = total
		total += s.n
		if r.several {
			r.Types = append(r.Types, s.ends[1])
		}
	}
	if err := r.Budget.Take(int64(total)*64, fmt.Sprintf("%d nodes", total)); err != nil {
		return err
	}
	names := make([]string, 0, total)
	for _, s := range r.nodes {
		ids := s.texts("node_id")
		if ids != nil && len(ids) != s.n {
			return files.Errorf(r.File, "node_id of %d nodes, want %d", len(ids), s.n)
		}
		if ids == nil {
			ids = build.Numbers(s.n)
		}
		names = append(names, ids...)
	}
	r.IDs = dataset.NewIDs(names)
	r.Metric = "mrr"
	for _, s := range r.nodes {
		if y := s.array("y"); y != nil && r.labelled == nil {
			r.labelled = s
			if err := r.label(s, y); err != nil {
				return err
			}
		}
	}
	return r.readTimes(total)
}

// count returns the number of nodes of a type.
func (r *geometricReader) count(s *stored) int {
	if n, ok := s.of["num_nodes"].(int64); ok && n >= 0 {
		return int(min(n, 1<<31))
	}
	for _, name := range []string{"x", "y", "train_mask", "time"} {
		if a := s.array(name); a != nil && len(a.Shape) > 0 {
			return a.Shape[0]
		}
	}
	if ids := s.texts("node_id"); ids != nil {
		return len(ids)
	}
	n := int64(0) // as PyTorch Geometric guesses
	for _, e := range r.edges {
		a := e.array("edge_index")
		if a == nil || !a.Is(2, -1) {
			continue
		}
		ends, err := a.Ints()
		if err != nil {
			continue // it is reported with the edges
		}
		for k, v := range ends {
			if end := e.ends[2*(k/max(1, len(ends)/2))]; !r.several || end == s.ends[1] {
				n = max(n, v+1)
			}
		}
	}
	return int(min(n, 1<<31))
}

// readTimes reads the times of nodes, if all have one.
func (r *geometricReader) readTimes(total int) error {
	var times []int64
	for _, s := range r.nodes {
		a := s.array("time")
		if a == nil || !a.Is(s.n) || a.DType.Kind != codec.Int {
			s.used["time"] = false
			return nil
		}
		t, err := a.Ints()
		if err != nil {
			return err
		}
		times = append(times, t...)
	}
	if len(times) == total {
		r.Times = times
	}
	return nil
}

// label reads the labels y of the nodes of a type; others have none.
func (r *geometricReader) label(s *stored, y *codec.Array) error {
	if y.Is(s.n, 1) {
		y.Shape = y.Shape[:1]
	}
	l, n := dataset.Labels{}, s.first+s.n
	switch {
	case !y.Is(s.n) && !y.Is(s.n, -1):
		return y.Errorf(0, "labels of shape %v for %d nodes", y.Shape, s.n)
	case y.Is(s.n) && y.DType.Kind != codec.Float:
		if err := r.ClassArray(y); err != nil {
			return err
		}
		l = r.Labels
		if names := s.texts("class_names"); len(names) >= len(l.Names) {
			l.Names = names
		}
	default:
		l.Task, l.Names = dataset.Numbers, []string{"y"}
		if !y.Is(s.n) {
			l.Task, l.Names = dataset.Sets, build.Numbers(y.Shape[1])
		}
		if names := s.texts("class_names"); len(names) == len(l.Names) {
			l.Names = names
		}
		if err := readValues(&l, y, s.n); err != nil {
			return err
		}
		l.Values = append(make([]mat.Real, s.first*len(l.Names), n*len(l.Names)), l.Values...)
	}
	l.Class = append(slices.Repeat([]int32{-1}, s.first), l.Class...)
	r.Labels = l
	r.Metric = map[string]string{"": "accuracy", dataset.Numbers: "rmse", dataset.Sets: "micro_f1"}[l.Task]
	return nil
}

// readValues reads numbers, or sets as rows of 0 and 1, of n nodes; one that is NaN is unknown.
func readValues(l *dataset.Labels, y *codec.Array, n int) error {
	values, err := codec.Floats[mat.Real](y)
	if err != nil {
		return err
	}
	width := len(l.Names)
	l.Class = make([]int32, n)
	for i, x := range values {
		switch {
		case x != x:
			l.Class[i/width], values[i] = -1, 0
		case x-x != 0 || l.Task == dataset.Sets && x != 0 && x != 1:
			return y.Errorf(i, "the label %v of node %d is not finite, or not 0 or 1", x, i/width)
		}
	}
	l.Values = values
	return nil
}

func (r *geometricReader) readEdges() error {
	total := len(r.nodes) - 1
	spec := graph.Spec{Nodes: r.nodes[total].first + r.nodes[total].n}
	if r.several {
		sizes := make([]int, len(r.nodes))
		for i, s := range r.nodes {
			sizes[i] = s.n
		}
		spec.NodeTypes, spec.Types, spec.Relations = build.Types(sizes...), len(sizes), len(r.edges)
	}
	for i, s := range r.edges {
		if err := r.connect(&spec, int32(i), s); err != nil {
			return err
		}
		if r.several {
			r.Relations = append(r.Relations, r.relation(s))
		}
	}
	if !slices.ContainsFunc(spec.Weights, func(w mat.Real) bool { return w != 1 }) {
		spec.Weights = nil
	}
	if !r.several && spec.Relations == 0 && spec.Features.Cols == 0 && r.both(spec) {
		spec.Undirected, spec.DropDuplicates = true, true
	}
	m := len(spec.Triples)
	if err := r.Connect(spec); err != nil {
		return err
	}
	loops := 0
	for _, t := range r.Graph.Triples() {
		if t.U == t.V {
			loops++
		}
	}
	if again := m - 2*r.Graph.NumEdges() + loops; spec.Undirected && again > 0 {
		r.Note("%d edges repeat an earlier one and were dropped.", again)
	}
	return nil
}

// relation is the name of a type of edges, with those of its ends if that is not the only one.
func (r *geometricReader) relation(s *stored) string {
	for _, other := range r.edges {
		if other != s && other.ends[1] == s.ends[1] {
			return s.ends[0] + " " + s.ends[1] + " " + s.ends[2]
		}
	}
	return s.ends[1]
}

// connect adds the edges of a type.
func (r *geometricReader) connect(spec *graph.Spec, relation int32, s *stored) error {
	a := s.array("edge_index")
	if a == nil {
		return files.Errorf(r.File, "edges %q have no edge_index; torch_geometric.utils.to_edge_index "+
			"makes one of adj_t", s.ends[1])
	}
	if !a.Is(2, -1) {
		return a.Errorf(0, "an edge_index of shape %v, want 2×m", a.Shape)
	}
	ends, err := a.Ints()
	if err != nil {
		return err
	}
	m := a.Shape[1]
	if err := r.Budget.Take(int64(m)*16, fmt.Sprintf("%d edges", m)); err != nil {
		return err
	}
	source, target := r.nodes[0], r.nodes[0]
	if r.several {
		if source, target = r.typeOf(s.ends[0]), r.typeOf(s.ends[2]); source == nil || target == nil {
			return files.Errorf(r.File, "edges %q lead to or from a node type that the file does not have", s.ends)
		}
	}
	for i := range m {
		u, v := ends[i], ends[m+i]
		if u < 0 || v < 0 || u >= int64(source.n) || v >= int64(target.n) {
			return a.Errorf(i, "edge %d goes from %d to %d, there are %d and %d nodes", i, u, v, source.n, target.n)
		}
		spec.Triples = append(spec.Triples, graph.Triple{U: int32(u) + int32(source.first), R: relation,
			V: int32(v) + int32(target.first)})
	}
	return r.edgeValues(spec, s, m)
}

// typeOf is a type of nodes by its name, nil if there is none.
func (r *geometricReader) typeOf(name string) *stored {
	for _, s := range r.nodes {
		if s.ends[1] == name {
			return s
		}
	}
	return nil
}

// edgeValues reads weights, features and relations of the m edges of a type, the last of spec.
func (r *geometricReader) edgeValues(spec *graph.Spec, s *stored, m int) error {
	weight, attr := s.array("edge_weight"), s.array("edge_attr")
	if weight == nil && attr != nil && (attr.Is(m) || attr.Is(m, 1)) {
		values, err := codec.Floats[mat.Real](attr)
		if err == nil && !slices.ContainsFunc(values, func(x mat.Real) bool { return !(x >= 0 && x-x == 0) }) {
			weight, attr = attr, nil
		}
	}
	weights := slices.Repeat([]mat.Real{1}, m)
	if weight != nil {
		if !weight.Is(m) && !weight.Is(m, 1) {
			return weight.Errorf(0, "weights of shape %v for %d edges", weight.Shape, m)
		}
		var err error
		if weights, err = codec.Floats[mat.Real](weight); err != nil {
			return err
		}
	}
	spec.Weights = append(spec.Weights, weights...)
	if attr != nil && !r.several && m > 0 && (attr.Is(m) || attr.Is(m, -1)) {
		values, err := codec.Floats[mat.Real](attr)
		if err != nil {
			return err
		}
		spec.Features = graph.Features{Cols: len(values) / m, Values: values}
	} else if attr != nil {
		s.used["edge_attr"] = false
	}
	types := s.array("edge_type")
	if types == nil || r.several || !types.Is(m) {
		s.used["edge_type"] = false
		return nil
	}
	relations, err := types.Ints()
	if err != nil {
		return err
	}
	for i, x := range relations {
		if x < 0 || x >= int64(m) {
			return types.Errorf(i, "the edge type %d, want one from 0 to below the number of edges", x)
		}
		spec.Triples[i].R = int32(x)
		spec.Relations = max(spec.Relations, int(x)+1)
	}
	r.Relations = build.Numbers(spec.Relations)
	if names := s.texts("relation_names"); len(names) >= spec.Relations {
		r.Relations, spec.Relations = names, len(names)
	}
	return nil
}

// readHeld reads the links to validate and test on, which are not edges of the graph.
func (r *geometricReader) readHeld() error {
	if r.several {
		return nil
	}
	s := r.edges[0]
	for name, links := range map[string]*[]graph.Triple{"val_": &r.Valid, "test_": &r.Test} {
		held := &stored{ends: s.ends, of: map[string]any{"edge_index": s.of[name+"edge_index"],
			"edge_type": s.of[name+"edge_type"], "relation_names": s.of["relation_names"]}, used: map[string]bool{}}
		if s.array(name+"edge_index") == nil {
			continue
		}
		s.array(name + "edge_type")
		spec := graph.Spec{}
		relations := r.Relations
		if err := r.connect(&spec, 0, held); err != nil {
			return err
		}
		if r.Relations = relations; spec.Relations > r.Graph.NumRelations() {
			return files.Errorf(r.File, "%sedge_type has relations that no edge has", name)
		}
		*links = spec.Triples
	}
	return nil
}

// both reports whether every edge is there in both directions, equally often and with equal weights.
func (r *geometricReader) both(spec graph.Spec) bool {
	type edge struct {
		ends   uint64
		weight mat.Real
	}
	order := func(a, b edge) int { return cmp.Or(cmp.Compare(a.ends, b.ends), cmp.Compare(a.weight, b.weight)) }
	if r.Budget.Take(int64(len(spec.Triples))*32, "the directions of edges") != nil {
		return false
	}
	there, back := make([]edge, len(spec.Triples)), make([]edge, len(spec.Triples))
	for i, t := range spec.Triples {
		w := mat.Real(1)
		if spec.Weights != nil {
			w = spec.Weights[i]
		}
		there[i], back[i] = edge{uint64(t.U)<<32 | uint64(t.V), w}, edge{uint64(t.V)<<32 | uint64(t.U), w}
	}
	slices.SortFunc(there, order)
	slices.SortFunc(back, order)
	return slices.Equal(there, back)
}

// readSplits reads the masks of the labelled nodes.
func (r *geometricReader) readSplits() error {
	s := r.labelled
	if s == nil {
		return nil
	}
	var parts [3][][]int32
	for i, name := range []string{"train_mask", "val_mask", "test_mask"} {
		a := s.array(name)
		if a == nil {
			continue
		}
		a, err := columnsFirst(a, r.File)
		if err != nil {
			return err
		}
		if parts[i], err = flagged(a, s.n); err != nil {
			return err
		}
		for _, nodes := range parts[i] {
			for k := range nodes {
				nodes[k] += int32(s.first)
			}
		}
	}
	for k := range parts[0] {
		of := [3][]int32{}
		for i := range parts {
			if k < len(parts[i]) {
				of[i] = parts[i][k]
			}
		}
		if err := r.SplitOnce(r.File, of[0], of[1], of[2]); err != nil {
			return err
		}
	}
	return nil
}

// columnsFirst turns n×s into s×n.
func columnsFirst(a *codec.Array, file string) (*codec.Array, error) {
	if len(a.Shape) != 2 {
		return a, nil
	}
	return codec.NewArray(file, 0, a.DType, []int{a.Shape[1], a.Shape[0]}, true, a.Data, nil)
}

// readFeatures reads x of every type, and notes what was left out.
func (r *geometricReader) readFeatures() error {
	for _, s := range r.nodes {
		var m dataset.Matrix
		if a := s.array("x"); a != nil {
			var err error
			if m, err = featuresOf(a, s.n); err != nil {
				return err
			}
		}
		r.Features = append(r.Features, m)
	}
	for _, s := range slices.Concat(r.nodes, r.edges) {
		for _, name := range s.names {
			if !s.used[name] {
				s.used[name] = true
				r.Note("Attribute %q of %q was left out.", name, s.ends[1])
			}
		}
	}
	return nil
}
