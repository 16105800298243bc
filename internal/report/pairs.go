package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/bloomgml/bloom/internal/chart"
	"github.com/bloomgml/bloom/internal/durable"
	"github.com/bloomgml/bloom/internal/predicted"
	"github.com/bloomgml/bloom/internal/shell"
)

// Pairs is everything about a run that tells which nodes are joined that its page shows: what the run folder holds, and
// no data.
type Pairs struct {
	runFolder
	Held []predicted.Pair // the held-out pairs of the best run
}

// OpenPairs reads the folder of a run that tells which nodes are joined.
func OpenPairs(dir string) (*Pairs, error) {
	r := &Pairs{runFolder: runFolder{Dir: dir}}
	if err := r.read(""); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "predictions.csv")
	held, err := durable.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r.Held, err = predicted.ReadPairs(name, bytes.NewReader(held))
	return r, err
}

// pairsPage is what the page of a run that tells which nodes are joined shows.
type pairsPage struct {
	page
	Hard []predicted.Pair // the held-out edges that were least expected
}

// Page writes the page.
func (r *Pairs) Page(w io.Writer, _ Options) error { return write(w, "pairs", r.page()) }

func (r *Pairs) page() *pairsPage {
	lead := fmt.Sprintf("Which nodes are joined: a model of %s, by the embeddings of %s. Edges that choose and test "+
		"were held out of the graph.", r.Result.Data, r.Result.Recipe)
	hard := slices.DeleteFunc(slices.Clone(r.Held), func(x predicted.Pair) bool { return !x.Joined })
	slices.SortStableFunc(hard, func(a, b predicted.Pair) int { return cmp.Compare(a.Probability, b.Probability) })
	return &pairsPage{page: page{Title: r.title(), Lead: lead,
		Tiles: append([]fact{r.score("Test", r.Result.Test, fraction, "no such edges"),
			r.score("Validation", r.Result.Valid, fraction, "no such edges")}, r.effort()...),
		Learning: present(chart.Lines(title(words(r.Result.Metric))+" of held-out edges",
			chart.Axes{Below: "epoch", Count: true}, r.over("", chart.Series(0), valid)...), r.lossCurves(""),
			r.histogram()),
		Notes: r.Result.Warnings, Repeat: []string{
			shell.Command("bloom", "train", r.Dir+"/config.yaml", "--out", "again"),
			shell.Command("bloom", "audit", r.Dir), shell.Command("bloom", "report", r.Dir)},
		Config: string(r.config)}, Hard: hard[:min(mostHard, len(hard))]}
}

// histogram counts held-out pairs by probability.
func (r *Pairs) histogram() *chart.Chart {
	var yes, no []float64
	for _, x := range r.Held {
		if x.Joined {
			yes = append(yes, x.Probability)
		} else {
			no = append(no, x.Probability)
		}
	}
	return chart.Histogram("Held-out pairs by probability", chart.Axes{Below: "probability of being joined"}, 0, 1,
		histogramBins, chart.Group{Name: "joined", Ink: chart.Series(0), Values: yes},
		chart.Group{Name: "not joined", Ink: chart.Series(1), Values: no}).
		Saying("As many pairs that are not joined were drawn as there are held-out edges.")
}

func (r *Pairs) entries() []entry {
	list := append(r.about(), entry{"metric", words(r.Result.Metric), false},
		entry{"test", fraction(r.Result.Test.Mean), true}, entry{"validation", fraction(r.Result.Valid.Mean), true})
	return append(list, r.cost()...)
}

func (r *Pairs) compared(runs []*Pairs, names []string) (about string, figures []*chart.Chart) {
	return "", present(overlay("Validation while training", runs, names, chart.Axes{Below: "epoch", Count: true},
		func(r *Pairs) (xs, ys []float64) { return r.firstRun() }).Saying("The first run of each folder."))
}
