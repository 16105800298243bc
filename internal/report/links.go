package report

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/chart"
	"github.com/bloomgml/bloom/internal/durable"
	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/predicted"
	"github.com/bloomgml/bloom/internal/ranking"
	"github.com/bloomgml/bloom/internal/shell"
	"github.com/bloomgml/bloom/link"
	"github.com/bloomgml/bloom/metric"
)

// Links is everything about a run on a knowledge graph that its page shows: what the run folder holds, and no data. The
// validation of an epoch is the MRR of validation facts.
type Links struct {
	runFolder
	Ranks []predicted.Fact // of the test facts
	Audit *link.Audit      // nil where bloom audit has not been at it
}

// OpenLinks reads the folder of a run on a knowledge graph.
func OpenLinks(dir string) (*Links, error) {
	r := &Links{runFolder: runFolder{Dir: dir}}
	if err := r.read("mrr"); err != nil {
		return nil, err
	}
	if r.Result.Ranking == nil {
		return nil, fileerr.In(filepath.Join(dir, "result.json"),
			"there is no ranking: not the result of a run on a knowledge graph")
	}
	name := filepath.Join(dir, "predictions.csv")
	ranks, err := durable.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if r.Ranks, err = predicted.ReadFacts(name, bytes.NewReader(ranks)); err != nil {
		return nil, err
	}
	name = filepath.Join(dir, link.AuditFile)
	audit, err := durable.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		r.Audit, err = link.ReadAudit(name, bytes.NewReader(audit))
	}
	return r, err
}

// linksPage is what the page of a run on a knowledge graph shows.
type linksPage struct {
	page
	Scores    []scoreRow // none without test facts
	Ranks     *chart.Chart
	Relations []metric.RelationScores
	Shortened string // says so if there are more relations
	Hard      []predicted.Fact
	Audit     *suspects
	Data      []fact
}

// scoreRow is the scores of some questions, or by some rule of ties.
type scoreRow struct {
	Name string
	metric.Scores
	Of50 float64 // NaN where 49 others were drawn
}

// suspects are the facts that an audit finds least likely, and the relations that have the most of them.
type suspects struct {
	Judged, Flagged int
	Facts           []link.Suspect
	Relations       []link.SuspectShares
}

// The rows of tables.
const (
	mostSuspects  = 20
	mostShares    = 10
	mostRelations = 40
	mostHard      = 12
)

// Page writes the page.
func (r *Links) Page(w io.Writer, _ Options) error { return write(w, "links", r.page()) }

func (r *Links) page() *linksPage {
	p := &linksPage{page: page{Title: r.title(), Lead: r.lead(), Tiles: r.tiles(),
		Learning: present(chart.Lines("Validation MRR", chart.Axes{Below: "epoch", Count: true},
			r.over("", chart.Series(0), valid)...).Saying("The epoch with the best one was kept. Where there are many "+
			"validation facts, a sample of them is ranked."),
			r.lossCurves("What training minimises, as the mean over the batches of an epoch.")),
		Notes: r.Result.Warnings, Repeat: r.repeat(), Config: string(r.config)}, Data: r.facts()}
	if r.Result.Ranking.Facts > 0 {
		p.Scores, p.Ranks = r.scores(), r.histogram()
		p.Relations, p.Shortened = r.relations()
		p.Hard = slices.Clone(r.Ranks)
		slices.SortStableFunc(p.Hard, func(a, b predicted.Fact) int { return cmp.Compare(b.Worse(), a.Worse()) })
		p.Hard = p.Hard[:min(mostHard, len(p.Hard))]
	}
	if a := r.Audit; a != nil {
		p.Audit = &suspects{len(a.Facts), a.Flagged, a.Facts[:min(mostSuspects, len(a.Facts))],
			a.Relations[:min(mostShares, len(a.Relations))]}
	}
	return p
}

// lead is the run in a sentence or two.
func (r *Links) lead() string {
	k := r.Result.Ranking
	if k.Facts == 0 {
		return fmt.Sprintf("%s facts were learnt, and there are no test facts to measure the model with.",
			thousands(r.Result.Graph.Facts))
	}
	s := fmt.Sprintf("Asked for either end of %s test facts, it puts %s of the answers first and %s among the "+
		"first ten; %s.",
		thousands(k.Facts), percent(k.Hits1), percent(k.Hits10), link.About(k.Protocol))
	if r.Result.Tested.Name != r.Result.Graph.Name {
		s += " The questions are about a graph that it was not trained on."
	}
	return s
}

