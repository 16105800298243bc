package workload

import "fmt"

// Growth are the separable energies on graphs of 10k to 10M edges, four edges a node, everything else equal:
// what shows whether time and memory grow with the graph and no faster. Huber descends with all 64 columns, base with
// the 8 columns of its classes.
func Growth() []ID {
	var ids []ID
	for _, e := range []Energy{Huber, Base} {
		for edges := 10_000; edges <= 10_000_000; edges *= 10 {
			ids = append(ids, Grown(e, edges, 8))
		}
	}
	return ids
}

// Grown is an energy on a graph with the given number of edges and steps.
func Grown(e Energy, edges, steps int) ID {
	return ID{Shape{
		Name: fmt.Sprintf("%dk-edges", edges/1000), Nodes: edges / 4, Edges: edges,
		Features: 64, Density: 1, Classes: 8, Hidden: 64, Steps: steps,
	}, e, nil}
}
