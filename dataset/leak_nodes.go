package dataset

import (
	"hash/maphash"
	"math"

	"github.com/bloomgml/bloom/mat"
)

// split checks split i of the nodes; of a fault that several splits have the first one is named.
func (w *warnings) split(d *Dataset, i int) {
	s := d.Splits[i]
	checks := []struct {
		kind  WarningKind
		count func(*Dataset, Split) int
		text  string
	}{
		{OverlappingParts, countOverlap, "%d nodes are in two parts of split %d"},
		{UnlabelledNodes, countUnlabelled, "%d nodes of split %d have no class"},
		{UntaughtClasses, countUntaught, "%d classes have no training node in split %d"},
		{FutureEdges, countFuture, "%d edges of split %d join a training node to a later one than all of them"},
		{EqualFeatures, countEqualFeatures, "%d test nodes of split %d have exactly the features of a training node"},
	}
	for _, c := range checks {
		if w.once(c.kind) {
			n := c.count(d, s)
			w.add(c.kind, n, c.text, n, i)
		}
	}
}

// countOverlap counts nodes that are in more than one part, or in one part twice.
func countOverlap(d *Dataset, s Split) int {
	seen := make([]uint8, d.Graph.NumNodes())
	n := 0
	for _, part := range [][]int32{s.Train, s.Valid, s.Test} {
		for _, v := range part {
			if seen[v]++; seen[v] == 2 {
				n++
			}
		}
	}
	return n
}

// countUnlabelled counts nodes of s without a class.
func countUnlabelled(d *Dataset, s Split) int {
	n := 0
	for _, part := range [][]int32{s.Train, s.Valid, s.Test} {
		for _, v := range part {
			if d.Labels.Class[v] < 0 {
				n++
			}
		}
	}
	return n
}

// countUntaught counts classes that no training node has.
func countUntaught(d *Dataset, s Split) int {
	taught := make([]bool, len(d.Labels.Names))
	n := len(taught)
	for _, v := range s.Train {
		if c := d.Labels.Class[v]; c >= 0 && !taught[c] {
			taught[c] = true
			n--
		}
	}
	return n
}

// countFuture counts the edges that join a training node to a node later than every training node.
// It is 0 where times are not known, and where the split is not one by time: where a node of the
// test is no later than one of the training nodes.
func countFuture(d *Dataset, s Split) int {
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

// countEqualFeatures counts test nodes whose feature row, not all zero, is that of a training node.
//
// Chosen: where fewer than half of the training rows differ from each other, features are a few
// categories, equal rows say nothing, and the count is 0.
func countEqualFeatures(d *Dataset, s Split) int {
	rows := rowsOfTypes(d)
	hasher := rowHasher{seed: maphash.MakeSeed()}
	train := make(map[uint64]bool, len(s.Train))
	withFeatures, equal := 0, 0
	for _, v := range s.Train {
		if h, ok := hasher.hash(d, rows, v); ok {
			train[h] = true
			withFeatures++
		}
	}
	if 2*len(train) < withFeatures {
		return 0
	}
	for _, v := range s.Test {
		if h, ok := hasher.hash(d, rows, v); ok && train[h] {
			equal++
		}
	}
	return equal
}

// rowsOfTypes gives for every node its row in the features of its type; nil where there is one
// type, the row then being the node.
func rowsOfTypes(d *Dataset) []int32 {
	types := d.Graph.NodeTypes()
	if types == nil {
		return nil
	}
	next, rows := make([]int32, d.Graph.NumTypes()), make([]int32, len(types))
	for v, t := range types {
		rows[v] = next[t]
		next[t]++
	}
	return rows
}

// rowHasher gives feature rows numbers by which they are recognised. 64 bits tell a million rows
// apart with probability 1 − 3·10⁻⁸.
type rowHasher struct {
	seed maphash.Seed
	row  []mat.Real
}

// hash is the number of the features of v, not ok where it has none but zeros.
func (r *rowHasher) hash(d *Dataset, rows []int32, v int32) (h uint64, ok bool) {
	t, i := int32(0), v
	if rows != nil {
		t, i = d.Graph.NodeTypes()[v], rows[v]
	}
	if int(t) >= len(d.Features) || d.Features[t].Cols == 0 {
		return 0, false
	}
	x := d.Features[t]
	if cap(r.row) < x.Cols {
		r.row = make([]mat.Real, x.Cols)
	}
	row := r.row[:x.Cols]
	x.Row(row, int(i))
	var sum maphash.Hash
	sum.SetSeed(r.seed)
	maphash.WriteComparable(&sum, t)
	for j, value := range row {
		if value != 0 {
			ok = true
			maphash.WriteComparable(&sum, j)
			maphash.WriteComparable(&sum, value)
		}
	}
	return sum.Sum64(), ok
}
