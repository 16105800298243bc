package audit

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// The kinds of warnings. The first six are leaks: a test that is easier than it seems. The others are tests that
// cannot be passed.
const (
	repeatedTriples  = "repeated_triples"  // a triple of one part is in another
	InverseTriples   = "inverse_triples"   // a test triple is in the training graph the other way round
	sharedEntities   = "shared_entities"   // an entity of the twin is in the training graph
	overlappingParts = "overlapping_parts" // a node is in two parts of a split
	equalFeatures    = "equal_features"    // a test node has the features of a training node
	futureEdges      = "future_edges"      // a time split trains on edges to later nodes
	UnseenEntities   = "unseen_entities"   // a test triple names an entity that is not in the training graph
	unlabelledNodes  = "unlabelled_nodes"  // a node of a split has no class
	untaughtClasses  = "untaught_classes"  // a class has no training node
)

// Warning is something that a reader of results should know.
type Warning struct {
	Kind  string `json:"kind"` // such as InverseTriples
	Count int    `json:"count"`
	Text  string `json:"text"` // one sentence
}

// warnings is a list to which its methods, the checks, append.
type warnings []Warning

// add appends a warning about count things, unless count is 0.
func (w *warnings) add(kind string, count int, format string, args ...any) {
	if count > 0 {
		*w = append(*w, Warning{kind, count, fmt.Sprintf(format, args...)})
	}
}

// splits checks all splits of the nodes; if several have the same fault, the warning names the first.
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
			"%d edges of split %d join a training node to a node that is later than all of them"},
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

// countFuture counts the edges that join a training node to a node later than every training node. It returns 0 if
// times are not known, and if the split is not by time: if some test node is not later than some training node.
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

// A relation s counts as the inverse of r where for a share reversed of the triples (u,r,v) there
// is (v,s,u), and r has at least fewest triples to tell.
const (
	describeReversed = 0.8
	describeFewest   = 10
)

// triples checks the parts of a link set.
func (w *warnings) triples(d *dataset.Dataset) {
	g := d.Graph
	train, valid := graph.NewTripleSet(g.Undirected(), g.Triples()), graph.NewTripleSet(g.Undirected(), d.Valid)
	n := countIn(d.Valid, train) + countIn(d.Test, train) + countIn(d.Test, valid)
	w.add(repeatedTriples, n, "%d triples of validation and test are also in an earlier part", n)
	w.inverses(d)
	degree := g.Degrees(graph.Either)
	n = 0
	for _, t := range d.Test {
		if degree[t.U] == 0 || degree[t.V] == 0 {
			n++
		}
	}
	w.add(UnseenEntities, n, "%d of %d test triples name an entity that is not in the training graph", n, len(d.Test))
	if d.Twin != nil {
		n = countShared(d, d.Twin)
		w.add(sharedEntities, n, "%d entities of the twin are also in the training graph", n)
	}
}

// countIn counts the triples that are in a set.
func countIn(triples []graph.Triple, set *graph.TripleSet) int {
	n := 0
	for _, t := range triples {
		if set.Has(t) {
			n++
		}
	}
	return n
}

// countShared counts the ids of twin that d has too; numbers, which stand in for ids, are not
// compared.
func countShared(d, twin *dataset.Dataset) int {
	if d.IDs.Ends == nil || twin.IDs.Ends == nil {
		return 0
	}
	n := 0
	for v := range twin.Graph.NumNodes() {
		if len(d.IDs.Find(twin.IDs.At(int32(v)), d.Graph.NumNodes())) > 0 {
			n++
		}
	}
	return n
}

// inverses warns of test triples (u,r,v) that can be read off the training graph because it holds
// (v,s,u) and s is r itself or the inverse of r. It is how models without any reasoning did well on FB15k
// and WN18 (Toutanova and Chen 2015).
//
// Chosen: fewer than one test triple in a hundred is not worth a warning.
func (w *warnings) inverses(d *dataset.Dataset) {
	if d.Graph.Undirected() {
		return
	}
	between := relationsBetween(d.Graph)
	inverse := findInverses(d.Graph, between)
	n := 0
	for _, t := range d.Test {
		if t.U != t.V && slices.ContainsFunc(between[[2]int32{t.V, t.U}], func(s int32) bool {
			return s == t.R || slices.Contains(inverse[t.R], s)
		}) {
			n++
		}
	}
	if n > 0 && 100*n >= len(d.Test) {
		w.add(InverseTriples, n, "%d of %d test triples are in the graph with head and tail swapped%s", n,
			len(d.Test), nameInverses(d, inverse))
	}
}

// relationsBetween lists for every ordered pair of nodes the relations from the first to the second.
func relationsBetween(g *graph.Graph) map[[2]int32][]int32 {
	between := make(map[[2]int32][]int32, g.NumEdges())
	rel, to := g.Relations(), g.Targets()
	for e, u := range g.Sources() {
		pair := [2]int32{u, to[e]}
		if !slices.Contains(between[pair], rel[e]) {
			between[pair] = append(between[pair], rel[e])
		}
	}
	return between
}

// findInverses lists for every relation those that repeat it the other way round; a symmetric one
// repeats itself. Self loops say nothing.
func findInverses(g *graph.Graph, between map[[2]int32][]int32) map[int32][]int32 {
	total, back := make([]int, g.NumRelations()), map[[2]int32]int{}
	for pair, relations := range between {
		if pair[0] == pair[1] {
			continue
		}
		for _, r := range relations {
			total[r]++
			for _, s := range between[[2]int32{pair[1], pair[0]}] {
				back[[2]int32{r, s}]++
			}
		}
	}
	inverse := map[int32][]int32{}
	for rs, n := range back {
		if m := total[rs[0]]; m >= describeFewest && float64(n) >= describeReversed*float64(m) {
			inverse[rs[0]] = append(inverse[rs[0]], rs[1])
		}
	}
	return inverse
}

// nameInverses names up to three relations with their inverses for the end of a sentence.
func nameInverses(d *dataset.Dataset, inverse map[int32][]int32) string {
	var names []string
	for r := range int32(d.Graph.NumRelations()) {
		slices.Sort(inverse[r])
		for _, s := range inverse[r] {
			switch {
			case s == r:
				names = append(names, fmt.Sprintf("%s is symmetric", d.RelationName(r)))
			case s > r || !slices.Contains(inverse[s], r): // else it was named with s
				names = append(names, fmt.Sprintf("%s turns %s round", d.RelationName(s), d.RelationName(r)))
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	more := ""
	if len(names) > 3 {
		more = fmt.Sprintf(", and %d more", len(names)-3)
		names = names[:3]
	}
	return ": " + strings.Join(names, ", ") + more
}
