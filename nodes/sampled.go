package nodes

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/recipe"
	"github.com/bloomgml/bloom/internal/sample"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/run"
	"github.com/bloomgml/bloom/upper"
)

// sampled is a task that trains on parts of its graph, see train.sample. A part is a network with the weights of the
// whole. Parts differ in shape, so that each has a program, which is compiled when it is first needed and kept; all of
// them work in the same memory. What is measured and predicted is of the whole graph.
type sampled struct {
	*Task
	parts  []fragment
	means  *sample.Means // nil where parts are not tied
	x      ad.Var        // dense features of all nodes, as what may change: no part keeps its rows of them
	memory ad.Arena
	whole  []*ad.Param // parameters and state
	epoch  int
	order  []int // of the parts in that epoch
	source *rand.PCG
	rng    *rand.Rand // on source
}

// fragment is a part with its network and its pass, which are nil before the first epoch.
type fragment struct {
	sample.Part
	network network
	own     []*ad.Param // its parameters and state
	pass    *run.Pass
}

// divide draws the parts that the config asks for.
func (t *Task) divide() error {
	o := t.Config.Train.Sample
	if o.Batch == 0 || len(t.network.Params()) == 0 {
		return nil
	}
	if why := t.undivided(); why != "" {
		return &run.BadSetting{Key: "train.sample.batch", Value: fmt.Sprint(o.Batch), Want: "0: " + why}
	}
	near := t.On.On.Graph.Adjacency()
	rows := func(yield func(int, []int64, []int32) error) error { return yield(0, near.Ptr, near.Idx) }
	parts, err := sample.Draw(rows, t.Split.Train, o, mat.Mix(t.Trial.Seed, hash("sample")))
	if err != nil {
		return err
	}
	s := &sampled{Task: t, parts: make([]fragment, len(parts)), order: make([]int, len(parts)),
		whole: weights(t.network), source: rand.NewPCG(0, 0)}
	s.rng = rand.New(s.source)
	for i, p := range parts {
		s.parts[i].Part = p
	}
	if x, ok := t.On.X.Dense(); ok {
		s.x = ad.Input(ad.Compile(x).Value(x))
	}
	t.sampled = s
	if o.Gamma == 0 {
		return nil
	}
	m := t.alone()
	if m == nil {
		return &run.BadSetting{Key: "train.sample.gamma", Value: fmt.Sprint(o.Gamma),
			Want: "0: it ties the states of one energy, and a baseline has none, a stack several"}
	}
	h, err := m.Embed(input.Evaluation(), t.On)
	if err == nil {
		s.means = sample.NewMeans(h.Rows(), h.Cols(), o)
	}
	return err
}

// undivided is why the network cannot be trained on parts; empty where it can.
func (t *Task) undivided() string {
	e, features := t.Config.Energy, t.On.X.Shape().Cols > 0
	switch n, baseline := t.network.(plain); {
	case t.apart != nil:
		return "the descent is done"
	case e != nil && (e.FromLabels() || e.Eta == recipe.Range):
		return "the energy is about the labels or the features of all nodes"
	case baseline && n.pi == nil && !features:
		return "nodes have no features, and the baseline a row for each of them"
	}
	return ""
}

// batch runs the pass of the i-th part of an epoch, whose order is drawn anew every time.
func (s *sampled) batch(epoch, i int) (*run.Pass, error) {
	if s.epoch != epoch {
		s.epoch = epoch
		for k := range s.order {
			s.order[k] = k
		}
		s.source.Seed(s.Trial.Seed, uint64(epoch))
		s.rng.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
	}
	p := &s.parts[s.order[i]]
	if p.pass == nil {
		if err := s.prepare(p); err != nil {
			return nil, err
		}
	}
	bring(p.own, s.whole)
	err := p.pass.Run(epoch, mat.Mix(uint64(epoch), uint64(i)))
	trained := len(p.pass.Grads())
	bring(s.whole[trained:], p.own[trained:])
	return p.pass, err
}

// prepare compiles a part. The largest is compiled first, and run without a look at its results, as that is when it
// takes memory: all others find room in it.
func (s *sampled) prepare(p *fragment) error {
	if s.memory.Bytes() == 0 {
		largest := p
		for i := range s.parts {
			if len(s.parts[i].Nodes) > len(largest.Nodes) {
				largest = &s.parts[i]
			}
		}
		if err := s.compile(largest); err != nil {
			return err
		}
		if err := largest.pass.Program.Run(); err != nil {
			return &run.NotFinite{Epoch: s.epoch, What: "a step of the descent", Err: err}
		}
		if p == largest {
			return nil
		}
	}
	return s.compile(p)
}

// bring copies the values of parameters to others, where they are not the same.
func bring(to, from []*ad.Param) {
	for i, w := range to {
		if w != from[i] {
			mat.Copy(w.Value(), from[i].Value())
		}
	}
}

