package node

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/mat"
)

// Breakdown is an answer as a sum of pieces of evidence; its JSON keys are stable. Prior, the groups and Rest add up
// to Sum.
type Breakdown struct {
	Text   string      `json:"text"`  // a sentence
	Of     string      `json:"of"`    // what is added up, as "log-odds of garage against shop"
	For    string      `json:"for"`   // what a positive number supports
	Prior  float64     `json:"prior"` // the answer for a node about which the model knows nothing
	Groups []partGroup `json:"groups"`
	Rest   float64     `json:"rest"` // what the numerical integral lacks
	Sum    float64     `json:"sum"`
	of     map[int32]float64
}

// Share returns what node u adds to the answer, 0 if that is not known; b may be nil.
func (b *Breakdown) Share(u int32) float64 {
	if b == nil {
		return 0
	}
	return b.of[u]
}

// Rename gives the nodes whose shares are known the numbers that they have elsewhere.
func (b *Breakdown) Rename(numbers []int32) {
	of := make(map[int32]float64, len(b.of))
	for u, share := range b.of {
		of[numbers[u]] = share
	}
	b.of = of
}

// partGroup is one kind of evidence: Sum includes Parts and the parts that are left out.
type partGroup struct {
	Name  string         `json:"name"`
	Sum   float64        `json:"sum"`
	Parts []evidencePart `json:"parts,omitempty"`
	Left  int            `json:"left_out,omitempty"` // parts that are not shown
	Noun  string         `json:"noun,omitempty"`     // of its parts: column or neighbour
}

// evidencePart is a column with its value, or a neighbour with its answer.
type evidencePart struct {
	Name  string   `json:"name"`
	Value *float64 `json:"value,omitempty"` // of a column; missing where the node has none
	Usual *float64 `json:"usual,omitempty"` // of most nodes
	Class string   `json:"class,omitempty"` // of a neighbour
	Share float64  `json:"share"`
}

// The groups.
const (
	ownColumns  = "its own columns"
	edgeColumns = "statistics of its edges"
	ownRow      = "what was learnt of it"
	neighbours  = "its neighbours"
	farther     = "nodes further away"
	ownPlace    = "its place in the graph"
	rowsAlike   = "rows alike and labels nearby"
)

// add appends a group, the largest parts first, at most top of them; 0 means all.
func (b *Breakdown) add(name, noun string, parts []evidencePart, top int) {
	parts = slices.DeleteFunc(parts, func(p evidencePart) bool { return p.Share == 0 })
	if len(parts) == 0 {
		return
	}
	slices.SortStableFunc(parts, func(a, b evidencePart) int {
		return cmp.Compare(math.Abs(b.Share), math.Abs(a.Share))
	})
	g := partGroup{Name: name, Noun: noun}
	for _, p := range parts {
		g.Sum += p.Share
	}
	if top > 0 && len(parts) > top {
		g.Left, parts = len(parts)-top, parts[:top]
	}
	g.Parts = parts
	b.Groups = append(b.Groups, g)
}

// total returns the sum of all parts.
func (b *Breakdown) total() float64 {
	sum := b.Prior + b.Rest
	for _, g := range b.Groups {
		sum += g.Sum
	}
	return sum
}

// question is a weighted sum of logits to be explained: the number itself, in its unit; for sets the log-odds of a
// class; for classes the log-odds of one against another. shift is added to the sum.
type question struct {
	of, favours string
	weight      []float64
	shift       float64
	logits      []mat.Real // on the whole graph, if the task is on a part of it
}

// total returns the weighted sum of logits.
func (q question) total(logits []mat.Real) float64 {
	sum := q.shift
	for c, w := range q.weight {
		sum += w * float64(logits[c])
	}
	return sum
}

// Explain takes the answer for node v apart, as one class against the second, at most top parts of a group. logits
// belong to the node on the whole graph; what the graph of t lacks of them belongs to nodes further away.
func (t *Task) Explain(v int32, logits []mat.Real, top int) (*Breakdown, error) {
	all, err := t.Predict()
	if err != nil {
		return nil, err
	}
	q := t.question(t.asks(logits, -1))
	q.logits = logits
	return t.breakdown(v, q, all, top)
}

// question asks about class c against the second; c is −1 for the answer of the node, and second is −1 for none.
func (t *Task) question(c, second int) question {
	q := question{weight: make([]float64, t.Classes())}
	names := t.Data.Labels.Names
	switch g := t.goal.(type) {
	case *numbers:
		q.of, q.favours, q.weight[0], q.shift = names[0], "more", g.sd, g.mean
	case *sets:
		q.of, q.favours, q.weight[c] = "log-odds of "+names[c], names[c], 1
	case *classes:
		q.of, q.favours, q.weight[c] = "log-odds of "+names[c], names[c], float64(g.inverse())
		if second >= 0 {
			q.of += " against " + names[second]
			q.weight[second] = -float64(g.inverse())
		}
	}
	return q
}

