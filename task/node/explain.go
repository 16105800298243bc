package node

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/fit"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// ColumnShare says how much more energy and pull a row's features have than if one number of the row were its usual
// value. It is an exact difference: all other numbers and the row of H stay as they are. If π is linear and κ
// quadratic, the pulls of all columns add up to the pull of the row minus the pull of a usual row. The JSON keys are
// stable.
type ColumnShare struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"` // in the unit of the table that it comes from
	Usual  float64 `json:"usual"` // the mean of all nodes; 0 if most are 0
	Energy float64 `json:"energy"`
	Pull   float64 `json:"pull"`
	Number int     `json:"column"`
}

// At most tried columns are tried, the ones farthest from their usual value, and at most told are returned.
const (
	tried = 64
	told  = 12
)

// OwnEnergy returns, for each row of pi, the energy and the pull of the features of a node if π of its row were that
// row.
type OwnEnergy func(pi *mat.Dense) (energies, pulls []float64, err error)

// NodeShares returns the columns of node v that pull most, the largest pull first; none for a task whose π is not a
// function of the row alone (Task.Project).
func (t *Task) NodeShares(in *bloom.Inspection, v int32) ([]ColumnShare, error) {
	kind, at := 0, int(v)
	if types := t.Data.Graph.NodeTypes(); types != nil {
		kind = int(types[v])
		at, _ = slices.BinarySearch(t.Data.Graph.NodesOfType(int32(kind)), v)
	}
	all := t.Features(kind)
	if all.Cols == 0 {
		return nil, nil
	}
	x := make([]mat.Real, all.Cols)
	all.Row(x, at)
	return t.RowShares(kind, x, func(pi *mat.Dense) ([]float64, []float64, error) { return in.Own(v, pi) })
}

// RowShares is NodeShares for a feature row of a node type; π is computed again for every column.
func (t *Task) RowShares(kind int, x []mat.Real, own OwnEnergy) ([]ColumnShare, error) {
	first := 0
	for k := range kind {
		first += t.Features(k).Cols
	}
	all := t.Columns()[first:]
	which := unusual(all, x)
	if len(which) == 0 {
		return nil, nil
	}
	rows := dataset.Matrix{Rows: 1, Cols: len(x), Values: slices.Clone(x)}
	for i, j := range which {
		rows.AppendRow(x)
		rows.Values[(i+1)*rows.Cols+j] = mat.Real(all[j].Usual)
	}
	pi, err := t.Project(kind, rows)
	if err != nil || pi == nil {
		return nil, err
	}
	energies, pulls, err := own(pi)
	if err != nil {
		return nil, err
	}
	list := make([]ColumnShare, len(which))
	for i, j := range which {
		c := all[j]
		list[i] = ColumnShare{Name: c.Name, Value: c.Mean + c.SD*float64(x[j]), Usual: c.Mean + c.SD*c.Usual,
			Energy: energies[0] - energies[i+1], Pull: pulls[0] - pulls[i+1], Number: first + j}
	}
	slices.SortStableFunc(list, func(a, b ColumnShare) int { return cmp.Compare(math.Abs(b.Pull), math.Abs(a.Pull)) })
	return list[:min(told, len(list))], nil
}

// unusual returns the columns of a row to try.
func unusual(all []Column, x []mat.Real) []int {
	var list []int
	for j, value := range x {
		if float64(value) != all[j].Usual {
			list = append(list, j)
		}
	}
	if len(list) > tried {
		far := func(j int) float64 { return math.Abs(float64(x[j])-all[j].Usual) / max(all[j].Spread, 1e-12) }
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(far(b), far(a)) })
		list = list[:tried]
	}
	return list
}

// breakdown explains the answer of trees without an energy for node v.
func (f *forest) breakdown(v int32, q question, top int) *Breakdown {
	b := &Breakdown{Of: q.of, For: q.favours, Prior: q.shift}
	parts, start := f.columnsOf(v, q.weight)
	b.Prior += start
	b.group(f.Task, parts, top)
	b.Sum = b.total()
	return b
}

