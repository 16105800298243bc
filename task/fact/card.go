package fact

import (
	"fmt"
	"strings"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// Card returns the part of the model card that is about facts.
func (j *job) Card(r *train.Result) train.Card {
	g, c := r.Graph, j.Config.Train
	where := ""
	if r.Tested.Name != g.Name {
		where = " of another graph"
	}
	summary, _ := config.About(r.Recipe)
	return train.Card{
		Task: "link-prediction", Tags: []string{"knowledge-graph"},
		About: fmt.Sprintf("%s: %s. Trained by bloom to complete facts head –relation→ tail.", r.Recipe,
			summary),
		Data: fmt.Sprintf("%d entities, %d relations, %d training and %d validation facts. The %d test facts are "+
			"about %d entities%s.",
			g.Entities, g.Relations, g.Facts, g.Valid, r.Tested.Test, r.Tested.Entities, where),
		Training: fmt.Sprintf("rate %g, %d epochs, seed %d; the epoch with the best validation MRR was kept.", c.Rate,
			r.Epochs, c.Seed),
		Results: ranksTable(r.Ranking),
		Limits: "Scores order the answers to one question. They are not probabilities, and scores of different " +
			"questions cannot be compared. " +
			limits(r.Recipe),
		Commands: j.commands(),
		Loading: "`model.safetensors` holds the weights by name, `predictions.csv` the ranks of the test facts and " +
			"`config.yaml` everything " +
			"that was set.",
	}
}

// commands returns the commands to run in the run folder: a question, and a page.
func (j *job) commands() [][]string {
	list := [][]string{{"report", "."}}
	d := j.Data
	if d.Twin != nil {
		d = d.Twin
	}
	if d.Graph.NumEdges() == 0 || config.IsBaseline(j.Config.Recipe) {
		return list
	}
	f := d.Graph.Triples()[0]
	return append(list, []string{"predict", ".", "--head", d.NodeName(f.U), "--relation", d.RelationName(f.R)})
}

// limits describes what a model does not know.
func limits(recipe string) string {
	switch config.FamilyOf(recipe) {
	case config.Zero:
		return "It learns neither relations nor entities: it answers questions about any graph."
	case config.Paths, config.Refactor:
		return "It learns relations but no entities: it answers questions about any graph with these relations."
	}
	return "It knows the entities that it was trained with; others are added by their facts (`bloom add`)."
}

// ranksTable returns how the test facts stood, by rule of ties.
func ranksTable(r *metric.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Of the best run by validation, %s:\n\n", About(r.Protocol))
	b.WriteString("| ties | MRR | Hits@1 | Hits@3 | Hits@10 |\n|---|---|---|---|---|")
	for _, s := range []struct {
		name string
		metric.Scores
	}{{"realistic", r.Scores}, {"optimistic", r.Optimistic}, {"pessimistic", r.Pessimistic}} {
		fmt.Fprintf(&b, "\n| %s | %.4f | %.4f | %.4f | %.4f |", s.name, s.MRR, s.Hits1, s.Hits3, s.Hits10)
	}
	return b.String()
}

// About returns a protocol in words.
func About(p metric.Protocol) string {
	if p == metric.Sampled50 {
		return "each answer ranked among 49 entities drawn at random that are not known to be right (grail_50)"
	}
	return "each answer ranked among all entities that are not known to be right (full, filtered)"
}
