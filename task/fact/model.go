package fact

import (
	"context"
	"io"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// model is a trained model.
type model interface {
	// rank ranks both ends of facts of d, which is the data that was trained on or its twin.
	rank(ctx context.Context, d *dataset.Dataset, facts []graph.Triple, p metric.Protocol) ([]metric.Ranked, error)
	// withheld ranks training facts of d, filtered and among all entities, as if the model had never seen them. The
	// order of the result is unspecified.
	withheld(ctx context.Context, d *dataset.Dataset, facts []graph.Triple) ([]metric.Ranked, error)
	// answers returns the best answers to a question about d, without Answer.Known, and with Answer.Paths for at most
	// ways paths, which take longer to find than the answers.
	answers(d *dataset.Dataset, q metric.Question, top, ways int) ([]Answer, error)
	// explain fills in why a fact of d scores as it does, by at most top reasons, or all if top is 0; g is the graph
	// of d without the fact.
	explain(d *dataset.Dataset, g *graph.Graph, f graph.Triple, e *Explanation, top int) error
	write(io.Writer) error
	beside() *literals // what numbers and texts of entities add to scores
}

// load reads the model of a run folder, which was trained on d according to c.
func load(dir string, c config.Config, d *dataset.Dataset) (model, error) {
	switch config.FamilyOf(c.Recipe) {
	case config.Paths, config.Zero:
		return loadPaths(train.ModelFile(dir), filterOf(c, d))
	case config.Refactor:
		return loadRefactor(train.ModelFile(dir), filterOf(c, d))
	case config.NodeFamily:
		return nil, &train.BadSetting{Key: "recipe", Value: c.Recipe, Want: "a recipe for knowledge graphs"}
	}
	return loadEmbedding(train.ModelFile(dir), c, d)
}

// Tested returns the data whose test facts a model of c is measured with: the twin of d where the model can answer
// questions about entities that it has not seen, or else d itself.
func Tested(c config.Config, d *dataset.Dataset) *dataset.Dataset {
	if d.Twin != nil && config.FamilyOf(c.Recipe) != config.Embeddings {
		return d.Twin
	}
	return d
}

// Metric names the metric that a model of c is judged by: the mean reciprocal rank, or hits@10_50 if the literature
// reports that.
func Metric(c config.Config) string {
	switch config.FamilyOf(c.Recipe) {
	case config.Paths, config.Refactor:
		return "hits@10_50"
	}
	return "mrr"
}

// judged returns a metric of a report. Of hits@10_50 ties count against the model, as NBFNet has it.
func judged(name string, r *metric.Report, ties metric.Ties) float64 {
	switch {
	case name == "mrr" && ties == metric.Pessimistic:
		return r.Pessimistic.MRR
	case name == "mrr":
		return r.MRR
	case r.Protocol == metric.Sampled50:
		return r.Pessimistic.Hits10
	}
	return r.Pessimistic.Hits10of50
}

// report sums up ranked facts of d.
func report(d *dataset.Dataset, ranked []metric.Ranked, p metric.Protocol) *metric.Report {
	degree := d.Graph.Degrees(graph.Either)
	seen := make([]bool, len(degree))
	for v, n := range degree {
		seen[v] = n > 0
	}
	return metric.NewReport(ranked, p, d.RelationName, seen)
}

// relationNames returns the names of all relations.
func relationNames(d *dataset.Dataset) []string {
	names := make([]string, d.Graph.NumRelations())
	for r := range names {
		names[r] = d.RelationName(int32(r))
	}
	return names
}
