package build

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
)

// ByType returns d with every relation split by the types of the two ends of its edges, as HALO reads RDF: u –r→ v has
// the relation (type of u, r, type of v). Relations are ordered by r and then by their first edge, and named
//
//	author: Publikationen → Personen
//
// Where nodes have one type they are told apart by their names: literals, blank nodes, and IRIs up to the local name
// with the small letters before its first digit, so that …#bond12 and …#d9_10 are of two types.
//
// Deviation: the graphs of HALO lack statements about blank nodes and IRIs of other ontologies, which stay here.
func ByType(d *dataset.Dataset) (*dataset.Dataset, error) {
	kind, kinds := typesOf(d)
	split := map[graph.Triple]int32{} // (type, r, type) to the new relation
	triples := d.Graph.Triples()
	var order []graph.Triple
	for _, e := range triples {
		k := graph.Triple{U: kind[e.U], R: e.R, V: kind[e.V]}
		if _, known := split[k]; !known {
			split[k] = 0
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(a, b graph.Triple) int { return int(a.R - b.R) })
	out := *d
	out.Relations = nil
	for i, k := range order {
		split[k] = int32(i)
		out.Relations = append(out.Relations, fmt.Sprintf("%s: %s → %s", d.Relations[k.R], kinds[k.U], kinds[k.V]))
	}
	for i, e := range triples {
		triples[i].R = split[graph.Triple{U: kind[e.U], R: e.R, V: kind[e.V]}]
	}
	var err error
	out.Graph, err = graph.Build(graph.Spec{Nodes: d.Graph.NumNodes(), Relations: len(order), Triples: triples,
		Weights: d.Graph.Weights(), Features: d.Graph.Features(), NodeTypes: d.Graph.NodeTypes(),
		Types: d.Graph.NumTypes(), Undirected: d.Graph.Undirected()})
	return &out, err
}

// typesOf returns the type of every node, and the names of types.
func typesOf(d *dataset.Dataset) (kind []int32, kinds []string) {
	if kind = d.Graph.NodeTypes(); kind != nil {
		return kind, d.Types
	}
	known := map[string]int32{}
	kind = make([]int32, d.Graph.NumNodes())
	for v := range kind {
		name := kindOf(d.IDs.At(int32(v)))
		k, ok := known[name]
		if !ok {
			k = int32(len(kinds))
			known[name], kinds = k, append(kinds, name)
		}
		kind[v] = k
	}
	return kind, kinds
}

// kindOf returns the type that the name of a node implies.
func kindOf(id string) string {
	switch {
	case strings.HasPrefix(id, `"`):
		return "literal"
	case strings.HasPrefix(id, "_:"):
		return "blank"
	}
	at := strings.LastIndexAny(id, "/#") + 1
	local := id[at:]
	digit := strings.IndexAny(local, "0123456789")
	if digit <= 0 || strings.TrimLeft(local[:digit], "abcdefghijklmnopqrstuvwxyz") != "" {
		digit = 0
	}
	return id[:at] + local[:digit]
}
