package node

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
	"github.com/bloomgml/bloom/upper"
)

// Predictions holds the output of a network for every node.
type Predictions struct {
	Logits *mat.Dense // n×classes; of numbers n×1, in deviations from the mean of the training nodes
	// Probability is n×classes: softmax of the logits divided by the calibrated temperature; for sets the sigmoid of
	// each; nil for numbers.
	Probability *mat.Dense

	// Of a bilevel model, for every node, as in bloom.Explanation: ‖h_v − π(x_v)‖, and the energy of the node itself
	// and of all edges that end at it; over all levels of a stack. Nil for a baseline.
	Residual, Energy []float64

	task  *Task
	nodes []int32 // nil for all, see Only

	logits, probability []mat.Real // on the host, taken when first asked for
	parts               []string   // of the split, by nodes; taken with them

	conformal *Conformal // nil if sets were not requested
	scores    []float64  // of all nodes and classes, see Conform
}

// Predict runs the network in evaluation mode. The error is a *train.BadData if a number is not finite. If the logits
// are a function of what the descents of a stack find, the descents run once for both.
func (t *Task) Predict() (*Predictions, error) {
	var levels []bloom.Settled
	var err error
	if t.Stack != nil {
		if levels, err = t.Stack.Settle(t.On); err != nil {
			return nil, err
		}
	}
	z, err := t.predicted(levels)
	if err != nil {
		return nil, err
	}
	if z, err = t.averaged(z); err != nil {
		return nil, err
	}
	return t.predictionsOf(z, levels)
}

// predictionsOf returns the predictions of logits z, with what descents have found; nil for a baseline.
func (t *Task) predictionsOf(z ad.Var, levels []bloom.Settled) (*Predictions, error) {
	p := t.goal.probability(z)
	outputs := []ad.Var{z}
	if !p.IsZero() {
		outputs = append(outputs, p)
	}
	prog := ad.Compile(outputs...)
	if err := prog.Run(); err != nil {
		return nil, err
	}
	out := &Predictions{Logits: prog.Value(z), task: t}
	if !p.IsZero() {
		out.Probability = prog.Value(p)
	}
	if err := t.finiteRows("the logits of node", out.Logits); err != nil {
		return nil, err
	}
	if levels != nil {
		return out, out.evidence(levels)
	}
	return out, nil
}

// predicted returns the expression of the logits of all nodes, of what descents have found where there are some;
// their numbers, taken some rows at a time, where those were done before.
func (t *Task) predicted(levels []bloom.Settled) (ad.Var, error) {
	if s, ok := t.rows.(*streamed); ok {
		z, err := s.evaluate()
		if err != nil {
			return ad.Var{}, err
		}
		return ad.Const(mat.FromSlice(len(z)/t.Classes(), t.Classes(), z)), nil
	}
	if b, ok := t.network.(bilevel); ok {
		if _, ok := b.Up.(upper.Supervised); ok {
			top := levels[len(levels)-1]
			return top.Head(input.Evaluation(), ad.Const(top.Y)), nil
		}
	}
	return t.network.Predict(input.Evaluation())
}

// evidence splits energies by node, summed over all levels of a stack.
func (p *Predictions) evidence(levels []bloom.Settled) error {
	t := p.task
	n := t.On.On.Graph.NumNodes()
	p.Residual, p.Energy = make([]float64, n), make([]float64, n)
	for _, l := range levels {
		r, err := l.Lower(input.Evaluation(), l.On).Report(l.Y)
		if err != nil {
			return err
		}
		p.add(r)
	}
	if err := t.finiteNumbers("the residual of node", p.Residual); err != nil {
		return err
	}
	return t.finiteNumbers("the energy of node", p.Energy)
}

