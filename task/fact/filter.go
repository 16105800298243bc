package fact

import (
	"cmp"
	"context"
	"slices"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// filter says which right answers are no mistakes where they rank above another, key link.filter: all that are known,
// or the facts of the graph alone. Published figures of graphs with a twin have the latter, others the former.
type filter struct {
	graphAlone bool
	*literals  // what is added to scores before they are ranked
}

// beside returns what literals add.
func (f filter) beside() *literals { return f.literals }

// among returns the candidates of answers about d.
func (f filter) among(d *dataset.Dataset, p metric.Protocol, seed uint64, known *metric.Known) metric.Candidates {
	return metric.Candidates{Protocol: p, Seed: seed, Known: known, Besides: f.on(d)}
}

// toppled returns the answers to a question about d with what literals add, the best top of them.
func (f filter) toppled(d *dataset.Dataset, q metric.Question, list []Answer, top int) []Answer {
	scores := make([]mat.Real, d.Graph.NumNodes())
	f.on(d)(q, scores)
	for i, a := range list {
		if int(a.number) < len(scores) {
			list[i].Score += float64(scores[a.number])
		}
	}
	slices.SortStableFunc(list, func(a, b Answer) int { return cmp.Compare(b.Score, a.Score) })
	return list[:min(top, len(list))]
}

// filterOf returns the filter of a model that is trained on d. All facts are known to recipe zero, as those who
// published its weights rank.
func filterOf(c config.Config, d *dataset.Dataset) filter {
	return filter{d.Twin != nil && c.Facts.Filter == "auto" && config.FamilyOf(c.Recipe) != config.Zero, &literals{}}
}

// known returns the right answers about d.
func (f filter) known(d *dataset.Dataset) *metric.Known {
	if f.graphAlone {
		return metric.NewKnown(d.Graph.Triples())
	}
	return known(d)
}

// known returns all facts of d.
func known(d *dataset.Dataset) *metric.Known {
	return metric.NewKnown(d.Graph.Triples(), d.Valid, d.Test)
}

// counted returns how many questions about the test facts of d have other right answers that count as mistakes.
func (f filter) counted(d *dataset.Dataset) (n int) {
	if !f.graphAlone {
		return 0
	}
	all, less := known(d), f.known(d)
	for i, q := range metric.Questions(d.Test) {
		_, answer := metric.QuestionFor(d.Test[i/2], i%2)
		if slices.ContainsFunc(all.AnswersTo(q), func(v int32) bool {
			_, is := slices.BinarySearch(less.AnswersTo(q), v)
			return v != answer && !is
		}) {
			n++
		}
	}
	return n
}

// scoring is a model that scores all entities as answers to questions about d. It calls f from many goroutines; scores
// are valid during the call.
type scoring interface {
	scores(ctx context.Context, d *dataset.Dataset, asked []metric.Question, f func(i int, scores []mat.Real)) error
}

var (
	_ scoring = embedding{}
	_ scoring = paths{}
)

func (e embedding) scores(_ context.Context, d *dataset.Dataset, asked []metric.Question,
	f func(i int, scores []mat.Real)) error {
	m, err := e.modelFor(d)
	if err != nil {
		return err
	}
	return m.Score(asked, besides(e.on(d), asked, f))
}

// besides returns f for scores to which more is added.
func besides(more func(metric.Question, []mat.Real), asked []metric.Question,
	f func(i int, scores []mat.Real)) func(i int, scores []mat.Real) {
	if more == nil {
		return f
	}
	return func(i int, scores []mat.Real) {
		more(asked[i], scores)
		f(i, scores)
	}
}

func (p paths) scores(ctx context.Context, d *dataset.Dataset, asked []metric.Question,
	f func(i int, scores []mat.Real)) error {
	return p.Score(ctx, d, asked, besides(p.on(d), asked, f))
}
