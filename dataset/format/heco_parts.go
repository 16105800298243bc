package format

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/internal/files"
)

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
