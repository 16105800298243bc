package train

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/bloomgml/bloom/internal/show"
)

// Card holds the parts of a model card that are specific to one kind of job; texts are whole paragraphs.
type Card struct {
	Task     string   // what hubs call it: node-classification or link-prediction
	Tags     []string // besides graph-ml and the task
	About    string   // what the model is
	Energy   string   // the lower level by its formulas; empty for a baseline
	Data     string
	Training string // how it was trained, after the number of weights
	Results  string // a table after the metric's; may be empty
	Limits   string
	Commands [][]string // of bloom, their words, to type in the run folder
	Loading  string     // what its files hold
}

// card writes the model card: front matter that model hubs read, then what there is to know, for people.
func (r *Result) card(w io.Writer) error {
	c := r.Job.Card(r)
	var b strings.Builder
	fmt.Fprintf(&b, "---\nlibrary_name: bloom\ntags: [%s]\ndatasets: [%q]\nmetrics: [%q]\n",
		strings.Join(append([]string{"graph-ml", c.Task}, c.Tags...), ", "), r.Data, r.Metric)
	fmt.Fprintf(&b, "model-index:\n- name: %q\n  results:\n  - task: {type: %s}\n"+
		"    dataset: {name: %q, type: graph}\n",
		r.Recipe, c.Task, r.Data)
	if len(r.Test.Runs) > 0 {
		fmt.Fprintf(&b, "    metrics: [{type: %q, name: test, value: %.4f}]\n", r.Metric, r.Test.Mean)
	}
	fmt.Fprintf(&b, "---\n\n# %s on %s\n\n%s\n\n", r.Recipe, r.Data, c.About)
	if c.Energy != "" {
		fmt.Fprintf(&b, "## Energy\n\n%s\n\n", c.Energy)
	}
	fmt.Fprintf(&b, "## Data\n\n%s\n\n## Training\n\n%d parameters, %s\n\n", c.Data, r.Weights, c.Training)
	r.evaluation(&b, c)
	fmt.Fprintf(&b, "## Use and limits\n\n%s\n\n## Loading\n\nIn this folder:\n\n", c.Limits)
	for _, words := range c.Commands {
		fmt.Fprintf(&b, "    %s\n", show.ShellCommand(append([]string{"bloom"}, words...)...))
	}
	fmt.Fprintf(&b, "\n%s\n", c.Loading)
	_, err := io.WriteString(w, b.String())
	return err
}

// evaluation writes the results.
func (r *Result) evaluation(b *strings.Builder, c Card) {
	fmt.Fprintf(b, "## Evaluation\n\n| | %s | deviation | runs |\n|---|---|---|---|\n", r.Metric)
	for _, s := range []struct {
		name string
		Score
	}{{"test", r.Test}, {"validation", r.Valid}} {
		if len(s.Runs) > 0 {
			fmt.Fprintf(b, "| %s | %.4f | %.4f | %d |\n", s.name, s.Mean, s.SD, len(s.Runs))
		}
	}
	if x := r.Closed; x != nil && len(r.Test.Runs) > 0 && !math.IsNaN(float64(x.Test)) {
		fmt.Fprintf(b, "| test, closed form | %.4f | | |\n", float64(x.Test))
	}
	b.WriteString("\n")
	if c.Results != "" {
		b.WriteString(c.Results + "\n\n")
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(b, "Note: %s.\n\n", w)
	}
}
