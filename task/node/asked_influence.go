package node

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
)

// Influence says which training labels the answer for a node rests on; its JSON keys are stable. Changes are of Sum,
// the log-odds of a class or the predicted number, if labels are left out and the model is fitted without them.
type Influence struct {
	ID          string           `json:"id"`
	Class       string           `json:"class,omitempty"` // of sets all of them
	Label       string           `json:"label,omitempty"` // the class that is explained, if it is not Class
	Second      string           `json:"second,omitempty"`
	Probability float64          `json:"probability,omitempty"`
	Value       *float64         `json:"value,omitempty"` // where the answer is a number
	Of          string           `json:"of"`              // what changes, as "log-odds of garage against shop"
	Sum         float64          `json:"sum"`             // what it is now
	Method      string           `json:"method"`          // how changes were found
	Labels      int              `json:"labels"`          // training labels
	For         []labelInfluence `json:"for"`             // labels without which Sum is lower, the strongest first
	WithoutFor  float64          `json:"without_for"`     // the change without all of them together
	Against     []labelInfluence `json:"against"`         // labels without which Sum is higher, the strongest first
	Edges       []partInfluence  `json:"edges,omitempty"` // by the size of their changes
	Rows        []partInfluence  `json:"rows,omitempty"`  // the same
	signed      func(float64) string
	verdict     func(show.Paint) string
}

// labelInfluence is one training label.
type labelInfluence struct {
	ID     string  `json:"id"`
	Label  string  `json:"label"`
	Change float64 `json:"change"` // of the sum without this label alone
	at     int     // its position among training nodes
}

// influences returns, for a question about node v, how Sum changes without each of the training labels, and without
// several by their positions.
type influences func(v int32, q question) (each []float64, together func([]int) float64, err error)

// influences finds changes exactly in closed form, otherwise by the curvature of the loss; method says which. The error
// is a *task.UsageError for a model that has neither.
func (t asked) influences() (find influences, method string, err error) {
	if f, ok := t.network.(*closedForm); ok {
		l, err := f.asLinear()
		method = "exact: the regressions solved without them"
		if f.table.width > 0 {
			method += ", labels of rows alike and nearby as they are"
		}
		return func(v int32, q question) ([]float64, func([]int) float64, error) {
			in := l.Influence(v, f.slopes(q))
			return in.Each(), in.Without, nil
		}, method, err
	}
	e, count := t.Config.Energy, 0
	for _, p := range t.network.Params() {
		count += p.Value().Len()
	}
	if count == 0 || t.forest != nil || t.disk != nil || t.all != nil || e != nil && e.FromLabels() {
		return nil, "", task.Usage("--influence is for recipe closed and for parameters that are trained in memory by "+
			"the labels alone, and the recipe of the run is %s", t.Config.Recipe)
	}
	c, err := t.newCurvature()
	return func(v int32, q question) ([]float64, func([]int) float64, error) {
		all, err := c.each(v, q.weight)
		if err != nil {
			return nil, nil, err
		}
		each := picked(all, 1, t.Split.Train)
		return each, func(gone []int) (sum float64) {
			for _, j := range gone {
				sum += each[j]
			}
			return sum
		}, nil
	}, fmt.Sprintf("first order: Gauss-Newton matrix of all %s parameters", show.Thousands(count)), err
}

// explainInfluence says which training labels answers rest on.
func (t asked) explainInfluence(q *task.Request, p *Predictions, list []int32) error {
	at := slices.Index(t.Data.Labels.Names, q.Label)
	if q.Label != "" && at < 0 {
		return task.Usage("%w", keys.NewUnknown("class", q.Label, t.Data.Labels.Names))
	}
	find, method, err := t.influences()
	if err != nil {
		return err
	}
	for x := range p.Only(list).Each {
		v := list[0]
		list = list[1:]
		i, err := t.influence(v, at, x, p, find, q.Top)
		if err != nil {
			return err
		}
		i.Method = method
		if err := q.WriteAnswer(i, func() string { return i.text(show.Painter(q.Out)) }); err != nil {
			return err
		}
	}
	return nil
}

// Influence says which training labels the answer for node v rests on, at most top for it and top against it; 0 for
// all. The error is a *task.UsageError for a run whose parameters were not trained by labels alone.
func (t *Trained) Influence(v int32, top int) (i *Influence, err error) {
	a := asked{t, nil}
	find, method, err := a.influences()
	if err != nil {
		return nil, err
	}
	p, err := t.Predict()
	if err != nil {
		return nil, err
	}
	for x := range p.Only([]int32{v}).Each {
		if i, err = a.influence(v, -1, x, p, find, top); err == nil {
			i.Method = method
		}
	}
	return i, err
}

