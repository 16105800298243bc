package audit

import (
	"math"
	"math/rand/v2"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/optim"
)

// evidence holds the terms of things as they are, and as they would be were they wrong in one of several ways.
type evidence struct {
	thing []int32       // node or edge
	odd   []bool        // it is not an example of what is right; nil means that everything is one
	asIs  [][]float64   // its terms
	wrong [][][]float64 // terms of examples of each way
	of    [][]int32     // the place among things that an example is about
	broad [2]int        // ways from the first to before the second stand for others like them
	// emphasis is how much examples of common broad ways count; nil means all count the same
	emphasis map[int][]float64
	// undone is how often a wrong thing becomes right when it is made wrong once more: 1/(k − 1) for one of k classes.
	undone float64
	untold float64 // see untoldRows
	lawful bool    // see powerLaw
	// simplest is the place of the term that says most by itself, the less the more suspicious; 0 if there is none.
	simplest int
}

// add appends a thing as it is and returns its index.
func (e *evidence) add(thing int32, terms []float64) int32 {
	e.thing, e.asIs = append(e.thing, thing), append(e.asIs, terms)
	return int32(len(e.asIs) - 1)
}

// suppose appends an example of a way to be wrong.
func (e *evidence) suppose(way int, place int32, terms []float64) {
	for len(e.wrong) <= way {
		e.wrong, e.of = append(e.wrong, nil), append(e.of, nil)
	}
	e.wrong[way], e.of[way] = append(e.wrong[way], terms), append(e.of[way], place)
}

// blur is in distances of the quartiles.
const blur = 0.2

// fence clips the first terms to their fences and blurs them: how far outside a size lies, and which one it is exactly,
// says more about the fault than about whether there is one.
func (e *evidence) fence(terms int, rng *rand.Rand) {
	for k := range terms {
		low, high := fences(column(e.asIs, k), 1e-3)
		wide := (high - low) / (1 + 2*beyond)
		for _, list := range append([][][]float64{e.asIs}, e.wrong...) {
			for _, t := range list {
				t[k] = min(max(t[k], low), high) + blur*wide*rng.NormFloat64()
			}
		}
	}
}

// Settings of the networks.
const (
	wide, narrow = 32, 16 // hidden layers
	steps        = 150
	rate         = 0.02
	decay        = 1e-3
	halves       = 2
	mostExamples = 20_000 // of things as they are, and of every way to be wrong
)