// compile writes the loss of a part and its derivatives down.
func (s *sampled) compile(p *fragment) (err error) {
	if p.network, err = s.on(p.Part); err != nil {
		return err
	}
	p.own = weights(p.network)
	seed := mat.Mix(s.Trial.Seed, hash("dropout"))
	p.pass, err = run.NewPass(&s.memory, seed, p.network.Params(), func(c input.Context) (ad.Var, error) {
		return job{s.Task}.lossOf(c, p.network)
	})
	return err
}

// on is the network on a part: all edges between its nodes, and a loss over its seeds.
func (s *sampled) on(p sample.Part) (network, error) {
	g, err := s.On.On.Graph.Induced(p.Nodes)
	if err != nil {
		return nil, err
	}
	rows, err := mat.NewIndex(p.Nodes, s.On.On.Graph.NumNodes())
	if err != nil {
		return nil, err
	}
	up := upper.Supervised{Criterion: s.criterion}
	if up.Target, err = s.goal.target(p.Nodes); err != nil {
		return nil, err
	}
	if up.Target.Pick, err = mat.NewIndex(p.Seeds, len(p.Nodes)); err != nil {
		return nil, err
	}
	data := bloom.Data{On: energy.NewStructure(g)}
	if data.X, err = s.features(p.Nodes, rows); err != nil {
		return nil, err
	}
	if whole, ok := s.network.(plain); ok {
		return s.onPlain(whole, p, data, up, rows)
	}
	return s.onStack(data, up, rows)
}

// features of some nodes; none where π is not a function of the row alone, see gathered.
func (s *sampled) features(nodes []int32, rows *mat.Index) (input.Features, error) {
	switch {
	case s.On.X.Shape().Cols == 0:
		return input.None(len(nodes)), nil
	case !s.x.IsZero():
		return input.Of(s.x.Gather(rows)), nil
	}
	x, all := dataset.Matrix{Cols: s.Data.Features[0].Cols, Ptr: []int64{0}}, s.Data.Features[0]
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

// onStack is the stack on a part.
func (s *sampled) onStack(d bloom.Data, up upper.Supervised, rows *mat.Index) (network, error) {
	whole := *s.Stack
	of, ok := whole.Up.(upper.Supervised)
	if !ok {
		return nil, errors.New("nodes: a model is trained on parts of the graph where its ℓ_up is upper.Supervised")
	}
	up.Head = of.Head
	whole.Up, whole.Levels = up, slices.Clone(whole.Levels)
	pi, first := &whole.In, &whole.Levels[0]
	if *pi == nil {
		pi = &first.Pi
	}
	if s.On.X.Shape().Cols == 0 {
		*pi = gathered{*pi, s.On.X, rows}
	}
	if s.means == nil {
		return bilevel{&whole, d}, nil
	}
	first.Kappa = append(slices.Clip(first.Kappa), s.means.Tie(rows))
	return tied{bilevel{&whole, d}, s.means, rows}, nil
}

// onPlain is the baseline on a part, with parameters of its own, which bring makes those of the whole.
func (s *sampled) onPlain(whole plain, p sample.Part, d bloom.Data, up upper.Supervised, rows *mat.Index) (network,
	error) {
	own := whole
	own.x, own.train, own.up = d.X, p.Seeds, up
	own.labels = make([]int32, len(p.Nodes))
	for i, v := range p.Nodes {
		own.labels[i] = whole.labels[v]
	}
	in := d.X.Shape().Cols
	if whole.pi != nil {
		own.pi, own.x, in = gathered{whole.pi, whole.x, rows}, whole.x, s.Config.Model.Hidden
	}
	var err error
	own.Model, err = s.convolve(in, d.On.Graph)
	return own, err
}

// gathered is π of some nodes where it is made for all nodes at once, as by a row for each or by their types.
type gathered struct {
	input.Model
	x    input.Features // of all nodes
	rows *mat.Index
}

var (
	_ input.Model    = gathered{}
	_ input.Stateful = gathered{}
)

// Forward is the rows of these nodes.
func (g gathered) Forward(c input.Context, _ input.Features) ad.Var {
	return g.Model.Forward(c, g.x).Gather(g.rows)
}

// State is the model's.
func (g gathered) State() []*ad.Param {
	if s, ok := g.Model.(input.Stateful); ok {
		return s.State()
	}
	return nil
}

// tied is a part whose nodes are pulled to what they are in other parts.
type tied struct {
	bilevel
	means *sample.Means
	rows  *mat.Index
}

// Loss is ℓ_up of what the descent finds, which the means follow.
func (t tied) Loss(c input.Context) (ad.Var, error) {
	h, err := t.Stack.Embed(c, t.on)
	if err != nil {
		return ad.Var{}, err
	}
	t.means.Follow(c.Updates, t.rows, h)
	return t.Up.Loss(c, h), nil
}
