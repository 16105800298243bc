package link

import (
	"fmt"
	"io"
	"strings"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/metric"
)

// card writes the model card: front matter that model hubs read, then what there is to know, for people.
func (r *Result) card(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "---\nlibrary_name: bloom\ntags: [graph-ml, knowledge-graph, link-prediction]\ndatasets: [%q]\nmetrics: [%s]\n", r.Data, r.Metric)
	fmt.Fprintf(&b, "model-index:\n- name: %q\n  results:\n  - task: {type: link-prediction}\n    dataset: {name: %q, type: graph}\n", r.Recipe, r.Data)
	if len(r.Test.Runs) > 0 {
		fmt.Fprintf(&b, "    metrics: [{type: %q, name: test, value: %.4f}]\n", r.Metric, r.Test.Mean)
	}
	fmt.Fprintf(&b, "---\n\n# %s on %s\n\n%s: %s. Trained by bloom to complete facts head –relation→ tail.\n\n", r.Recipe, r.Data, r.Recipe, config.Summary(r.Recipe))
	g := r.Graph
	fmt.Fprintf(&b, "## Data\n\n%d entities, %d relations, %d training and %d validation facts. ", g.Entities, g.Relations, g.Facts, g.Valid)
	fmt.Fprintf(&b, "The %d test facts are about %d entities%s.\n\n", r.Tested.Test, r.Tested.Entities, map[bool]string{true: " of another graph", false: ""}[r.Tested.Name != g.Name])
	c := r.Trained.Config.Train
	fmt.Fprintf(&b, "## Training\n\n%d trained numbers, rate %g, %d epochs, seed %d; the epoch with the best validation MRR was kept.\n\n", r.Weights, c.Rate, r.Epochs, c.Seed)
	r.evaluation(&b)
	b.WriteString("## Use and limits\n\nScores order the answers to one question. They are no probabilities, and those of different questions do not compare. " + limits(r.Recipe) + "\n\n")
	b.WriteString("## Loading\n\n    bloom predict DIR --head X --relation R     the best answers\n    bloom report DIR                            a page about the run\n\n" +
		"`model.safetensors` holds the weights by name, `predictions.csv` the ranks of the test facts and `config.yaml` everything that was set.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// limits is what a model does not know.
func limits(recipe string) string {
	switch config.FamilyOf(recipe) {
	case config.Paths, config.Refactor:
		return "It knows relations and no entity: questions can be asked about any graph with these relations."
	}
	return "It knows the entities that it was trained with; others are added by their facts (`bloom add`)."
}

// evaluation is what came out.
func (r *Result) evaluation(b *strings.Builder) {
	fmt.Fprintf(b, "## Evaluation\n\nTest %s %.4f over %d runs. Of the best run by validation, %s:\n\n", r.Metric, r.Test.Mean, len(r.Test.Runs), About(r.Ranking.Protocol))
	b.WriteString("| ties | MRR | Hits@1 | Hits@3 | Hits@10 |\n|---|---|---|---|---|\n")
	for _, s := range []struct {
		name string
		metric.Scores
	}{{"realistic", r.Ranking.Scores}, {"optimistic", r.Ranking.Optimistic}, {"pessimistic", r.Ranking.Pessimistic}} {
		fmt.Fprintf(b, "| %s | %.4f | %.4f | %.4f | %.4f |\n", s.name, s.MRR, s.Hits1, s.Hits3, s.Hits10)
	}
	b.WriteString("\n")
	for _, w := range r.Warnings {
		fmt.Fprintf(b, "Note: %s.\n\n", w)
	}
}

// About is a protocol in words.
func About(p metric.Protocol) string {
	if p == metric.Sampled50 {
		return "each answer ranked among 49 entities drawn at random that are not known to be right (grail_50)"
	}
	return "each answer ranked among all entities that are not known to be right (full, filtered)"
}