// columnsOf returns the contributions of the columns of node v to Σ_c weight_c z_c, and the sum before any column.
func (f *forest) columnsOf(v int32, weight []float64) (parts []evidencePart, start float64) {
	f.refresh()
	row := make([]float32, f.table.columns)
	f.fill(&f.table)
	f.table.row(row, int(v))
	parts = f.named(row)
	for c, w := range weight {
		if w == 0 {
			continue
		}
		start += w * float64(f.base.Value().Slice()[c])
		by := make([]float64, len(parts))
		for _, tree := range f.treesOf(c) {
			start += w * tree.Contributions(row, by)
		}
		for j, x := range by {
			parts[j].Share += w * x
		}
	}
	return parts, start
}

// parts returns the contributions of the columns of node v to an answer whose rows of π are the scores of trees. The
// contribution of π is divided in proportion to π itself; its value before any column belongs to the prior.
func (f *forest) parts(b *Breakdown, v int32, c *bloom.Contributions) []evidencePart {
	f.refresh()
	k, scores := f.base.Cols(), f.scores.Value().Slice()
	n := len(scores) / k
	slope := make([]float64, k)
	for j := range slope {
		mean := 0.0
		for u := range n {
			mean += float64(scores[u*k+j]) / float64(n)
		}
		if far := float64(scores[int(v)*k+j]) - mean; far != 0 {
			slope[j] = c.Own[j] / far
		}
	}
	parts, _ := f.columnsOf(v, slope)
	own := 0.0
	for _, x := range c.Own {
		own += x
	}
	for _, p := range parts {
		own -= p.Share
	}
	b.Prior += own
	return parts
}

// group adds columns in groups: the node's own, the ones computed from its edges, and its neighbours'.
func (b *Breakdown) group(t *Task, parts []evidencePart, top int) {
	var own, edges, near []evidencePart
	for _, p := range parts {
		switch {
		case isNear(p.Name):
			near = append(near, p)
		case t.madeOfEdges(p.Name):
			edges = append(edges, p)
		default:
			own = append(own, p)
		}
	}
	b.add(ownColumns, "column", own, top)
	b.add(edgeColumns, "column", edges, top)
	b.add(neighbours, "column", near, top)
}

// treesOf returns the trees of column c of the scores.
func (f *forest) treesOf(c int) (list []fit.Tree) {
	rows := f.packed.Value().Slice()
	for round := range f.rounds {
		tree, _ := f.tree(rows, round*f.base.Cols()+c)
		list = append(list, tree)
	}
	return list
}

// closedColumn names the columns of the closed form, which knows a node with its neighbours.
const closedColumn = "closed form's answer"

// named returns the columns of a row with their names, in the units of the tables that they come from.
func (f *forest) named(row []float32) []evidencePart {
	own, columns := f.Columns(), make([]evidencePart, 0, len(row))
	add := func(name string, x float64) {
		c := evidencePart{Name: name}
		if !math.IsNaN(x) {
			c.Value = &x
		}
		columns = append(columns, c)
	}
	for j := range f.table.own() {
		add(own[j].Name, own[j].feature().Value(float64(row[j])))
	}
	b, more := &f.table, row[f.table.own():]
	labels := f.Data.Labels.Names[f.Classes()-f.labelColumns():]
	if b.nearby > 0 {
		add("neighbours", math.Round(math.Expm1(float64(more[0]))))
		add("neighbours with a label", float64(more[1]))
		for j := range b.means {
			add("neighbours' "+own[j].Name, own[j].feature().Value(float64(more[2+j])))
		}
		for c, name := range labels {
			add("neighbours' label "+name, float64(more[2+b.means+c]))
		}
	}
	for c := range b.solved {
		add(closedColumn+" "+labels[c], float64(more[b.nearby+c]))
	}
	if b.comparison.width > 0 {
		var byType [][]Column
		for kind, x := range b.parts {
			byType = append(byType, own[b.first[kind]:][:x.Cols])
		}
		b.comparison.each(byType, labels, more[b.nearby+b.solved:], add)
	}
	if g, ok := f.goal.(*numbers); ok && b.unknown > 0 {
		add("neighbours' label beyond their columns", g.sd*float64(more[len(more)-1]))
	}
	return columns
}

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
