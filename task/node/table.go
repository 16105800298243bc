package node

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/fit"
	"github.com/bloomgml/bloom/mat"
)

// table holds the inputs of trees for nodes: the columns of every node type, with gaps for nodes of other types; if
// model.neighbours asks for it, the means of the neighbours' columns and of the labels of training neighbours, and
// how many there are; if model.closed asks for it, the answers of the closed form, for training nodes from folds
// without them; for numbers also the mean of neighbours' residuals, the part of labels that own columns do not
// explain; if model.alike asks for it, comparisons of a node's numbers.
type table struct {
	columns int
	parts   []dataset.Matrix // the features of every type
	first   []int            // where the columns of a type begin
	kind    []int32          // of every node; nil for one
	place   []int32          // index of a node among the nodes of its type; nil for one type
	more    []float32        // further columns, rows of width
	width   int
	means   int // of further columns: means of neighbours' features
	nearby  int // of neighbours: 2 + means + labels; 0 without neighbours
	solved  int // of the closed form
	comparison
	unknown int // the last of these columns, which are 0 before residuals are known
}

// newTable returns the table of a task, with columns of neighbours or without.
func (t *Task) newTable(neighbours bool) table {
	g := t.Data.Graph
	b := table{parts: t.Data.Features, kind: g.NodeTypes()}
	for _, x := range b.parts {
		b.first = append(b.first, b.columns)
		b.columns += x.Cols
	}
	if b.kind != nil && g.NumTypes() > 1 {
		b.place = make([]int32, g.NumNodes())
		for k := range g.NumTypes() {
			for i, v := range g.NodesOfType(int32(k)) {
				b.place[v] = int32(i)
			}
		}
	} else {
		b.kind = nil
	}
	t.widen(&b, neighbours)
	return b
}

// widen makes room for the further columns.
func (t *Task) widen(b *table, neighbours bool) {
	k := t.labelColumns()
	if neighbours {
		if b.kind == nil && (b.columns <= mostMeans || t.Config.Recipe == "trees" &&
			b.columns*t.Data.Graph.NumNodes() <= mostMeanEntries) {
			b.means = b.columns
		}
		b.nearby = 2 + b.means + k
		if t.Data.Labels.Task == dataset.Numbers && !t.simultaneous { // of classes, shares say as much
			b.unknown = k
		}
	}
	if t.Config.Model.Closed {
		b.solved = k
	}
	if t.Config.Model.Alike {
		b.comparison = t.compared()
	}
	b.sum()
}

// sum adds the further columns up.
func (b *table) sum() {
	b.columns -= b.width
	b.width = b.nearby + b.solved + b.comparison.width + b.unknown
	b.columns += b.width
}

// fill fills in the further columns, except residuals, if that has not been done: a task that is built only for
// inspection does without.
func (t *Task) fill(b *table) {
	if b.more != nil {
		return
	}
	n := t.Data.Graph.NumNodes()
	b.more = make([]float32, n*b.width)
	if b.nearby > 0 {
		t.surroundings(b)
	}
	if b.solved > 0 {
		for i, x := range t.solution() {
			b.more[i/b.solved*b.width+b.nearby+i%b.solved] = x
		}
	}
	if b.comparison.width > 0 {
		t.compare(b)
	}
}

// compare fills in the comparisons.
func (t *Task) compare(b *table) {
	b.comparison.learn(t)
	x, from := b.parts[b.comparison.kind], b.nearby+b.solved
	row := make([]float32, x.Cols)
	for v := range len(b.more) / b.width {
		at, to := v, b.more[v*b.width+from:][:b.comparison.width]
		if b.kind != nil && int(b.kind[v]) != b.comparison.kind {
			for j := range to {
				to[j] = float32(math.NaN())
			}
			continue
		}
		if b.kind != nil {
			at = int(b.place[v])
		}
		unfold(row, x, at)
		b.comparison.fill(to, v, row)
	}
}

// labelColumns returns how many columns say what labels are: one of two classes, as the other is the rest.
func (t *Task) labelColumns() int {
	if k := t.Classes(); t.Data.Labels.Task != "" || k != 2 {
		return k
	}
	return 1
}

// solvedFolds is the number of folds that the answers for training nodes come from. Leave-one-out answers reveal a
// node's label if they hardly differ otherwise, as the mean of the other labels does.
const solvedFolds = 10

