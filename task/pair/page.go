package pair

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

var _ task.Paged = Kind{}

// mostHard is how many edges that were least expected a page has, and bins how many its histogram has.
const (
	mostHard = 12
	bins     = 20
)

// Page shows the held-out pairs: by probability, and the least expected ones.
func (Kind) Page(dir string, r *train.Result) (*task.Page, error) {
	name := filepath.Join(dir, "predictions.csv")
	text, err := files.Read(name)
	if err != nil {
		return nil, err
	}
	held, err := readPairs(name, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return &task.Page{Of: "edges", Data: []task.Value{{Name: "held-out pairs", Value: show.Thousands(len(held))}},
		Commands: []string{show.ShellCommand("bloom", "audit", dir)},
		Lead: fmt.Sprintf("Which nodes are joined: a model of %s, by the embeddings of %s. Edges that choose and test "+
			"were held out of the graph.", r.Data, r.Recipe),
		Sections: []task.Section{{Title: "What it does not know",
			About:  "Held-out edges that it finds least likely: what it has not learnt, or edges to look at.",
			Tables: []task.Table{hardest(held)}, Histograms: []task.Histogram{byProbability(held)}}}}, nil
}

// hardest returns the held-out edges that were least expected.
func hardest(held []heldPair) task.Table {
	held = slices.DeleteFunc(slices.Clone(held), func(x heldPair) bool { return !x.Joined })
	slices.SortStableFunc(held, func(a, b heldPair) int { return cmp.Compare(a.Probability, b.Probability) })
	t := task.Table{Title: "Least expected", Head: []string{"source", "target", "part", "probability"}, Words: 3}
	for _, x := range held[:min(mostHard, len(held))] {
		t.Rows = append(t.Rows, []string{x.Source, x.Target, x.Split, show.Fraction(x.Probability)})
	}
	return t
}

// byProbability counts held-out pairs.
func byProbability(held []heldPair) task.Histogram {
	yes, no := task.Group{Name: "joined"}, task.Group{Name: "not joined"}
	for _, x := range held {
		if x.Joined {
			yes.Values = append(yes.Values, x.Probability)
		} else {
			no.Values = append(no.Values, x.Probability)
		}
	}
	return task.Histogram{Title: "Held-out pairs by probability", Below: "probability of being joined", High: 1,
		Bins:   bins,
		Groups: []task.Group{yes, no},
		About:  "The same number of negatives (pairs that are not joined) was drawn."}
}

// WritePredictions writes a row for every held-out pair, joined or not.
func (j *job) WritePredictions(w io.Writer) error { return j.trained("").WritePredictions(w) }

// WritePredictions writes a row for every held-out pair: its ends, its probability, whether it is joined, and its part.
func (t *Trained) WritePredictions(w io.Writer) error {
	var all []heldPair
	s := t.job.split
	for _, part := range []struct {
		list   []pair
		joined bool
		name   string
	}{{s.valid, true, "valid"}, {s.validFalse, false, "valid"}, {s.test, true, "test"}, {s.testFalse, false, "test"}} {
		found, err := t.scored(part.list)
		if err != nil {
			return err
		}
		for _, x := range found {
			all = append(all, heldPair{x.Source, x.Target, x.Probability, part.joined, part.name})
		}
	}
	return task.WriteTable(w, pairColumns, slices.Values(all), func(x heldPair) []string {
		return []string{x.Source, x.Target, task.Decimal(x.Probability), strconv.FormatBool(x.Joined), x.Split}
	})
}

// Describe names the data, and adds warnings about it.
func (j *job) Describe(r *train.Result) {
	r.Data, r.Warnings, r.Notes = j.data.Name, j.Warnings, j.data.Notes
}

// Card returns the part of the model card that is about links.
func (j *job) Card(r *train.Result) train.Card {
	g, c, s := j.data.Graph, j.Config.Train, j.split
	return train.Card{
		Task: "link-prediction", Tags: []string{"bilevel-optimization"},
		About: "A graph neural network whose layers are steps of descent on an energy, trained by bloom to predict " +
			"which nodes are joined.",
		Data: fmt.Sprintf("%d nodes, %d edges, %d features; %d training, %d validation and %d test pairs, and the "+
			"same number of negatives.", g.NumNodes(), g.NumEdges(), j.Data.NumFeatures(), len(s.train), len(s.valid),
			len(s.test)),
		Training: fmt.Sprintf("%s at rate %g with weight decay %g, %d epochs, seed %d; the epoch with the best "+
			"validation %s was kept. Messages never go along an edge that is being predicted.",
			c.Optimizer, c.Rate, c.WeightDecay, r.Epochs, c.Seed, r.Metric),
		Limits: "Predictions are for nodes of this graph and nodes added to it (bloom add). Negatives were drawn " +
			"uniformly, so probabilities are right if half of the pairs are joined, not for the whole graph.",
		Commands: j.commands(),
		Loading:  "`model.safetensors` holds the weights by name and `config.yaml` everything that was set.",
	}
}

// commands returns the commands to run in the run folder, about the ends of an edge.
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

// heldPair is a row of the predictions.csv of a run on links: a held-out pair, and what the model says about it.
type heldPair struct {
	Source, Target string
	Probability    float64
	Joined         bool
	Split          string // valid or test
}

// pairColumns are the fields of a heldPair.
var pairColumns = []string{"source", "target", "probability", "joined", "split"}

// readPairs reads the predictions.csv of a run on links; name is for errors.
func readPairs(name string, r io.Reader) (list []heldPair, err error) {
	err = task.ReadTable(name, r, pairColumns, func(line int, row []string) error {
		p, err := strconv.ParseFloat(row[2], 64)
		joined, err2 := strconv.ParseBool(row[3])
		if err != nil || err2 != nil || !(p >= 0 && p <= 1) {
			return files.ErrorAt(name, line, "probability %q, joined %q", row[2], row[3])
		}
		list = append(list, heldPair{row[0], row[1], p, joined, row[4]})
		return nil
	})
	return list, err
}
