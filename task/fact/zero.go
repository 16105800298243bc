package fact

import (
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/path"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

// zero makes the model of the weights that c names, or an untrained one, and trains it if there are epochs.
func (j *job) zero() error {
	c := j.Config
	p := path.Config{Relations: path.Graph, Removal: path.Removal(c.Facts.Removal), Hidden: c.Model.Hidden,
		Layers: c.Model.Layers, Batch: c.Facts.Batch, Negatives: c.Facts.Negatives,
		Temperature: c.Facts.Temperature, Seed: c.Train.Seed}
	names := relationNames(j.Data)
	var m *path.Model
	var err error
	if c.Model.Weights != "" {
		m, err = path.Pretrained(c.Model.Weights, p, names)
	} else {
		m, err = path.New(p, names)
	}
	if err != nil {
		return err
	}
	j.model, j.Trainer = paths{m, filterOf(c, j.Data)}, still{m}
	if c.Train.Epochs == 0 {
		j.valid = nil // nothing is chosen by them
		return nil
	}
	j.Trainer, err = path.NewTrainer(m, j.Data.Graph)
	return err
}

// still is the train.Trainer of a model that is not trained.
type still struct{ *path.Model }

var _ train.Trainer = still{}

// State returns nil.
func (still) State() []*ad.Param { return nil }

// Batches returns 1.
func (still) Batches() int { return 1 }

// Batch does nothing.
func (still) Batch(int, int) error { return nil }

// Loss returns 0.
func (still) Loss() *mat.Dense { return mat.Scalar(0) }

// Grads returns nil.
func (still) Grads() []*mat.Dense { return nil }

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

// checkWeights wants weights, or epochs to find some. The error is a *train.BadSetting.
func checkWeights(c config.Config) error {
	if c.Model.Weights == "" && c.Train.Epochs == 0 {
		return &train.BadSetting{Key: "model.weights", Value: "", Want: "a file of weights, such as ULTRA's " +
			"ultra_3g.pth or the model.safetensors of a run of zero, as bloom has none of its own; or train some " +
			"with --epochs"}
	}
	return nil
}

// idleInZero returns the keys that zero does not read.
func idleInZero(c config.Config) []task.IdleRule {
	return []task.IdleRule{
		{"model.hidden model.layers", c.Model.Weights != "", "model.weights determines width and layers"},
		{"link.filter", true, "all known facts are filtered, as for the published figures"},
		{"link.batch link.negatives link.removal link.temperature", c.Train.Epochs == 0, "train.epochs is 0"},
		{"link.temperature", c.Facts.Negatives == 1,
			"with link.negatives 1 the weight of the negative is 1 at any temperature"},
	}
}
