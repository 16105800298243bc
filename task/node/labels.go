package node

import (
	"math"
	"math/rand/v2"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// labelInput is H⁽⁰⁾ = Ȳ: what label propagation starts from.
type labelInput struct{ y ad.Var }

var _ input.Model = labelInput{}

func (m labelInput) Forward(input.Context, input.Features) ad.Var { return m.y }
func (labelInput) Params() []*ad.Param                            { return nil }

// sampler is label sampling (Wang et al. 2022), which lets the parameters of label propagation be trained without
// leakage: in every epoch a random share of the training labels is given to the lower level and the others are asked
// for in the loss. In evaluation all are given.
type sampler struct {
	train, class []int32
	classes      int
	given        int        // how many
	y            *mat.Dense // Ȳ, n×c
	yHost        []mat.Real
	asked        *mat.Index
	seed         uint64
	source       *rand.PCG
	rng          *rand.Rand // on source
	order        []int32
}

// newSampler gives label_rate of the labels of a task, and one at least, and asks for one at least.
func newSampler(t *Task) *sampler {
	nodes, train := t.Data.Graph.NumNodes(), t.Split.Train
	s := &sampler{train: train, class: t.Data.Labels.Class, classes: t.Classes(), seed: t.Trial.Seed,
		y: mat.New(nodes, t.Classes()), yHost: make([]mat.Real, nodes*t.Classes()),
		order: make([]int32, len(train)), source: rand.NewPCG(0, 0)}
	s.given = max(1, min(len(train)-1, int(math.Round(t.Config.Train.LabelRate*float64(len(train))))))
	s.rng = rand.New(s.source)
	s.asked = mat.NewBatchIndex(len(train)-s.given, nodes)
	s.all()
	return s
}

// labels returns Ȳ as they are when a program runs.
func (s *sampler) labels() ad.Var { return ad.Input(s.y) }

// drawLabels gives a share of the labels, chosen by seed and epoch, and asks for the others.
func (s *sampler) drawLabels(epoch int) error {
	copy(s.order, s.train)
	s.source.Seed(s.seed, uint64(epoch))
	s.rng.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
	s.setLabels(s.order[:s.given])
	return s.asked.Update(s.order[s.given:])
}

func (s *sampler) all() { s.setLabels(s.train) }

func (s *sampler) setLabels(nodes []int32) {
	clear(s.yHost)
	for _, v := range nodes {
		s.yHost[int(v)*s.classes+int(s.class[v])] = 1
	}
	s.y.Write(s.yHost)
}
