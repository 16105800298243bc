package main

import (
	"math"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// heldOut is a knowledge graph some of whose entities are taken to be new.
type heldOut struct {
	Whole *dataset.Dataset // all entities, the new ones last; its test facts are those about new ones
	Old   *dataset.Dataset // the others alone
	Names []string         // of the new ones
	Facts []graph.Triple   // training facts about them, by the numbers of Whole
}

// holdOut takes a share of the entities of d out, chosen by a hash of the seed.
func holdOut(d *dataset.Dataset, share float64, seed uint64) (*heldOut, error) {
	n := d.Graph.NumNodes()
	k := n - int(math.Round(share*float64(n)))
	number := numbering(n, k, seed)
	all := make([]string, n)
	for v, to := range number {
		all[to] = d.IDs.At(int32(v))
	}
	train, facts := divided(d.Graph.Triples(), number, k)
	valid, validNew := divided(d.Valid, number, k)
	_, test := divided(d.Test, number, k)
	h := &heldOut{Names: all[k:], Facts: facts}
	var err error
	if h.Old, err = withFacts(d, all[:k], train); err != nil {
		return nil, err
	}
	if h.Whole, err = withFacts(d, all, append(append([]graph.Triple(nil), train...), facts...)); err != nil {
		return nil, err
	}
	h.Old.Valid = valid
	h.Whole.Valid, h.Whole.Test = append(append([]graph.Triple(nil), valid...), validNew...), test
	return h, nil
}

// numbering gives n entities new numbers: k of them those below k, the others those from there on, each kind in its
// old order.
func numbering(n, k int, seed uint64) []int32 {
	number := make([]int32, n)
	in, out := int32(0), int32(k)
	for v := range number {
		left, room := n-v, n-int(out)
		if float64(mat.Mix(seed, uint64(v))>>11)/(1<<53)*float64(left) < float64(room) {
			number[v], out = out, out+1
		} else {
			number[v], in = in, in+1
		}
	}
	return number
}

// divided are the facts by their new numbers: those among the first k entities, and those about another.
func divided(list []graph.Triple, number []int32, k int) (same, about []graph.Triple) {
	for _, f := range list {
		f.U, f.V = number[f.U], number[f.V]
		if int(f.U) >= k || int(f.V) >= k {
			about = append(about, f)
		} else {
			same = append(same, f)
		}
	}
	return same, about
}

// withFacts is a knowledge graph with the relations of d.
func withFacts(d *dataset.Dataset, names []string, facts []graph.Triple) (*dataset.Dataset, error) {
	g, err := graph.Build(graph.Spec{Nodes: len(names), Relations: d.Graph.NumRelations(), Triples: facts})
	if err != nil {
		return nil, err
	}
	return &dataset.Dataset{Name: d.Name, Graph: g, IDs: dataset.NewIDs(names), Relations: d.Relations,
		Metric: d.Metric}, nil
}
