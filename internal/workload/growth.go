package workload

import "fmt"

// Growth are base energies on graphs of 10k to 10M edges, four edges a node, everything else equal:
// what shows whether time and memory grow with the graph and no faster.
func Growth() []ID {
	var ids []ID
	for edges := 10_000; edges <= 10_000_000; edges *= 10 {
		ids = append(ids, Grown(edges, 8))
	}
	return ids
}

// Grown is the base energy on a graph with the given number of edges and steps.
func Grown(edges, steps int) ID {
	return ID{Shape{
		Name: fmt.Sprintf("%dk-edges", edges/1000), Nodes: edges / 4, Edges: edges,
		Features: 64, Density: 1, Classes: 8, Hidden: 64, Steps: steps,
	}, Base, nil}
}
