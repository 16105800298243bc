package ondisk

import (
	"context"
	"errors"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// ExcerptOptions say how parts are drawn, and with how much memory.
type ExcerptOptions struct {
	SampleOptions
	Scratch string // the folder of the scratch file of parts
	Scale   string // of features, see prepare.Scale
	Split   int    // whose training nodes are used
	Seed    uint64 // of the observed part
	Memory  int64  // bytes
	Width   int    // columns of the states of the model, to estimate memory
	Steps   int    // of its descent, to estimate memory
	Some    int    // draw only this many parts, which stand for all, as for an estimate; 0 draws all
}

// Excerpt is a folder of blocks and the parts drawn from it.
type Excerpt struct {
	*Store
	ExcerptOptions
	Context context.Context // cancels work in progress

	x       *SettleColumns
	train   []int32 // training nodes
	place   []int32 // nodes of the observed part, ascending
	asked   []int32 // the nodes in place around which it was drawn
	near    Adjacency
	cluster []int32 // of every node; nil before parts are dealt, and if neighbours are drawn
	drawn   *drawn  // the parts for training; nil until drawn
	jury    *Jury   // nil until requested
}

// NewExcerpt returns the graph of s.
func NewExcerpt(ctx context.Context, s *Store, o ExcerptOptions) (*Excerpt, error) {
	x, err := NewSettleColumns(s, o.Scale)
	if err != nil {
		return nil, err
	}
	g := &Excerpt{Store: s, ExcerptOptions: o, Context: ctx, x: x}
	for i := range s.Blocks() {
		l, err := s.Labels(i)
		if err != nil {
			return nil, err
		}
		first, _ := s.Rows(i)
		for r, p := range l.Parts[o.Split] {
			if p == Train {
				g.train = append(g.train, int32(first+r))
			}
		}
	}
	return g, nil
}

// Close removes the parts and closes the graph.
func (g *Excerpt) Close() error {
	err := g.clear()
	if g.jury != nil && g.jury.parts != nil {
		err = errors.Join(err, g.jury.parts.file.Close())
	}
	return errors.Join(err, g.Store.Close())
}

// rows reads the neighbours of nodes, block by block.
func (g *Excerpt) rows(wanted func(first, end int) bool, yield func(first int, ptr []int64, idx []int32) error) error {
	for i := range g.Blocks() {
		first, end := g.Rows(i)
		if !wanted(first, end) {
			continue
		}
		if err := g.Context.Err(); err != nil {
			return err
		}
		if err := g.Adjacency(i, &g.near); err != nil {
			return err
		}
		if err := yield(first, g.near.Ptr, g.near.Idx); err != nil {
			return err
		}
	}
	return nil
}

// matrix returns a matrix without rows, of the kind that training uses for features.
func (g *Excerpt) matrix() dataset.Matrix {
	x := dataset.Matrix{Cols: g.Columns}
	if g.Sparse && g.Scale != "columns" {
		x.Ptr = []int64{0}
	}
	return x
}

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

// Overview: of the memory besides the program and a block, half is for the observed part, its data and an evaluation; a
// quarter for the part being trained on, an eighth for parts that are kept in memory, and an eighth for a part of the
// jury. Before training begins drawing may use all of it. With clusters no part is kept in memory; they are assembled
// in that eighth.

// program is the memory that a process takes whatever it trains.
const program = 160 << 20

// room returns the memory that remains for parts.
func (g *Excerpt) room() int64 {
	largest := int64(0)
	for i := range g.Blocks() {
		first, end := g.Rows(i)
		largest = max(largest, 12*int64(g.Entries(i))+int64(end-first)*int64(8*g.Columns+16))
	}
	room := g.Memory - program - largest - 12*int64(len(g.train))
	if g.Clusters > 0 {
		room -= 12 * int64(g.Nodes) // the cluster and the part of every node
	}
	return room
}

// looked returns about how many bytes a node of the observed part takes: its data, mapped and on the device, and the
// states of an evaluation.
func (g *Excerpt) looked() int64 {
	return 12*int64(g.Columns) + 48*int64(g.Width) + 100*g.degree() + 40*int64(len(g.Classes)) + 256
}

// trained returns about how many bytes a node of a part takes during training.
func (g *Excerpt) trained() int64 {
	return 12*int64(g.Columns) + 4*int64(g.Width)*int64(12+3*g.Steps) + 100*g.degree()
}

// around returns about how many nodes come into a part with a training node.
func (g *Excerpt) around() int64 {
	if g.Clusters > 0 {
		train := max(1, int64(len(g.train)))
		return (int64(g.Nodes) + train - 1) / train
	}
	around, last := int64(1), int64(1)
	for range g.Hops {
		last = min(last*int64(g.Fanout), int64(g.Nodes))
		around = min(around+last, int64(g.Nodes))
	}
	return around
}

// least returns how many nodes the smallest part has, and what that part is.
func (g *Excerpt) least() (nodes int64, what string) {
	if g.Clusters > 0 {
		return max(g.around(), int64(g.Nodes/g.Clusters)), "a cluster"
	}
	return g.around(), "a node with the neighbours drawn around it"
}

// Fit chooses the batch size if the options say 0: the largest for which a part takes a quarter of the room, at most
// 1,024. The error says how much memory is needed.
func (g *Excerpt) Fit() error {
	if g.Clusters > g.Nodes {
		return files.Errorf(g.Dir(), "train.sample.clusters is %d, and there are %d nodes", g.Clusters, g.Nodes)
	}
	if g.Batch > 0 {
		return nil
	}
	most := g.room() / 4 / g.trained()
	if need, what := g.least(); most < need {
		return files.Errorf(g.Dir(), "%s takes %s of memory, and %s is allowed for that (--memory %s allows more)",
			what, files.BytesText(need*g.trained()), files.BytesText(max(0, g.room()/4)),
			files.BytesText(g.Memory-g.room()+8*need*g.trained()))
	}
	g.Batch = int(min(1024, most/g.around()))
	return nil
}

// Jury is a set of validation and test nodes in addition to those of the observed part. They are evaluated part by
// part, many nodes count while memory stays small.
type Jury struct {
	Class       []int32 // of all its nodes, part by part
	Valid, Test []int32 // positions in Class
	graph       *Excerpt
	parts       *drawn // nil if no jury is needed
}

// Chosen: the number of validation nodes, and of test nodes, for an accuracy to about 1.5 %; but an evaluation of all
// parts should take no longer than an epoch, unless there are few of them.
const (
	juryNodes = 1 << 10
	juryParts = 16
)

// Jury draws the jury, once: validation and test nodes around which the observed part was not drawn, up to a limit. Its
// parts are half as large as training parts, which take more memory per node.
func (g *Excerpt) Jury() (*Jury, error) {
	if g.jury != nil {
		return g.jury, nil
	}
	k, err := Choose(g.Store, SettleOptions{Split: g.Split, Seed: g.Seed, Most: juryNodes, Thin: true})
	if err != nil {
		return nil, err
	}
	var seeds []int32
	for i, v := range k.Place {
		if _, asked := slices.BinarySearch(g.asked, v); !asked && k.Part[i] != Train {
			seeds = append(seeds, v)
		}
	}
	g.jury = &Jury{graph: g}
	if len(seeds) == 0 {
		return g.jury, nil
	}
	return g.jury, g.jury.writeParts(seeds)
}

// writeParts writes parts around the seeds.
func (j *Jury) writeParts(seeds []int32) error {
	g := j.graph
	o := g.ExcerptOptions.SampleOptions
	trained := (len(g.train) + o.Batch - 1) / o.Batch
	o.Batch = max(1, o.Batch/2)
	b := Divide(seeds, o, mat.Mix(g.Seed, 2))
	count := min(b.Len(), max(juryParts, trained))
	some := count
	if g.Some > 0 {
		some = min(some, g.Some)
	}
	f, err := NewScratch(g.Scratch, "jury")
	if err != nil {
		return err
	}
	j.parts = &drawn{count: count, file: f}
	return g.each(b, some, func(p *ExcerptPart) error {
		for _, r := range p.Seeds {
			if at := int32(len(j.Class)); p.in[r] == Valid {
				j.Valid = append(j.Valid, at)
			} else {
				j.Test = append(j.Test, at)
			}
			j.Class = append(j.Class, p.Class[r])
		}
		return g.writePart(j.parts, p)
	})
}

// Times returns how many parts each drawn part stands for, see Options.Some: 1 if all were drawn.
func (j *Jury) Times() float64 {
	if j.parts == nil {
		return 1
	}
	return float64(j.parts.count) / float64(max(1, len(j.parts.places)))
}

// Each yields the parts of the jury, in order.
func (j *Jury) Each(yield func(*ExcerptPart) error) error {
	if j.parts == nil {
		return nil
	}
	for i := range j.parts.places {
		if err := j.graph.Context.Err(); err != nil {
			return err
		}
		p, err := j.graph.read(j.parts, i)
		if err == nil {
			err = yield(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