// solution returns the answers of the closed form, rows of told columns: for training nodes from regressions without
// their fold, and gaps (NaN) without an answer.
func (t *Task) solution() []float32 {
	if t.kept == nil {
		return t.solve()
	}
	if t.kept.rows == nil {
		t.kept.rows = t.solve()
	}
	return t.kept.rows
}

// solve computes solution.
func (t *Task) solve() []float32 {
	k := t.labelColumns()
	rows := slices.Repeat([]float32{float32(math.NaN())}, t.Data.Graph.NumNodes()*k)
	fit, err := t.solveFolds()
	if err != nil {
		return rows // as of two labelled nodes; the other columns remain
	}
	all := fit.Outputs
	answers := func(v int, from []float64) {
		for c, x := range from[all-k : all] {
			rows[v*k+c] = float32(x)
		}
	}
	for v := range len(rows) / k {
		answers(v, fit.Answers[v*all:])
	}
	for i, v := range fit.Rows {
		answers(int(v), fit.OutOfFold[i*all:])
	}
	return rows
}

// solveFolds solves for the closed form, with answers out of folds.
func (t *Task) solveFolds() (*fit.Answers, error) {
	if t.kept != nil && t.kept.whole != nil {
		w := t.kept.whole
		return w.linear.OnFold(dataset.Matrix{}, w.lacks(t.Split), solvedFolds)
	}
	p := fit.ProblemOf(t.Data, t.Split.Train, t.Trial.Seed)
	p.Folds = solvedFolds
	return fit.Solve(p)
}

// own returns how many columns are a node's own.
func (b *table) own() int { return b.columns - b.width }

// row writes all that is known about node v.
func (b table) row(to []float32, v int) {
	own := b.own()
	for j := range to[:own] {
		to[j] = float32(math.NaN())
	}
	if len(b.parts) > 0 {
		kind, at := 0, v
		if b.kind != nil {
			kind, at = int(b.kind[v]), int(b.place[v])
		}
		if kind < len(b.parts) {
			x := b.parts[kind]
			clear(to[b.first[kind]:][:x.Cols])
			for j, value := range x.Entries(at) {
				to[b.first[kind]+j] = float32(value)
			}
		}
	}
	copy(to[own:], b.more[v*b.width:(v+1)*b.width])
}

// Neighbours have means of mostMeans feature columns at most, and trees without an energy also of more, as of bags of
// words, if these have mostMeanEntries entries at most.
const mostMeans, mostMeanEntries = 256, 1 << 23

// surroundings fills the columns of neighbours: the log of the degree, how many of them have a training label, means
// of their columns if nodes are of one type, and the mean of those labels: shares of classes, or a number. Edges
// count by their weights. A node's own label and the validation and test labels are excluded.
func (t *Task) surroundings(b *table) {
	near, trains := side{plain: true}, t.trains()
	eachEdge(t.Data.Graph, func(v, u int32, w float64) {
		near.of, near.with, near.by = append(near.of, v), append(near.with, u), append(near.by, w)
		to := b.more[int(v)*b.width:]
		to[0]++
		if trains[u] {
			to[1]++
		}
	})
	for v := range trains {
		b.more[v*b.width] = float32(math.Log1p(float64(b.more[v*b.width])))
	}
	own := &comparison{labels: t.labelColumns(), carry: [][]int{nil}}
	for j := range b.means {
		own.carry[0] = append(own.carry[0], j)
	}
	t.around(own, near, trains, func(v int) []float32 { return b.more[v*b.width+2:][:b.means+own.labels] })
}

// trains reports for every node whether it is a training node whose label others may see: none, if all neighbours have
// a node's own time.
func (t *Task) trains() []bool {
	trains := make([]bool, t.Data.Graph.NumNodes())
	if t.simultaneous {
		return trains
	}
	for _, v := range t.Split.Train {
		trains[v] = true
	}
	return trains
}

// eachEdge yields the edges in both directions, except loops, with their weights.
func eachEdge(g *graph.Graph, yield func(v, u int32, w float64)) {
	weights := g.Weights()
	for e, src := range g.Sources() {
		dst, w := g.Targets()[e], 1.0
		if weights != nil {
			w = float64(weights[e])
		}
		if src != dst {
			yield(src, dst, w)
			yield(dst, src, w)
		}
	}
}

