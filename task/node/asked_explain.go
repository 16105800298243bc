package node

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/task"
)

// Explain explains predictions, or tests such explanations.
func (t asked) Explain(q *task.Request) error {
	t = t.alone(q)
	switch labels := t.Data.Labels.Task; {
	case q.Fidelity > 0 && labels != "":
		return task.Usage("--fidelity is for classes of nodes, and labels are for %s", labels)
	case q.Fidelity > 0:
		return t.fidelity(q)
	case q.Influence && q.Level != 0:
		return task.Usage("--level %d: labels have influence on all levels together", q.Level)
	case len(q.Nodes) == 0:
		return task.Usage("which node? name it with --node")
	}
	t.noteKept(q)
	list, err := t.findNodes(q.Nodes)
	if err != nil {
		return err
	}
	p, err := t.Trained.Predict()
	if err != nil {
		return err
	}
	if q.Influence {
		return t.explainInfluence(q, p, list)
	}
	if t.Stack == nil {
		return t.explainPlain(q, p, list)
	}
	return t.explainNodes(q, p, list)
}

// explainNodes explains predictions of a model with an energy.
func (t asked) explainNodes(q *task.Request, p *Predictions, list []int32) error {
	about, err := t.about(q)
	if err != nil {
		return err
	}
	blamed, err := t.blamed()
	if err != nil {
		return err
	}
	for x := range p.Only(list).Each {
		v := list[0]
		list = list[1:]
		in, err := about(v)
		if err != nil {
			return err
		}
		about := in.Node(v)
		e := newExplanation(t.Data, p, about, x, q.Top)
		if e.Breakdown, err = t.breakdown(v, t.question(about.Class, about.Second), p, q.Top); err != nil {
			return err
		}
		e.Threshold = t.threshold(about.Class)
		if n := len(t.Stack.Levels); n > 1 {
			e.Level, e.Levels = cmp.Or(q.Level, n), n
		}
		if e.Columns, err = t.NodeShares(in, v); err != nil {
			return err
		}
		e.Blamed, e.Kept = blamed[v], newKeptLine(t.Data)
		if err := q.WriteAnswer(e, func() string {
			if q.Level > 0 {
				return e.energies(show.Painter(q.Out))
			}
			return e.text(show.Painter(q.Out))
		}); err != nil {
			return err
		}
	}
	return nil
}

// threshold returns the probability above which class c is the answer if validation nodes chose it, otherwise 0.
func (t *Task) threshold(c int) float64 {
	g, ok := t.goal.(*classes)
	if !ok || len(g.Names) != 2 || g.found.Threshold == 0 {
		return 0
	}
	if c == 0 {
		return 1 - g.found.Threshold
	}
	return g.found.Threshold
}

// explainPlain explains the answers of models without an energy.
func (t asked) explainPlain(q *task.Request, p *Predictions, list []int32) error {
	at := slices.Index(t.Data.Labels.Names, q.Label)
	switch {
	case q.Level != 0:
		return task.Usage("--level is %d, and %s has no levels", q.Level, t.Config.Recipe)
	case q.Label != "" && at < 0:
		return task.Usage("%w", keys.NewUnknown("class", q.Label, t.Data.Labels.Names))
	}
	for x := range p.Only(list).Each {
		v := list[0]
		list = list[1:]
		first, second := t.asks(p.row(v), at)
		e := newExplanation(t.Data, p, bloom.Explanation{Node: v, Class: first, Second: second}, x, q.Top)
		var err error
		if e.Breakdown, err = t.breakdown(v, t.question(first, second), p, q.Top); err != nil {
			return err
		}
		e.Threshold = t.threshold(first)
		if err := q.WriteAnswer(e, func() string { return e.text(show.Painter(q.Out)) }); err != nil {
			return err
		}
	}
	return nil
}

// asks returns the class that a question about logits z is about, c or the strongest where c is −1, and the class that
// it is compared with, −1 for none.
func (t *Task) asks(z []mat.Real, c int) (first, second int) {
	first, second = topTwo(z)
	if c >= 0 && c != first {
		first, second = c, first
	}
	if _, sets := t.goal.(*sets); sets {
		second = -1
	}
	return first, second
}

// topTwo returns the indices of the largest and the second largest entry of z; second is −1 if z has only one.
func topTwo(z []mat.Real) (first, second int) {
	first, second = int(metric.Argmax(z)), -1
	for c := range z {
		if c != first && (second < 0 || z[c] > z[second]) {
			second = c
		}
	}
	return first, second
}

