package fact

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

var _ task.Paged = Kind{}

// The rows of tables of a page.
const (
	mostSuspects   = 20
	mostSuspicious = 10
	mostRelations  = 40
	mostHard       = 12
)

// Page shows ranks, relations, the least expected test facts and, after bloom audit, the facts that may be wrong. The
// validation metric of an epoch is the MRR of validation facts.
func (Kind) Page(dir string, r *train.Result) (*task.Page, error) {
	k := r.Ranking
	if k == nil {
		return nil, files.Errorf(filepath.Join(dir, "result.json"),
			"it has no ranking, so it is not the result of a run on a knowledge graph")
	}
	name := filepath.Join(dir, "predictions.csv")
	text, err := files.Read(name)
	if err != nil {
		return nil, err
	}
	ranks, err := readFacts(name, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	p := &task.Page{Of: "facts", Metric: "mrr", Percent: r.Metric != "mrr", Lead: lead(r), Data: shownData(r),
		Commands: commands(dir, r, ranks),
		RowAbout: "MRR and Hits are of the test facts, by the best run of each folder, chosen by validation.",
		Row: []task.Value{{Name: "MRR", Value: show.Fraction(k.MRR)}, {Name: "Hits@1", Value: show.Percent(k.Hits1)},
			{Name: "Hits@10", Value: show.Percent(k.Hits10)}, {Name: "of 50", Value: show.Percent(k.Hits10of50)}}}
	if k.Facts > 0 {
		if r.Metric != "mrr" {
			p.Values = append(p.Values, task.Value{Name: "Test MRR", Value: show.Fraction(k.MRR),
				More: "mean of 1/rank"})
		}
		p.Values = append(p.Values, task.Value{Name: "Hits@1", Value: show.Percent(k.Hits1), More: "answered at once"},
			task.Value{Name: "Hits@10", Value: show.Percent(k.Hits10), More: "among the first ten"})
		p.Sections = []task.Section{
			{Title: "Ranks", Tables: []task.Table{shownScores(k)}, Histograms: []task.Histogram{byRank(ranks)}},
			shownRelations(k), shownHard(ranks)}
		if c := r.Certainty; c != nil {
			p.Sections = append(p.Sections, shownCertainty(c))
		}
	}
	name = filepath.Join(dir, AuditFile)
	text, err = files.Read(name)
	if errors.Is(err, os.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	a, err := ReadAudit(name, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	p.Sections = append(p.Sections, shownAudit(a))
	return p, nil
}

// lead returns the run in a sentence or two.
func lead(r *train.Result) string {
	k := r.Ranking
	if k.Facts == 0 {
		return fmt.Sprintf("The model was trained on %s facts; there are no test facts to measure it with.",
			show.Thousands(r.Graph.Facts))
	}
	s := fmt.Sprintf("Asked for either end of %s test facts, it puts %s of the answers first and %s among the first "+
		"ten; %s.", show.Thousands(k.Facts), show.Percent(k.Hits1), show.Percent(k.Hits10), About(k.Protocol))
	if r.Tested.Name != r.Graph.Name {
		s += " The questions are about a graph that it was not trained on."
	}
	return s
}

// shownScores returns the scores by what is asked for, and by rule of ties.
func shownScores(k *metric.Report) task.Table {
	t := task.Table{Title: "Scores", Head: []string{"", "MRR", "Hits@1", "Hits@3", "Hits@10", "of 50"}, Words: 1,
		About: "An answer is ranked in the middle of equal scores, except in the last two rows. “Of 50” is the " +
			"expected " +
			"Hits@10 among 49 others."}
	for _, s := range []struct {
		name string
		metric.Scores
	}{{"all", k.Scores}, {"tails", k.Tail}, {"heads", k.Head}, {"ties first", k.Optimistic},
		{"ties last", k.Pessimistic}} {
		of50 := math.NaN() // where 49 others were drawn
		if k.Protocol == metric.Full {
			of50 = s.Hits10of50
		}
		t.Rows = append(t.Rows, []string{s.name, show.Fraction(s.MRR), show.Percent(s.Hits1), show.Percent(s.Hits3),
			show.Percent(s.Hits10), show.Percent(of50)})
	}
	return t
}

// rankBins is how many bins a power of ten has.
const rankBins = 6

// byRank counts the questions by the rank of their answer, in bins that grow with it.
func byRank(ranks []rankedFact) task.Histogram {
	most := 1.0
	tails, heads := task.Group{Name: "asked for the tail"}, task.Group{Name: "asked for the head"}
	for _, x := range ranks {
		most = max(most, x.Worse())
		tails.Values = append(tails.Values, math.Log10(x.TailRank))
		heads.Values = append(heads.Values, math.Log10(x.HeadRank))
	}
	tens := math.Ceil(math.Log10(most + 1))
	return task.Histogram{Title: "Questions by rank", Below: "rank of the right answer", High: tens,
		Bins: int(tens) * rankBins, Groups: []task.Group{tails, heads},
		Mark:  func(x float64) string { return show.Compact(math.Round(math.Pow(10, x))) },
		About: "Left is better; every mark is ten times the one before."}
}

// shownRelations returns how the facts of every relation stood, the most frequent first.
func shownRelations(k *metric.Report) task.Section {
	list := slices.Clone(k.Relations)
	slices.SortStableFunc(list, func(a, b metric.RelationScores) int { return b.Facts - a.Facts })
	s := task.Section{Title: "Relations"}
	if n := len(list); n > mostRelations {
		list = list[:mostRelations]
		s.About = fmt.Sprintf("The %d most frequent of %s; result.json has all.", mostRelations, show.Thousands(n))
	}
	t := task.Table{Title: "Test facts by relation", Head: []string{"relation", "facts", "MRR", "Hits@1", "Hits@10"},
		Words: 1, Bar: "MRR"}
	for _, x := range list {
		t.Rows = append(t.Rows, []string{x.Name, show.Thousands(x.Facts), show.Fraction(x.MRR), show.Percent(x.Hits1),
			show.Percent(x.Hits10)})
	}
	s.Tables = []task.Table{t}
	return s
}

// shownHard returns the test facts with the worst ranks.
func shownHard(ranks []rankedFact) task.Section {
	ranks = slices.Clone(ranks)
	slices.SortStableFunc(ranks, func(a, b rankedFact) int { return cmp.Compare(b.Worse(), a.Worse()) })
	t := task.Table{Title: "Worst ranks", Head: []string{"head", "relation", "tail", "rank of tail", "rank of head"},
		Words: 3}
	for _, x := range ranks[:min(mostHard, len(ranks))] {
		t.Rows = append(t.Rows, []string{x.Head, x.Relation, x.Tail, show.Compact(x.TailRank),
			show.Compact(x.HeadRank)})
	}
	return task.Section{Title: "What it does not know",
		About: "Test facts that it finds least likely: rules it has not " +
			"learnt, or facts to look at.", Tables: []task.Table{t}}
}

// shownAudit returns the facts that an audit finds least likely, and the relations that have the most of them.
func shownAudit(a *Audit) task.Section {
	facts := task.Table{Title: "Least expected facts", Head: []string{"head", "relation", "tail", "part",
		"rank of tail",
		"rank of head", "suspicion"}, Words: 4}
	for _, x := range a.Facts[:min(mostSuspects, len(a.Facts))] {
		facts.Rows = append(facts.Rows, []string{x.Head, x.Relation, x.Tail, x.Part, show.Compact(x.TailRank),
			show.Compact(x.HeadRank), fmt.Sprintf("%.2f", x.Suspicion)})
	}
	relations := task.Table{Title: "Relations by their share of suspicious facts", Words: 1,
		Head:  []string{"relation", "facts", "share"},
		About: fmt.Sprintf("The first %s facts count as suspicious.", show.Thousands(a.Flagged))}
	for _, x := range a.Relations[:min(mostSuspicious, len(a.Relations))] {
		row := []string{x.Relation, show.Thousands(x.Facts), show.Percent(x.Share)}
		relations.Rows = append(relations.Rows, row)
	}
	return task.Section{Title: "What may be wrong", About: fmt.Sprintf("Training and validation facts that rank worse "+
		"than is usual for their relation when the model does not see them: errors, or facts that nothing else in the "+
		"graph supports. %s facts were judged; audit.csv has all.", show.Thousands(len(a.Facts))),
		Tables: []task.Table{facts, relations}}
}

func shownData(r *train.Result) []task.Value {
	value := func(name string, n int) task.Value { return task.Value{Name: name, Value: show.Thousands(n)} }
	g, on := r.Graph, r.Tested
	list := []task.Value{value("entities", g.Entities), value("relations", g.Relations), value("training facts",
		g.Facts),
		value("validation facts", g.Valid), value("test facts", on.Test)}
	if on.Name != g.Name {
		list = append(list, value("entities of the test graph", on.Entities), value("its facts", on.Facts))
	}
	return list
}

// commands look at the run.
func commands(dir string, r *train.Result, ranks []rankedFact) (list []string) {
	if len(ranks) > 0 && !config.IsBaseline(r.Recipe) {
		x := ranks[0]
		list = append(list, show.ShellCommand("bloom", "predict", dir, "--head", x.Head, "--relation", x.Relation))
	}
	return append(list, show.ShellCommand("bloom", "audit", dir))
}

// shownCertainty returns how probabilities and sets of answers do for test facts.
func shownCertainty(c *train.Certainty) task.Section {
	s := task.Section{Title: "How sure"}
	if f := c.Facts; f != nil {
		against := "false facts drawn at random"
		if f.Given {
			against = "facts that the data says are false"
		}
		s.About = fmt.Sprintf("Of %s test facts and %s, %s are classified correctly (F1 %s); the mean calibration "+
			"error is %s.", show.Thousands(f.Tested), against, show.Percent(float64(f.Accuracy)),
			show.Fraction(float64(f.F1)), show.Percent(float64(f.ECE)))
	}
	a := c.Answers
	if a == nil {
		return s
	}
	s.About += fmt.Sprintf(" Sets with coverage %s contain the answer to %s of the test questions, with a median of "+
		"%s entities; the probability of the first answer has a mean calibration error of "+
		"%s.", show.Percent(a.Coverage),
		show.Percent(a.Test), show.Compact(a.Median), show.Percent(float64(a.After)))
	t := task.Table{Title: "Sets of answers by relation", Words: 2,
		Head:  []string{"relation", "asked for", "calibrated on", "test questions", "held", "mean size"},
		About: "The most frequent first; bloom predict RUN --coverage 0.9 makes them."}
	list := slices.Clone(a.Relations)
	slices.SortStableFunc(list, func(x, y train.RelationAnswers) int { return y.Tested - x.Tested })
	for _, x := range list[:min(mostRelations, len(list))] {
		t.Rows = append(t.Rows, []string{x.Name, x.For, show.Thousands(x.Questions), show.Thousands(x.Tested),
			show.Percent(x.Test), show.Compact(x.Size)})
	}
	s.Tables = []task.Table{t}
	return s
}