// setResiduals fills in the means of the residuals of training neighbours; the rows of residuals are in the order of
// train.
func (b *table) setResiduals(g *graph.Graph, train []int32, residuals []mat.Real) {
	k, at := b.unknown, make([]int32, g.NumNodes())
	for i, v := range train {
		at[v] = int32(i) + 1
	}
	known := make([]float64, g.NumNodes())
	for v := range g.NumNodes() {
		clear(b.more[(v+1)*b.width-k:][:k])
	}
	eachEdge(g, func(v, u int32, w float64) {
		if i := int(at[u]) - 1; i >= 0 {
			known[v] += w
			for c, r := range residuals[i*k:][:k] {
				b.more[(int(v)+1)*b.width-k+c] += float32(w * float64(r))
			}
		}
	})
	for v, over := range known {
		for c := range k {
			to := &b.more[(v+1)*b.width-k+c]
			if over > 0 {
				*to /= float32(over)
			} else {
				*to = float32(math.NaN())
			}
		}
	}
}

// Chosen: five folds, and forty rounds for each: what a node's own columns tell, roughly.
const (
	folds      = 5
	foldRounds = 40
)

// outOfFold returns residuals of the training nodes, a row each: labels minus the predictions of trees on own
// columns, fitted to other training nodes. The residuals are what the place in the graph may explain.
func (f *forest) outOfFold() []mat.Real {
	k, own := f.base.Cols(), f.table.own()
	left := make([]mat.Real, len(f.Split.Train)*k)
	if own == 0 {
		return left
	}
	whole := make([]float32, f.table.columns)
	t := fit.NewTable(f.scores.Rows(), own, func(to []float32, v int) {
		f.table.row(whole, v)
		copy(to, whole)
	})
	o := f.options()
	o.Rate = 0.1
	base := f.first()
	z, g, h := make([]mat.Real, k), make([]mat.Real, k), make([]mat.Real, k)
	for fold := range folds {
		b := fit.NewBooster(t, k, o)
		b.Fitted = []int32{}
		for i, v := range f.Split.Train {
			if i%folds != fold {
				b.Fitted = append(b.Fitted, v)
			}
		}
		allG, allH := make([]float32, len(b.Scores())), make([]float32, len(b.Scores()))
		for round := range foldRounds {
			for _, v := range b.Fitted {
				f.scored(z, base, b.Scores(), v)
				f.derive(v, z, g, h)
				for c := range k {
					allG[int(v)*k+c], allH[int(v)*k+c] = float32(g[c]), float32(h[c])
				}
			}
			b.Round(round, allG, allH)
		}
		for i, v := range f.Split.Train {
			if i%folds == fold {
				f.scored(z, base, b.Scores(), v)
				f.derive(v, z, g, h)
				for c := range k {
					left[i*k+c] = -g[c]
				}
			}
		}
	}
	return left
}

// scored computes the row of scores of node v above the base.
func (f *forest) scored(z, base []mat.Real, scores []float32, v int32) {
	for c := range z {
		z[c] = base[c] + mat.Real(scores[int(v)*len(z)+c])
	}
}

// derive computes the first and second derivatives of the loss of training node v by its logits z: of cross-entropy,
// with k/(k − 1) p (1 − p) as the second as usual in boosting, of binary cross-entropy, or of squares.
func (f *forest) derive(v int32, z, g, h []mat.Real) {
	k := len(z)
	switch goal := f.goal.(type) {
	case *classes:
		weight := 1.0
		if goal.weight != nil {
			weight = float64(goal.weight[goal.Class[v]])
		}
		top, sum := z[0], 0.0
		for _, x := range z {
			top = max(top, x)
		}
		for _, x := range z {
			sum += math.Exp(float64(x - top))
		}
		for c, x := range z {
			p := math.Exp(float64(x-top)) / sum
			h[c] = mat.Real(weight * max(p*(1-p)*float64(k)/float64(max(1, k-1)), 1e-6))
			if g[c] = mat.Real(weight * p); int32(c) == goal.Class[v] {
				g[c] = mat.Real(weight * (p - 1))
			}
		}
	case *sets:
		for c, x := range z {
			p := 1 / (1 + math.Exp(-float64(x)))
			g[c], h[c] = mat.Real(p)-goal.Values[int(v)*k+c], mat.Real(max(p*(1-p), 1e-6))
		}
	case *numbers:
		g[0], h[0] = z[0]-goal.scaled(float64(goal.Values[v])), 1
	}
}
