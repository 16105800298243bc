package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
)

// A relation s counts as the inverse of r where for a share reversed of the triples (u,r,v) there
// is (v,s,u), and r has at least fewest triples to tell.
const (
	reversed = 0.8
	fewest   = 10
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
		w.add(InverseTriples, n, "%d of %d test triples are in the training graph the other way round%s", n,
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
		if m := total[rs[0]]; m >= fewest && float64(n) >= reversed*float64(m) {
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
		more = fmt.Sprintf(", and %d more are like that", len(names)-3)
		names = names[:3]
	}
	return ": " + strings.Join(names, ", ") + more
}
