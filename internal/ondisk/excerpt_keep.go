package ondisk

import (
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// mostKept is the maximum number of training nodes, of validation nodes and of test nodes in the observed part.
const mostKept = 1 << 17

// Dataset returns the observed part: nodes of the split, from each of its parts as many nodes as memory allows, drawn
// by the seed, and neighbours around them. Features are scaled. If all nodes of the split and all neighbours fit, and
// hops reach as far as the model does, metrics there equal metrics on the whole graph.
func (g *Excerpt) Dataset() (*dataset.Dataset, error) {
	room := g.room() / 2
	for most := mostKept; most > 0; most /= 2 {
		k, err := Choose(g.Store, SettleOptions{Split: g.Split, Seed: g.Seed, Most: most, Thin: true})
		if err != nil {
			return nil, err
		}
		o := g.ExcerptOptions.SampleOptions
		o.Batch = max(1, len(k.Place))
		parts, _, err := g.group(Divide(k.Place, o, g.Seed), 0, 1, max(1, int(room/g.looked())))
		if err != nil {
			return nil, err
		}
		if parts != nil {
			g.place, g.asked = parts[0].Nodes, k.Place
			return g.dataset(parts[0])
		}
	}
	return nil, files.Errorf(g.Dir(), "a labelled node with the neighbours drawn around it does not fit into %s "+
		"(--memory allows more)", files.BytesText(max(0, room)))
}

// dataset returns a part as a data set; its batch is split as the nodes of the whole graph are.
func (g *Excerpt) dataset(p *ExcerptPart) (*dataset.Dataset, error) {
	d := &dataset.Dataset{Name: g.Name, Metric: g.Metric, Features: []dataset.Matrix{p.X},
		Labels: dataset.Labels{Class: p.Class, Names: g.Classes}, Splits: make([]dataset.Split, 1)}
	for _, r := range p.Seeds {
		p.in[r].AddTo(&d.Splits[0], r)
	}
	if len(p.Nodes) < g.Nodes {
		d.Of = g.Nodes
	}
	names, err := g.Names(p.Nodes)
	if err != nil {
		return nil, err
	}
	d.IDs = dataset.NewIDs(names)
	d.Graph, err = p.Graph()
	return d, err
}

// All yields all nodes of the graph in parts, whose batches are nodes in order.
func (g *Excerpt) All(seed uint64, yield func(*ExcerptPart) error) error {
	b := InOrder(g.Nodes, g.ExcerptOptions.SampleOptions, mat.Mix(seed, 1))
	return g.each(b, b.Len(), yield)
}
