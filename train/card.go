package train

import (
	"fmt"
	"io"
	"strings"
)

// card writes the model card: front matter that model hubs read, then what there is to know, for people.
func (r *Result) card(w io.Writer) error {
	var b strings.Builder
	r.frontMatter(&b)
	t := r.Task
	fmt.Fprintf(&b, "# %s on %s\n\n", r.Recipe, r.Data)
	kind := "The baseline " + r.Recipe
	if t.Model != nil {
		kind = "A graph neural network whose layers are steps of descent on an energy"
	}
	fmt.Fprintf(&b, "%s, trained by bloom to classify nodes into %d classes (%s).\n\n", kind, t.classes(), listed(t.Data.Labels.Names, 12))
	r.energyText(&b)
	fmt.Fprintf(&b, "## Data\n\n%d nodes, %d edges, %d features; %d training, %d validation and %d test nodes (split %d).\n\n",
		t.Data.Graph.NumNodes(), t.Data.Graph.NumEdges(), t.Data.NumFeatures(), len(t.Split.Train), len(t.Split.Valid), len(t.Split.Test), t.Trial.Split)
	r.evaluationText(&b)
	b.WriteString("## Use and limits\n\nPredictions are for nodes of this graph, or for nodes added to it (`bloom add`). A node whose residual is large " +
		"disagrees with its own features: look at it before believing its class. Nothing is known about nodes from elsewhere.\n\n")
	b.WriteString("## Loading\n\n    bloom predict DIR      the classes\n    bloom explain DIR ID   why\n    bloom audit DIR        nodes and edges that do not fit\n\n" +
		"`model.safetensors` holds the weights by name and `config.yaml` everything that was set.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Result) frontMatter(b *strings.Builder) {
	fmt.Fprintf(b, "---\nlibrary_name: bloom\ntags: [graph-ml, node-classification, bilevel-optimization]\ndatasets: [%q]\nmetrics: [%s]\n", r.Data, r.Metric)
	fmt.Fprintf(b, "model-index:\n- name: %q\n  results:\n  - task: {type: node-classification}\n    dataset: {name: %q, type: graph}\n", r.Recipe, r.Data)
	if len(r.Test.Runs) > 0 {
		fmt.Fprintf(b, "    metrics: [{type: %s, name: test, value: %.4f}]\n", r.Metric, r.Test.Mean)
	}
	b.WriteString("---\n\n")
}

// energyText is the lower level by its formulas.
func (r *Result) energyText(b *strings.Builder) {
	e := r.Task.Config.Energy
	if e == nil {
		return
	}
	b.WriteString("## Energy\n\n")
	line := func(format string, args ...any) { fmt.Fprintf(b, "    "+format+"\n", args...) }
	for _, f := range e.F {
		line("f = %s   %s", f.Text().F, strings.Join(f.Text().Where, ", "))
	}
	for _, k := range e.Kappa {
		line("κ = %s", k.Text().Kappa)
	}
	if e.Eta != nil {
		line("η = %s", e.Eta.Text().Eta)
	}
	u := e.Update()
	line("A = %s, %d steps   %s", u.Name, e.L, strings.Join(u.Where, ", "))
	if ev, err := r.Task.Model.Evidence(r.Task.On); err == nil {
		fmt.Fprintf(b, "\nThe descent takes the energy from %.4g to %.4g; one more step would move the embeddings by %.2g of their size.\n",
			ev.Energy[0], ev.Energy[len(ev.Energy)-1], ev.Residual)
	}
	b.WriteString("\n")
}

// evaluationText is what came out.
func (r *Result) evaluationText(b *strings.Builder) {
	c := r.Task.Config.Train
	fmt.Fprintf(b, "## Training\n\n%d trained numbers, %s at rate %g with weight decay %g, %d epochs, seed %d; the epoch with the best validation %s was kept.\n\n",
		r.Weights, c.Optimizer, c.Rate, c.WeightDecay, r.Epochs, c.Seed, r.Metric)
	fmt.Fprintf(b, "## Evaluation\n\n| | %s | deviation | runs |\n|---|---|---|---|\n", r.Metric)
	for _, s := range []struct {
		name string
		Score
	}{{"test", r.Test}, {"validation", r.Valid}} {
		if len(s.Runs) > 0 {
			fmt.Fprintf(b, "| %s | %.4f | %.4f | %d |\n", s.name, s.Mean, s.SD, len(s.Runs))
		}
	}
	b.WriteString("\n")
	for _, w := range r.Warnings {
		fmt.Fprintf(b, "Note: %s.\n\n", w)
	}
}

// listed is the first names of a list.
func listed(names []string, most int) string {
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
