package fact

import (
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/path"
	"github.com/bloomgml/bloom/mat"
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
	file := train.ModelFile(dir)
	switch config.FamilyOf(c.Recipe) {
	case config.Paths, config.Zero:
		m, err := path.Load(file)
		return paths{m, filterOf(c, d)}, err
	case config.Refactor:
		m, err := path.LoadRefactor(file)
		return refactored{m, filterOf(c, d)}, err
	case config.NodeFamily:
		return nil, &train.BadSetting{Key: "recipe", Value: c.Recipe, Want: "a recipe for knowledge graphs"}
	}
	return loadEmbedding(file, c, d)
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

func relationNames(d *dataset.Dataset) []string {
	names := make([]string, d.Graph.NumRelations())
	for r := range names {
		names[r] = d.RelationName(int32(r))
	}
	return names
}

// paths is a model of paths.
type paths struct {
	*path.Model
	filter
}

var _ model = paths{}

func (p paths) write(w io.Writer) error { return p.Write(w) }

func (p paths) rank(ctx context.Context, d *dataset.Dataset, facts []graph.Triple,
	how metric.Protocol) ([]metric.Ranked, error) {
	return p.Evaluate(ctx, d, facts, p.among(d, how, p.Seed, p.known(d)))
}

func (p paths) answers(d *dataset.Dataset, q metric.Question, top, ways int) ([]Answer, error) {
	most, of := top, ways
	if p.on(d) != nil {
		most, of = d.Graph.NumNodes(), 0
	}
	found, err := p.Answers(d, q, most, of)
	var list []Answer
	for _, a := range found {
		list = append(list, Answer{Entity: d.IDs.At(a.Entity), Score: a.Score, Paths: waysOf(a.Paths),
			number: a.Entity})
	}
	if err != nil || p.on(d) == nil {
		return list, err
	}
	list = p.toppled(d, q, list, top)
	for i := range list {
		_, found, err := p.Explain(d, q, list[i].number, ways)
		if err != nil {
			return nil, err
		}
		list[i].Paths = waysOf(found)
	}
	return list, nil
}

// waysOf returns paths as people read them.
func waysOf(list []path.Path) (ways []Way) {
	for _, p := range list {
		ways = append(ways, Way{p.String(), p.Weight, p.Share})
	}
	return ways
}

// explain finds the paths of the question for the tail.
func (p paths) explain(d *dataset.Dataset, g *graph.Graph, f graph.Triple, e *Explanation, top int) (err error) {
	on := *d
	on.Graph = g
	if top == 0 {
		top = 1 << 20
	}
	var found []path.Path
	e.Score, found, err = p.Explain(&on, metric.Question{End: f.U, Of: 2 * f.R}, f.V, top)
	e.Paths = waysOf(found)
	return err
}

// refactored is the RefactorGNN baseline.
type refactored struct {
	*path.Refactor
	filter
}

var _ model = refactored{}

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

// folds is the number of parts in which facts are withheld, one after the other.
//
// Chosen: 6. More parts leave more of the graph to judge by and cost proportionally more; on fb237_v1, 4, 6 and 10
// find the same number of false facts.
const folds = 6

// inFolds calls f for every part of facts, with d without that part. The part of a fact is a function of the seed and
// of its ends and relation, so it is withheld wherever it occurs.
func inFolds(ctx context.Context, d *dataset.Dataset, facts []graph.Triple, seed uint64,
	f func(rest *dataset.Dataset, part []graph.Triple) error) error {
	of := func(x graph.Triple) uint64 {
		return mat.Mix(mat.Mix(mat.Mix(seed, uint64(x.U)), uint64(x.R)), uint64(x.V)) % folds
	}
	asked := make(map[graph.Triple]bool, len(facts))
	for _, x := range facts {
		asked[x] = true
	}
	for k := range uint64(folds) {
		if err := ctx.Err(); err != nil {
			return err
		}
		var rest, part []graph.Triple
		for _, x := range d.Graph.Triples() {
			if !asked[x] || of(x) != k {
				rest = append(rest, x)
			}
		}
		for _, x := range facts {
			if of(x) == k {
				part = append(part, x)
			}
		}
		less, err := graph.Build(graph.Spec{Nodes: d.Graph.NumNodes(), Relations: d.Graph.NumRelations(),
			Triples: rest})
		if err != nil {
			return err
		}
		without := *d
		without.Graph = less
		if err := f(&without, part); err != nil {
			return err
		}
	}
	return nil
}

// withheld lets all entities settle again without the facts of a part, then ranks these facts.
func (e embedding) withheld(ctx context.Context, d *dataset.Dataset, facts []graph.Triple) (list []metric.Ranked,
	err error) {
	among := metric.Candidates{Known: known(d), Besides: e.on(d)}
	err = inFolds(ctx, d, facts, e.Config.Seed, func(rest *dataset.Dataset, part []graph.Triple) error {
		m, err := e.Resettled(rest.Graph)
		if err != nil {
			return named(err)
		}
		ranked, err := m.Rank(part, among)
		list = append(list, ranked...)
		return err
	})
	return list, err
}

// withheld asks about a graph without the facts of a batch.
func (p paths) withheld(ctx context.Context, d *dataset.Dataset, facts []graph.Triple) ([]metric.Ranked, error) {
	return p.Withheld(ctx, d, facts, metric.Candidates{Besides: p.on(d)})
}

// withheld asks about a graph without the facts of a part.
func (r refactored) withheld(ctx context.Context, d *dataset.Dataset, facts []graph.Triple) (list []metric.Ranked,
	err error) {
	err = inFolds(ctx, d, facts, r.Seed, func(rest *dataset.Dataset, part []graph.Triple) error {
		ranked, err := r.rank(ctx, rest, part, metric.Full)
		list = append(list, ranked...)
		return err
	})
	return list, err
}

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
