package ondisk

import (
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// ExcerptPart is a part with all data of its nodes. Only Nodes uses the numbering of the whole graph.
type ExcerptPart struct {
	SamplePart
	Sources, Targets []int32 // edges between them, each from its smaller end, ascending
	X                dataset.Matrix
	Class            []int32
	in               []Part
}

// Graph returns the part as a graph.
func (p *ExcerptPart) Graph() (*graph.Graph, error) {
	return graph.Build(graph.Spec{Nodes: len(p.Nodes), Sources: p.Sources, Targets: p.Targets, Undirected: true})
}

// complete assembles the data of the nodes of parts, in one pass over the blocks that hold them.
func (g *Excerpt) complete(list []SamplePart) ([]*ExcerptPart, error) {
	parts, at := make([]*ExcerptPart, len(list)), make([]int, len(list))
	for i, p := range list {
		parts[i] = &ExcerptPart{SamplePart: p, X: g.matrix()}
	}
	wanted := func(_, end int) bool {
		for i, p := range parts {
			if at[i] < len(p.Nodes) && int(p.Nodes[at[i]]) < end {
				return true
			}
		}
		return false
	}
	block := 0
	var x []mat.Real
	err := g.rows(wanted, func(first int, ptr []int64, idx []int32) (err error) {
		for ; ; block++ {
			if from, _ := g.Rows(block); from == first {
				break
			}
		}
		if x, err = g.x.Block(block, x); err != nil {
			return err
		}
		l, err := g.Labels(block)
		if err != nil {
			return err
		}
		for i, p := range parts {
			for ; at[i] < len(p.Nodes) && int(p.Nodes[at[i]]) < first+len(ptr)-1; at[i]++ {
				r := int(p.Nodes[at[i]]) - first
				p.connect(int32(at[i]), idx[ptr[r]:ptr[r+1]])
				p.X.AppendRow(x[r*g.Columns : (r+1)*g.Columns])
				p.Class, p.in = append(p.Class, l.Class[r]), append(p.in, l.Parts[g.Split][r])
			}
		}
		return nil
	})
	return parts, err
}

// connect adds the edges from row u to later rows; near are all neighbours of its node.
func (p *ExcerptPart) connect(u int32, near []int32) {
	from, _ := slices.BinarySearch(near, p.Nodes[u]+1)
	rest := p.Nodes[u+1:]
	common(near[from:], rest, func(i int) {
		p.Sources, p.Targets = append(p.Sources, u), append(p.Targets, u+1+int32(i))
	})
}

// common yields the positions in b of numbers that are also in a; both ascend. It looks up the shorter list in the
// longer.
func common(a, b []int32, yield func(i int)) {
	if len(a) <= len(b) {
		from := 0
		for _, v := range a {
			i, found := slices.BinarySearch(b[from:], v)
			if from += i; found {
				yield(from)
			}
		}
		return
	}
	for i, v := range b {
		at, found := slices.BinarySearch(a, v)
		if a = a[at:]; found {
			yield(i)
		}
	}
}
