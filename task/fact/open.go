package fact

import (
	"context"
	"io"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// Trained is a model with the data that it was trained on.
type Trained struct {
	Config config.Config
	Data   *dataset.Dataset
	Dir    string // the run folder; empty for none

	model model
}

// Of returns the model of a run that has just ended.
func Of(r *train.Result) *Trained {
	return &r.Job.(*job).Trained
}

// Open loads a run folder: its config, the data that this names, and the model.
func Open(dir string) (*Trained, error) {
	c, d, err := train.Configured(dir, "")
	if err != nil {
		return nil, err
	}
	return Load(dir, *c, d)
}

// Load is Open for a config and data that are open already.
func Load(dir string, c config.Config, d *dataset.Dataset) (*Trained, error) {
	m, err := load(dir, c, d)
	if err != nil {
		return nil, err
	}
	t := &Trained{c, asTested(c, d), dir, m}
	t.recall(dir)
	return t, nil
}

// WriteRanks ranks the test facts and writes a row for each, as in predictions.csv.
func (t *Trained) WriteRanks(ctx context.Context, w io.Writer) error {
	d := Tested(t.Config, t.Data)
	ranked, err := t.model.rank(ctx, d, d.Test, metric.Protocol(t.Config.Facts.Protocol))
	if err != nil {
		return err
	}
	return writeRanks(w, d, ranked)
}

// Embedded returns a row for every entity, and their names. The error is a *train.BadData for a model that has no
// entities.
func (t *Trained) Embedded() (h *mat.Dense, name func(entity int32) string, err error) {
	e, ok := t.model.(embedding)
	if !ok {
		return nil, nil, &train.BadData{Data: t.Data.Name,
			Text: t.Config.Recipe + " learns relations but no entities, so there are no embeddings"}
	}
	return e.H.Value(), e.Entities.At, nil
}

// Fact is a fact by names.
type Fact = dataset.Fact

// Settle says how new entities find their embeddings. The zero value means ten steps.
type Settle struct {
	L     int     // steps; 0 means 10, and a negative number none, which leaves new entities at their start
	Gamma float64 // γ of AdaGrad; 0 means 0.1
	// Negatives is the number of false answers that all questions share; 0 means 128.
	Negatives int
	Seed      uint64 // of what is false
}
