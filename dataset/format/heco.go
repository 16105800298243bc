package format

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/part"
)

// heco are typed graphs in the layout of HeCo (Wang et al., 2021), such as ACM and DBLP: a folder with
//
//	pa.txt         a relation: lines of an id of type p and an id of type a
//	p_feat.npz     features of type p, written by scipy.sparse.save_npz
//	labels.npy     classes of the target type
//	train_20.npy, val_20.npy, test_20.npy and the same for other numbers: ids of the target type
//
// Types and relations have the names of the files. The target type is the type with one row of features per label.
// Nodes are numbered type by type, the target first, then by the first relation that names them; their ids are as in
// the files, which start at 0 in every type. Edges are directed from the first column to the second.
var heco = part.Part[Reader]{Name: "a HeCo folder", Text: "HeCo folders", New: hecoReader{}}

type hecoReader struct{}

func (hecoReader) Match(path string, dir bool) bool {
	return dir && len(files.Glob(path, "labels.npy")) > 0 && len(files.Glob(path, "?_feat.npz")) > 0 &&
		len(files.Glob(path, "??.txt")) > 0
}

// Read reads a folder.
func (hecoReader) Read(dir string) (*dataset.Dataset, error) {
	dir, err := files.Named(dir)
	if err != nil {
		return nil, err
	}
	h := &hecoFolder{
		Builder: build.New(dir, filepath.Base(dir)), dir: dir,
		features: map[string]dataset.Matrix{}, size: map[string]int{}, first: map[string]int{},
	}
	labels, err := codec.ReadNPY(filepath.Join(dir, "labels.npy"), h.Budget)
	if err != nil {
		return nil, err
	}
	if err := h.ClassArray(labels); err != nil {
		return nil, err
	}
	for _, step := range []func() error{h.readFeatures, h.readRelations, h.number, h.readSplits, h.connect} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return h.Dataset, nil
}

// hecoFolder is what a folder holds, by the letters of types.
type hecoFolder struct {
	*build.Builder
	dir       string
	types     []string // the target first
	relations []*hecoRelation
	features  map[string]dataset.Matrix
	size      map[string]int // nodes of a type
	first     map[string]int // its first node
	nodes     int
}

// readFeatures reads the features of all types that have some and finds the target.
func (h *hecoFolder) readFeatures() error {
	targets := len(h.Labels.Class)
	for _, path := range files.Glob(h.dir, "?_feat.npz") {
		m, err := readSparse(path, h.Budget)
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
		return files.Errorf(h.dir,
			"%d types have %d rows of features, one for each label; exactly one must, the target",
			len(h.types), targets)
	}
	return nil
}

// readRelations reads the relations, which also name the other types.
func (h *hecoFolder) readRelations() error {
	for _, path := range files.Glob(h.dir, "??.txt") {
		r, err := readHecoRelation(path, h.Budget)
		if err != nil {
			return err
		}
		h.relations = append(h.relations, r)
		for side, name := range r.ends {
			if !slices.Contains(h.types, name) {
				h.types = append(h.types, name)
			}
			if m, ok := h.features[name]; ok && r.most[side] >= m.Rows {
				return files.Errorf(path, "names the %s %d, there are %d rows of features", name, r.most[side], m.Rows)
			}
			h.size[name] = max(h.size[name], r.most[side]+1)
		}
	}
	return nil
}

// hecoNodeBytes is the memory of a node: its id as a text, twice, and its type.
const hecoNodeBytes = 64

// number computes the first node of every type.
func (h *hecoFolder) number() error {
	for _, name := range h.types {
		h.first[name] = h.nodes
		h.nodes += h.size[name]
	}
	if err := h.Budget.Take(int64(h.nodes)*hecoNodeBytes, fmt.Sprintf("ids of %d nodes", h.nodes)); err != nil {
		return err
	}
	for name := range h.features {
		if !slices.Contains(h.types, name) {
			return files.Errorf(h.dir, "type %s has features but is in no relation", name)
		}
	}
	return nil
}

// connect assembles what was read.
func (h *hecoFolder) connect() error {
	spec := graph.Spec{Nodes: h.nodes, Relations: len(h.relations), Types: len(h.types),
		DropDuplicates: true}
	var ids []string
	var sizes []int
	for _, name := range h.types {
		ids, sizes = append(ids, build.Numbers(h.size[name])...), append(sizes, h.size[name])
		h.Features = append(h.Features, h.features[name])
	}
	for i, r := range h.relations {
		u, v := int32(h.first[r.ends[0]]), int32(h.first[r.ends[1]])
		for _, p := range r.pairs {
			spec.Triples = append(spec.Triples, graph.Triple{U: u + p[0], R: int32(i), V: v + p[1]})
		}
		h.Relations = append(h.Relations, r.name)
	}
	spec.NodeTypes, h.Types, h.IDs = build.Types(sizes...), h.types, dataset.NewIDs(ids)
	if err := h.Connect(spec); err != nil {
		return err
	}
	if n := h.Repeats(); n > 0 {
		h.Note("Dropped %d duplicate pairs.", n)
	}
	return nil
}
