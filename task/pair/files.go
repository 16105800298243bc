package pair

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/bloomgml/bloom/train"
)

// WritePredictions writes a row for every held-out pair, joined or not.
func (j *job) WritePredictions(w io.Writer) error { return j.trained("").WritePredictions(w) }

// WritePredictions writes a row for every held-out pair: its ends, its probability, whether it is joined, and its part.
func (t *Trained) WritePredictions(w io.Writer) error {
	out, s := csv.NewWriter(w), t.job.split
	if err := out.Write(pairColumns); err != nil {
		return err
	}
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
			if err := out.Write([]string{x.Source, x.Target, strconv.FormatFloat(x.Probability, 'g', 6, 64),
				strconv.FormatBool(part.joined), part.name}); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
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
