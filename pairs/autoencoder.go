package pairs

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/baseline"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/nodes"
	"github.com/bloomgml/bloom/optim"
	"github.com/bloomgml/bloom/upper"
)

// autoencoder is the graph auto-encoder of Kipf and Welling (2016), for models to be compared with:
//
//	z = ⟨h_u, h_v⟩        H = Â ReLU(Â X W₁ + b₁) W₂ + b₂
//
// of 32 and 16 columns. A step of Adam, 200 at the rate 0.01, is about all training pairs and as many others, which are
// drawn anew; messages go along the very pairs that are predicted. Nodes without features have a column each. The step
// is chosen by the ROC-AUC of validation pairs.
type autoencoder struct {
	split  *split
	u, v   *mat.Index
	ends   [2][]int32
	h      ad.Var
	params []*ad.Param
	run    *ad.Program
	grads  []*mat.Dense
}

// The settings of the authors.
const (
	gaeHidden, gaeWidth = 32, 16
	gaeSteps            = 200
	gaeRate             = 0.01
)

// encoded is the score of pairs by a trained autoencoder.
func encoded(s *split, c config.Config, d *dataset.Dataset, seed uint64) (func(pair) float64, error) {
	a, err := newAutoencoder(s, c, d, seed)
	if err != nil {
		return nil, err
	}
	return a.train(seed)
}

func newAutoencoder(s *split, c config.Config, d *dataset.Dataset, seed uint64) (*autoencoder, error) {
	rest, err := s.seen(d)
	if err != nil {
		return nil, err
	}
	e, err := nodes.NewEncoder(c, rest, seed)
	if err != nil {
		return nil, err
	}
	x := e.On.X
	if x.Shape().Cols == 0 {
		x = input.Dense(mat.Eye(s.nodes))
	}
	net, err := baseline.New("gcn", baseline.Options{In: x.Shape().Cols, Hidden: gaeHidden, Out: gaeWidth, Seed: seed},
		e.On.On.Graph)
	if err != nil {
		return nil, err
	}
	rows := 2 * len(s.train)
	a := &autoencoder{split: s, params: net.Params(), u: mat.NewBatchIndex(rows, s.nodes),
		v: mat.NewBatchIndex(rows, s.nodes), ends: [2][]int32{make([]int32, rows), make([]int32, rows)}}
	a.h = net.Forward(input.Evaluation(), x)
	a.compile()
	return a, nil
}

// compile writes the loss down: binary cross-entropy, the first half of the rows being joined.
func (a *autoencoder) compile() {
	n := len(a.split.train)
	y := append(slices.Repeat([]mat.Real{1}, n), make([]mat.Real, n)...)
	z := a.h.Gather(a.u).RowDot(a.h.Gather(a.v))
	loss := upper.Binary.Of(z, upper.Target{Value: mat.FromSlice(2*n, 1, y)})
	var vars []ad.Var
	for _, p := range a.params {
		vars = append(vars, p.Var)
	}
	grads := ad.Grad(loss, vars...)
	a.run = ad.Compile(append([]ad.Var{loss, a.h}, grads...)...)
	for _, g := range grads {
		a.grads = append(a.grads, a.run.Value(g))
	}
}

// train is the score of the best step.
func (a *autoencoder) train(seed uint64) (best func(pair) float64, err error) {
	o, err := optim.New(optim.Config{Rate: gaeRate}, a.params, nil)
	if err != nil {
		return nil, err
	}
	most := math.Inf(-1)
	for step := range gaeSteps {
		if err := a.draw(mat.Mix(mat.Mix(seed, hashFalse), uint64(step))); err != nil {
			return nil, err
		}
		if err := a.run.Run(); err != nil {
			return nil, err
		}
		score := inner(a.run.Value(a.h))
		valid, err := judgeBy(a.split, score).measure("roc_auc", a.split.valid, a.split.validFalse, seed)
		if err != nil {
			return nil, err
		}
		if best == nil || valid >= most {
			best, most = score, valid
		}
		o.Step(a.grads, gaeRate)
	}
	return best, nil
}

// draw fills the rows of a step.
func (a *autoencoder) draw(seed uint64) error {
	n := len(a.split.train)
	for i := range 2 * n {
		p := a.split.train[i%n]
		for try, ok := uint64(0), i < n; !ok; try++ {
			p, ok = draw(a.split.nodes, mat.Mix(mat.Mix(seed, uint64(i)), try))
			ok = ok && !a.split.taught[p]
		}
		a.ends[0][i], a.ends[1][i] = p.u, p.v
	}
	if err := a.u.Update(a.ends[0]); err != nil {
		return err
	}
	return a.v.Update(a.ends[1])
}

// inner is ⟨h_u, h_v⟩ of h as it is now.
func inner(h *mat.Dense) func(pair) float64 {
	rows, k := h.Slice(), h.Cols()
	return func(p pair) (sum float64) {
		v := rows[int(p.v)*k:]
		for j, x := range rows[int(p.u)*k : int(p.u+1)*k] {
			sum += float64(x) * float64(v[j])
		}
		return sum
	}
}
