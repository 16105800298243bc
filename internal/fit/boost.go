package fit

import (
	"math/rand/v2"
	"slices"

	"github.com/bloomgml/bloom/internal/kernel"
)

// TreeOptions say how trees grow. The zero value is the documented default, the same as LightGBM's.
type TreeOptions struct {
	Leaves     int     // of a tree at most; 0 means 31
	MinRows    int     // of a leaf; 0 means 20
	MinHessian float64 // of a leaf; 0 means 1e-3
	L2         float64 // added to the second derivatives of a leaf
	Rate       float64 // of what a tree says, that is added; 0 means 0.1
	Columns    float64 // share that a tree may split by; 0 means all
	Sample     float64 // share of the rows that a tree is fitted to; 0 means all
	Seed       uint64
}

func (o TreeOptions) filled() TreeOptions {
	fill := func(x *float64, v float64) {
		if *x == 0 {
			*x = v
		}
	}
	if o.Leaves == 0 {
		o.Leaves = 31
	}
	if o.MinRows == 0 {
		o.MinRows = 20
	}
	fill(&o.MinHessian, 1e-3)
	fill(&o.Rate, 0.1)
	fill(&o.Columns, 1)
	fill(&o.Sample, 1)
	return o
}

// Booster adds trees to the scores of all rows of a table.
type Booster struct {
	TreeOptions
	Fitted  []int32 // rows that trees are fitted to, ascending; nil means all
	Mirror  bool    // derivatives of the second of two outputs are the negated ones of the first, and so are its trees
	table   *Table
	outputs int
	scores  []float32
	grower  grower
	splits  []uint8 // the bins of the tree that is added, by node
}

// NewBooster returns a booster whose scores are 0.
func NewBooster(t *Table, outputs int, o TreeOptions) *Booster {
	return &Booster{TreeOptions: o.filled(), table: t, outputs: outputs, scores: make([]float32, t.Rows*outputs)}
}

// Scores returns rows×outputs, the sums of what the trees of all rounds say.
func (b *Booster) Scores() []float32 { return b.scores }

// Nodes returns the maximum number of nodes in a tree.
func (b *Booster) Nodes() int { return 2*b.Leaves - 1 }

// Round fits a tree for each output to the derivatives of the loss by Scores, rows×outputs, and adds what they say.
// What is drawn is a function of the seed and the round alone.
func (b *Booster) Round(round int, g, h []float32) []Tree {
	list := make([]Tree, b.outputs)
	columns := b.drawColumns(round)
	for k := range list {
		if k == 1 && b.Mirror {
			list[k] = list[0].opposite()
			b.Add(list[k], k)
		} else {
			list[k] = b.fit(round, k, columns, g, h)
		}
	}
	return list
}

// fit grows the tree of output k, and adds it.
func (b *Booster) fit(round, k int, columns []int32, g, h []float32) Tree {
	w := &b.grower
	w.Table, w.TreeOptions, w.columns, w.tree = b.table, b.TreeOptions, columns, nil
	if w.g == nil {
		w.g, w.h = make([]float32, b.table.Rows), make([]float32, b.table.Rows)
	}
	for i := range w.g {
		w.g[i], w.h[i] = g[i*b.outputs+k], h[i*b.outputs+k]
	}
	w.rows = b.drawRows(round, w.rows[:0])
	w.flat = flatOf(w.h, w.rows)
	for _, l := range w.leaves {
		w.spare = append(w.spare, l.cells)
	}
	w.leaves = w.leaves[:0]
	t := w.grow()
	b.Add(t, k)
	return t
}

// flatOf returns h if it is the same for all rows, as for squared errors, and 0 otherwise.
func flatOf(h []float32, rows []int32) float64 {
	for _, r := range rows {
		if h[r] != h[rows[0]] {
			return 0
		}
	}
	if len(rows) == 0 {
		return 0
	}
	return float64(h[rows[0]])
}

// Add adds what a tree of this table says about all rows to output k.
func (b *Booster) Add(t Tree, k int) {
	if len(t) == 0 {
		return
	}
	b.splits = b.splits[:0]
	for _, n := range t {
		bin := uint8(0)
		if n.Column >= 0 {
			bin = binOf(b.table.cuts[n.Column], n.Cut)
		}
		b.splits = append(b.splits, bin)
	}
	const piece = 1 << 12
	kernel.Each((b.table.Rows+piece-1)/piece, &adding{b, t, k, piece})
}

// adding adds a tree to the scores of some rows at a time.
type adding struct {
	*Booster
	tree  Tree
	k     int
	piece int
}

// Do walks the rows of piece i down the tree, by their bins.
func (a *adding) Do(i int) {
	cut := a.splits
	for r := i * a.piece; r < min((i+1)*a.piece, a.table.Rows); r++ {
		at := int32(0)
		for a.tree[at].Column >= 0 {
			n := &a.tree[at]
			bin := a.table.bins[n.Column][r]
			if left := bin > 0 && bin <= cut[at] || bin == 0 && n.Gaps; left {
				at = n.Left
			} else {
				at = n.Right
			}
		}
		a.scores[r*a.outputs+a.k] += a.tree[at].Value
	}
}

// drawColumns returns the columns of a round, ascending.
func (b *Booster) drawColumns(round int) []int32 {
	var all []int32
	for j, cuts := range b.table.cuts {
		if len(cuts) > 0 {
			all = append(all, int32(j))
		}
	}
	if b.Columns >= 1 || len(all) == 0 {
		return all
	}
	rng := rand.New(rand.NewPCG(b.Seed, uint64(2*round)))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:max(1, int(b.Columns*float64(len(all))+0.5))]
	slices.Sort(all)
	return all
}

// drawRows returns the rows of a round, ascending, in the given room.
func (b *Booster) drawRows(round int, rows []int32) []int32 {
	n := b.table.Rows
	if b.Fitted != nil {
		n = len(b.Fitted)
	}
	rng := rand.New(rand.NewPCG(b.Seed, uint64(2*round+1)))
	for i := range n {
		if b.Sample < 1 && rng.Float64() >= b.Sample {
			continue
		}
		r := int32(i)
		if b.Fitted != nil {
			r = b.Fitted[i]
		}
		rows = append(rows, r)
	}
	return rows
}