// breakdown explains the answer for node v by whatever gave it; all has the answers for its neighbours. The error is a
// *NoEnergy for a network without features.
func (t *Task) breakdown(v int32, q question, all *Predictions, top int) (b *Breakdown, err error) {
	n, isPlain := t.network.(plain)
	f, isClosed := t.network.(*closedForm)
	switch {
	case isClosed:
		b, err = f.breakdown(v, q, all, top)
	case t.forest != nil && t.Stack == nil:
		b = t.forest.breakdown(v, q, top)
	case isPlain:
		b, err = n.breakdown(t, v, q, all, top)
	default:
		on := t.On
		if t.forest != nil {
			on.X = input.None(on.On.Graph.NumNodes()) // trees are not a smooth function of features
		}
		var c *bloom.Contributions
		if c, err = t.Stack.Contributions(on, v, q.weight); err == nil {
			b = t.divided(v, q, c, all, top)
		}
	}
	if g, ok := t.goal.(*numbers); ok && err == nil && g.log && !isClosed {
		b.exponential(all.value(v), g.floor, math.Exp(b.Sum-q.total(all.row(v))))
	}
	if err == nil {
		b.Text = b.sentence()
	}
	return b, err
}

// breakdown explains the answer of a baseline.
func (p plain) breakdown(t *Task, v int32, q question, all *Predictions, top int) (*Breakdown, error) {
	x := p.features(input.Evaluation())
	if values, _ := x.Entries(); values.IsZero() {
		return nil, &NoEnergy{t.Config.Recipe}
	}
	c, err := bloom.ContributionsOf(x, func(x input.Features) (ad.Var, error) {
		return p.Forward(input.Evaluation(), x), nil
	}, v, q.weight)
	if err != nil {
		return nil, err
	}
	return t.divided(v, q, c, all, top), nil
}

// divided names the contributions to the answer for node v.
func (t *Task) divided(v int32, q question, c *bloom.Contributions, all *Predictions, top int) *Breakdown {
	b := &Breakdown{Of: q.of, For: q.favours, Prior: c.Base + q.shift, Rest: c.Rest, Sum: c.Total + q.shift}
	lacking := 0.0
	if q.logits != nil {
		lacking = q.total(q.logits) - b.Sum
		b.Sum += lacking
	}
	t.ownParts(b, v, c, top)
	b.neighbours(t, v, c, all, lacking, top)
	return b
}

// exponential turns the parts of the logarithm of what an answer has above a floor, but for a factor, into parts of the
// answer; more is what it is multiplied by. With the sum S of the logarithms, and P of it before anything is known, a
// part s has
//
//	s ∫₀¹ exp(P + t(S − P)) dt = s (answer − base) / (S − P)        base = answer·exp(P − S)
func (b *Breakdown) exponential(answer, floor, more float64) {
	answer = (answer - floor) * more
	base := answer * math.Exp(b.Prior-b.Sum)
	factor := base
	if far := b.Sum - b.Prior; math.Abs(far) > 1e-9 {
		factor = (answer - base) / far
	}
	b.scale(factor)
	b.Prior, b.Sum = floor+base, floor+answer
}

// scale multiplies all parts, Prior and Sum aside.
func (b *Breakdown) scale(factor float64) {
	b.Rest *= factor
	for i := range b.Groups {
		g := &b.Groups[i]
		g.Sum *= factor
		for k := range g.Parts {
			g.Parts[k].Share *= factor
		}
	}
}

// ownParts adds what the columns of node v do.
func (t *Task) ownParts(b *Breakdown, v int32, c *bloom.Contributions, top int) {
	var list []evidencePart
	switch x := t.rowOf(v); {
	case t.forest != nil:
		list = t.forest.parts(b, v, c)
	case len(x) == len(c.Own) && len(x) > 0:
		columns := t.Columns()
		for j, share := range c.Own {
			value, usual := columns[j].feature().Value(x[j]), columns[j].feature().Value(columns[j].Usual)
			list = append(list, evidencePart{Name: columns[j].Name, Value: &value, Usual: &usual, Share: share})
		}
	default:
		all := 0.0
		for _, share := range c.Own {
			all += share
		}
		b.add(ownRow, "", []evidencePart{{Name: ownRow, Share: all}}, 0)
		return
	}
	b.group(t, list, top)
}

// rowOf returns the row of features of node v as it was opened; nil if there are several types, or no features.
func (t *Task) rowOf(v int32) []float64 {
	x := t.Features(0)
	if t.Data.Graph.NumTypes() > 1 || x.Cols == 0 || int(v) >= x.Rows {
		return nil
	}
	row := make([]float64, x.Cols)
	for j, value := range x.Entries(int(v)) {
		row[j] = float64(value)
	}
	return row
}

// madeOfEdges reports whether a column was made of the rows of edges.
func (t *Task) madeOfEdges(name string) bool {
	s := t.Data.Schema
	return s != nil && s.Made(name)
}