// fidelity tests explanations.
func (t asked) fidelity(q *task.Request) error {
	f, err := t.Task.Fidelity(q.Fidelity, t.Trial.Seed)
	if err != nil {
		return err
	}
	return q.WriteAnswer(f, func() string {
		return fmt.Sprintf("Without the %.1f edges that explanations rank first, %.1f %% of %d nodes change class; "+
			"without the same number of random edges, %.1f %%.\n", f.Edges, 100*f.Top, f.Nodes, 100*f.Random)
	})
}

// explanation is one explained node; its JSON keys are stable.
type explanation struct {
	ID          string        `json:"id"`
	Class       string        `json:"class,omitempty"` // of sets all of them
	Label       string        `json:"label,omitempty"` // the class that is explained, if it is not Class
	Second      string        `json:"second,omitempty"`
	Probability float64       `json:"probability,omitempty"` // of the class that is explained
	Value       *float64      `json:"value,omitempty"`       // where the answer is a number
	Total       float64       `json:"energy"`
	Own         float64       `json:"own_energy"`
	OwnPull     float64       `json:"own_pull"`
	Residual    float64       `json:"residual"`
	Level       int           `json:"level,omitempty"`   // of a stack: the level that is explained, from 1
	Levels      int           `json:"levels,omitempty"`  // of a stack: how many there are
	Columns     []ColumnShare `json:"columns,omitempty"` // sorted by pull, the largest first
	Edges       []edgeExplain `json:"edges"`
	Left        int           `json:"edges_left_out,omitempty"`
	Breakdown   *Breakdown    `json:"breakdown"`           // what adds up to the answer
	Threshold   float64       `json:"threshold,omitempty"` // probability above which the class is the answer, if not ½
	LeftEnergy  float64       `json:"energy_left_out,omitempty"`
	// Blamed are the columns of its row to look at, if an audit has found some.
	Blamed []ColumnFlag `json:"blamed,omitempty"`
	Kept   *keptLine    `json:"kept,omitempty"`
}

// edgeExplain is one of its edges.
type edgeExplain struct {
	Other    string   `json:"node"`
	Class    string   `json:"class,omitempty"`
	Value    *float64 `json:"value,omitempty"`
	Relation string   `json:"relation,omitempty"`
	Energy   float64  `json:"energy"`
	Pull     float64  `json:"pull"`
}

// about returns a function that explains the prediction of a node at --level, for the class of --label or, without
// --label, the strongest class.
func (t asked) about(q *task.Request) (func(v int32) (*bloom.Inspection, error), error) {
	names := t.Data.Labels.Names
	at := slices.Index(names, q.Label)
	switch {
	case q.Label != "" && t.Data.Labels.Task == dataset.Numbers:
		return nil, task.Usage("--label is for classes of nodes, and labels are for %s", t.Data.Labels.Task)
	case q.Label != "" && at < 0:
		return nil, task.Usage("%w", keys.NewUnknown("class", q.Label, names))
	case t.Stack != nil && (q.Level < 0 || q.Level > len(t.Stack.Levels)):
		return nil, task.Usage("--level is %d, and the run has levels 1 to %d", q.Level, len(t.Stack.Levels))
	}
	in, err := t.Task.Inspect(q.Level)
	if err != nil || q.Label == "" && (q.Level == 0 || q.Level == len(t.Stack.Levels)) {
		return func(int32) (*bloom.Inspection, error) { return in, nil }, err
	}
	return func(v int32) (*bloom.Inspection, error) { return in.About(v, at) }, nil
}

// blamed returns the columns that the audit of the run, if there is one, blames in rows.
func (t asked) blamed() (map[int32][]ColumnFlag, error) {
	a, err := t.KeptAudit()
	if err != nil || a == nil {
		return nil, err
	}
	columns := map[int32][]ColumnFlag{}
	for _, x := range a.Rows {
		columns[x.Node] = x.Columns
	}
	return columns, nil
}

// newExplanation adds names to numbers, with the top edges by the size of their pull. all has the predictions for all
// nodes, p is the prediction for this node.
func newExplanation(d *dataset.Dataset, all *Predictions, x bloom.Explanation, p Prediction, top int) explanation {
	e := explanation{ID: d.NodeName(x.Node), Class: p.Class, Probability: p.Probability, Value: p.Value,
		Total: x.Total, Own: x.Own, OwnPull: x.OwnPull, Residual: x.Residual}
	others := []int32{} // not nil, which would be all
	for i, s := range x.Edges {
		if top > 0 && i >= top {
			e.Left++
			e.LeftEnergy += s.Energy
			continue
		}
		others = append(others, s.Other)
		out := edgeExplain{Other: d.NodeName(s.Other), Energy: s.Energy, Pull: s.Pull}
		if len(d.Relations) > 1 {
			out.Relation = d.Relations[int(d.Graph.Edge(s.Edge%int32(d.Graph.NumEdges())).R)]
		}
		e.Edges = append(e.Edges, out)
	}
	i := 0
	for y := range all.Only(others).Each {
		e.Edges[i].Class, e.Edges[i].Value = y.Class, y.Value
		i++
	}
	if x.Second >= 0 {
		e.Second = d.Labels.Names[x.Second]
	}
	if name := d.Labels.Names[x.Class]; e.Value == nil && name != e.Class {
		e.Label, e.Probability = name, p.Probabilities[name]
	}
	return e
}

