package fact

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/internal/path"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

// newWeights is the value of model.weights with which training starts from scratch.
const newWeights = "none"

// zero makes the model of the weights that c names, and trains it if there are epochs.
func (j *job) zero() error {
	c := j.Config
	p := path.Config{Relations: path.Graph, Removal: path.Removal(c.Facts.Removal), Hidden: c.Model.Hidden,
		Layers: c.Model.Layers, Batch: c.Facts.Batch, Negatives: c.Facts.Negatives,
		Temperature: c.Facts.Temperature, Seed: c.Train.Seed}
	names := relationNames(j.Data)
	var m *path.Model
	var err error
	if c.Model.Weights == newWeights {
		m, err = path.New(p, names)
	} else {
		m, err = path.Pretrained(c.Model.Weights, p, names)
	}
	if err != nil {
		return err
	}
	j.model, j.Trainer = paths{m, filterOf(c, j.Data)}, still{m}
	if c.Train.Epochs == 0 {
		j.valid = nil // nothing is chosen by them
		return nil
	}
	j.valid = kg.Sample(j.valid, c.Facts.Sample, c.Train.Seed)
	j.Trainer, err = zeroTrainer(m, c, j.Data.Graph)
	return err
}

// partBatches is the largest number of batches of a part in an epoch, so that large and dense parts do not crowd out
// small ones.
const partBatches = 128

// zeroTrainer trains m on g, or on several graphs or parts of them.
func zeroTrainer(m *path.Model, c config.Config, g *graph.Graph) (train.Trainer, error) {
	l := c.Facts
	if l.Also == "" && l.Parts == 0 {
		return path.NewTrainer(m, g)
	}
	graphs := []*graph.Graph{g}
	for ref := range strings.SplitSeq(l.Also, ";") {
		if ref = strings.TrimSpace(ref); ref == "" {
			continue
		}
		d, err := catalogue.Open(ref)
		if err != nil {
			return nil, &train.BadSetting{Key: "link.also", Value: ref, Want: "data sets of facts: " + err.Error()}
		}
		graphs = append(graphs, d.Graph)
	}
	if l.Parts == 0 {
		return path.NewMixture(m, graphs, 0)
	}
	var all []*graph.Graph
	for _, g := range graphs {
		parts, err := path.Parts{Count: l.Parts, Entities: l.Entities, Thin: l.Thin, Seed: c.Train.Seed}.Draw(g)
		if err != nil {
			return nil, &train.BadSetting{Key: "link.parts", Value: fmt.Sprint(l.Parts), Want: "0: " + err.Error()}
		}
		all = append(all, parts...)
	}
	return path.NewMixture(m, all, partBatches)
}

// still is the train.Trainer of a model that is not trained.
type still struct{ *path.Model }

var _ train.Trainer = still{}

func (still) State() []*ad.Param   { return nil }
func (still) Batches() int         { return 1 }
func (still) Batch(int, int) error { return nil }
func (still) Loss() *mat.Dense     { return mat.Scalar(0) }
func (still) Grads() []*mat.Dense  { return nil }

// asTested returns the data that a model of c is asked about. Where the training graph has validation facts of its own,
// those of its twin test zero as well: so its published figures are measured.
func asTested(c config.Config, d *dataset.Dataset) *dataset.Dataset {
	if config.FamilyOf(c.Recipe) != config.Zero || d.Twin == nil || len(d.Valid) == 0 {
		return d
	}
	now, twin := *d, *d.Twin
	twin.Test = slices.Concat(twin.Valid, twin.Test)
	twin.Valid, now.Twin = nil, &twin
	return &now
}

// checkWeights wants epochs for new weights. The error is a *train.BadSetting.
func checkWeights(c config.Config) error {
	if c.Model.Weights == newWeights && c.Train.Epochs == 0 {
		return &train.BadSetting{Key: "model.weights", Value: newWeights, Want: "a file of weights, or none at all " +
			"for those of bloom; or train new ones with --epochs"}
	}
	return nil
}

// idleInZero returns the keys that zero does not read.
func idleInZero(c config.Config) []task.IdleRule {
	return []task.IdleRule{
		{"model.hidden model.layers", c.Model.Weights != newWeights, "model.weights determines width and layers"},
		{"link.filter", true, "all known facts are filtered, as for the published figures"},
		{"link.batch link.negatives link.removal link.temperature link.sample link.also link.parts " +
			"link.entities link.thin", c.Train.Epochs == 0, "train.epochs is 0"},
		{"link.entities link.thin", c.Facts.Parts == 0, "link.parts is 0"},
		{"link.temperature", c.Facts.Negatives == 1,
			"with link.negatives 1 the weight of the negative is 1 at any temperature"},
	}
}
