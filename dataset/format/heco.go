package format

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
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
	spec := graph.Spec{Nodes: h.nodes, Relations: len(h.relations), Types: len(h.types), DropDuplicates: true}
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

// hecoRelation is a file of pairs.
type hecoRelation struct {
	name  string
	ends  [2]string // the types of the two columns
	pairs [][2]int32
	most  [2]int // the largest id of each column, −1 for none
}

// readHecoRelation reads a file of pairs such as pa.txt. Ids count from 0 and nothing else says how many nodes a type
// has. An id must not be beyond 1000 and 64 times the number of pairs, so an absurd id cannot request memory.
func readHecoRelation(path string, b *files.Budget) (*hecoRelation, error) {
	r := &hecoRelation{name: strings.TrimSuffix(filepath.Base(path), ".txt"), most: [2]int{-1, -1}}
	letters := []rune(r.name)
	r.ends = [2]string{string(letters[0]), string(letters[1])}
	var pair [2]int32
	err := files.ScanIDs(path, b, pair[:], func(int) (err error) {
		r.pairs, err = files.Append(b, r.pairs, "pairs", pair)
		for side, id := range pair {
			r.most[side] = max(r.most[side], int(id))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if limit := 1000 + 64*len(r.pairs); max(r.most[0], r.most[1]) > limit {
		return nil, files.Errorf(path, "has an id %d in %d pairs; ids are numbered from 0 without large gaps",
			max(r.most[0], r.most[1]), len(r.pairs))
	}
	return r, nil
}

// readSplits reads train_K.npy, val_K.npy and test_K.npy for every K, in order of K, the number of training nodes per
// class.
func (h *hecoFolder) readSplits() error {
	var sizes []string
	for _, path := range files.Glob(h.dir, "train_*.npy") {
		size := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "train_"), ".npy")
		if _, err := strconv.ParseUint(size, 10, 31); err != nil {
			return files.Errorf(path, "%q in its name is not a number of nodes per class", size)
		}
		sizes = append(sizes, size)
	}
	slices.SortFunc(sizes, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	for _, size := range sizes {
		var parts [3][]int32
		for i, name := range []string{"train_", "val_", "test_"} {
			var err error
			if parts[i], err = h.readNodes(filepath.Join(h.dir, name+size+".npy")); err != nil {
				return err
			}
		}
		if err := h.SplitOnce(filepath.Join(h.dir, "train_"+size+".npy"), parts[0], parts[1], parts[2]); err != nil {
			return err
		}
	}
	return nil
}

// readNodes reads a vector of target nodes and sorts them.
func (h *hecoFolder) readNodes(path string) ([]int32, error) {
	n := len(h.Labels.Class)
	a, err := codec.ReadNPY(path, h.Budget)
	if err != nil {
		return nil, err
	}
	ids, err := a.Ints()
	if err != nil {
		return nil, err
	}
	nodes := make([]int32, len(ids))
	for i, v := range ids {
		if v < 0 || v >= int64(n) {
			return nil, a.Errorf(i, "node %d of a split is not one of %d", v, n)
		}
		nodes[i] = int32(v)
	}
	slices.Sort(nodes)
	return nodes, nil
}
