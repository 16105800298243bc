package train

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// Predictions are what a network says about every node.
type Predictions struct {
	Logits      *mat.Dense // n×classes
	Probability *mat.Dense // softmax of the logits, n×classes

	// Of a bilevel model, for every node, as in bloom.Explanation: ‖h_v − π(x_v)‖, and the energy of the node itself and of all edges
	// that end at it. Nil for a baseline.
	Residual, Energy []float64

	task *Task
}

// Predict runs the network in evaluation mode.
func (t *Task) Predict() (*Predictions, error) {
	z, err := t.Network.Logits(input.Evaluation())
	if err != nil {
		return nil, err
	}
	p := z.Softmax()
	outputs := []ad.Var{z, p}
	var h ad.Var
	if t.Model != nil {
		if h, err = t.Model.Embed(input.Evaluation(), t.On); err != nil {
			return nil, err
		}
		outputs = append(outputs, h)
	}
	prog := ad.Compile(outputs...)
	if err := prog.Run(); err != nil {
		return nil, err
	}
	out := &Predictions{Logits: prog.Value(z), Probability: prog.Value(p), task: t}
	if t.Model != nil {
		err = out.evidence(prog.Value(h))
	}
	return out, err
}

// evidence takes the energy of h apart.
func (p *Predictions) evidence(h *mat.Dense) error {
	t := p.task
	r, err := t.Model.Lower(input.Evaluation(), t.On).Report(h)
	if err != nil {
		return err
	}
	p.Residual, p.Energy = make([]float64, h.Rows()), make([]float64, h.Rows())
	if r.Residual != nil {
		for v, x := range r.Residual.Slice() {
			p.Residual[v] = float64(x)
		}
	}
	for _, term := range r.Nodes {
		for v, x := range term.Each.Slice() {
			p.Energy[v] += float64(x)
		}
	}
	g := t.On.On.Graph
	for _, term := range r.Edges {
		for e, x := range term.Each.Slice() {
			edge := g.Edge(int32(e))
			p.Energy[edge.U] += float64(x)
			if edge.V != edge.U {
				p.Energy[edge.V] += float64(x)
			}
		}
	}
	return nil
}

// WriteCSV writes a row for every node of a type that has labels:
//
//	id, [type,] class, probability, label, split[, residual, energy]
//
// class is the predicted one and label the true one, empty where it is not known; split is train, valid, test or empty.
func (p *Predictions) WriteCSV(w io.Writer) error {
	t, d := p.task, p.task.Data
	out := csv.NewWriter(w)
	if err := out.Write(p.header()); err != nil {
		return err
	}
	split := make([]string, d.Graph.NumNodes())
	for name, nodes := range map[string][]int32{"train": t.Split.Train, "valid": t.Split.Valid, "test": t.Split.Test} {
		for _, v := range nodes {
			split[v] = name
		}
	}
	wanted, types := labelledTypes(t), d.Graph.NodeTypes()
	z, prob, c := p.Logits.Slice(), p.Probability.Slice(), t.classes()
	for v := range split {
		kind := int32(0)
		if types != nil {
			kind = types[v]
		}
		if !wanted[kind] {
			continue
		}
		row := []string{d.IDs.At(int32(v))}
		if types != nil {
			row = append(row, d.TypeName(kind))
		}
		class, label := int(metric.Argmax(z[v*c:(v+1)*c])), ""
		if y := d.Labels.Class[v]; y >= 0 {
			label = d.Labels.Names[y]
		}
		row = append(row, d.Labels.Names[class], real32(float64(prob[v*c+class])), label, split[v])
		if p.Energy != nil {
			row = append(row, real32(p.Residual[v]), real32(p.Energy[v]))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func (p *Predictions) header() []string {
	h := []string{"id"}
	if p.task.Data.Graph.NodeTypes() != nil {
		h = append(h, "type")
	}
	h = append(h, "class", "probability", "label", "split")
	if p.Energy != nil {
		h = append(h, "residual", "energy")
	}
	return h
}

// labelledTypes are the types of nodes of which one has a label.
func labelledTypes(t *Task) map[int32]bool {
	types, wanted := t.Data.Graph.NodeTypes(), map[int32]bool{}
	for v, c := range t.Data.Labels.Class {
		if c >= 0 && types != nil {
			wanted[types[v]] = true
		}
	}
	if types == nil {
		wanted[0] = true
	}
	return wanted
}

// real32 is v with as many digits as single precision has.
func real32(v float64) string { return strconv.FormatFloat(v, 'g', -1, 32) }
