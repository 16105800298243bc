package fact

import (
	"context"
	"io"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/path"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// refactored is the RefactorGNN baseline.
type refactored struct {
	*path.Refactor
	filter
}

var _ model = refactored{}

func loadRefactor(file string, f filter) (model, error) {
	m, err := path.LoadRefactor(file)
	if err != nil {
		return nil, err
	}
	return refactored{m, f}, nil
}

func (r refactored) write(w io.Writer) error { return r.Write(w) }

func (r refactored) rank(ctx context.Context, d *dataset.Dataset, facts []graph.Triple,
	how metric.Protocol) ([]metric.Ranked, error) {
	return r.Evaluate(ctx, d, facts, metric.Candidates{Protocol: how, Seed: r.Seed, Known: r.known(d)})
}

// answers rejects questions: the baseline exists only for comparison.
func (r refactored) answers(d *dataset.Dataset, _ metric.Question, _, _ int) ([]Answer, error) {
	return nil, &train.BadData{Data: d.Name,
		Text: "refactor is a baseline for comparing ranks and answers no questions; path and embeddings do"}
}

// explain rejects facts, as ask rejects questions.
func (r refactored) explain(d *dataset.Dataset, _ *graph.Graph, _ graph.Triple, _ *Explanation, _ int) error {
	_, err := r.answers(d, metric.Question{}, 0, 0)
	return err
}
