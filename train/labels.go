package train

import (
	"math/rand/v2"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/recipe"
)

// usesLabels reports whether the energy of r is that of label propagation: labels stand in the lower level.
func usesLabels(r *recipe.Recipe) bool {
	for _, k := range r.Kappa {
		if _, ok := k.(recipe.Labels); ok {
			return true
		}
	}
	_, clamped := r.Eta.(recipe.Clamp)
	return clamped
}

// labelInput is H⁽⁰⁾ = Ȳ: what label propagation starts from.
type labelInput struct{ y ad.Var }

var _ input.Model = labelInput{}

// Forward is Ȳ.
func (m labelInput) Forward(input.Context, input.Features) ad.Var { return m.y }

// Params is empty.
func (labelInput) Params() []*ad.Param { return nil }

// sampler is label sampling (Wang et al. 2022), which lets the parameters of label propagation be trained without leakage: in
// every epoch a random half of the training labels is given to the lower level and the other half asked for in the loss. In
// evaluation all are given.
type sampler struct {
	y, mask       *mat.Dense // Ȳ, n×c, and n×1
	yHost, mHost  []mat.Real
	train, class  []int32
	classes       int
	asked         *mat.BatchIndex
	rng           *rand.PCG
	order         *rand.Rand
	seed          uint64
	shuffled      []int32
	nodes, givens int
}

func newSampler(train, class []int32, nodes, classes int, seed uint64) *sampler {
	s := &sampler{y: mat.New(nodes, classes), mask: mat.New(nodes, 1), yHost: make([]mat.Real, nodes*classes), mHost: make([]mat.Real, nodes),
		train: train, class: class, classes: classes, nodes: nodes, givens: len(train) / 2,
		shuffled: make([]int32, len(train)), rng: rand.NewPCG(seed, 0), seed: seed}
	s.order = rand.New(s.rng)
	s.asked = mat.NewBatchIndex(len(train)-s.givens, nodes)
	s.all()
	return s
}

// labels are Ȳ and its mask as they are when a program runs.
func (s *sampler) labels() energy.Labels {
	return energy.Labels{Y: ad.Input(s.y), Mask: ad.Input(s.mask)}
}

// draw gives half of the labels, chosen by seed and epoch, and asks for the others.
func (s *sampler) draw(epoch int) error {
	copy(s.shuffled, s.train)
	s.rng.Seed(s.seed, uint64(epoch))
	s.order.Shuffle(len(s.shuffled), func(i, j int) { s.shuffled[i], s.shuffled[j] = s.shuffled[j], s.shuffled[i] })
	s.give(s.shuffled[:s.givens])
	return s.asked.Update(s.shuffled[s.givens:])
}

// all gives all labels.
func (s *sampler) all() { s.give(s.train) }

func (s *sampler) give(nodes []int32) {
	clear(s.yHost)
	clear(s.mHost)
	for _, v := range nodes {
		s.yHost[int(v)*s.classes+int(s.class[v])], s.mHost[v] = 1, 1
	}
	s.y.Write(s.yHost)
	s.mask.Write(s.mHost)
}