// neighbours adds the contributions of all other nodes: the neighbours of v one by one, the others together with what
// is lacking.
func (b *Breakdown) neighbours(t *Task, v int32, c *bloom.Contributions, all *Predictions, lacking float64, top int) {
	g := t.On.On.Graph
	_, in := g.In().Row(int(v))
	_, out := g.Out().Row(int(v))
	near := map[int32]bool{}
	for _, e := range slices.Concat(in, out) {
		edge := g.Edge(e)
		near[edge.U], near[edge.V] = true, true
	}
	delete(near, v)
	var parts []evidencePart
	beyond := lacking
	b.of = map[int32]float64{}
	for u, share := range c.Others {
		if !near[int32(u)] {
			beyond += share
			continue
		}
		b.of[int32(u)] = share
		parts = append(parts, evidencePart{Name: t.Data.NodeName(int32(u)), Share: share})
	}
	nodes := make([]int32, 0, len(parts))
	for u := range c.Others {
		if near[int32(u)] {
			nodes = append(nodes, int32(u))
		}
	}
	i := 0
	for x := range all.Only(nodes).Each {
		parts[i].Class, parts[i].Value = x.Class, x.Value
		i++
	}
	b.add(neighbours, "neighbour", parts, top)
	b.add(farther, "", []evidencePart{{Name: farther, Share: beyond}}, 0)
}

// text returns the breakdown for people: a sentence, and a line for every part.
func (b *Breakdown) text(p show.Paint) string {
	var text strings.Builder
	largest := max(math.Abs(b.Prior), show.Largest(b.Groups, func(g partGroup) float64 { return g.Sum }))
	line := func(indent int, name string, share float64, bar bool) {
		pull := ""
		if bar {
			pull = show.Pull(share, largest, p)
		}
		fmt.Fprintf(&text, "%s\n", strings.TrimRight(fmt.Sprintf("  %s%-*s %s %s", strings.Repeat(" ", indent),
			52-indent, show.Shorten(show.Safe(name), 52-indent), b.signed(share), pull), " "))
	}
	fmt.Fprintf(&text, "  %s\n", show.Safe(b.Text))
	line(0, "before anything is known", b.Prior, true)
	for _, g := range b.Groups {
		line(0, g.Name, g.Sum, true)
		left := g.Sum
		if g.Noun == "" {
			continue
		}
		for _, x := range g.Parts {
			line(2, x.text(), x.Share, false)
			left -= x.Share
		}
		if g.Left > 0 {
			line(2, show.Plural(g.Left, "other "+g.Noun), left, false)
		}
	}
	if b.signed(b.Rest) != b.signed(0) {
		line(0, "rounding", b.Rest, false)
	}
	line(0, "together: "+b.Of, b.Sum, false)
	return text.String()
}

// signed returns a share as it is shown: log-odds with two digits, numbers with four.
func (b *Breakdown) signed(x float64) string {
	if strings.HasPrefix(b.Of, "log-odds") {
		return fmt.Sprintf("%+10.2f", math.Round(100*x)/100+0) // +0: no −0
	}
	return fmt.Sprintf("%+10.4g", x)
}

func (x evidencePart) text() string {
	switch {
	case x.Class != "":
		return x.Name + " " + x.Class
	case x.Value == nil:
		return x.Name
	case x.Usual == nil || written(*x.Usual) == written(*x.Value):
		return x.Name + " " + written(*x.Value)
	}
	return fmt.Sprintf("%s %s (usual %s)", x.Name, written(*x.Value), written(*x.Usual))
}

// decisive is the minimum share of all evidence, by size, that a sentence mentions.
const decisive = 0.1

// sentence says which groups support the answer and which contradict it, by the numbers of the lines below it.
func (b *Breakdown) sentence() string {
	size := 0.0
	for _, g := range b.Groups {
		size += math.Abs(g.Sum)
	}
	var favour, against []string
	for _, g := range slices.SortedStableFunc(slices.Values(b.Groups), func(x, y partGroup) int {
		return cmp.Compare(math.Abs(y.Sum), math.Abs(x.Sum))
	}) {
		if math.Abs(g.Sum) < decisive*size || size == 0 {
			continue
		}
		name := g.Name
		if g.Noun != "" && len(g.Parts) > 0 && g.Parts[0].Share*g.Sum > 0 {
			name += " (most of all " + g.Parts[0].text() + ")"
		}
		if g.Sum > 0 {
			favour = append(favour, name)
		} else {
			against = append(against, name)
		}
	}
	var parts []string
	if len(favour) > 0 {
		parts = append(parts, "for "+b.For+": "+strings.Join(favour, ", "))
	}
	if len(against) > 0 {
		parts = append(parts, "against: "+strings.Join(against, ", "))
	}
	if len(parts) == 0 {
		return "Nothing known about the node changes the prediction."
	}
	s := strings.Join(parts, "; ")
	return strings.ToUpper(s[:1]) + s[1:] + "."
}
