package fact

import (
	"context"
	"io"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/metric"
)

// embedding is a model of package kg, with the data that it was trained on.
type embedding struct {
	*kg.Model
	filter
	data *dataset.Dataset
	all  *metric.Known // all facts of data
}

var _ model = embedding{}

// loadEmbedding reads a file. How the model was trained is not in the file but in the config.
func loadEmbedding(file string, c config.Config, d *dataset.Dataset) (model, error) {
	k, err := kg.FromConfig(c)
	if err != nil {
		return nil, err
	}
	m, err := kg.Load(file)
	if err != nil {
		return nil, files.OrAt(err, files.Because(file, err))
	}
	if k.Dim != m.Config.Dim || (k.Bilevel != nil) != (m.Config.Bilevel != nil) {
		return nil, files.Errorf(file, "the model and the run have different configs")
	}
	k.Seed, k.Scale = m.Config.Seed, m.Config.Scale // of the best run of a repeat
	if k.Bilevel != nil {
		b := *m.Config.Bilevel
		b.A, b.Kappa, b.Eta = k.Bilevel.A, k.Bilevel.Kappa, k.Bilevel.Eta
		k.Bilevel = &b
	}
	m.Config = k
	return embedding{m, filterOf(c, d), d, known(d)}, nil
}

// write omits the algorithm of the descent, which is in the config.
func (e embedding) write(w io.Writer) error {
	m := *e.Model
	if b := m.Config.Bilevel; b != nil {
		plain := *b
		plain.A = nil
		m.Config.Bilevel = &plain
	}
	return m.Save(w)
}

// modelFor returns the model for the entities of d: e's own model or, for a twin, the model that the same steps yield
// on the twin's facts.
func (e embedding) modelFor(d *dataset.Dataset) (*kg.Model, error) {
	if d == e.data {
		return e.Model, nil
	}
	m, err := e.Embed(d.Graph)
	if err == nil {
		m.Entities, m.Relations = d.IDs, d.Relations
	}
	return m, err
}

func (e embedding) rank(_ context.Context, d *dataset.Dataset, facts []graph.Triple,
	p metric.Protocol) ([]metric.Ranked, error) {
	m, err := e.modelFor(d)
	if err != nil {
		return nil, err
	}
	known := e.all // all facts of the training data are filtered, as for published figures
	if m != e.Model {
		known = e.filter.known(d)
	}
	return m.Rank(facts, e.among(d, p, e.Config.Seed, known))
}

func (e embedding) answers(d *dataset.Dataset, q metric.Question, top, _ int) ([]Answer, error) {
	m, err := e.modelFor(d)
	if err != nil {
		return nil, err
	}
	most := top
	if e.on(d) != nil {
		most = m.H.Rows()
	}
	found, err := m.Answers(q, most)
	var list []Answer
	for _, a := range found {
		list = append(list, Answer{Entity: m.Entities.At(a.Entity), Score: a.Score, number: a.Entity})
	}
	if e.on(d) != nil {
		list = e.toppled(d, q, list, top)
	}
	return list, err
}
