package analysis

import (
	"math"
	"slices"
	"sync"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// splits checks all splits of the nodes; of a fault that several have the first one is named.
func (w *warnings) splits(d *dataset.Dataset) {
	rows := sync.OnceValue(func() []uint64 { return hashFeatures(d) })
	parts := func(s dataset.Split) []int32 { return slices.Concat(s.Train, s.Valid, s.Test) }
	checks := []struct {
		kind  string
		count func(dataset.Split) int
		text  string
	}{
		{overlappingParts, func(s dataset.Split) (n int) { // in more than one part, or in one twice
			seen := make([]uint8, d.Graph.NumNodes())
			for _, v := range parts(s) {
				if seen[v]++; seen[v] == 2 {
					n++
				}
			}
			return n
		}, "%d nodes are in two parts of split %d"},
		{unlabelledNodes, func(s dataset.Split) (n int) {
			for _, v := range parts(s) {
				if d.Labels.Class[v] < 0 {
					n++
				}
			}
			return n
		}, "%d nodes of split %d have no class"},
		{untaughtClasses, func(s dataset.Split) int {
			taught := map[int32]bool{}
			for _, v := range s.Train {
				if c := d.Labels.Class[v]; c >= 0 {
					taught[c] = true
				}
			}
			return len(d.Labels.Names) - len(taught)
		}, "%d classes have no training node in split %d"},
		{futureEdges, func(s dataset.Split) int { return countFuture(d, s) },
			"%d edges of split %d join a training node to a later one than all of them"},
		{equalFeatures, func(s dataset.Split) int { return countEqual(rows(), s) },
			"%d test nodes of split %d have exactly the features of a training node"},
	}
	for _, c := range checks {
		for i, s := range d.Splits {
			if n := c.count(s); n > 0 {
				w.add(c.kind, n, c.text, n, i)
				break
			}
		}
	}
}

// countFuture counts the edges that join a training node to a node later than every training node.
// It is 0 where times are not known, and where the split is not one by time: where a node of the
// test is no later than one of the training nodes.
func countFuture(d *dataset.Dataset, s dataset.Split) int {
	if d.Times == nil || len(s.Train) == 0 || len(s.Test) == 0 {
		return 0
	}
	train, last := make([]bool, d.Graph.NumNodes()), int64(math.MinInt64)
	for _, v := range s.Train {
		train[v], last = true, max(last, d.Times[v])
	}
	for _, v := range s.Test {
		if d.Times[v] <= last {
			return 0
		}
	}
	n, to := 0, d.Graph.Targets()
	for e, u := range d.Graph.Sources() {
		if v := to[e]; train[u] && d.Times[v] > last || train[v] && d.Times[u] > last {
			n++
		}
	}
	return n
}

// countEqual counts test nodes whose feature row, not all zero, equals the row of a training node, rows
// being recognised by the numbers that hashFeatures gives them.
//
// Chosen: where fewer than half of the training rows differ from each other, features are a few
// categories, equal rows say nothing, and the count is 0.
func countEqual(rows []uint64, s dataset.Split) int {
	train := make(map[uint64]bool, len(s.Train))
	withFeatures, equal := 0, 0
	for _, v := range s.Train {
		if rows[v] != 0 {
			train[rows[v]] = true
			withFeatures++
		}
	}
	if 2*len(train) < withFeatures {
		return 0
	}
	for _, v := range s.Test {
		if rows[v] != 0 && train[rows[v]] {
			equal++
		}
	}
	return equal
}

// hashFeatures gives every node a number that is equal for equal feature rows of one type, and 0
// for a row of zeros or none. 63 bits tell a million rows apart with probability 1 − 6·10⁻⁸.
func hashFeatures(d *dataset.Dataset) []uint64 {
	hashes := make([]uint64, d.Graph.NumNodes())
	for t, x := range d.Features {
		if x.Cols == 0 {
			continue
		}
		for row, v := range d.Graph.NodesOfType(int32(t)) {
			for column, value := range x.Entries(row) {
				if value != 0 {
					hashes[v] = mat.Mix(hashes[v]^math.Float64bits(float64(value)), uint64(column)<<16|uint64(t)) | 1
				}
			}
		}
	}
	return hashes
}
