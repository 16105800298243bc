package node

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/bloomgml/bloom"
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
	for _, v := range t.Split.Train {
		f.class = append(f.class, t.Data.Labels.Class[v])
	}
	var err error
	f.rows, err = t.trainingRows(f.d)
	return f, err
}

// trainingRows returns h of the training nodes, t×d. Where steps are linear, H = P X, and there are fewer of these
// nodes than columns, the derivative of a descent of t columns has them:
//
//	∂⟨E, P X W⟩/∂W = Xᵀ Pᵀ E        W: d×t;  E: a column for every training node, 1 at the node
func (t *Task) trainingRows(d int) ([]float64, error) {
	few, nodes := *t, t.Split.Train
	k := len(nodes)
	w := ad.NewParam("rows", mat.New(d, k))
	few.Stack = &bloom.Stack{Levels: slices.Clone(t.Stack.Levels), Up: t.Stack.Up}
	few.Stack.Levels[0].Pi = input.Linear{W: w}
	if _, same := t.Stack.Levels[0].Pi.(dropped); same && k < d {
		if l, _, ok := few.Local(); ok && l.Kind.Phi == mat.PhiSquare && !l.Kind.NonNeg {
			e := make([]mat.Real, t.Data.Graph.NumNodes()*k)
			for i, v := range nodes {
				e[int(v)*k+i] = 1
			}
			h, err := few.Stack.Embed(input.Evaluation(), t.On)
			if err != nil {
				return nil, err
			}
			columns, err := computed(ad.VJP(h, ad.Const(mat.FromSlice(len(e)/k, k, e)), w.Var)[0])
			rows := make([]float64, len(columns))
			for at, x := range columns {
				rows[at%k*d+at/k] = float64(x)
			}
			return rows, err
		}
	}
	h, err := t.Stack.Embed(input.Evaluation(), t.On)
	if err != nil {
		return nil, err
	}
	all, err := computed(h)
	if err != nil {
		return nil, err
	}
	rows := make([]float64, 0, k*d)
	for _, v := range nodes {
		for _, x := range all[int(v)*d:][:d] {
			rows = append(rows, float64(x))
		}
	}
	return rows, nil
}

// computed returns the numbers of an expression.
func computed(v ad.Var) ([]mat.Real, error) {
	prog := ad.Compile(v)
	if err := prog.Run(); err != nil {
		return nil, err
	}
	return prog.Value(v).Slice(), nil
}

// at returns the parameters: Wᵀ row by row, so that products have long rows, and then b.
func (f *linearHead) at() []float64 {
	x, w := make([]float64, f.d*f.k, (f.d+1)*f.k), f.w.Value().Slice()
	for i := range x {
		x[i] = float64(w[i%f.d*f.k+i/f.d])
	}
	for _, v := range f.b.Value().Slice() {
		x = append(x, float64(v))
	}
	return x
}

// set sets the parameters, in their precision.
func (f *linearHead) set(x []float64) {
	w, b := make([]mat.Real, f.d*f.k), make([]mat.Real, f.k)
	for i := range w {
		w[i%f.d*f.k+i/f.d] = mat.Real(x[i])
	}
	for c := range b {
		b[c] = mat.Real(x[f.d*f.k+c])
	}
	f.w.Value().Write(w)
	f.b.Value().Write(b)
}

func matrix(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

// logits returns H W + b, t×k.
func (f *linearHead) logits(x []float64) []float64 {
	t := len(f.class)
	z := slices.Repeat(x[f.d*f.k:], t)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, matrix(t, f.d, f.rows), matrix(f.k, f.d, x), 1, matrix(t, f.k, z))
	return z
}

// spread is dst ← (Uᵀ H, Uᵀ 1) for u, t×k: the derivative of the parameters for that of logits.
func (f *linearHead) spread(dst, u []float64) {
	t := len(f.class)
	clear(dst)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, matrix(t, f.k, u), matrix(t, f.d, f.rows), 0, matrix(f.k, f.d, dst))
	for i, y := range u {
		dst[f.d*f.k+i%f.k] += y
	}
}

// gradient returns F(x), ∇F and the probabilities of all rows.
func (f *linearHead) gradient(x []float64) (value float64, g, p []float64) {
	t := float64(len(f.class))
	g, p = make([]float64, len(x)), f.logits(x)
	u := make([]float64, len(p))
	for v, y := range f.class {
		row, slope := p[v*f.k:][:f.k], u[v*f.k:][:f.k]
		top, sum := slices.Max(row), 0.0
		value -= (row[y] - top) / t
		for c, z := range row {
			row[c] = math.Exp(z - top)
			sum += row[c]
		}
		value += math.Log(sum) / t
		for c := range row {
			row[c] /= sum
			slope[c] = row[c] / t
		}
		slope[y] -= 1 / t
	}
	f.spread(g, u)
	for i, w := range x[:f.d*f.k] {
		value += f.decay / 2 * w * w
		g[i] += f.decay * w
	}
	return value, g, p
}

// hessian is dst ← ∇²F s, with a little more on the diagonal of b, of which F does not know the sum.
func (f *linearHead) hessian(dst, s, p []float64) {
	u := f.logits(s)
	for at := 0; at < len(u); at += f.k {
		mean, row := 0.0, p[at:at+f.k]
		for c, q := range row {
			mean += q * u[at+c]
		}
		for c, q := range row {
			u[at+c] = q * (u[at+c] - mean) / float64(len(f.class))
		}
	}
	f.spread(dst, u)
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
