package main

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/baseline"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/optim"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/task/pair"
	"github.com/bloomgml/bloom/upper"
)

// autoencoder is the graph auto-encoder of Kipf and Welling (2016):
//
//	z = ⟨h_u, h_v⟩        H = Â ReLU(Â X W₁ + b₁) W₂ + b₂
//
// of 32 and 16 columns. A step of Adam, 200 at the rate 0.01, uses all training pairs and the same number of others,
// which are drawn again every time; messages go along the very pairs that are predicted. Nodes without features have a
// column each. The step is chosen by the ROC-AUC of validation pairs.
type autoencoder struct {
	held   *pair.Held
	train  [][2]int32
	nodes  int
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

func newAutoencoder(held *pair.Held, c config.Config) (*autoencoder, error) {
	rest, err := held.Seen()
	if err != nil {
		return nil, err
	}
	e, err := node.NewEncoder(c, rest, c.Train.Seed)
	if err != nil {
		return nil, err
	}
	x, n := e.On.X, rest.Graph.NumNodes()
	if x.Shape().Cols == 0 {
		x = input.Dense(mat.Eye(n))
	}
	net, err := baseline.New("gcn", baseline.Options{In: x.Shape().Cols, Hidden: gaeHidden, Out: gaeWidth,
		Seed: c.Train.Seed}, e.On.On.Graph)
	if err != nil {
		return nil, err
	}
	train := held.Train()
	rows := 2 * len(train)
	a := &autoencoder{held: held, train: train, nodes: n, params: net.Params(), u: mat.NewBatchIndex(rows, n),
		v: mat.NewBatchIndex(rows, n), ends: [2][]int32{make([]int32, rows), make([]int32, rows)}}
	a.h = net.Forward(input.Evaluation(), x)
	a.compile()
	return a, nil
}

// compile writes the loss down: binary cross-entropy, the first half of the rows being joined.
func (a *autoencoder) compile() {
	n := len(a.train)
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

// fit returns the score of pairs at the best step.
func (a *autoencoder) fit(seed uint64) (best linkScore, err error) {
	o, err := optim.New(optim.Config{Rate: gaeRate}, a.params, nil)
	if err != nil {
		return nil, err
	}
	taught := map[[2]int32]bool{}
	for _, p := range a.train {
		taught[p] = true
	}
	most := math.Inf(-1)
	for step := range gaeSteps {
		if err := a.drawPairs(mat.Mix(mat.Mix(seed, hashFalse), uint64(step)), taught); err != nil {
			return nil, err
		}
		if err := a.run.Run(); err != nil {
			return nil, err
		}
		score := inner(a.run.Value(a.h))
		list, err := a.held.Measure(score, "roc_auc")
		if err != nil {
			return nil, err
		}
		if valid := list[0].Valid; best == nil || valid >= most {
			best, most = score, valid
		}
		o.Step(a.grads, gaeRate)
	}
	return best, nil
}

// hashFalse is the place of random numbers for pairs that are not joined.
const hashFalse = 0x70616976

// drawPairs fills the rows of a step.
func (a *autoencoder) drawPairs(seed uint64, taught map[[2]int32]bool) error {
	n := len(a.train)
	for i := range 2 * n {
		p := a.train[i%n]
		for try, ok := uint64(0), i < n; !ok; try++ {
			p, ok = drawPair(a.nodes, mat.Mix(mat.Mix(seed, uint64(i)), try))
			ok = ok && !taught[p]
		}
		a.ends[0][i], a.ends[1][i] = p[0], p[1]
	}
	if err := a.u.Update(a.ends[0]); err != nil {
		return err
	}
	return a.v.Update(a.ends[1])
}

// drawPair returns a pair of two nodes out of n, made of a random number; ok is false for one node twice.
func drawPair(n int, random uint64) (p [2]int32, ok bool) {
	below := func(random uint64) int32 { return int32((random >> 32) * uint64(n) >> 32) }
	u, v := below(random), below(random<<32)
	return [2]int32{min(u, v), max(u, v)}, u != v
}

// inner returns ⟨h_u, h_v⟩ of h as it is now.
func inner(h *mat.Dense) linkScore {
	rows, k := h.Slice(), h.Cols()
	return func(u, v int32) (sum float64) {
		other := rows[int(v)*k:]
		for j, x := range rows[int(u)*k : int(u+1)*k] {
			sum += float64(x) * float64(other[j])
		}
		return sum
	}
}