// add adds the energies of a level for all nodes, and the residuals of their features.
func (p *Predictions) add(r *energy.Report) {
	if r.Residual != nil {
		for v, x := range r.Residual.Slice() {
			p.Residual[v] = math.Hypot(p.Residual[v], float64(x))
		}
	}
	for _, term := range r.Nodes {
		for v, x := range term.Each.Slice() {
			p.Energy[v] += float64(x)
		}
	}
	g := p.task.On.On.Graph
	for _, term := range r.Edges {
		for e, x := range term.Each.Slice() {
			edge := g.Edge(int32(e))
			p.Energy[edge.U] += float64(x)
			if edge.V != edge.U {
				p.Energy[edge.V] += float64(x)
			}
		}
	}
}

// Prediction is the output of a network for one node. Split is train, valid, test or empty. Residual and Energy are
// nil for a baseline.
type Prediction struct {
	ID   string `json:"id"`
	Type string `json:"type,omitempty"` // if there are several
	// Class is the answer; of sets all classes of it, with tabular.SetSeparator between them.
	Class         string             `json:"class,omitempty"`
	Probability   float64            `json:"probability,omitempty"`   // of the class
	Probabilities map[string]float64 `json:"probabilities,omitempty"` // of all classes, by name
	Value         *float64           `json:"value,omitempty"`         // the answer if it is a number
	Label         string             `json:"label,omitempty"`         // what is true, empty if that is not known
	Split         string             `json:"split,omitempty"`
	Set           []string           `json:"set,omitempty"` // the classes that Conform leaves
	Low           *float64           `json:"low,omitempty"` // the interval that Conform leaves
	High          *float64           `json:"high,omitempty"`
	Residual      *float64           `json:"residual,omitempty"`
	Energy        *float64           `json:"energy,omitempty"`
}

// row returns the logits of node v.
func (p *Predictions) row(v int32) []mat.Real {
	p.host()
	k := p.task.Classes()
	return p.logits[int(v)*k : int(v+1)*k]
}

// value returns the number that is the answer for node v.
func (p *Predictions) value(v int32) float64 { return p.task.goal.(*numbers).value(p.row(v)[0]) }

// Only returns the predictions of nodes alone.
func (p *Predictions) Only(nodes []int32) *Predictions {
	p.host()
	q := *p
	q.nodes = nodes
	return &q
}

// Last returns the predictions of the last k nodes alone, such as the nodes that Add has added.
func (p *Predictions) Last(k int) *Predictions {
	nodes, n := make([]int32, k), p.Logits.Rows()
	for i := range nodes {
		nodes[i] = int32(n - k + i)
	}
	return p.Only(nodes)
}

// Each yields the predictions of the nodes of types that have labels, or of the nodes that Only was given.
func (p *Predictions) Each(yield func(Prediction) bool) {
	p.host()
	if p.nodes != nil {
		for _, v := range p.nodes {
			if !yield(p.at(v)) {
				return
			}
		}
		return
	}
	types, wanted := p.task.Data.Graph.NodeTypes(), map[int32]bool{}
	for v, c := range p.task.Data.Labels.Class {
		if c >= 0 && types != nil {
			wanted[types[v]] = true
		}
	}
	for v := range int32(len(p.parts)) {
		if (types == nil || wanted[types[v]]) && !yield(p.at(v)) {
			return
		}
	}
}

// host brings the numbers to the host, once.
func (p *Predictions) host() {
	if p.logits != nil {
		return
	}
	p.logits, p.parts = p.Logits.Slice(), p.task.parts()
	if p.probability = p.logits; p.Probability != nil {
		p.probability = p.Probability.Slice()
	}
}

// parts returns the part of the split that every node is in.
func (t *Task) parts() []string {
	parts := make([]string, t.Data.Graph.NumNodes())
	for name, nodes := range map[string][]int32{"train": t.Split.Train, "valid": t.Split.Valid, "test": t.Split.Test} {
		for _, v := range nodes {
			parts[v] = name
		}
	}
	return parts
}

