package format

import (
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/internal/files"
)

// graph reads the neighbour lists. Every edge is listed by both ends; it drops duplicates and self loops.
func (p *planetoidFiles) graph() error {
	path := p.prefix + "graph"
	v, err := codec.ReadPickle(path, p.Budget)
	if err != nil {
		return err
	}
	dict, ok := v.(*codec.Dict)
	if !ok {
		return files.Errorf(path, "does not hold a dict")
	}
	p.nodes = len(dict.Keys)
	l := &neighbourLists{path: path, budget: p.Budget, nodes: p.nodes, last: make([]int32, p.nodes),
		done: make([]bool, p.nodes)}
	if err := l.read(dict); err != nil {
		return err
	}
	err = p.Connect(graph.Spec{
		Nodes: p.nodes, Triples: l.edges, Undirected: true, DropDuplicates: true, Loops: graph.DropLoops,
	})
	if err != nil {
		return err
	}
	if l.loops > 0 || l.repeats > 0 {
		p.Note("Of %d listed neighbours %d are self loops and %d are duplicates; both were dropped.",
			len(l.edges), l.loops, l.repeats)
	}
	if oneSided := 2*p.Graph.NumEdges() - l.pairs; oneSided > 0 {
		p.Note("%d edges are listed at one of their ends only.", oneSided)
	}
	return nil
}

// neighbourLists turns lists of neighbours into edges.
type neighbourLists struct {
	path  string
	nodes int
	edges []graph.Triple
	last  []int32 // for every node, 1 + the node that listed it last
	done  []bool  // the nodes whose list was read

	budget *files.Budget

	loops, repeats, pairs int // self loops; duplicates within a list; all other neighbours
}

// read goes through a dict of lists. Its keys are the nodes 0 to n−1, in any order.
func (l *neighbourLists) read(dict *codec.Dict) error {
	for i, key := range dict.Keys {
		u, ok := l.node(key)
		if !ok || l.done[u] {
			return files.Errorf(l.path, "entry %d has the key %v; the keys of %d nodes are 0 to %d, each once", i, key,
				l.nodes, l.nodes-1)
		}
		l.done[u] = true
		list, ok := dict.Values[i].(*codec.List)
		if !ok {
			return files.Errorf(l.path, "node %d has no list of neighbours", u)
		}
		for _, item := range list.Items {
			v, ok := l.node(item)
			if !ok {
				return files.Errorf(l.path, "node %d has the neighbour %v; there are %d nodes", u, item, l.nodes)
			}
			if err := l.add(u, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// node returns a value as the number of a node.
func (l *neighbourLists) node(v any) (int32, bool) {
	n, ok := v.(int64)
	return int32(n), ok && n >= 0 && n < int64(l.nodes)
}

// add adds an edge and counts.
func (l *neighbourLists) add(u, v int32) (err error) {
	l.edges, err = files.Append(l.budget, l.edges, "neighbours", graph.Triple{U: u, V: v})
	repeat := l.last[v] == u+1
	l.last[v] = u + 1
	if u == v {
		l.loops++
	}
	if repeat {
		l.repeats++
	}
	if u != v && !repeat {
		l.pairs++
	}
	return err
}
