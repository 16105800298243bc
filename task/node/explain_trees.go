package node

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/internal/trees"
	"github.com/bloomgml/bloom/task"
)

// treesExplained is what trees go by in their answer for a node; the keys stay. Start, the shares of the columns and
// Rest add up to Sum.
type treesExplained struct {
	ID      string        `json:"id"`
	Answer  string        `json:"answer"`
	Of      string        `json:"of"`    // what the numbers are shares of
	Sum     float64       `json:"sum"`   // of all
	Start   float64       `json:"start"` // before a column is looked at
	Columns []columnShare `json:"columns"`
	Rest    float64       `json:"rest"` // of the columns that are not shown
	Left    int           `json:"left,omitempty"`
}

// columnShare is what a column does; Value is missing where the node has none.
type columnShare struct {
	Name  string   `json:"name"`
	Value *float64 `json:"value,omitempty"`
	Share float64  `json:"share"`
}

// explainTrees explains nodes, all columns or the first top of them.
func (t asked) explainTrees(q *task.Request, list []int32) error {
	p, err := t.Trained.Predict()
	if err != nil {
		return err
	}
	for x := range p.Only(list).Each {
		v := list[0]
		list = list[1:]
		e := t.forest.explain(v, q.Top)
		e.ID, e.Answer = x.ID, answer(x.Class, x.Value)
		if err := q.Tell(e, func() string { return e.text(terminal.Painter(q.Out)) }); err != nil {
			return err
		}
	}
	return nil
}

// explain takes the score of node v apart: of a number itself, of classes the difference between the likeliest and the
// next, of sets the log-odds of the likeliest class.
func (f *forest) explain(v int32, top int) treesExplained {
	f.refresh()
	k, scores := f.base.Cols(), f.scores.Value().Slice()
	z, scale := scores[int(v)*k:][:k], 1.0
	likeliest, against, e := 0, -1, treesExplained{}
	switch g := f.goal.(type) {
	case *numbers:
		scale, e.Of, e.Start = g.sd, f.Data.Labels.Names[0], g.mean
	default:
		order := make([]int, k)
		for c := range order {
			order[c] = c
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(z[b], z[a]) })
		likeliest, e.Of = order[0], "the log-odds of "+f.Data.Labels.Names[order[0]]
		if _, sets := g.(*sets); !sets && k > 1 {
			against = order[1]
			e.Of += " against " + f.Data.Labels.Names[order[1]]
		}
	}
	row, by := make([]float32, f.table.columns), make([]float64, f.table.columns)
	f.fill(&f.table)
	f.table.row(row, int(v))
	part := func(c int, sign float64) {
		add := make([]float64, len(by))
		e.Start += sign * scale * float64(f.base.Value().Slice()[c])
		for _, tree := range f.treesOf(c) {
			e.Start += sign * scale * tree.Contributions(row, add)
		}
		for j, x := range add {
			by[j] += sign * scale * x
		}
	}
	if part(likeliest, 1); against >= 0 {
		part(against, -1)
	}
	e.take(f.named(row), by, top)
	return e
}

// take keeps the columns that do most.
func (e *treesExplained) take(columns []columnShare, by []float64, top int) {
	e.Sum = e.Start
	for j, x := range by {
		columns[j].Share = x
		e.Sum += x
	}
	slices.SortStableFunc(columns, func(a, b columnShare) int {
		return cmp.Compare(math.Abs(b.Share), math.Abs(a.Share))
	})
	for _, c := range columns {
		if c.Share == 0 {
			break
		}
		if top > 0 && len(e.Columns) >= top {
			e.Rest += c.Share
			e.Left++
			continue
		}
		e.Columns = append(e.Columns, c)
	}
}

// treesOf are the trees of column c of the scores.
func (f *forest) treesOf(c int) (list []trees.Tree) {
	rows := f.packed.Value().Slice()
	for round := range f.rounds {
		tree, _ := f.tree(rows, round*f.base.Cols()+c)
		list = append(list, tree)
	}
	return list
}

// named are the columns of a row with their names, in the units of the tables that they come from.
func (f *forest) named(row []float32) []columnShare {
	own, columns := f.Columns(), make([]columnShare, 0, len(row))
	add := func(name string, x float64) {
		c := columnShare{Name: name}
		if !math.IsNaN(x) {
			c.Value = &x
		}
		columns = append(columns, c)
	}
	for j := range f.table.own() {
		add(own[j].Name, own[j].feature().Value(float64(row[j])))
	}
	b, more := &f.table, row[f.table.own():]
	labels := f.Data.Labels.Names[f.Classes()-f.told():]
	if b.hearing > 0 {
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
		add("closed form's answer "+labels[c], float64(more[b.hearing+c]))
	}
	if g, ok := f.goal.(*numbers); ok && b.unknown > 0 {
		add("neighbours' label beyond their columns", g.sd*float64(more[len(more)-1]))
	}
	return columns
}

// text is the explanation for people.
func (e treesExplained) text(p terminal.Paint) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s is %s\n  %s\n", terminal.Show(e.ID), e.Answer, p.Dim(fmt.Sprintf("%-44s %12s", "goes by",
		"share")))
	largest := terminal.Largest(e.Columns, func(c columnShare) float64 { return c.Share })
	for _, c := range e.Columns {
		name := c.Name + " missing"
		if c.Value != nil {
			name = c.Name + " " + written(*c.Value)
		}
		fmt.Fprintf(&text, "  %-44s %+12.4g %s\n", terminal.Show(name), c.Share, terminal.Pull(c.Share, largest, p))
	}
	if e.Left > 0 {
		fmt.Fprintf(&text, "  %-44s %+12.4g\n", fmt.Sprintf("%d other columns", e.Left), e.Rest)
	}
	fmt.Fprintf(&text, "  %-44s %+12.4g\n  %-44s %12.4g\n", "before any column", e.Start, "sum: "+e.Of, e.Sum)
	return text.String()
}
