package node

import (
	"fmt"
	"slices"
	"time"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
	"github.com/bloomgml/bloom/upper"
)

// portion is a part of a graph with everything that a network needs there.
type portion struct {
	graph  *graph.Graph   // all edges between its nodes
	x      input.Features // none if π is not a function of the row alone, see gathered
	class  []int32        // of every node
	target upper.Target   // of every node
	seeds  []int32        // the nodes that the loss is about
	known  upper.Target   // of the seeds alone
	rows   *mat.Index     // its nodes among those that there may be means of
}

// portions are the parts that are trained on, wherever their graph is.
type portions interface {
	count() int
	largest() int // the one with the most nodes
	nodes() int   // how many there are in all parts together, each once, or in the graph
	portion(i int) (portion, error)
	keeps(i int) bool                      // there is room for keeping it
	atOnce() int                           // how many fit besides the ones that are kept
	deal(epoch int) (anew bool, err error) // draws other parts for an epoch, if there are any
}

var (
	_ portions = (*inside)(nil)
	_ portions = outside{}
)

// inside are parts of the graph of a task.
type inside struct {
	*Task
	cluster []int32 // of every node; nil if neighbours are drawn
	anew    bool    // clusters are dealt again in every epoch
	parts   []ondisk.SamplePart
	x       ad.Var // dense features of all nodes, as what may change: no part keeps its rows of them
}

// inside draws the parts.
func (t *Task) inside() (portions, error) {
	in, o := &inside{Task: t}, ondisk.SampleOptions(t.Config.Train.Sample)
	if x, ok := t.On.X.Dense(); ok {
		in.x = ad.Input(ad.Compile(x).Value(x))
	}
	if o.Clusters == 0 {
		return in, in.drawParts(ondisk.Divide(t.Split.Train, o, t.drawing()))
	}
	if n := in.nodes(); o.Clusters > n && t.Data.Of == 0 { // clusters of a graph on the disk may be more
		return nil, &train.BadSetting{Key: "train.sample.clusters", Value: fmt.Sprint(o.Clusters),
			Want: fmt.Sprintf("at most %d, the number of nodes", n)}
	}
	var err error
	if in.cluster, err = ondisk.Cluster(in.rows, in.nodes(), o); err != nil {
		return nil, err
	}
	return in, in.dealt(t.drawing())
}

// rows yields the neighbours of all nodes.
func (in *inside) rows(_ func(int, int) bool, yield func(int, []int64, []int32) error) error {
	near := in.On.On.Graph.Adjacency()
	return yield(0, near.Ptr, near.Idx)
}

func (in *inside) drawParts(b *ondisk.Batches) (err error) {
	in.parts, err = b.DrawParts(in.rows, 0, b.Len(), 0)
	return err
}

// dealt deals the clusters.
func (in *inside) dealt(seed uint64) error {
	b := ondisk.Deal(in.Split.Train, in.cluster, ondisk.SampleOptions(in.Config.Train.Sample), seed)
	in.anew = b.Anew()
	return in.drawParts(b)
}

func (in *inside) deal(epoch int) (bool, error) {
	if !in.anew {
		return false, nil
	}
	return true, in.dealt(mat.Mix(in.drawing(), uint64(epoch)))
}

// drawing returns the seed that parts are drawn by.
func (t *Task) drawing() uint64 { return mat.Mix(t.Trial.Seed, hash("sample")) }

func (in *inside) count() int     { return len(in.parts) }
func (in *inside) nodes() int     { return in.On.On.Graph.NumNodes() }
func (in *inside) keeps(int) bool { return !in.anew }
func (in *inside) atOnce() int    { return mat.Threads() }

func (in *inside) largest() int {
	best := 0
	for i, p := range in.parts {
		if len(p.Nodes) > len(in.parts[best].Nodes) {
			best = i
		}
	}
	return best
}

func (in *inside) portion(i int) (p portion, err error) {
	nodes := in.parts[i].Nodes
	p.seeds = in.parts[i].Seeds
	if p.graph, err = in.On.On.Graph.Induced(nodes); err != nil {
		return p, err
	}
	if p.rows, err = mat.NewIndex(nodes, in.nodes()); err != nil {
		return p, err
	}
	p.class = picked(in.Data.Labels.Class, 1, nodes)
	if p.target, err = in.goal.target(nodes); err != nil {
		return p, err
	}
	if p.known, err = in.goal.target(picked(nodes, 1, p.seeds)); err != nil {
		return p, err
	}
	p.x, err = in.features(nodes, p.rows)
	return p, err
}

// features of some nodes.
func (in *inside) features(nodes []int32, rows *mat.Index) (input.Features, error) {
	switch {
	case in.On.X.Shape().Cols == 0:
		return input.None(len(nodes)), nil
	case !in.x.IsZero():
		return input.Of(in.x.Gather(rows)), nil
	}
	x, all := dataset.Matrix{Cols: in.Data.Features[0].Cols, Ptr: []int64{0}}, in.Data.Features[0]
	for _, v := range nodes {
		from, to := all.Ptr[v], all.Ptr[v+1]
		x.Idx = append(x.Idx, all.Idx[from:to]...)
		if all.Values != nil {
			x.Values = append(x.Values, all.Values[from:to]...)
		}
		x.Ptr, x.Rows = append(x.Ptr, int64(len(x.Idx))), x.Rows+1
	}
	return load(x)
}

// outside are parts of a graph on the disk, which is not the graph of the task.
type outside struct {
	*Task
	*ondisk.Excerpt
}

// outside draws the parts.
func (t *Task) outside(g *ondisk.Excerpt) (portions, error) {
	return outside{t, g}, g.DrawParts(t.Split.Valid, t.drawing())
}