func (r *Links) tiles() []fact {
	res, k, format := r.Result, r.Result.Ranking, percent
	if res.Metric == "mrr" {
		format = fraction
	}
	list := []fact{r.score("Test", res.Test, format, "no such facts"),
		r.score("Validation", res.Valid, format, "no such facts")}
	if k.Facts > 0 && res.Metric != "mrr" {
		list = append(list, fact{"Test MRR", fraction(k.MRR), "mean of 1/rank"})
	}
	if k.Facts > 0 {
		list = append(list, fact{"Hits@1", percent(k.Hits1), "answered at once"},
			fact{"Hits@10", percent(k.Hits10), "among the first ten"})
	}
	return append(list, r.effort()...)
}

// scores are the scores by what is asked for, and by rule of ties.
func (r *Links) scores() []scoreRow {
	k := r.Result.Ranking
	list := []scoreRow{{Name: "all", Scores: k.Scores}, {Name: "tails", Scores: k.Tail}, {Name: "heads",
		Scores: k.Head},
		{Name: "ties first", Scores: k.Optimistic}, {Name: "ties last", Scores: k.Pessimistic}}
	for i := range list {
		if list[i].Of50 = math.NaN(); k.Protocol == ranking.Full {
			list[i].Of50 = list[i].Hits10of50
		}
	}
	return list
}

// rankBins is how many bins a power of ten has.
const rankBins = 6

// histogram counts the questions by the rank of their answer, in bins that grow with it.
func (r *Links) histogram() *chart.Chart {
	most := 1.0
	var tails, heads []float64
	for _, x := range r.Ranks {
		most = max(most, x.Worse())
		tails, heads = append(tails, math.Log10(x.TailRank)), append(heads, math.Log10(x.HeadRank))
	}
	tens := math.Ceil(math.Log10(most + 1))
	power := func(x float64) string { return chart.Compact(math.Round(math.Pow(10, x))) }
	return chart.Histogram("Questions by rank", chart.Axes{Below: "rank of the right answer", X: power, Count: true}, 0,
		tens, int(tens)*rankBins, chart.Group{Name: "asked for the tail", Ink: chart.Series(0), Values: tails},
		chart.Group{Name: "asked for the head", Ink: chart.Series(1), Values: heads}).
		Saying("Left is better; every mark is ten times the one before.")
}

// relations are how the facts of every relation stood, the most frequent first.
func (r *Links) relations() (list []metric.RelationScores, shortened string) {
	list = slices.Clone(r.Result.Ranking.Relations)
	slices.SortStableFunc(list, func(a, b metric.RelationScores) int { return b.Facts - a.Facts })
	if n := len(list); n > mostRelations {
		list, shortened = list[:mostRelations], fmt.Sprintf("The %d most frequent of %s; result.json has all.",
			mostRelations, thousands(n))
	}
	return list, shortened
}

// facts is what the data is.
func (r *Links) facts() []fact {
	g, on := r.Result.Graph, r.Result.Tested
	list := []fact{{Name: "entities", Value: thousands(g.Entities)}, {Name: "relations", Value: thousands(g.Relations)},
		{Name: "training facts", Value: thousands(g.Facts)},
		{Name: "validation facts", Value: thousands(g.Valid)}, {Name: "test facts", Value: thousands(on.Test)}}
	if on.Name != g.Name {
		list = append(list, fact{Name: "entities of the test graph", Value: thousands(on.Entities)},
			fact{Name: "its facts", Value: thousands(on.Facts)})
	}
	return list
}

// repeat are the commands that make the run again and look at it.
func (r *Links) repeat() []string {
	list := []string{shell.Command("bloom", "train", r.Dir+"/config.yaml", "--out", "again")}
	if len(r.Ranks) > 0 && !config.IsBaseline(r.Result.Recipe) {
		x := r.Ranks[0]
		list = append(list, shell.Command("bloom", "predict", r.Dir, "--head", x.Head, "--relation", x.Relation))
	}
	return append(list, shell.Command("bloom", "audit", r.Dir), shell.Command("bloom", "report", r.Dir))
}

func (r *Links) entries() []entry {
	k := r.Result.Ranking
	list := append(r.about(), entry{"validation", words(r.Result.Metric) + " " + fraction(r.Result.Valid.Mean), true},
		entry{"MRR", fraction(k.MRR), true}, entry{"Hits@1", percent(k.Hits1), true},
		entry{"Hits@10", percent(k.Hits10), true}, entry{"of 50", percent(k.Hits10of50), true})
	return append(list, r.cost()...)
}

func (*Links) compared(runs []*Links, names []string) (about string, figures []*chart.Chart) {
	about = "MRR and Hits are of the test facts, by the best run of each folder as validation chose it."
	return about, present(overlay("Validation MRR while training", runs, names, chart.Axes{Below: "epoch", Count: true},
		func(r *Links) (xs, ys []float64) { return r.firstRun() }).Saying("The first run of each folder."))
}
