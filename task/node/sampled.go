package node

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/baseline"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/train"
	"github.com/bloomgml/bloom/upper"
)

// sampled trains on subgraphs, see train.sample. A part is a network that shares the parameters of the whole. Parts
// differ in shape, so each has a program, which is compiled when it is first needed and kept if there is room; all of
// them work in the same memory. Measurements and predictions are of the graph of the task.
type sampled struct {
	whole
	from   portions
	parts  []*fragment   // nil for parts that are not compiled, or were and are not kept
	means  *ondisk.Means // nil if parts are not tied
	jury   *jury         // who is measured besides the nodes of the graph; nil for nobody
	memory *ad.Arena
	first  int         // bytes of it that the largest part took, as the first that ran
	shared []*ad.Param // parameters and state of the whole
	dealt  int         // the epoch that parts are in order for
	order  []int       // of the parts in that epoch
	source *rand.PCG
	rng    *rand.Rand // on source
	loss   *mat.Dense // of the last step
	grads  []*mat.Dense
	sums   []*mat.Dense // room for both where several parts make a step
}

// fragment is a part with its pass.
type fragment struct {
	own   []*ad.Param // the parameters and the state of its network
	pass  *train.Pass
	seeds int // training nodes
}

// settleRows decides where the rows of the network are in training: in parts if the config asks for them, drawn from
// the graph on the disk if there is one.
func (t *Task) settleRows(disk *ondisk.Excerpt) error {
	o := ondisk.SampleOptions(t.Config.Train.Sample)
	if o.Batch == 0 || len(t.network.Params()) == 0 {
		if n, ok := t.network.(*settled); ok {
			t.rows = &streamed{Task: t, from: n}
		} else {
			t.rows = &whole{Task: t}
		}
		if t.forest != nil {
			t.rows = &boosted{whole: whole{Task: t}, forest: t.forest}
		}
		return nil
	}
	if why := t.undivided(disk != nil); why != "" {
		return &train.BadSetting{Key: "train.sample.batch", Value: fmt.Sprint(o.Batch), Want: "0: " + why}
	}
	s := &sampled{whole: whole{Task: t}, memory: &ad.Arena{}, shared: weights(t.network), source: rand.NewPCG(0, 0)}
	s.rng = rand.New(s.source)
	var err error
	if disk != nil {
		s.from, err = s.outside(disk)
	} else {
		s.from, err = s.inside()
	}
	if err != nil {
		return err
	}
	if disk != nil {
		if err := s.findJury(disk); err != nil {
			return err
		}
	}
	s.parts, s.order = make([]*fragment, s.from.count()), make([]int, s.from.count())
	t.rows = s
	return s.tie()
}

// tie makes the means that parts are tied to, if the config ties them.
func (s *sampled) tie() error {
	o := ondisk.SampleOptions(s.Config.Train.Sample)
	if o.Gamma == 0 {
		return nil
	}
	if o.Clusters > 0 {
		return &train.BadSetting{Key: "train.sample.gamma", Value: fmt.Sprint(o.Gamma),
			Want: "0: it couples the mini-batches of a node, and with train.sample.clusters a node is in only one"}
	}
	m := s.alone()
	if m == nil {
		return &train.BadSetting{Key: "train.sample.gamma", Value: fmt.Sprint(o.Gamma),
			Want: "0: it couples the states of one energy; a baseline has none, a stack several"}
	}
	h, err := m.Embed(input.Evaluation(), s.On)
	if err == nil {
		s.means = ondisk.NewMeans(s.from.nodes(), h.Cols(), o)
	}
	return err
}

// undivided says why the network cannot be trained on parts; empty if it can. With a graph on the disk there are no
// rows of all nodes.
func (t *Task) undivided(disk bool) string {
	e, features := t.Config.Energy, t.On.X.Shape().Cols > 0
	_, streams := t.network.(*settled)
	switch n, baseline := t.network.(plain); {
	case streams:
		return "the descent is done"
	case e != nil && (e.FromLabels() || e.Eta == recipe.Range):
		return "the energy depends on the labels or the features of all nodes"
	case (baseline && n.pi == nil || disk) && !features:
		return "nodes have no features, and the model has a trained row for each of them"
	}
	return ""
}

