package node

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/upper"
)

// Overview. Where only a linear head is trained, on rows h of a descent without parameters,
//
//	F(W, b) = mean_v −log softmax(h_v W + b)[y_v] + ½ decay ‖W‖²
//
// is strongly convex in W: whatever training has come to, its distance from the minimiser W* is known,
//
//	‖W − W*‖ ≤ ‖∇F‖ / decay
//
// and Newton steps from anywhere end there (Guo et al. 2020, certified removal). All is computed on the host in double
// precision from the rows of the training nodes.

// Newton steps end where the gradient is zero but for rounding, or after newtonSteps of them; the system of each is
// solved by at most newtonProducts products with ∇²F.
const (
	newtonSteps    = 50
	newtonProducts = 1000
)

// linearHead is F.
type linearHead struct {
	w, b  *ad.Param
	rows  []float64 // h of training nodes, t×d
	class []int32
	d, k  int
	decay float64
}

// linearHead returns F of t. The error says why training t is not the minimisation of such a function.
func (t *Task) linearHead() (*linearHead, error) {
	f := &linearHead{decay: t.Config.Train.WeightDecay}
	switch {
	case t.Stack == nil || t.forest != nil || t.made != nil || len(t.Stack.Levels) != 1 || t.raced != nil:
		return nil, errors.New("it is not one descent with a head")
	case f.decay <= 0 || t.Config.Train.Optimizer == "adamw":
		return nil, errors.New("its loss has no weight decay, which bounds the distance (train.weight_decay, " +
			"optimizer adam)")
	case t.drops() || t.Config.Train.Consistency.Weight > 0:
		return nil, errors.New("its loss is random (model.dropout, model.input_dropout)")
	case t.Data.Labels.Task != "" || t.criterion != upper.CrossEntropy || t.target.Weight != nil:
		return nil, errors.New("its loss is not the plain cross-entropy of classes")
	}
	params := t.network.Params()
	for _, p := range params {
		if p.Rows() > 1 && f.w == nil {
			f.w = p
		} else if p.Rows() == 1 && p.Cols() == t.Classes() && f.b == nil {
			f.b = p
		}
	}
	up, ok := t.Stack.Up.(upper.Supervised)
	if !ok || f.w == nil || f.b == nil || len(params) != 2 {
		return nil, errors.New("more than a linear head is trained (model.before=0 and model.after=1 train that alone)")
	}
	if w, b, ok := up.Head.Affine(); !ok || w != f.w.Var || b != f.b.Var {
		return nil, errors.New("its head is not linear")
	}
	f.d, f.k = f.w.Rows(), f.w.Cols()
	h, err := t.Stack.Embed(input.Evaluation(), t.On)
	if err != nil {
		return nil, err
	}
	prog := ad.Compile(h)
	if err := prog.Run(); err != nil {
		return nil, err
	}
	all := prog.Value(h).Slice()
	for _, v := range t.Split.Train {
		for _, x := range all[int(v)*f.d:][:f.d] {
			f.rows = append(f.rows, float64(x))
		}
		f.class = append(f.class, t.Data.Labels.Class[v])
	}
	return f, nil
}

// at returns the parameters, W row by row and then b.
func (f *linearHead) at() (x []float64) {
	for _, p := range []*ad.Param{f.w, f.b} {
		for _, v := range p.Value().Slice() {
			x = append(x, float64(v))
		}
	}
	return x
}

// set sets the parameters, in their precision.
func (f *linearHead) set(x []float64) {
	for _, p := range []*ad.Param{f.w, f.b} {
		part := make([]mat.Real, p.Rows()*p.Cols())
		for i := range part {
			part[i] = mat.Real(x[i])
		}
		p.Value().Write(part)
		x = x[len(part):]
	}
}

// logits is z ← h_v W + b.
func (f *linearHead) logits(z []float64, v int, x []float64) {
	copy(z, x[f.d*f.k:])
	for j, h := range f.rows[v*f.d:][:f.d] {
		if h != 0 {
			for c, w := range x[j*f.k:][:f.k] {
				z[c] += h * w
			}
		}
	}
}

// spread adds h_vᵀ u to the first d rows of dst and u to the last.
func (f *linearHead) spread(dst []float64, v int, u []float64) {
	for j, h := range f.rows[v*f.d:][:f.d] {
		if h != 0 {
			for c, y := range u {
				dst[j*f.k+c] += h * y
			}
		}
	}
	for c, y := range u {
		dst[f.d*f.k+c] += y
	}
}