// train makes a network for each half of the things from the examples about the others, and judges. weight says how
// much a thing counts as an example of what is right.
func (e *evidence) train(weight []float64, seed uint64) (*verdict, error) {
	v := &verdict{evidence: e, asIs: make([][]float64, len(e.asIs))}
	for _, list := range e.wrong {
		v.wrong = append(v.wrong, make([][]float64, len(list)))
	}
	for half := range halves {
		net, err := newNetwork(e.examples(half, weight), mat.Mix(seed, uint64(half)))
		if err != nil {
			return nil, err
		}
		if err := net.judge(v.asIs, e.asIs, func(i int) bool { return mine(i, half) }); err != nil {
			return nil, err
		}
		for k, list := range e.wrong {
			if err := net.judge(v.wrong[k], list, func(i int) bool { return mine(int(e.of[k][i]), half) }); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// mine says whether thing i is judged by the network of a half.
func mine(i, half int) bool { return int(mat.Mix(7, uint64(i))%halves) == half }

// examples are terms with a weight for each answer: as it is, or wrong in a way.
type examples struct{ rows, target [][]float64 }

// doubtful is the least weight of an example that is made of a thing which is wrong itself.
const doubtful = 0.05

// examples returns the examples about things of other halves. Every answer has the same total weight. What is made of
// a wrong thing counts less: it may be wrong in two ways, or right again.
func (e *evidence) examples(half int, weight []float64) (x examples) {
	add := func(t []float64, answer int, weight float64) {
		y := make([]float64, len(e.wrong)+1)
		y[answer] = weight
		x.rows, x.target = append(x.rows, t), append(x.target, y)
	}
	step := 1 + len(e.asIs)/mostExamples
	for i, t := range e.asIs {
		if i%step == 0 && !mine(i, half) && weight[i] > 0 {
			add(t, 0, weight[i])
		}
	}
	for k, list := range e.wrong {
		for i, t := range list {
			if of := e.of[k][i]; !mine(int(of), half) {
				w := max(weight[of], doubtful)
				if list := e.emphasis[k]; list != nil {
					w *= list[i]
				}
				add(t, k+1, w)
			}
		}
	}
	total := make([]float64, len(e.wrong)+1)
	for _, y := range x.target {
		for k, v := range y {
			total[k] += v
		}
	}
	for _, y := range x.target {
		for k := range y {
			y[k] /= max(total[k], 1e-9) * float64(len(total))
		}
	}
	return x
}

// network is a small perceptron on standardised terms, clipped at six deviations.
type network struct {
	mean, sd []float64
	net      input.Model
}

// newNetwork minimises −Σ target ∘ log softmax.
func newNetwork(x examples, seed uint64) (n *network, err error) {
	n = &network{}
	n.standardise(x.rows)
	answers := len(x.target[0])
	sizes := []int{len(n.mean), wide, narrow, answers}
	if n.net, err = input.NewMLP(input.MLP{Name: "detector", Sizes: sizes, Seed: seed}); err != nil {
		return nil, err
	}
	y := newNumbers(len(x.target), answers)
	for i, t := range x.target {
		for k, v := range t {
			y.at(i)[k] = mat.Real(v)
		}
	}
	z := n.net.Forward(input.Evaluation(), input.Dense(n.matrix(x.rows)))
	loss := z.LogSoftmax().Mul(ad.Const(y.dense())).Sum().Neg()
	return n, descend(loss, n.net.Params(), optim.Config{Rate: rate, Schedule: "cosine", Decay: decay}, steps)
}

// descend takes steps of Adam on a loss.
func descend(loss ad.Var, params []*ad.Param, how optim.Config, steps int) error {
	vars := make([]ad.Var, len(params))
	for i, p := range params {
		vars[i] = p.Var
	}
	grads := ad.Grad(loss, vars...)
	program := ad.Compile(append([]ad.Var{loss}, grads...)...)
	o, err := optim.New(how, params, nil)
	if err != nil {
		return err
	}
	values := make([]*mat.Dense, len(grads))
	for s := range steps {
		if err := program.Run(); err != nil {
			return err
		}
		for i, g := range grads {
			values[i] = program.Value(g)
		}
		o.Step(values, o.RateAt(float64(s), steps))
	}
	return nil
}

// standardise finds mean and deviation of terms.
func (n *network) standardise(rows [][]float64) {
	n.mean, n.sd = make([]float64, len(rows[0])), make([]float64, len(rows[0]))
	each := 1 / float64(len(rows))
	for _, r := range rows {
		for k, v := range r {
			n.mean[k] += each * v
		}
	}
	for _, r := range rows {
		for k, v := range r {
			n.sd[k] += each * (v - n.mean[k]) * (v - n.mean[k])
		}
	}
	for k := range n.sd {
		n.sd[k] = math.Sqrt(n.sd[k]) + 1e-9
	}
}

// matrix returns rows in the scale of n.
func (n *network) matrix(rows [][]float64) *mat.Dense {
	x := newNumbers(len(rows), len(n.mean))
	for i, r := range rows {
		for k, v := range r {
			x.at(i)[k] = mat.Real(min(max((v-n.mean[k])/n.sd[k], -6), 6))
		}
	}
	return x.dense()
}

// surest bounds the logarithm of a ratio.
const surest = 20

// judge fills the ratios of the rows that own reports.
func (n *network) judge(to, rows [][]float64, own func(i int) bool) error {
	var at []int
	var part [][]float64
	for i, t := range rows {
		if own(i) {
			at, part = append(at, i), append(part, t)
		}
	}
	if len(part) == 0 {
		return nil
	}
	out := n.net.Forward(input.Evaluation(), input.Dense(n.matrix(part)))
	program := ad.Compile(out)
	if err := program.Run(); err != nil {
		return err
	}
	z := host(program.Value(out))
	for r, i := range at {
		to[i] = make([]float64, z.cols-1)
		for k := range to[i] {
			to[i][k] = math.Exp(min(max(float64(z.at(r)[k+1]-z.at(r)[0]), -surest), surest))
		}
	}
	return nil
}