// startEpoch draws the order of the parts in an epoch, and the parts if they are dealt again: parts larger than all
// before take more memory, and once that has more than doubled, it starts from an empty arena.
func (s *sampled) startEpoch(epoch int) error {
	for k := range s.order {
		s.order[k] = k
	}
	s.source.Seed(s.Trial.Seed, uint64(epoch))
	s.rng.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
	anew, err := s.from.deal(epoch)
	if anew {
		clear(s.parts)
	}
	if anew && s.memory.Bytes() > 2*s.first {
		s.memory, s.first = &ad.Arena{}, 0
	}
	return err
}

// State returns the means that parts are tied to.
func (s *sampled) State() []*ad.Param {
	if s.means == nil {
		return nil
	}
	return s.means.State()
}

// each returns how many parts make a step of the optimiser.
func (s *sampled) each() int    { return min(max(1, s.Config.Train.Sample.Accumulate), len(s.parts)) }
func (s *sampled) Batches() int { return (len(s.parts) + s.each() - 1) / s.each() }

// Batch runs the passes of the parts that make up the i-th step of an epoch. Loss and derivatives are the means over
// their training nodes,
//
//	ḡ ← (1 − w) ḡ + w g_s    w = n_s / Σ_{r ≤ s} n_r
//
// which over all parts of an epoch equal the full batch, up to what the parts leave out.
func (s *sampled) Batch(epoch, i int) error {
	first, end := i*s.each(), min((i+1)*s.each(), len(s.parts))
	total := 0
	for k := first; ; k++ {
		p, err := s.batch(epoch, k)
		if err != nil {
			return err
		}
		if total += p.seeds; end-first == 1 {
			s.loss, s.grads = p.pass.Loss(), p.pass.Grads()
			return nil
		}
		s.mean(p, float64(p.seeds)/float64(total))
		if k == end-1 {
			s.loss, s.grads = s.sums[0], s.sums[1:]
			return nil
		}
	}
}

func (s *sampled) Loss() *mat.Dense    { return s.loss }
func (s *sampled) Grads() []*mat.Dense { return s.grads }

// mean adds loss and derivatives of a part to the means, with a share of w; 1 starts them.
func (s *sampled) mean(p *fragment, w float64) {
	if s.sums == nil {
		s.sums = []*mat.Dense{mat.New(1, 1)}
		for _, g := range p.pass.Grads() {
			s.sums = append(s.sums, mat.New(g.Rows(), g.Cols()))
		}
	}
	updateMean(s.sums[0], p.pass.Loss(), mat.Real(w))
	for i, g := range p.pass.Grads() {
		updateMean(s.sums[1+i], g, mat.Real(w))
	}
}

// updateMean sets mean ← (1 − w) mean + w x.
func updateMean(mean, x *mat.Dense, w mat.Real) {
	if w == 1 {
		mat.Copy(mean, x)
		return
	}
	mat.Axpby(mean, mean, x, 1-w, w)
}

// batch runs the pass of the i-th part of an epoch.
func (s *sampled) batch(epoch, i int) (*fragment, error) {
	if s.dealt != epoch {
		if err := s.startEpoch(epoch); err != nil {
			return nil, err
		}
		s.dealt = epoch
	}
	p, err := s.fragment(i)
	if err != nil {
		return nil, err
	}
	copyParams(p.own, s.shared)
	err = p.pass.Run(epoch, mat.Mix(uint64(epoch), uint64(i)))
	if s.first == 0 {
		s.first = s.memory.Bytes()
	}
	trained := len(p.pass.Grads())
	copyParams(s.shared[trained:], p.own[trained:])
	return p, err
}

// fragment returns the k-th part of an epoch, compiled. The largest is compiled first, and run without a look at its
// results, as that is when it takes memory: all others find room in it.
func (s *sampled) fragment(k int) (*fragment, error) {
	i := s.order[k]
	if largest := s.from.largest(); s.parts[i] == nil && s.memory.Bytes() == 0 && i != largest {
		p, err := s.compile(largest)
		if err != nil {
			return nil, err
		}
		if err := p.pass.Program.Run(); err != nil {
			return nil, &train.NotFinite{Epoch: s.epoch, What: "a step of the descent", Err: err}
		}
		s.parts[largest] = p
	}
	if s.parts[i] == nil {
		if err := s.ready(s.order[k:min(k+s.from.atOnce(), len(s.order))]); err != nil {
			return nil, err
		}
	}
	p := s.parts[i]
	if !s.from.keeps(i) {
		s.parts[i] = nil
	}
	return p, nil
}

