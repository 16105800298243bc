package node

import (
	"fmt"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/train"
)

// Card returns the part of the model card that is about classes of nodes.
func (t job) Card(r *train.Result) train.Card {
	kind := "The baseline " + r.Recipe
	if t.Config.Energy != nil || t.Stack != nil {
		kind = "A graph neural network whose layers are steps of descent on an energy"
	}
	g, c := t.Data.Graph, t.Config.Train
	task, about := "node-classification", fmt.Sprintf("classify nodes into %d classes", t.Classes())
	switch t.Data.Labels.Task {
	case dataset.Sets:
		task, about = "node-multilabel-classification", fmt.Sprintf("predict which of %d classes nodes have",
			t.Classes())
	case dataset.Numbers:
		task, about = "node-regression", "predict a number for each node"
	}
	return train.Card{
		Task: task, Tags: []string{"bilevel-optimization"},
		About:  fmt.Sprintf("%s, trained by bloom to %s (%s).", kind, about, listed(t.Data.Labels.Names, 12)),
		Energy: t.energyText(),
		Data: fmt.Sprintf("%d nodes, %d edges, %d features; %d training, %d validation and %d test nodes (split %d).",
			g.NumNodes(),
			g.NumEdges(), t.Data.NumFeatures(), len(t.Split.Train), len(t.Split.Valid), len(t.Split.Test),
			t.Trial.Split),
		Training: fmt.Sprintf("%s at rate %g with weight decay %g, %d epochs, seed %d; the epoch with the best "+
			"validation %s was kept.",
			c.Optimizer, c.Rate, c.WeightDecay, r.Epochs, c.Seed, r.Metric),
		Limits: "Predictions are for nodes of this graph, or for nodes added to it (`bloom add`). A node whose " +
			"residual is large " +
			"disagrees with its own features: check it before trusting its class. Nothing is known about nodes " +
			"from elsewhere.",
		Commands: t.commands(),
		Loading:  "`model.safetensors` holds the weights by name and `config.yaml` everything that was set.",
	}
}

// commands returns the commands to run in the run folder.
func (t *Task) commands() [][]string {
	list := [][]string{{"predict", "."}, {"audit", "."}}
	if t.Stack != nil && t.Data.Labels.Task == "" {
		v := int32(0)
		if len(t.Split.Test) > 0 {
			v = t.Split.Test[0]
		}
		list = append(list, []string{"explain", ".", "--node", t.Data.NodeName(v)})
	}
	return list
}

// energyText returns the lower level by its formulas, with how far the descent goes.
func (t *Task) energyText() string {
	var b strings.Builder
	b.WriteString(t.energyLines())
	if t.Stack == nil {
		return strings.TrimRight(b.String(), "\n")
	}
	for _, l := range t.Stack.Levels {
		b.WriteString(t.edgeLine(l.Edges))
	}
	if levels, err := t.Stack.Evidence(t.On); err == nil {
		t.Descents = levels
		b.WriteByte('\n')
		for k, ev := range levels {
			what := "The descent"
			if len(levels) > 1 {
				what += fmt.Sprintf(" of level %d", k+1)
			}
			fmt.Fprintf(&b, "%s takes the energy from %.4g to %.4g; one more step would move the embeddings "+
				"by %.2g of their size.\n", what, ev.Energy[0], ev.Energy[len(ev.Energy)-1], ev.Residual)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// edgeLine returns how edges are weighed by their features; empty if they are not.
func (t *Task) edgeLine(w *energy.EdgeWeights) string {
	if w == nil {
		return ""
	}
	var by []string
	names := t.edgeNames()
	for j, x := range w.Params()[0].Value().Slice() {
		name := fmt.Sprint(j + 1)
		if j < len(names) {
			name = names[j]
		}
		by = append(by, fmt.Sprintf("%s %+.3g", name, x))
	}
	return fmt.Sprintf("    w = softplus(xᵀW + b)/softplus(b), by which f of an edge counts   W of its features: %s\n",
		listed(by, 12))
}

// edgeNames returns the names of the features of edges, if they come from tables.
func (t *Task) edgeNames() (names []string) {
	if t.Data.Schema == nil || t.Data.Schema.Edges == nil {
		return nil
	}
	for _, c := range t.Data.Schema.Edges.Columns {
		for _, f := range c.Features() {
			names = append(names, f.Name)
		}
	}
	return names
}

// energyLines describes the terms of the energy, its algorithm and its steps, a line each; empty without an energy.
func (t *Task) energyLines() string {
	e := t.Config.Energy
	if e == nil {
		return ""
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "    "+format+"\n", args...) }
	for _, f := range e.F {
		line("f = %s   %s", f.Text().F, strings.Join(f.Text().Where, ", "))
	}
	for _, k := range e.Kappa {
		line("κ = %s", k.Text().Kappa)
	}
	if e.Eta != nil {
		eta, _ := e.Eta.Text()
		line("η = %s", eta)
	}
	u := e.Update()
	line("A = %s, %d steps   %s", u.Name, e.L, strings.Join(u.Where, ", "))
	return b.String()
}

// listed returns the first names of a list.
func listed(names []string, most int) string {
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