// gradient returns F(x), ∇F and the probabilities of all rows.
func (f *linearHead) gradient(x []float64) (value float64, g, p []float64) {
	t := len(f.class)
	g, p = make([]float64, len(x)), make([]float64, t*f.k)
	u := make([]float64, f.k)
	for v, y := range f.class {
		row := p[v*f.k:][:f.k]
		f.logits(row, v, x)
		top, sum := row[0], 0.0
		for _, z := range row {
			top = max(top, z)
		}
		value -= (row[y] - top) / float64(t)
		for c, z := range row {
			row[c] = math.Exp(z - top)
			sum += row[c]
		}
		value += math.Log(sum) / float64(t)
		for c := range row {
			row[c] /= sum
			u[c] = row[c] / float64(t)
		}
		u[y] -= 1 / float64(t)
		f.spread(g, v, u)
	}
	for i, w := range x[:f.d*f.k] {
		value += f.decay / 2 * w * w
		g[i] += f.decay * w
	}
	return value, g, p
}

// hessian is dst ← ∇²F s, with a little more on the diagonal of b, of which F does not know the sum.
func (f *linearHead) hessian(dst, s, p []float64) {
	clear(dst)
	t, u := len(f.class), make([]float64, f.k)
	for v := range f.class {
		f.logits(u, v, s)
		mean, row := 0.0, p[v*f.k:][:f.k]
		for c, q := range row {
			mean += q * u[c]
		}
		for c, q := range row {
			u[c] = q * (u[c] - mean) / float64(t)
		}
		f.spread(dst, v, u)
	}
	for i, w := range s {
		if i < f.d*f.k {
			dst[i] += f.decay * w
		} else {
			dst[i] += 1e-9 * w
		}
	}
}

// minimise takes Newton steps, each halved until F falls, and returns how many.
func (f *linearHead) minimise() (steps int, err error) {
	x := f.at()
	value, g, p := f.gradient(x)
	for ; steps < newtonSteps && norm(g) > 1e-12; steps++ {
		s := make([]float64, len(x))
		times := func(dst, v []float64) error { f.hessian(dst, v, p); return nil }
		near := max(1e-8, min(0.01, norm(g)))
		if _, err := solve.NewFloats(len(x), times).Solve(s, g, near, newtonProducts); err != nil {
			return steps, err
		}
		before, from := norm(g), x
		for share := 1.0; ; share /= 2 {
			to := make([]float64, len(x))
			for i := range to {
				to[i] = from[i] - share*s[i]
			}
			v, slope, q := f.gradient(to)
			if v < value || norm(slope) < before {
				x, value, g, p = to, v, slope, q
				break
			}
			if share < 1e-6 { // all is rounding
				f.set(x)
				return steps, nil
			}
		}
	}
	f.set(x)
	return steps, nil
}

// bound returns ‖∇F‖/decay at the parameters as they are.
func (f *linearHead) bound() float64 {
	_, g, _ := f.gradient(f.at())
	return norm(g) / f.decay
}

func norm(v []float64) float64 { return math.Sqrt(solve.Floats{}.Dot(v, v)) }

// Moved says how a run was moved to the minimiser of ℓ_up on other data.
type Moved struct {
	Steps   int     // of Newton
	Seconds float64 // that they took, with the descent that they begin with
	Bound   float64 // on the distance of its weights from the minimiser
	Trained float64 // the same of the weights that training had come to, on the data that it had
}

// Move returns a function that sets the weights of a task on other data to the minimiser of ℓ_up there, from those of
// run t: Options.Start. The error says why the minimiser is not known, and text what the bound of t is.
func (t *Trained) Move() (start func(*Task) error, m *Moved, err error) {
	f, err := t.linearHead()
	if err != nil {
		return nil, nil, err
	}
	m = &Moved{Trained: f.bound()}
	from := f.at()
	return func(now *Task) error {
		began := time.Now()
		defer func() { m.Seconds = time.Since(began).Seconds() }()
		f, err := now.linearHead()
		if err != nil {
			return err
		}
		if len(from) == f.w.Rows()*f.w.Cols()+f.k { // else a class or a column has ended
			f.set(from)
		}
		if m.Steps, err = f.minimise(); err != nil {
			return err
		}
		if m.Bound = f.bound(); math.IsNaN(m.Bound) {
			return fmt.Errorf("the loss is not finite")
		}
		return nil
	}, m, nil
}
