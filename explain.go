package bloom

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/upper"
)

// Inspection explains the predictions of one graph: the energy of each edge and of each node's own features, and
// which way they pull. It is exact: the energies are the ones that the descent minimised, the pulls their
// derivatives.
type Inspection struct {
	H, Pi    *mat.Dense     // H⁽ᴸ⁾ and π(X; W), n×d
	Logits   *mat.Dense     // g(H⁽ᴸ⁾; Θ), n×c
	Report   *energy.Report // the energy of H⁽ᴸ⁾, by term, edge and node
	Evidence Evidence

	model    *Model
	lower    *energy.Lower
	graph    *graph.Graph
	edges    []float64  // the energy of every edge, over all terms
	nodes    []float64  // the same of nodes
	toU, toV []float64  // the pull of every edge on its two ends
	own      []float64  // the pull of every node's own features
	residual []float64  // ‖h_v − π(x_v)‖; nil without π
	classes  [][2]int   // the class of every node whose margin pulls are about, and the second
	slope    *mat.Dense // ∇m of every node, n×d
}

// Explanation is the energy of one node: Total is the sum of Own and of the energies of Edges.
type Explanation struct {
	Node     int32
	Class    int // the predicted class, or the class of About
	Second   int // the other class with the largest logit; −1 if there is none, or classes do not exclude each other
	Total    float64
	Own      float64     // Σ κ(h_v; x_v)
	OwnPull  float64     // how much the features pull towards the prediction, see EdgeShare
	Residual float64     // ‖h_v − π(x_v)‖
	Edges    []EdgeShare // sorted by Pull, the strongest support for the prediction first
}

// EdgeShare is one edge of an Explanation.
type EdgeShare struct {
	Edge   int32 // its id
	Other  int32 // the node at its other end
	Energy float64
	// Pull is −⟨∂f/∂h_v, ∇m⟩, where m is the margin of the class over the second, or the logit of the class if there
	// is no second: how fast the margin would grow if h_v gave way to this edge alone. Once the descent has
	// converged, the pulls of a node's edges and of its features add up to zero, unless η holds against them.
	Pull float64
}

// Inspect predicts on d and explains the predictions. It needs the rows of all edges at once, 2md numbers.
func (m *Model) Inspect(d Data) (*Inspection, error) {
	c := input.Evaluation()
	h, err := m.Embed(c, d)
	if err != nil {
		return nil, err
	}
	l := m.Lower(c, d)
	logits := m.Head(c, h)
	prog := ad.Compile(h, l.Pi, logits)
	if err := prog.Run(); err != nil {
		return nil, err
	}
	i := &Inspection{H: prog.Value(h), Pi: prog.Value(l.Pi), Logits: prog.Value(logits), graph: d.On.Graph,
		model: m, lower: l}
	if i.Report, err = l.Report(i.H); err != nil {
		return nil, err
	}
	if i.Evidence, err = m.Evidence(d); err != nil {
		return nil, err
	}
	i.edges = total(i.Report.Edges, i.graph.NumEdges())
	i.nodes = total(i.Report.Nodes, i.graph.NumNodes())
	if i.Report.Residual != nil {
		i.residual = column(i.Report.Residual)
	}
	return i, i.pulls(strongest, everyone)
}

// About returns i with pulls at the margin of node v alone, of class c, or of the predicted one where c is −1.
// Unasked, pulls are at the margins of all nodes together, which is the same wherever a margin is a function of the
// node's own row of H: everywhere but below the last level of a stack.
func (i *Inspection) About(v int32, c int) (*Inspection, error) {
	n, classes := i.Logits.Rows(), i.Logits.Cols()
	if v < 0 || int(v) >= n || c < strongest || c >= classes {
		return nil, fmt.Errorf("bloom: class %d of node %d, want a node below %d and a class below %d, or %d", c, v, n,
			classes, strongest)
	}
	out := *i
	return &out, out.pulls(c, v)
}

// Head applies g of a supervised model; for other models it returns h unchanged.
func (m *Model) Head(c input.Context, h ad.Var) ad.Var { return head(m.Up, c, h) }

func head(up upper.Loss, c input.Context, h ad.Var) ad.Var {
	if s, ok := up.(upper.Supervised); ok {
		return s.Head.Predict(c, h)
	}
	return h
}

// total sums terms, row by row.
func total(terms []energy.TermReport, n int) []float64 {
	sum := make([]float64, n)
	for _, t := range terms {
		for i, x := range column(t.Each) {
			sum[i] += x
		}
	}
	return sum
}

// Node returns the energy of node v, split into its parts.
func (i *Inspection) Node(v int32) Explanation {
	x := Explanation{Node: v, Class: i.classes[v][0], Second: i.classes[v][1], Own: i.nodes[v],
		OwnPull: i.own[v], Total: i.nodes[v]}
	if i.residual != nil {
		x.Residual = i.residual[v]
	}
	for _, e := range i.incident(v) {
		t := i.graph.Edge(e)
		share := EdgeShare{Edge: e, Other: t.U, Energy: i.edges[e], Pull: i.toV[e]}
		if t.U == v {
			share.Other, share.Pull = t.V, i.toU[e]
		}
		x.Total += share.Energy
		x.Edges = append(x.Edges, share)
	}
	slices.SortStableFunc(x.Edges, func(a, b EdgeShare) int { return cmp.Compare(b.Pull, a.Pull) })
	return x
}

// incident returns the edges with an end at v, ascending, each once.
func (i *Inspection) incident(v int32) []int32 {
	_, in := i.graph.In().Row(int(v))
	_, out := i.graph.Out().Row(int(v))
	all := slices.Concat(in, out)
	slices.Sort(all)
	return slices.Compact(all)
}

// Residuals returns ‖h_v − π(x_v)‖ of every node; nil without π.
func (i *Inspection) Residuals() []float64 { return i.residual }