// influence is about class c of node v, or the predicted one where c is −1, with at most top labels for and against.
func (t asked) influence(v int32, c int, x Prediction, all *Predictions, find influences, top int) (*Influence, error) {
	first, second := t.asks(all.row(v), c)
	e := newExplanation(t.Data, all, bloom.Explanation{Node: v, Class: first, Second: second}, x, 0)
	q := t.question(first, second)
	b := Breakdown{Of: q.of}
	i := &Influence{ID: e.ID, Class: e.Class, Label: e.Label, Second: e.Second, Probability: e.Probability,
		Value: e.Value, Of: q.of, Sum: q.total(all.row(v)), Labels: len(t.Split.Train), verdict: e.verdict,
		signed: b.signed}
	each, together, err := find(v, q)
	if err != nil {
		return nil, err
	}
	last := func(change float64) float64 { return change }
	if g, ok := t.goal.(*numbers); ok {
		i.Sum = all.value(v)
		floor, log := g.floor, g.log
		if f, closed := t.network.(*closedForm); closed {
			floor, log = f.linear.Floor, f.linear.Log
		}
		if log { // changes are of the logarithm
			last = func(change float64) float64 { return (i.Sum - floor) * math.Expm1(change) }
		}
	}
	i.rank(each, last, top)
	gone := make([]int, len(i.For))
	for k, l := range i.For {
		gone[k] = l.at
	}
	if len(gone) > 0 && len(gone) < i.Labels {
		i.WithoutFor = last(together(gone))
	}
	t.nameLabels(i.For, all)
	t.nameLabels(i.Against, all)
	return i, i.addParts(t, v, q, last, top)
}

// rank fills in the labels with the largest changes, at most top for and against; 0 means all.
func (i *Influence) rank(each []float64, last func(float64) float64, top int) {
	order := make([]int, len(each))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(each[a], each[b]) })
	i.For, i.Against = []labelInfluence{}, []labelInfluence{}
	for _, j := range order {
		if each[j] < 0 && (top == 0 || len(i.For) < top) {
			i.For = append(i.For, labelInfluence{at: j, Change: last(each[j])})
		}
	}
	slices.Reverse(order)
	for _, j := range order {
		if each[j] > 0 && (top == 0 || len(i.Against) < top) {
			i.Against = append(i.Against, labelInfluence{at: j, Change: last(each[j])})
		}
	}
}

// nameLabels fills in ids and labels.
func (t asked) nameLabels(list []labelInfluence, all *Predictions) {
	nodes := make([]int32, len(list))
	for k, l := range list {
		nodes[k] = t.Split.Train[l.at]
	}
	k := 0
	for x := range all.Only(nodes).Each {
		list[k].ID, list[k].Label = x.ID, x.Label
		k++
	}
}

// text returns the influence for people.
func (i *Influence) text(p show.Paint) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n  %s: %s; it would change without training labels (%s)\n", i.verdict(p),
		show.Safe(i.Of), strings.TrimSpace(i.signed(i.Sum)), i.Method)
	largest := func(l labelInfluence) float64 { return l.Change }
	most := max(show.Largest(i.For, largest), show.Largest(i.Against, largest))
	for _, part := range []struct {
		name string
		list []labelInfluence
	}{{"labels that support it", i.For}, {"labels that contradict it", i.Against}} {
		if len(part.list) == 0 {
			continue
		}
		fmt.Fprintf(&text, "  %s\n", p.Dim(fmt.Sprintf("%-32s %-24s %10s", part.name, "label", "without it")))
		for _, l := range part.list {
			fmt.Fprintf(&text, "  %-32s %-24s %s %s\n", show.Shorten(show.Safe(l.ID), 32),
				show.Shorten(show.Safe(l.Label), 24), i.signed(l.Change), show.Pull(l.Change, most, p))
		}
	}
	if n := len(i.For); n > 1 && n < i.Labels {
		fmt.Fprintf(&text, "  without the %d labels that support it most: %s\n", n,
			strings.TrimSpace(i.signed(i.Sum+i.WithoutFor)))
	}
	i.parts(&text, p, "edges", i.Edges)
	i.parts(&text, p, "rows of features", i.Rows)
	return text.String()
}

// parts writes edges or rows for people.
func (i *Influence) parts(text *strings.Builder, p show.Paint, name string, list []partInfluence) {
	if len(list) == 0 {
		return
	}
	most := show.Largest(list, func(x partInfluence) float64 { return x.Change })
	fmt.Fprintf(text, "  %s\n", p.Dim(fmt.Sprintf("%-57s %10s", name+", to first order", "without it")))
	for _, x := range list {
		what := show.Safe(x.Source)
		if x.Target != "" {
			what += " – " + show.Safe(x.Target)
		}
		fmt.Fprintf(text, "  %-57s %s %s\n", show.Shorten(what, 57), i.signed(x.Change), show.Pull(x.Change, most, p))
	}
}
