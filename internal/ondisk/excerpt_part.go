package ondisk

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/host"
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

// drawn are the parts for training, in a file.
type drawn struct {
	count   int
	file    *Scratch
	places  []excerptPlace
	end     int64
	anew    bool     // clusters are dealt again in every epoch
	held    int      // how many of the first parts fit into memory
	seen    []uint64 // a bit for every node that is in some part; nil if parts are not tied
	members []int32  // the same nodes, ascending
}

// excerptPlace is the offset of a part and the lengths of its arrays.
type excerptPlace struct {
	at                            int64
	nodes, seeds, edges, nonzeros int
	sums                          [excerptSections]uint32
}

// excerptSections is the number of arrays of a part.
const excerptSections = 8

// arrays returns the arrays of a part, in order.
func arrays(p *ExcerptPart) [excerptSections][]byte {
	return [excerptSections][]byte{bytesOf(p.Nodes), bytesOf(p.Seeds), bytesOf(p.Sources),
		bytesOf(p.Targets), bytesOf(p.Class), bytesOf(p.X.Ptr), bytesOf(p.X.Idx),
		bytesOf(p.X.Values)}
}

// DrawParts draws the parts for training, replacing earlier ones. It leaves out nodes of the observed part that are
// used for validation although the split of the graph says that they train.
func (g *Excerpt) DrawParts(valid []int32, seed uint64) error {
	if err := g.clear(); err != nil {
		return err
	}
	b, err := g.batches(g.taught(valid), seed)
	if err != nil {
		return err
	}
	f, err := NewScratch(g.Scratch, "parts")
	if err != nil {
		return err
	}
	g.drawn = &drawn{count: b.Len(), file: f, anew: b.Anew()}
	if g.Gamma > 0 {
		g.drawn.seen = make([]uint64, g.Nodes/64+1)
	}
	count := b.Len()
	if g.Some > 0 {
		count = min(count, g.Some)
	}
	if err := g.each(b, count, func(p *ExcerptPart) error { return g.writePart(g.drawn, p) }); err != nil {
		return err
	}
	g.drawn.list()
	g.planMemory()
	return nil
}

// batches divides seeds into batches, by cluster if parts are clusters. The clusters are computed once.
func (g *Excerpt) batches(seeds []int32, seed uint64) (b *Batches, err error) {
	if g.Clusters == 0 {
		return Divide(seeds, g.ExcerptOptions.SampleOptions, seed), nil
	}
	if g.cluster == nil {
		g.cluster, err = Cluster(g.rows, g.Nodes, g.ExcerptOptions.SampleOptions)
	}
	if err != nil {
		return nil, err
	}
	return Deal(seeds, g.cluster, g.ExcerptOptions.SampleOptions, seed), nil
}

// taught returns the training nodes, except the rows valid of the observed part.
func (g *Excerpt) taught(valid []int32) []int32 {
	var seeds []int32
	at := 0
	for _, v := range g.train {
		for at < len(valid) && g.place[valid[at]] < v {
			at++
		}
		if at == len(valid) || g.place[valid[at]] != v {
			seeds = append(seeds, v)
		}
	}
	return seeds
}

// writePart writes a part to the file.
func (g *Excerpt) writePart(d *drawn, p *ExcerptPart) error {
	to := excerptPlace{at: d.end, nodes: len(p.Nodes), seeds: len(p.Seeds), edges: len(p.Sources),
		nonzeros: len(p.X.Values)}
	all := arrays(p)
	if len(d.places) == 0 {
		need := int64(0)
		for _, b := range all {
			need += int64(len(b)) * int64(d.count)
		}
		if free, ok := host.DiskFree(g.Scratch); ok && g.Some == 0 && free < uint64(need) {
			return files.Errorf(g.Scratch, "the disk has %s free, and %d parts of the graph take about %s",
				files.BytesText(int64(free)), d.count, files.BytesText(need))
		}
	}
	for k, b := range all {
		var err error
		if to.sums[k], err = d.file.Put(d.end, b); err != nil {
			return err
		}
		d.end += int64(len(b))
	}
	d.places = append(d.places, to)
	if d.seen != nil {
		for _, v := range p.Nodes {
			d.seen[v/64] |= 1 << (v % 64)
		}
	}
	return nil
}

// list collects the nodes that are in some part.
func (d *drawn) list() {
	for i, word := range d.seen {
		for ; word != 0; word &= word - 1 {
			d.members = append(d.members, int32(64*i+bits.TrailingZeros64(word)))
		}
	}
	d.seen = nil
}

// planMemory finds out how many parts can stay in memory with all that training makes of them. Where some stand for
// others, each counts as the number of parts it stands for.
func (g *Excerpt) planMemory() {
	d, left := g.drawn, g.room()/8
	for _, p := range d.places {
		const program = 256 << 10
		left -= (program + int64(p.nodes)*(64+8*int64(g.Columns)) + 100*int64(p.edges)) * int64(d.count) /
			int64(len(d.places))
		if left < 0 {
			return
		}
		d.held++
	}
}

// Len returns the number of parts for training.
func (g *Excerpt) Len() int { return g.drawn.count }

// Anew reports whether the next Draw gives different parts, because clusters can be dealt differently.
func (g *Excerpt) Anew() bool { return g.drawn.anew }

// Holds reports whether part i is needed again and fits into memory.
func (g *Excerpt) Holds(i int) bool { return !g.drawn.anew && i%len(g.drawn.places) < g.drawn.held }

// Members returns how many nodes are in some part, if parts are tied.
func (g *Excerpt) Members() int { return len(g.drawn.members) }

// Among returns the positions of the nodes of a part among the members.
func (g *Excerpt) Among(p *ExcerptPart) []int32 {
	list := make([]int32, len(p.Nodes))
	for i, v := range p.Nodes {
		at, _ := slices.BinarySearch(g.drawn.members, v)
		list[i] = int32(at)
	}
	return list
}

// Largest returns the index of the part with the most nodes.
func (g *Excerpt) Largest() int {
	best := 0
	for i, p := range g.drawn.places {
		if p.nodes > g.drawn.places[best].nodes {
			best = i
		}
	}
	return best
}

// Disk returns about how many bytes all parts take on disk.
func (g *Excerpt) Disk() int64 {
	return g.drawn.end / int64(max(1, len(g.drawn.places))) * int64(g.drawn.count)
}

// Part reads part i.
func (g *Excerpt) Part(i int) (*ExcerptPart, error) { return g.read(g.drawn, i) }

// read reads part i of d.
func (g *Excerpt) read(d *drawn, i int) (*ExcerptPart, error) {
	at := d.places[i%len(d.places)]
	p := &ExcerptPart{SamplePart: SamplePart{Nodes: make([]int32, at.nodes), Seeds: make([]int32, at.seeds)},
		Sources: make([]int32, at.edges), Targets: make([]int32, at.edges), Class: make([]int32, at.nodes),
		X: dataset.Matrix{Rows: at.nodes, Cols: g.Columns, Values: make([]mat.Real, at.nonzeros)}}
	if g.matrix().IsSparse() {
		p.X.Ptr, p.X.Idx = make([]int64, at.nodes+1), make([]int32, at.nonzeros)
	}
	from := at.at
	for k, b := range arrays(p) {
		if err := d.file.Get(from, b, at.sums[k], fmt.Sprintf("part %d of the graph", i)); err != nil {
			return nil, err
		}
		from += int64(len(b))
	}
	return p, nil
}

// clear removes the parts.
func (g *Excerpt) clear() error {
	if g.drawn == nil {
		return nil
	}
	f := g.drawn.file
	g.drawn = nil
	return f.Close()
}

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
