package path

import (
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// inverseMark precedes the name of a relation that is followed from tail to head, as in SPARQL.
const inverseMark = "^"

// Step is an edge of a path. Relation has the mark ^ if the edge is followed backwards.
type Step struct{ From, Relation, To string }

// Path is a way from the head of a query to an answer.
type Path struct {
	Steps  []Step
	Weight float64 // mean over its edges of the derivative of the score to the weight of the edge
	// Share is the sum of these derivatives divided by the sum of the sizes of all, over every edge in every layer.
	// Paths that have edges in common share them.
	Share float64
}

// String reads like "Ada –parent_of→ Tom –^spouse_of→ Eve".
func (p Path) String() string {
	var b strings.Builder
	for i, s := range p.Steps {
		if i == 0 {
			b.WriteString(s.From)
		}
		b.WriteString(" –" + s.Relation + "→ " + s.To)
	}
	return b.String()
}

// Explain returns the score of an answer to a question about the graph of d, and the k strongest paths that support
// it.
func (m *Model) Explain(d *dataset.Dataset, asked metric.Question, answer int32, k int) (
	score float64, paths []Path, err error) {
	a, err := newScorer(m, d.Graph)
	if err != nil {
		return 0, nil, err
	}
	q := m.queryOf(asked)
	if err := a.run(q); err != nil {
		return 0, nil, err
	}
	paths, err = newExplainer(m, d).paths(q, answer, k)
	return float64(a.byNode()[answer]), paths, err
}

// explainer finds the strongest paths of answers. Every message of every layer is multiplied by a weight of
// 1; the derivative of a score to that weight tells how much the edge adds to it there.
//
// Source: NBFNet (Zhu et al. 2021), section 4.4 and appendix.
type explainer struct {
	*Model
	*scope
	data   *dataset.Dataset
	answer *mat.Index
	prog   *ad.Program
	grads  []ad.Var // by layer: one row per edge, in the order of `edges`
	edges  []int32  // of the net, in the order of the messages
}

func newExplainer(m *Model, d *dataset.Dataset) *explainer {
	v := newView(newNet(d.Graph, len(m.Names)), m.sorts())
	all := newRows(v, capacity{v.nodes, v.edges()}, nil, m.pna())
	all.fillAll()
	l := m.layoutOf(v.net)
	l.sparse, l.list = false, m.pna()
	x := &explainer{Model: m, scope: newScope(all, l), data: d}
	x.answer = mat.NewBatchIndex(1, x.last().room)
	for _, u := range v.order {
		x.edges = append(x.edges, v.in.edgesOf(u)...)
	}
	p := newPass(m, x.scope, m.vectorsOf(x.scope))
	ones := mat.New(v.edges(), 1)
	mat.Fill(ones, 1)
	for range m.Layers {
		p.edgeWeights = append(p.edgeWeights, ad.Input(ones))
	}
	x.grads = ad.Grad(p.allScores().Gather(x.answer).Sum(), p.edgeWeights...)
	x.prog = ad.Compile(x.grads...)
	return x
}

// paths returns the k strongest from the head of q to node v, the strongest first. None visits a node twice.
func (x *explainer) paths(q query, v int32, k int) ([]Path, error) {
	if err := x.setQuery(q, nil); err != nil {
		return nil, err
	}
	edges := x.edges
	if x.kept != nil {
		edges = x.kept.listed
		if !x.kept.rows.in.has(v) {
			return nil, nil
		}
	}
	must(x.answer.Update([]int32{x.last().at[v]}))
	if err := x.prog.Run(); err != nil {
		return nil, err
	}
	b, total := newBeam(x.net, q.head, v), 0.0
	for _, g := range x.grads {
		weight := slices.Repeat([]float64{math.Inf(-1)}, x.net.edges())
		for i, w := range x.prog.Value(g).Slice()[:len(edges)] {
			weight[edges[i]] = float64(w)
			total += math.Abs(float64(w))
		}
		b.advance(weight)
	}
	var paths []Path
	for _, w := range b.strongest(k) {
		p := x.named(w)
		if total > 0 {
			p.Share = w.sum / total
		}
		paths = append(paths, p)
	}
	return paths, nil
}

// named returns a walk with the names of its nodes and relations.
func (x *explainer) named(w walk) Path {
	p := Path{Weight: w.mean()}
	for _, e := range w.edges() {
		r := x.relation[e]
		name := ""
		if int(r) >= len(x.Names) {
			name, r = inverseMark, r-int32(len(x.Names))
		}
		name += x.Names[r]
		p.Steps = append(p.Steps, Step{x.data.IDs.At(x.source[e]), name, x.data.IDs.At(x.target[e])})
	}
	return p
}