func (o outside) count() int       { return o.Len() }
func (o outside) nodes() int       { return o.Members() }
func (o outside) largest() int     { return o.Largest() }
func (o outside) keeps(i int) bool { return o.Holds(i) }
func (o outside) atOnce() int      { return 1 }

func (o outside) deal(epoch int) (bool, error) {
	if !o.Anew() {
		return false, nil
	}
	return true, o.DrawParts(o.Split.Valid, mat.Mix(o.drawing(), uint64(epoch)))
}

func (o outside) portion(i int) (portion, error) {
	p, err := o.Part(i)
	if err != nil {
		return portion{}, err
	}
	q, err := o.lift(p)
	if err == nil && o.Members() > 0 {
		q.rows, err = mat.NewIndex(o.Among(p), o.Members())
	}
	return q, err
}

// lift returns a part that was read, on the device.
func (t *Task) lift(p *ondisk.ExcerptPart) (q portion, err error) {
	q.class, q.seeds = p.Class, p.Seeds
	if q.graph, err = p.Graph(); err != nil {
		return q, err
	}
	if q.graph, err = t.suited(q.graph); err != nil {
		return q, err
	}
	labels := t.goal.(*classes) // blocks have no other labels
	if q.target, err = labels.targetOf(p.Class); err != nil {
		return q, err
	}
	if q.known, err = labels.targetOf(picked(p.Class, 1, p.Seeds)); err != nil {
		return q, err
	}
	if q.x, err = load(p.X); err != nil {
		return q, err
	}
	if x, ok := q.x.Dense(); ok {
		q.x = input.Of(ad.Input(ad.Compile(x).Value(x))) // as an input that may change, like parts in memory
	}
	return q, nil
}

// jury holds the nodes of the task's graph followed by the nodes of excerpt.Jury.
type jury struct {
	*ondisk.Jury
	judged
}

// findJury finds the jury if the graph of the task has few validation and test nodes.
func (s *sampled) findJury(g *ondisk.Excerpt) error {
	more, err := g.Jury()
	if err != nil || len(more.Class) == 0 {
		return err
	}
	labels, split := s.Data.Labels, s.Split
	n := int32(len(labels.Class))
	labels.Class = append(slices.Clip(labels.Class), more.Class...)
	split.Valid = slices.Clip(split.Valid)
	for _, at := range more.Valid {
		split.Valid = append(split.Valid, n+at)
	}
	split.Test = slices.Clip(split.Test)
	for _, at := range more.Test {
		split.Test = append(split.Test, n+at)
	}
	goal, err := newGoal(&dataset.Dataset{Labels: labels}, split, s.Config.Train)
	s.jury = &jury{more, judged{goal, nil, split}}
	return err
}

// judge evaluates on the graph of the task and, after it, on the subgraphs of the jury, if there is one.
func (s *sampled) judge() (judged, error) {
	own, err := s.whole.judge()
	if err != nil || s.jury == nil {
		return own, err
	}
	j, alone := s.jury, s.untied() // as the graph is when it is looked at
	j.z = append(j.z[:0], own.z...)
	err = j.Each(func(p *ondisk.ExcerptPart) error {
		rows, err := alone.look(p)
		if err == nil && slices.ContainsFunc(rows, func(x mat.Real) bool { return x-x != 0 }) {
			err = &train.NotFinite{Epoch: s.epoch, What: "a logit, in evaluation,"}
		}
		j.z = append(j.z, rows...)
		return err
	})
	return j.judged, err
}

// untied evaluates on subgraphs whose nodes are not tied to what they are in others.
func (t *Task) untied() *sampled {
	return &sampled{whole: whole{Task: t}, memory: &ad.Arena{}, shared: weights(t.network)}
}

// hearMore adds to the time of an epoch the time of the parts of the jury that the evaluated parts represent.
func (t *Task) hearMore(e *train.Estimate) error {
	s, ok := t.rows.(*sampled)
	if !ok || s.jury == nil || e.Epoch == 0 {
		return nil
	}
	begin := time.Now()
	_, err := s.judge()
	e.Epoch += (s.jury.Times() - 1) * time.Since(begin).Seconds() / float64(max(1, t.Config.Train.Every))
	return err
}

// inParts yields logits of all nodes of a graph on the disk, by parts of it.
func (t *Task) inParts(g *ondisk.Excerpt, yield func(block int, z []mat.Real) error) error {
	s := t.untied()
	var z []mat.Real
	block := 0
	return g.All(t.drawing(), func(p *ondisk.ExcerptPart) error {
		rows, err := s.look(p)
		if err != nil {
			return err
		}
		for z = append(z, rows...); block < g.Blocks(); block++ {
			first, end := g.Rows(block)
			if n := (end - first) * t.Classes(); n > len(z) {
				break
			} else if err := yield(block, z[:n]); err != nil {
				return err
			} else {
				z = append([]mat.Real{}, z[n:]...)
			}
		}
		return nil
	})
}

// look returns logits of the seeds of a part.
func (s *sampled) look(p *ondisk.ExcerptPart) ([]mat.Real, error) {
	at, err := s.lift(p)
	if err != nil {
		return nil, err
	}
	n, err := s.networkOn(at)
	if err != nil {
		return nil, err
	}
	copyParams(weights(n), s.shared)
	z, err := n.Predict(input.Evaluation())
	if err != nil {
		return nil, err
	}
	pick, err := mat.NewIndex(p.Seeds, len(p.Nodes))
	if err != nil {
		return nil, err
	}
	z = z.Gather(pick)
	prog := ad.Compile(z)
	if err := prog.Run(); err != nil {
		return nil, err
	}
	rows := make([]mat.Real, z.Shape().Len())
	prog.Value(z).Read(rows)
	return rows, nil
}