// mostColumns is how many columns are shown.
const mostColumns = 5

// verdict shows what is predicted, and what part of it is explained.
func (e explanation) verdict(p show.Paint) string {
	s := fmt.Sprintf("%s is %s", p.Strong(show.Safe(e.ID)), p.Good(answer(e.Class, e.Value)))
	switch {
	case e.Value != nil:
		return s
	case e.Class == "":
		s = p.Strong(show.Safe(e.ID)) + " has no class"
	}
	switch {
	case e.Label != "" && e.Second != "":
		return s + fmt.Sprintf("; %s, probability %.2f, against %s", p.Strong(show.Safe(e.Label)), e.Probability,
			show.Safe(e.Second))
	case e.Label != "":
		return s + fmt.Sprintf("; %s has the probability %.2f", p.Strong(show.Safe(e.Label)), e.Probability)
	case e.Second != "":
		return s + fmt.Sprintf(", probability %.2f; the second is %s", e.Probability, show.Safe(e.Second))
	}
	return s + fmt.Sprintf(", probability %.2f", e.Probability)
}

// where names the level that is explained; empty if there is only one.
func (e explanation) where() string {
	if e.Levels == 0 {
		return ""
	}
	return fmt.Sprintf("level %d of %d: ", e.Level, e.Levels)
}

// answer returns the class or the number in a column.
func answer(class string, value *float64) string {
	if value != nil {
		return fmt.Sprintf("%.4g", *value)
	}
	return show.Safe(class)
}

func (e explanation) text(p show.Paint) string {
	text := e.verdict(p) + "\n"
	if e.Threshold > 0 {
		text += fmt.Sprintf("  %s is predicted from probability %.2f on, the best threshold on the validation nodes\n",
			show.Safe(e.Breakdown.For), e.Threshold)
	}
	text += e.Breakdown.text(p)
	if len(e.Blamed) > 0 {
		text += fmt.Sprintf("  %s\n", p.Dim("the audit: "+show.Safe(columnsText(RowFlag{Columns: e.Blamed}.Blamed()))))
	}
	return text
}

// energies returns the energy of a level for people: a bar to the right pulls towards the predicted class, or the
// number up, one to the left away, or down.
func (e explanation) energies(p show.Paint) string {
	var text strings.Builder
	column := "value"
	if e.Value == nil {
		column = "class"
	}
	fmt.Fprintf(&text, "%s\n  %senergy %.4g = %.4g of its features + %.4g of its edges; ‖h − π(x)‖ %.4g\n",
		e.verdict(p), e.where(), e.Total, e.Own, e.Total-e.Own, e.Residual)
	shown := e.Columns[:min(mostColumns, len(e.Columns))]
	largest := max(math.Abs(e.OwnPull), show.Largest(e.Edges, func(s edgeExplain) float64 { return s.Pull }),
		show.Largest(shown, func(c ColumnShare) float64 { return c.Pull }))
	fmt.Fprintf(&text, "  %s\n", p.Dim(fmt.Sprintf("%-28s %-14s %10s %10s", "pulled by", column, "energy", "pull")))
	line := func(name, class string, energy, pull float64) {
		fmt.Fprintf(&text, "  %-28s %-14s %10.4g %+10.3g %s\n", show.Safe(name), class, energy, pull,
			show.Pull(pull, largest, p))
	}
	line("its own features", "", e.Own, e.OwnPull)
	for _, c := range shown {
		line(fmt.Sprintf("  %s %s", c.Name, written(c.Value)), "usual "+written(c.Usual), c.Energy, c.Pull)
	}
	for _, s := range e.Edges {
		line(strings.TrimSpace(s.Relation+" "+s.Other), answer(s.Class, s.Value), s.Energy, s.Pull)
	}
	if e.Left > 0 {
		fmt.Fprintf(&text, "  %s\n", p.Dim(fmt.Sprintf("and %d more edges with energy %.4g; --top 0 shows all", e.Left,
			e.LeftEnergy)))
	}
	return text.String()
}
