package format

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/internal/build"
	"github.com/bloomgml/bloom/dataset/internal/textfile"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/npy"
)

// heco are typed graphs in the layout of HeCo (Wang et al., 2021), such as ACM and DBLP: a folder with
//
//	pa.txt         a relation: lines of an id of type p and an id of type a
//	p_feat.npz     features of type p, written by scipy.sparse.save_npz
//	labels.npy     classes of the target type
//	train_20.npy, val_20.npy, test_20.npy and the same for other numbers: ids of the target type
//
// Types and relations are called as in the names of the files. The target type is the one that has
// as many rows of features as there are labels. Nodes are numbered type by type, the target first,
// then by the first relation that names them; their ids are those of the files, which start at 0 in
// every type. Edges are directed from the first column to the second.
var heco = format{
	name: "a HeCo folder",
	match: func(path string, dir bool) bool {
		return dir && len(textfile.Glob(path, "labels.npy")) > 0 && len(textfile.Glob(path, "?_feat.npz")) > 0 && len(textfile.Glob(path, "??.txt")) > 0
	},
	read: readHeco,
}

// hecoFolder is what a folder holds, by the letters of types.
type hecoFolder struct {
	dir       string
	types     []string // the target first
	relations []*hecoRelation
	features  map[string]dataset.Matrix
	size      map[string]int // nodes of a type
	first     map[string]int // its first node
	nodes     int
}

// readHeco reads a folder.
func readHeco(dir string) (*dataset.Dataset, error) {
	dir, err := textfile.Named(dir)
	if err != nil {
		return nil, err
	}
	h := &hecoFolder{dir: dir, features: map[string]dataset.Matrix{}, size: map[string]int{}, first: map[string]int{}}
	d := &dataset.Dataset{Name: filepath.Base(dir), Metric: "accuracy"}
	labels, err := npy.Read(filepath.Join(dir, "labels.npy"), npy.Options{})
	if err != nil {
		return nil, err
	}
	if d.Labels, err = build.NumberedClasses(labels); err != nil {
		return nil, err
	}
	targets := len(d.Labels.Class)
	if err := h.readFeatures(targets); err != nil {
		return nil, err
	}
	if err := h.readRelations(); err != nil {
		return nil, err
	}
	if err := h.number(); err != nil {
		return nil, err
	}
	if d.Splits, err = readHecoSplits(dir, d.Labels.Class); err != nil {
		return nil, err
	}
	return d, h.fill(d)
}

// readFeatures reads the features of all types that have some and finds the target.
func (h *hecoFolder) readFeatures(targets int) error {
	for _, path := range textfile.Glob(h.dir, "?_feat.npz") {
		m, err := readSparse(path)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(filepath.Base(path), "_feat.npz")
		h.features[name], h.size[name] = m, m.Rows
		if m.Rows == targets {
			h.types = append(h.types, name)
		}
	}
	if len(h.types) != 1 {
		return fileerr.In(h.dir, "%d types have %d rows of features, as many as there are labels; one must, the target", len(h.types), targets)
	}
	return nil
}

// readRelations reads the relations and so finds the other types.
func (h *hecoFolder) readRelations() error {
	for _, path := range textfile.Glob(h.dir, "??.txt") {
		r, err := readHecoRelation(path)
		if err != nil {
			return err
		}
		h.relations = append(h.relations, r)
		for side, name := range r.ends {
			if !slices.Contains(h.types, name) {
				h.types = append(h.types, name)
			}
			if m, ok := h.features[name]; ok && r.most[side] >= m.Rows {
				return fileerr.In(path, "names the %s %d, there are %d rows of features", name, r.most[side], m.Rows)
			}
			h.size[name] = max(h.size[name], r.most[side]+1)
		}
	}
	return nil
}

// number gives every type its first node.
func (h *hecoFolder) number() error {
	for _, name := range h.types {
		h.first[name] = h.nodes
		h.nodes += h.size[name]
	}
	for name := range h.features {
		if !slices.Contains(h.types, name) {
			return fileerr.In(h.dir, "type %s has features but is in no relation", name)
		}
	}
	return nil
}

// fill puts together what was read.
func (h *hecoFolder) fill(d *dataset.Dataset) error {
	spec := graph.Spec{Nodes: h.nodes, Relations: len(h.relations), Types: len(h.types), Duplicates: graph.DropDuplicates}
	var ids []string
	for t, name := range h.types {
		spec.NodeTypes = append(spec.NodeTypes, slices.Repeat([]int32{int32(t)}, h.size[name])...)
		ids = append(ids, build.Numbers(h.size[name])...)
		d.Features = append(d.Features, h.features[name])
	}
	for i, r := range h.relations {
		u, v := int32(h.first[r.ends[0]]), int32(h.first[r.ends[1]])
		for _, p := range r.pairs {
			spec.Triples = append(spec.Triples, graph.Triple{U: u + p[0], R: int32(i), V: v + p[1]})
		}
		d.Relations = append(d.Relations, r.name)
	}
	g, err := graph.Build(spec)
	if err != nil {
		return fileerr.Because(h.dir, err)
	}
	if n := g.Report().Duplicates; n > 0 {
		build.Note(d, "Dropped %d pairs that were there already.", n)
	}
	d.Graph, d.Types, d.IDs = g, h.types, dataset.NewIDs(ids)
	d.Labels.Class = append(d.Labels.Class, slices.Repeat([]int32{-1}, h.nodes-len(d.Labels.Class))...)
	return nil
}
