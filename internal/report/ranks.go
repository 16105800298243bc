package report

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"

	"github.com/bloomgml/bloom/internal/chart"
	"github.com/bloomgml/bloom/internal/predicted"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/run"
)

// validation is the MRR of validation facts over the epochs.
func (r *Links) validation() *chart.Chart {
	curves := r.over(func(e run.Record) float64 { return e.Valid })
	return chart.Lines("Validation MRR", chart.Axes{Below: "epoch", Count: true}, curves...).Saying(
		"The epoch with the best one was kept. Where there are many validation facts, a sample of them is ranked.")
}

// loss is what training minimises.
func (r *Links) loss() *chart.Chart {
	return chart.Lines("Training loss", chart.Axes{Below: "epoch", Count: true}, r.over(func(e run.Record) float64 {
		return e.Loss
	})...).Saying(
		"What training minimises, as the mean over the batches of an epoch.")
}

// over draws a number of the epochs of every run; epochs without it are left out.
func (r *Links) over(f func(run.Record) float64) []chart.Curve {
	var curves []chart.Curve
	for _, h := range r.Histories {
		xs, ys := column(h, f)
		curves = append(curves, chart.Curve{Ink: chart.Series(0), X: xs, Y: ys, Thin: len(r.Histories) > 2})
	}
	return curves
}

// ranks shows the scores and where answers stood.
func (r *Links) ranks(m *markup) {
	m.raw("<div class=\"grid wide\">\n")
	r.ties(m)
	if f := r.histogram(); f != nil {
		m.figure(f)
	}
	m.raw("</div>\n")
}

// rankBins is how many bins a power of ten has.
const rankBins = 6

// histogram counts the questions by the rank of their answer, in bins that grow with it.
func (r *Links) histogram() *chart.Chart {
	most := 1.0
	for _, x := range r.Ranks {
		most = max(most, x.Worse())
	}
	tens := math.Ceil(math.Log10(most + 1))
	tails, heads := make([]float64, int(tens)*rankBins), make([]float64, int(tens)*rankBins)
	for _, x := range r.Ranks {
		tails[bin(math.Log10(x.TailRank), 0, tens, len(tails))]++
		heads[bin(math.Log10(x.HeadRank), 0, tens, len(heads))]++
	}
	power := func(x float64) string { return chart.Compact(math.Round(math.Pow(10, x))) }
	return chart.Bars("Questions by rank", chart.Axes{Below: "rank of the right answer", X: power, Count: true}, 0,
		tens,
		chart.Group{Name: "asked for the tail", Ink: chart.Series(0), Counts: tails},
		chart.Group{Name: "asked for the head", Ink: chart.Series(1),
			Counts: heads}).Saying("Left is better; every mark is ten times the one before.")
}

// mostRelations is how many relations the table shows.
const mostRelations = 40

// relations shows how the facts of every relation stood, the most frequent first.
func (r *Links) relations(m *markup) {
	list := slices.Clone(r.Result.Ranking.Relations)
	slices.SortStableFunc(list, func(a, b metric.RelationScores) int { return b.Facts - a.Facts })
	if n := len(list); n > mostRelations {
		m.f("<p>The %s most frequent of %s; result.json has all.</p>\n", fmt.Sprint(mostRelations), thousands(n))
		list = list[:mostRelations]
	}
	m.raw("<figure>\n<h3>Test facts by relation</h3>\n")
	m.table([]string{"relation", "facts#", "MRR#", "", "Hits@1#", "Hits@10#"}, func() {
		for _, x := range list {
			m.raw("<tr><th scope=\"row\">", html.EscapeString(x.Name), "</th>")
			m.f("<td class=\"n\">%s</td><td class=\"n\">%s</td>", thousands(x.Facts), fraction(x.MRR))
			m.f("<td style=\"width:30%%;min-width:5rem\"><span class=\"bar\" style=\"width:%s%%\"></span></td>",
				coordinate(100*x.MRR))
			m.f("<td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n", percent(x.Hits1), percent(x.Hits10))
		}
	})
	m.raw("</figure>\n")
}

// hard shows the test facts whose answers stood last.
func (r *Links) hard(m *markup) {
	list := slices.Clone(r.Ranks)
	slices.SortStableFunc(list, func(a, b predicted.Fact) int { return cmp.Compare(b.Worse(), a.Worse()) })
	m.raw("<p>Test facts that it finds least likely: rules it has not learnt, or facts to look " +
		"at.</p>\n<figure>\n<h3>Worst ranks</h3>\n")
	m.table([]string{"head", "relation", "tail", "rank of tail#", "rank of head#"}, func() {
		for _, x := range list[:min(12, len(list))] {
			m.row("", html.EscapeString(x.Head), cell{"", x.Relation}, cell{"", x.Tail}, cell{"n",
				chart.Compact(x.TailRank)},
				cell{"n", chart.Compact(x.HeadRank)})
		}
	})
	m.raw("</figure>\n")
}
