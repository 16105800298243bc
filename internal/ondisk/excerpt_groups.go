package ondisk

import (
	"github.com/bloomgml/bloom/internal/files"
)

// each draws the first count parts of b and yields them complete, in groups as large as memory allows. Every group
// takes one pass over the graph per hop and one more.
func (g *Excerpt) each(b *Batches, count int, yield func(*ExcerptPart) error) error {
	const first = 16 // parts of the first group, which shows how large parts are
	most := int(g.room() / 2 / g.perNode())
	if g.Clusters > 0 { // parts are drawn while others are trained on
		most /= 4
	}
	for at, size := 0, min(first, count); at < count; {
		end := min(at+size, count)
		parts, nodes, err := g.group(b, at, end, most)
		switch {
		case err != nil:
			return err
		case parts == nil && size == 1:
			return files.Errorf(g.Dir(), "a mini-batch of %d training nodes with their neighbours does not fit into "+
				"%s: lower train.sample.batch, train.sample.fanout or train.sample.hops, or use more "+
				"train.sample.clusters", b.Batch, files.BytesText(g.Memory))
		case parts == nil:
			size = (size + 3) / 4
			continue
		}
		for _, p := range parts {
			if err := yield(p); err != nil {
				return err
			}
		}
		size = max(1, (end-at)*most*3/4/max(1, nodes))
		at = end
	}
	return nil
}

// group returns some parts and their total number of nodes; nil if that is above most.
func (g *Excerpt) group(b *Batches, first, end, most int) ([]*ExcerptPart, int, error) {
	list, err := b.DrawParts(g.rows, first, end, most)
	if err != nil || list == nil {
		return nil, 0, err
	}
	nodes := 0
	for _, p := range list {
		nodes += len(p.Nodes)
	}
	parts, err := g.complete(list)
	return parts, nodes, err
}

// perNode returns about how many bytes a node of a part takes while the part is drawn and assembled.
func (g *Excerpt) perNode() int64 { return 32 + 8*int64(g.Columns) + 8*g.degree() }

// degree returns about how many edges a node adds to a part.
func (g *Excerpt) degree() int64 { return 1 + 2*g.Edges/max(1, int64(g.Nodes)) }
