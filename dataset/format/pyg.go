package format

import (
	"archive/zip"
	"path/filepath"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/part"
)

// geometric is a graph of PyTorch Geometric as torch.save writes it, in a file .pt or .pth: a Data, a HeteroData, what
// to_dict makes of them, or data.pt of an InMemoryDataset that holds one graph. Nothing of the file is run. What is
// read, for every type of nodes and of edges:
//
//	x                                n×d, or n numbers: features
//	y                                n whole numbers: classes, −1 for none; n numbers; or n×c of 0 and 1: sets
//	train_mask, val_mask, test_mask  n flags, or n×s for s splits
//	time                             n whole numbers
//	node_id, class_names             lists of texts: ids, names of classes; numbers from 0 without them
//	edge_index                       2×m
//	edge_weight                      m numbers from 0: weights, as is an edge_attr of one such column
//	edge_attr                        m×d: features of edges
//	edge_type                        m whole numbers: relations, by relation_names if there is such a list
//	val_edge_index, test_edge_index  links to validate and test on, with val_edge_type and test_edge_type
//
// A graph with one type of nodes and of edges is undirected if every edge is there in both directions, alike.
var geometric = part.Part[Reader]{Name: "a graph of PyTorch Geometric", Text: "PyG .pt", New: geometricFile{}}

type geometricFile struct{}

// Match looks for the archive of torch.save.
func (geometricFile) Match(path string, dir bool) bool {
	if end := filepath.Ext(path); dir || end != ".pt" && end != ".pth" {
		return false
	}
	z, err := zip.OpenReader(path)
	if err != nil {
		return true // reading reports what is wrong with it
	}
	defer z.Close()
	return codec.IsTorch(&z.Reader)
}

func (geometricFile) Read(path string) (*dataset.Dataset, error) {
	r := &geometricReader{Builder: build.New(path, nameOf(path))}
	v, err := codec.ReadTorch(path, r.Budget)
	if err != nil {
		return nil, err
	}
	for _, step := range []func() error{
		func() error { return r.find(v) }, r.readNodes, r.readEdges, r.readHeld, r.readSplits, r.readFeatures} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r.Dataset, nil
}

// stored are the attributes of a type of nodes or of edges.
type stored struct {
	ends  [3]string // source, relation and target, for edges; else the name in the middle
	names []string
	of    map[string]any
	used  map[string]bool
	first int // of its nodes
	n     int
}

// array returns an attribute that is a tensor, nil if it is none.
func (s *stored) array(name string) *codec.Array {
	a, _ := s.of[name].(*codec.Array)
	s.used[name] = a != nil
	return a
}

// texts returns an attribute that is a list of texts, nil if it is none.
func (s *stored) texts(name string) []string {
	list, ok := s.of[name].(*codec.List)
	if !ok {
		return nil
	}
	var texts []string
	for _, v := range list.Items {
		text, ok := v.(string)
		if !ok {
			return nil
		}
		texts = append(texts, text)
	}
	s.used[name] = true
	return texts
}

type geometricReader struct {
	*build.Builder
	nodes, edges []*stored
	several      bool // types of nodes or of edges
	labelled     *stored
}

// find finds the attributes.
func (r *geometricReader) find(v any) error {
	if t, ok := v.(codec.Tuple); ok && len(t) > 1 { // data.pt: the graphs end to end, and where each begins
		if n := graphsOf(t[1]); n != 1 {
			return files.Errorf(r.File, "holds %d graphs, and bloom learns from one; "+
				"torch.save(dataset[0], NAME) writes it", n)
		}
		v = t[0]
	}
	dict := stateOf(v)
	if dict == nil {
		return files.Errorf(r.File, "holds no Data, HeteroData or dict of tensors of PyTorch Geometric; "+
			"torch.save(data.to_dict(), NAME) writes one")
	}
	if nodes := stateOf(dict.Get("_node_store_dict")); nodes != nil {
		r.several = true
		r.addStores(nodes)
		if edges := stateOf(dict.Get("_edge_store_dict")); edges != nil {
			r.addStores(edges)
		}
	} else if store := stateOf(dict.Get("_store")); store != nil {
		r.add(any("node"), store)
	} else {
		for i := range dict.Keys {
			_, isTuple := dict.Keys[i].(codec.Tuple)
			r.several = r.several || isTuple
		}
		if r.several {
			r.addStores(dict)
		} else {
			r.add(any("node"), dict)
		}
	}
	if !r.several {
		r.edges = r.nodes
	}
	if len(r.nodes) == 0 || len(r.edges) == 0 {
		return files.Errorf(r.File, "a graph without nodes or edges")
	}
	return nil
}

// graphsOf returns the number of graphs that slices cut; None means that there is one.
func graphsOf(slices any) int {
	n := 1
	if dict, ok := slices.(*codec.Dict); ok {
		for _, v := range dict.Values {
			if a, ok := v.(*codec.Array); ok {
				n = max(n, a.Len()-1)
			}
		}
	}
	return n
}

// stateOf returns the dict of a value: of an object its state, of a storage in it the attributes.
func stateOf(v any) *codec.Dict {
	if object, ok := v.(*codec.Object); ok {
		v = object.State
	}
	dict, _ := v.(*codec.Dict)
	if dict != nil {
		if mapping, ok := dict.Get("_mapping").(*codec.Dict); ok {
			return mapping
		}
	}
	return dict
}

// addStores adds every type of a dict: names are types of nodes, triples of names types of edges.
func (r *geometricReader) addStores(dict *codec.Dict) {
	for i, key := range dict.Keys {
		if store := stateOf(dict.Values[i]); store != nil && key != any("_global_store") {
			r.add(key, store)
		}
	}
}

func (r *geometricReader) add(key any, attributes *codec.Dict) {
	s := &stored{of: map[string]any{}, used: map[string]bool{"num_nodes": true}}
	for i, k := range attributes.Keys {
		name, ok := k.(string)
		if ok && attributes.Values[i] != nil && !strings.HasPrefix(name, "_") && s.of[name] == nil {
			s.names = append(s.names, name)
			s.of[name] = attributes.Values[i]
		}
	}
	switch key := key.(type) {
	case string:
		s.ends[1] = key
		r.nodes = append(r.nodes, s)
	case codec.Tuple:
		for k := range min(3, len(key)) {
			s.ends[k], _ = key[k].(string)
		}
		r.edges = append(r.edges, s)
	}
}