// ready compiles the parts that are not compiled yet, each on its own thread, as compiling uses little parallelism
// itself.
func (s *sampled) ready(parts []int) error {
	var all sync.WaitGroup
	errs := make([]error, len(parts))
	for k, i := range parts {
		if s.parts[i] == nil {
			all.Go(func() { s.parts[i], errs[k] = s.compile(i) })
		}
	}
	all.Wait()
	return errors.Join(errs...)
}

// copyParams copies the values of parameters to others, unless they are the same parameters.
func copyParams(to, from []*ad.Param) {
	for i, w := range to {
		if w != from[i] {
			mat.Copy(w.Value(), from[i].Value())
		}
	}
}

// compile writes the program for the loss of part i and its derivatives.
func (s *sampled) compile(i int) (*fragment, error) {
	at, err := s.from.portion(i)
	if err != nil {
		return nil, err
	}
	n, err := s.networkOn(at)
	if err != nil {
		return nil, err
	}
	n = s.narrow(n, at)
	p := &fragment{own: weights(n), seeds: len(at.seeds)}
	seed := mat.Mix(s.Trial.Seed, hash("dropout"))
	p.pass, err = train.NewPass(s.memory, seed, n.Params(), func(c input.Context) (ad.Var, error) {
		return s.lossOf(c, n)
	})
	return p, err
}

// narrow returns a baseline on a part without the rows that its loss does not depend on, or n if that needs all of
// them.
func (s *sampled) narrow(n network, p portion) network {
	own, ok := n.(plain)
	if !ok || s.Config.Train.Consistency.Samples > 1 {
		return n
	}
	if own.Model, ok = baseline.Narrow(own.Model, p.seeds); !ok {
		return n
	}
	own.up.Target = p.known
	return own
}

// networkOn returns the network on a part, with a loss over its seeds.
func (s *sampled) networkOn(p portion) (_ network, err error) {
	up := upper.Supervised{Criterion: s.criterion, Target: p.target}
	if up.Target.Pick, err = mat.NewIndex(p.seeds, len(p.class)); err != nil {
		return nil, err
	}
	data := bloom.Data{On: energy.NewStructure(p.graph), X: p.x}
	if whole, ok := s.network.(plain); ok {
		return s.onPlain(whole, p, data, up)
	}
	return s.onStack(data, up, p.rows)
}

// onStack returns the stack on a part.
func (s *sampled) onStack(d bloom.Data, up upper.Supervised, rows *mat.Index) (network, error) {
	whole := *s.Stack
	of, ok := whole.Up.(upper.Supervised)
	if !ok {
		return nil, errors.New("node: mini-batches need a model whose ℓ_up is upper.Supervised")
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

// onPlain returns the baseline on a part, with the parameters of the whole or, if it must be rebuilt, with its own,
// into which bring copies the whole's.
func (s *sampled) onPlain(whole plain, p portion, d bloom.Data, up upper.Supervised) (network, error) {
	own := whole
	own.x, own.train, own.up, own.labels = d.X, p.seeds, up, p.class
	in := d.X.Shape().Cols
	if whole.pi != nil {
		own.pi, own.x, in = gathered{whole.pi, whole.x, p.rows}, whole.x, s.Config.Model.Hidden
	}
	if m, ok := baseline.On(whole.Model, d.On.Graph); ok {
		own.Model = m
		return own, nil
	}
	var err error
	own.Model, err = s.convolve(in, d.On.Graph)
	return own, err
}

// gathered is π of some nodes if it is computed for all nodes at once, for example by a row for each or by their
// types.
type gathered struct {
	input.Model
	x    input.Features // of all nodes
	rows *mat.Index
}

var (
	_ input.Model    = gathered{}
	_ input.Stateful = gathered{}
)

// Forward returns the rows of these nodes.
func (g gathered) Forward(c input.Context, _ input.Features) ad.Var {
	return g.Model.Forward(c, g.x).Gather(g.rows)
}

func (g gathered) State() []*ad.Param {
	if s, ok := g.Model.(input.Stateful); ok {
		return s.State()
	}
	return nil
}

// tied is a part whose nodes are pulled towards their rows in other parts.
type tied struct {
	bilevel
	means *ondisk.Means
	rows  *mat.Index
}

func (t tied) Loss(c input.Context) (ad.Var, error) {
	h, err := t.Stack.Embed(c, t.on)
	if err != nil {
		return ad.Var{}, err
	}
	t.means.Follow(c.Updates, t.rows, h)
	return t.Up.Loss(c, h), nil
}
