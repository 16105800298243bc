package pairs

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/run"
)

// Held is a held-out pair, and what the model says about it.
type Held struct {
	Source, Target string
	Probability    float64
	Joined         bool
	Split          string // valid or test
}

// header are the columns of predictions.csv.
var header = []string{"source", "target", "probability", "joined", "split"}

// ReadPredictions reads predictions.csv; name is for errors.
func ReadPredictions(name string, r io.Reader) ([]Held, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, fileerr.Because(name, err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], header) {
		return nil, fileerr.In(name, "want the columns %s", strings.Join(header, ", "))
	}
	list := make([]Held, len(rows)-1)
	for i, row := range rows[1:] {
		p, err := strconv.ParseFloat(row[2], 64)
		joined, err2 := strconv.ParseBool(row[3])
		if err != nil || err2 != nil || !(p >= 0 && p <= 1) {
			return nil, fileerr.In(name, "row %d: probability %q, joined %q", i+2, row[2], row[3])
		}
		list[i] = Held{row[0], row[1], p, joined, row[4]}
	}
	return list, nil
}

// WritePredictions writes a row for every held-out pair, joined or not.
func (j *job) WritePredictions(w io.Writer) error { return j.trained("").WritePredictions(w) }

// WritePredictions writes a row for every held-out pair: its ends, its probability, whether it is joined, and its part.
func (t *Trained) WritePredictions(w io.Writer) error {
	out, s := csv.NewWriter(w), t.job.split
	if err := out.Write(header); err != nil {
		return err
	}
	for _, part := range []struct {
		list   []pair
		joined bool
		name   string
	}{{s.valid, true, "valid"}, {s.validFalse, false, "valid"}, {s.test, true, "test"}, {s.testFalse, false, "test"}} {
		links, err := t.scored(part.list)
		if err != nil {
			return err
		}
		for _, x := range links {
			if err := out.Write([]string{x.Source, x.Target, strconv.FormatFloat(x.Probability, 'g', 6, 64),
				strconv.FormatBool(part.joined), part.name}); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// Describe names the data, and what is odd about it.
func (j *job) Describe(r *run.Result) {
	r.Data, r.Warnings = j.data.Name, j.Warnings
}

// Card is what a model card says about links.
func (j *job) Card(r *run.Result) run.Card {
	g, c, s := j.data.Graph, j.Config.Train, j.split
	return run.Card{
		Task: "link-prediction", Tags: []string{"bilevel-optimization"},
		About: "A graph neural network whose layers are steps of descent on an energy, trained by bloom to tell " +
			"which nodes are joined.",
		Data: fmt.Sprintf("%d nodes, %d edges, %d features; %d training, %d validation and %d test pairs, as many "+
			"others to tell them from.", g.NumNodes(), g.NumEdges(), j.Data.NumFeatures(), len(s.train), len(s.valid),
			len(s.test)),
		Training: fmt.Sprintf("%s at rate %g with weight decay %g, %d epochs, seed %d; the epoch with the best "+
			"validation %s was kept. Messages never go along an edge that is being predicted.",
			c.Optimizer, c.Rate, c.WeightDecay, r.Epochs, c.Seed, r.Metric),
		Limits: "Links are between nodes of this graph. Pairs that are not joined were drawn uniformly, so that " +
			"probabilities are those among as many joined as other pairs, and not those of the whole graph.",
		Commands: j.commands(),
		Loading:  "`model.safetensors` holds the weights by name and `config.yaml` everything that was set.",
	}
}

// commands are what to type in the run folder, about the ends of an edge.
func (j *job) commands() [][]string {
	list := [][]string{{"audit", "."}}
	if len(j.split.train) == 0 {
		return list
	}
	p := j.split.train[0]
	u, v := j.data.NodeName(p.u), j.data.NodeName(p.v)
	return append(list, []string{"predict", ".", "--node", u, "--top", "10"},
		[]string{"explain", ".", "--node", u, "--node", v})
}
