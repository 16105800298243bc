package link

import (
	"context"
	"io"
	"path/filepath"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/run"
)

// Trained is a model with the data that it was trained on.
type Trained struct {
	Config config.Config
	Data   *dataset.Dataset
	Dir    string // the run folder; empty for none

	model model
}

// Open loads a run folder: its config, the data that this names, and the model.
func Open(dir string) (*Trained, error) {
	c, err := config.Load(config.Options{File: filepath.Join(dir, "config.yaml")})
	if err != nil {
		return nil, err
	}
	d, err := catalogue.Open(c.Data.Name)
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
	return &Trained{c, d, dir, m}, nil
}

// WriteRanks ranks the test facts and writes a row for each, as in predictions.csv.
func (t *Trained) WriteRanks(ctx context.Context, w io.Writer) error {
	d := Tested(t.Config, t.Data)
	ranked, err := t.model.rank(ctx, d, d.Test, metric.Protocol(t.Config.Link.Protocol))
	if err != nil {
		return err
	}
	return writeRanks(w, d, ranked)
}

// Entities are the names of the entities and their embeddings, a row each. The error is a *run.BadData for a model that has none.
func (t *Trained) Entities() (dataset.IDs, *mat.Dense, error) {
	e, ok := t.model.(embedding)
	if !ok {
		return dataset.IDs{}, nil, &run.BadData{Data: t.Data.Name, Text: t.Config.Recipe + " knows relations and no entity, so there are no embeddings"}
	}
	return e.Model.Entities, e.H.Value(), nil
}
