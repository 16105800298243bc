// Package workload holds the performance workloads: fixed shapes, so that figures compare across
// commits and with other systems. One epoch of one is forward, backward and Adam on the full batch, or,
// for knowledge graphs, on every batch of triples.
package workload

import "fmt"

// Shape is one workload's size, which has the name of the benchmark set that it is taken from.
type Shape struct {
	Name     string
	Nodes    int
	Edges    int // undirected, before repetitions and self loops are dropped
	Features int
	Density  float64 // share of features that are not zero; sparse where below 1
	Classes  int
	Hidden   int
	Steps    int
}

// Shapes are the five sizes.
var Shapes = []Shape{
	{"cora", 2708, 5278, 1433, 0.0127, 7, 64, 16},
	{"pubmed", 19717, 44324, 500, 1, 3, 64, 16},
	{"roman", 22662, 32927, 300, 1, 18, 512, 4},
	{"tolokers", 11758, 519000, 10, 1, 2, 512, 4},
	{"arxiv", 169343, 1157799, 128, 1, 40, 256, 8},
}

// Energy is what a workload minimises, or the baseline it is compared with.
type Energy string

// The energies, with λ = 1:
//
//	base    λ/2 ‖h_u − h_v‖² + ½ ‖h − π‖²
//	huber   λ/2 ‖h_u − h_v‖² + δ(h − π)
//	hetero  λ/2 ‖h_u C − h_v‖² both ways + δ(h − π), h ≥ 0
//	gcn     two graph convolutions
const (
	Base   Energy = "base"
	Huber  Energy = "huber"
	Hetero Energy = "hetero"
	GCN    Energy = "gcn"
)

// Energies are all of them, in the order of the tables.
var Energies = []Energy{GCN, Base, Huber, Hetero}

// ID is one workload: a shape with an energy, or a knowledge graph.
type ID struct {
	Shape
	Energy Energy
	KG     *KG // set only for knowledge graphs, which have no energy here
}

// String returns name/energy, or the name of a knowledge graph.
func (id ID) String() string {
	if id.KG != nil {
		return id.Name
	}
	return id.Name + "/" + string(id.Energy)
}

// All lists every workload.
func All() []ID {
	var ids []ID
	for _, s := range Shapes {
		for _, e := range Energies {
			ids = append(ids, ID{s, e, nil})
		}
	}
	for i := range KGs {
		ids = append(ids, ID{KGs[i].Shape, "", &KGs[i]})
	}
	return ids
}

// Select lists the workloads whose name, energy or name/energy is only; all of them if only is empty. It returns an
// error if none matches.
func Select(only string) ([]ID, error) {
	var ids []ID
	for _, id := range All() {
		if only == "" || only == id.Name || only == string(id.Energy) || only == id.String() {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("no workload %q: give a name (cora, pubmed, roman, tolokers, arxiv, distmult, "+
			"path-sum, path-pna), an energy (gcn, base, huber, hetero), or name/energy", only)
	}
	return ids, nil
}

// Growth returns the separable energies on graphs of 10k to 10M edges, four edges per node, everything else equal, to
// show that time and memory grow no faster than the graph. Huber descends with all 64 columns, base with the 8 columns
// of its classes.
func Growth() []ID {
	var ids []ID
	for _, e := range []Energy{Huber, Base} {
		for edges := 10_000; edges <= 10_000_000; edges *= 10 {
			ids = append(ids, Grown(e, edges, 8))
		}
	}
	return ids
}

// Grown returns an energy on a graph with the given number of edges and steps.
func Grown(e Energy, edges, steps int) ID {
	return ID{Shape{
		Name: fmt.Sprintf("%dk-edges", edges/1000), Nodes: edges / 4, Edges: edges,
		Features: 64, Density: 1, Classes: 8, Hidden: 64, Steps: steps,
	}, e, nil}
}
