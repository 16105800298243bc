package fact

import (
	"context"
	"io"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/path"
	"github.com/bloomgml/bloom/metric"
)

// paths is a model of paths.
type paths struct {
	*path.Model
	filter
}

var _ model = paths{}

func loadPaths(file string, f filter) (model, error) {
	m, err := path.Load(file)
	if err != nil {
		return nil, err
	}
	return paths{m, f}, nil
}

func (p paths) write(w io.Writer) error { return p.Write(w) }

func (p paths) rank(ctx context.Context, d *dataset.Dataset, facts []graph.Triple,
	how metric.Protocol) ([]metric.Ranked, error) {
	return p.Evaluate(ctx, d, facts, p.among(d, how, p.Seed, p.known(d)))
}

func (p paths) answers(d *dataset.Dataset, q metric.Question, top, ways int) ([]Answer, error) {
	most, of := top, ways
	if p.on(d) != nil {
		most, of = d.Graph.NumNodes(), 0
	}
	found, err := p.Answers(d, q, most, of)
	var list []Answer
	for _, a := range found {
		list = append(list, Answer{Entity: d.IDs.At(a.Entity), Score: a.Score, Paths: waysOf(a.Paths),
			number: a.Entity})
	}
	if err != nil || p.on(d) == nil {
		return list, err
	}
	list = p.toppled(d, q, list, top)
	for i := range list {
		_, found, err := p.Explain(d, q, list[i].number, ways)
		if err != nil {
			return nil, err
		}
		list[i].Paths = waysOf(found)
	}
	return list, nil
}

// waysOf returns paths as people read them.
func waysOf(list []path.Path) (ways []Way) {
	for _, p := range list {
		ways = append(ways, Way{p.String(), p.Weight, p.Share})
	}
	return ways
}

// explain finds the paths of the question for the tail.
func (p paths) explain(d *dataset.Dataset, g *graph.Graph, f graph.Triple, e *Explanation, top int) (err error) {
	on := *d
	on.Graph = g
	if top == 0 {
		top = 1 << 20
	}
	var found []path.Path
	e.Score, found, err = p.Explain(&on, metric.Question{End: f.U, Of: 2 * f.R}, f.V, top)
	e.Paths = waysOf(found)
	return err
}