// at returns the prediction of node v.
func (p *Predictions) at(v int32) Prediction {
	d, c := p.task.Data, p.task.Classes()
	out := Prediction{ID: d.IDs.At(v), Split: p.parts[v]}
	p.task.goal.fill(&out, v, p.logits[int(v)*c:int(v+1)*c], p.probability[int(v)*c:int(v+1)*c])
	if types := d.Graph.NodeTypes(); types != nil {
		out.Type = d.TypeName(types[v])
	}
	if p.Energy != nil {
		out.Residual, out.Energy = &p.Residual[v], &p.Energy[v]
	}
	if p.conformal != nil {
		p.conformal.fill(&out, d.Labels.Names, p.scoresOf(v))
	}
	return out
}

// WriteCSV writes a row for every node that Each yields:
//
//	id, [type,] class, probability, label, split[, residual, energy], p:CLASS, …
//
// For sets, classes replaces class and probability; for numbers, value does, and there are no probabilities.
func (p *Predictions) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(p.header()); err != nil {
		return err
	}
	if err := p.writeRows(out); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// writeRows writes the rows of WriteCSV.
func (p *Predictions) writeRows(out *csv.Writer) error {
	for x := range p.Each {
		row := []string{x.ID}
		if x.Type != "" {
			row = append(row, x.Type)
		}
		row = append(append(row, p.task.goal.cells(x)...), x.Label, x.Split)
		if x.Energy != nil {
			row = append(row, real32(*x.Residual), real32(*x.Energy))
		}
		for _, name := range p.named() {
			row = append(row, real32(x.Probabilities[name]))
		}
		switch {
		case x.Low != nil:
			row = append(row, real32(*x.Low), real32(*x.High))
		case p.conformal != nil:
			row = append(row, strings.Join(x.Set, dataset.SetSeparator))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return nil
}

func (p *Predictions) header() []string {
	h := []string{"id"}
	if p.task.Data.Graph.NodeTypes() != nil {
		h = append(h, "type")
	}
	h = append(append(h, p.task.goal.columns()...), "label", "split")
	if p.Energy != nil {
		h = append(h, "residual", "energy")
	}
	for _, name := range p.named() {
		h = append(h, "p:"+name)
	}
	switch {
	case p.conformal != nil && p.scores == nil:
		h = append(h, "low", "high")
	case p.conformal != nil:
		h = append(h, "set")
	}
	return h
}

// named returns the classes that have probabilities.
func (p *Predictions) named() []string {
	if p.Probability == nil {
		return nil
	}
	return p.task.Data.Labels.Names
}

// real32 formats v with the digits of single precision.
func real32(v float64) string { return strconv.FormatFloat(v, 'g', -1, 32) }

// tooLarge says why a result is not finite, and what helps.
const tooLarge = "the weights or the features are too large to compute with: train with a smaller train.rate, " +
	"or scale the features (data.scale)"

// finiteRows returns a *train.BadData with the node if m, which has a row per node, contains NaN or Inf.
func (t *Task) finiteRows(what string, m *mat.Dense) error {
	if m == nil || !marked(m) {
		return nil
	}
	for i, x := range m.Slice() {
		if v := float64(x); math.IsNaN(v) || math.IsInf(v, 0) {
			return t.notFinite(what, i/m.Cols(), v)
		}
	}
	return nil
}

// finiteNumbers does the same for one number per node.
func (t *Task) finiteNumbers(what string, numbers []float64) error {
	for i, x := range numbers {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return t.notFinite(what, i, x)
		}
	}
	return nil
}

func (t *Task) notFinite(what string, row int, x float64) error {
	return &train.BadData{Data: t.Data.Name, Text: fmt.Sprintf("%s %d is %g: %s", what, row, x, tooLarge)}
}

// marked reports whether any of some matrices, all on one device, contains NaN or Inf.
func marked(all ...*mat.Dense) bool {
	flag := mat.New(1, 1)
	for _, m := range all {
		mat.MarkNonFinite(flag, m, 1)
	}
	return flag.Item() != 0
}

// Advice proposes the step size that is never too long, if the run uses another.
func (t job) Advice() string {
	if t.Stack == nil {
		return ""
	}
	return "energy.descent.gamma=safe, a step that is never too long"
}
