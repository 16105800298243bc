package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/durable"
	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/predicted"
	"github.com/bloomgml/bloom/internal/ranking"
	"github.com/bloomgml/bloom/internal/shell"
	"github.com/bloomgml/bloom/link"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/run"
)

// Links is everything about a run on a knowledge graph that its page shows: what the run folder holds, and no data.
type Links struct {
	Dir       string
	Result    run.Result
	Histories [][]run.Record   // the epochs of every run of a repeat; Valid is the MRR of validation facts
	Ranks     []predicted.Fact // of the test facts
	Audit     *link.Audit      // nil where bloom audit has not been at it

	config []byte // config.yaml
}

// OpenLinks reads the folder of a run on a knowledge graph.
func OpenLinks(dir string) (*Links, error) {
	r := &Links{Dir: dir}
	err := readResult(dir, &r.Result, &r.config)
	if err != nil {
		return nil, err
	}
	if r.Result.Ranking == nil {
		return nil, fileerr.In(filepath.Join(dir, "result.json"),
			"there is no ranking: not the result of a run on a knowledge graph")
	}
	if r.Histories, err = readHistories(dir, "mrr"); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "predictions.csv")
	ranks, err := durable.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if r.Ranks, err = predicted.ReadFacts(name, bytes.NewReader(ranks)); err != nil {
		return nil, err
	}
	r.Audit, err = readAudit(filepath.Join(dir, link.AuditFile))
	return r, err
}

// readAudit is nil where there is no such file.
func readAudit(name string) (*link.Audit, error) {
	text, err := durable.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return link.ReadAudit(name, bytes.NewReader(text))
}

// Page writes the page.
func (r *Links) Page(w io.Writer) error {
	var m markup
	m.page(r.Result.Recipe+" on "+r.Result.Data, r.lead(), func() { r.body(&m) })
	return m.to(w)
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

// body writes the sections.
func (r *Links) body(m *markup) {
	m.list("tiles", r.tiles())
	if figures := present(r.validation(), r.loss()); len(figures) > 0 {
		m.section("learning", "Learning", func() { m.figures(figures) })
	}
	if r.Result.Ranking.Facts > 0 {
		m.section("ranks", "Ranks", func() { r.ranks(m) })
		m.section("relations", "Relations", func() { r.relations(m) })
		m.section("hard", "What it does not know", func() { r.hard(m) })
	}
	if r.Audit != nil {
		m.section("audit", "What may be wrong", func() { r.suspects(m) })
	}
	m.section("data", "The data", func() { r.about(m) })
	m.section("repeat", "Again", func() {
		p := page{Repeat: r.repeat(), Config: string(r.config)}
		p.again(m)
	})
}

// tiles are the headline numbers.
func (r *Links) tiles() []fact {
	res, k := r.Result, r.Result.Ranking
	score := func(name string, s run.Score) fact {
		f := fact{Name: name + " " + words(res.Metric), Value: "–", More: "no such facts"}
		in := percent
		if res.Metric == "mrr" {
			in = fraction
		}
		if n := len(s.Runs); n > 0 {
			f.Value, f.More = in(s.Mean), ""
			if n > 1 {
				f.More = fmt.Sprintf("± %s over %d runs", in(s.SD), n)
			}
		}
		return f
	}
	list := []fact{score("Test", res.Test), score("Validation", res.Valid)}
	if k.Facts > 0 && res.Metric != "mrr" {
		list = append(list, fact{"Test MRR", fraction(k.MRR), "mean of 1/rank"})
	}
	if k.Facts > 0 {
		list = append(list, fact{"Hits@1", percent(k.Hits1), "answered at once"},
			fact{"Hits@10", percent(k.Hits10), "among the first ten"})
	}
	return append(list, fact{"Weights", thousands(res.Weights), "trained numbers"},
		fact{"Training", duration(res.Seconds), thousands(res.Epochs) + " epochs"})
}

// ties is the scores by rule of ties, and by what is asked for.
func (r *Links) ties(m *markup) {
	k := r.Result.Ranking
	m.raw("<figure>\n<h3>Scores</h3>\n")
	m.table([]string{"", "MRR#", "Hits@1#", "Hits@3#", "Hits@10#", "of 50#"}, func() {
		for _, row := range []struct {
			name string
			s    metric.Scores
		}{{"all", k.Scores}, {"tails", k.Tail}, {"heads", k.Head}, {"ties first", k.Optimistic},
			{"ties last", k.Pessimistic}} {
			of50 := "–"
			if k.Protocol == ranking.Full {
				of50 = percent(row.s.Hits10of50)
			}
			m.row("", row.name, cell{"n", fraction(row.s.MRR)}, cell{"n", percent(row.s.Hits1)},
				cell{"n", percent(row.s.Hits3)}, cell{"n", percent(row.s.Hits10)}, cell{"n", of50})
		}
	})
	m.raw("<figcaption>Of equal scores the answer stands in the middle, but for the last two rows. “Of 50” is the " +
		"expected Hits@10 among 49 others.</figcaption>\n</figure>\n")
}

// about is what the data is.
func (r *Links) about(m *markup) {
	g, on := r.Result.Graph, r.Result.Tested
	list := []fact{{Name: "entities", Value: thousands(g.Entities)}, {Name: "relations", Value: thousands(g.Relations)},
		{Name: "training facts", Value: thousands(g.Facts)},
		{Name: "validation facts", Value: thousands(g.Valid)}, {Name: "test facts", Value: thousands(on.Test)}}
	if on.Name != g.Name {
		list = append(list, fact{Name: "entities of the test graph", Value: thousands(on.Entities)},
			fact{Name: "its facts", Value: thousands(on.Facts)})
	}
	m.list("facts", list)
	if len(r.Result.Warnings) > 0 {
		m.raw("<ul class=\"notes\">")
		for _, n := range r.Result.Warnings {
			m.f("<li>%s</li>", n)
		}
		m.raw("</ul>\n")
	}
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
