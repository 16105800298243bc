package node

import (
	"math/rand/v2"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// Fidelity says whether explanations are meaningful: how often the prediction of a node changes when some of its
// edges are removed, either the ones that an explanation ranks first or the same number of random ones.
type Fidelity struct {
	Nodes  int     `json:"nodes"`  // that were tried
	Edges  float64 `json:"edges"`  // taken away from each, on average
	Top    float64 `json:"top"`    // share of nodes whose prediction changes without their first edges
	Random float64 `json:"random"` // the same without random ones
}

// Fidelity tries up to nodes test nodes with at least two edges, drawn by seed, and removes half of the edges of
// each, rounded down. The descent runs again on the remaining graph, with the same weights.
func (t *Task) Fidelity(nodes int, seed uint64) (Fidelity, error) {
	in, err := t.Inspect(0)
	if err != nil {
		return Fidelity{}, err
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	var f Fidelity
	var top, random, edges int
	for _, i := range rng.Perm(len(t.Split.Test)) {
		x := in.Node(t.Split.Test[i])
		if len(x.Edges) < 2 {
			continue
		}
		if f.Nodes++; f.Nodes > nodes {
			f.Nodes = nodes
			break
		}
		k := len(x.Edges) / 2
		edges += k
		first, drawn := map[int32]bool{}, map[int32]bool{}
		for j, s := range rng.Perm(len(x.Edges)) {
			if j < k {
				first[x.Edges[j].Edge], drawn[x.Edges[s].Edge] = true, true
			}
		}
		for set, count := range map[*map[int32]bool]*int{&first: &top, &drawn: &random} {
			changed, err := changes(t, in, x.Node, *set)
			if err != nil {
				return f, err
			}
			if changed {
				*count++
			}
		}
	}
	n := float64(max(f.Nodes, 1))
	f.Edges, f.Top, f.Random = float64(edges)/n, float64(top)/n, float64(random)/n
	return f, nil
}

// changes reports whether v gets another class without some edges.
func changes(t *Task, in *bloom.Inspection, v int32, gone map[int32]bool) (bool, error) {
	old := t.On.On.Graph
	spec := graph.Spec{Nodes: old.NumNodes(), Relations: old.NumRelations(), Undirected: old.Undirected(),
		NodeTypes: old.NodeTypes()}
	var left []int32
	for e, triple := range old.Triples() {
		if gone[int32(e)] {
			continue
		}
		left = append(left, int32(e))
		spec.Triples = append(spec.Triples, triple)
		if w := old.Weights(); w != nil {
			spec.Weights = append(spec.Weights, w[e])
		}
	}
	spec.Features = old.Features().Pick(left)
	g, err := graph.Build(spec)
	if err != nil {
		return false, err
	}
	logits, err := t.Stack.Predict(input.Evaluation(), bloom.Data{On: energy.NewStructure(g), X: t.On.X})
	if err != nil {
		return false, err
	}
	prog := ad.Compile(logits)
	if err := prog.Run(); err != nil {
		return false, err
	}
	c := logits.Cols()
	row := func(z []mat.Real) int32 { return metric.Argmax(z[int(v)*c : int(v+1)*c]) }
	return row(prog.Value(logits).Slice()) != row(in.Logits.Slice()), nil
}
