package adjoint

import (
	"cmp"
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
)

// linear is the operation that solves a linear system whose matrix is given by its products: apply
// computes them from a vector and the variables it reads. Inputs: the right side, then Outer of apply.
type linear struct {
	Implicit
	space     solve.Dense
	name      string
	arena     *ad.Arena // of apply
	apply     *ad.Func
	solve     func(o *linear, x, b *mat.Dense) error
	cg        solve.Linear[*mat.Dense]
	work      []*mat.Dense
	dst, args []*mat.Dense // of the product in progress
}

func (o *linear) Name() string                    { return o.name }
func (*linear) Shapes(in []mat.Shape) []mat.Shape { return in[:1] }

// Eval is TryEval for systems that are known to be solvable.
func (o *linear) Eval(out, in []*mat.Dense) {
	if err := o.TryEval(out, in); err != nil {
		panic(err)
	}
}

func (o *linear) TryEval(out, in []*mat.Dense) error {
	o.dst = append(o.dst[:0], nil)
	o.args = append(o.args[:0], in...)
	err := o.solve(o, out[0], in[0])
	o.Stats.Bytes = o.arena.Bytes()
	for _, m := range o.work {
		o.Stats.Bytes += m.Bytes()
	}
	return err
}

// product is dst ← M v.
func (o *linear) product(dst, v *mat.Dense) error {
	o.dst[0], o.args[0] = dst, v
	return o.apply.Eval(o.dst, o.args)
}

// VJP is refused: nothing asks for derivatives of implicit derivatives yet.
func (o *linear) VJP(in, out, g []ad.Var) []ad.Var {
	panic("adjoint: no second derivative through an implicit one; use Unrolled")
}

// buffer returns the i-th work matrix in the shape of like.
func (o *linear) buffer(i int, like *mat.Dense) *mat.Dense {
	for len(o.work) <= i {
		s := like.Shape()
		o.work = append(o.work, mat.New(s.Rows, s.Cols))
	}
	return o.work[i]
}

// limits returns the tolerance and the most iterations.
func (o *linear) limits() (tol float64, most int) {
	return cmp.Or(o.Solve, defaultSolve), cmp.Or(o.MaxIter, 1000)
}

// conjugate solves P ∇²F P s = −P g: with ∇F as the recorded step, −s is its cotangent.
type conjugate struct {
	op   *linear
	free ad.Var
}

func newConjugate(m Implicit, l *energy.Lower, h, free ad.Var) conjugate {
	masked := func(v ad.Var) ad.Var {
		if free.IsZero() {
			return v
		}
		return v.Mul(free)
	}
	arena := &ad.Arena{}
	hessian := ad.NewFunc(arena, func(in []ad.Var) []ad.Var {
		v := masked(in[0])
		return []ad.Var{masked(ad.VJP(l.Grad(h), v, h)[0])}
	}, h.Shape())
	return conjugate{&linear{Implicit: m, name: "cg", arena: arena, apply: hessian, solve: conjugateGradients}, free}
}

func (c conjugate) solve(g ad.Var) ad.Var {
	if !c.free.IsZero() {
		g = g.Mul(c.free)
	}
	return ad.Apply(c.op, append([]ad.Var{g.Neg()}, c.op.apply.Outer()...)...)[0]
}

// conjugateGradients solves M x = b for a symmetric positive semidefinite M.
func conjugateGradients(o *linear, x, b *mat.Dense) error {
	if o.cg.Times == nil {
		o.cg = solve.Linear[*mat.Dense]{Space: &o.space, Times: o.product,
			Work: [3]*mat.Dense{o.buffer(0, b), o.buffer(1, b), o.buffer(2, b)}}
	}
	tol, most := o.limits()
	s, err := o.cg.Solve(x, b, tol, most)
	o.Stats.Iterations, o.Stats.SolveResidual = s.Steps, s.Residual
	switch {
	case err != nil || s.End == solve.Solved:
		return err
	case s.End == solve.Flat:
		return o.failed("the energy is flat or not convex there")
	}
	return o.failed("")
}

func (o *linear) failed(reason string) error {
	tol, _ := o.limits()
	return &NotConverged{What: "linear solve", Residual: o.Stats.SolveResidual, Tolerance: tol,
		Iterations: o.Stats.Iterations, Reason: reason}
}

// neumann solves w = g + (∂T/∂h)ᵀ w by repeating it.
type neumann struct{ op *linear }

func newNeumann(m Implicit, h ad.Var, step func(ad.Var) ad.Var) neumann {
	arena := &ad.Arena{}
	transposed := ad.NewFunc(arena, func(in []ad.Var) []ad.Var {
		return []ad.Var{ad.VJP(step(h), in[0], h)[0]}
	}, h.Shape())
	return neumann{&linear{Implicit: m, name: "neumann", arena: arena, apply: transposed, solve: neumannSeries}}
}

func (n neumann) solve(g ad.Var) ad.Var {
	return ad.Apply(n.op, append([]ad.Var{g}, n.op.apply.Outer()...)...)[0]
}

// neumannSeries solves (I − M) x = b as x ← b + M x.
func neumannSeries(o *linear, x, b *mat.Dense) error {
	next := o.buffer(0, b)
	mat.Copy(x, b)
	size := o.space.Norm(b)
	tol, most := o.limits()
	for i := 0; i < most; i++ {
		if err := o.product(next, x); err != nil {
			return err
		}
		mat.Axpby(next, next, b, 1, 1)
		mat.Axpby(x, next, x, 1, -1)
		r := o.space.Norm(x) / max(size, math.SmallestNonzeroFloat64)
		mat.Copy(x, next)
		o.Stats.Iterations, o.Stats.SolveResidual = i+1, r
		if size == 0 || r <= tol {
			return nil
		}
		if math.IsNaN(r) || math.IsInf(r, 0) {
			break
		}
	}
	return o.failed("")
}
