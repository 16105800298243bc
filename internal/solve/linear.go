package solve

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Space is the arithmetic of vectors V.
type Space[V any] interface {
	Zero(dst V)
	Copy(dst, src V)
	Dot(a, b V) float64
	AddScaled(dst, a, b V, beta float64) // dst ← a + βb
}

// Linear is Mx = b for a symmetric positive semidefinite M that is known by its products.
type Linear[V any] struct {
	Space Space[V]
	Times func(dst, v V) error // dst ← M v
	Work  [3]V                 // vectors like b, whose content does not matter

	x               V
	column          [1]Column
	norm, tolerance float64 // ‖b‖, and what ‖r‖/‖b‖ has to reach
}

// NewFloats returns a system of n numbers on the host.
func NewFloats(n int, times func(dst, v []float64) error) *Linear[[]float64] {
	return &Linear[[]float64]{Space: Floats{}, Times: times,
		Work: [3][]float64{make([]float64, n), make([]float64, n), make([]float64, n)}}
}

// NewDense returns a system of matrices on the device, whose products are an expression that is linear in p. It is
// written down once and replayed.
func NewDense(shape mat.Shape, product func(p ad.Var) ad.Var) *Linear[*mat.Dense] {
	var room [4]*mat.Dense
	for i := range room {
		room[i] = mat.New(shape.Rows, shape.Cols)
	}
	along := room[3]
	image := product(ad.Input(along))
	prog := ad.Compile(image)
	return &Linear[*mat.Dense]{Space: &Dense{}, Work: [3]*mat.Dense(room[:3]), Times: func(dst, v *mat.Dense) error {
		mat.Copy(along, v)
		err := prog.Run()
		mat.Copy(dst, prog.Value(image))
		return err
	}}
}

// Solution is how a linear solve ended.
type Solution struct {
	Steps    int
	Residual float64 // ‖b − Mx‖ / ‖b‖, as the recurrence has it
	End      End
}

// Solve puts the solution into x, from 0, until ‖b − Mx‖ is at most tolerance · ‖b‖ or most steps have been taken.
func (l *Linear[V]) Solve(x, b V, tolerance float64, most int) (s Solution, err error) {
	l.x = x
	l.Space.Zero(x)
	l.Space.Copy(l.Work[0], b)
	l.Space.Zero(l.Work[1])
	l.column[0].Size = l.Space.Dot(b, b)
	l.norm, l.tolerance = math.Sqrt(l.column[0].Size), tolerance
	if s.End = Solved; !(l.residual() <= tolerance) {
		s.Steps, s.End, err = Conjugate(l, l.column[:], most)
	}
	s.Residual = l.residual()
	return s, err
}

// residual returns ‖r‖/‖b‖, 0 if b = 0.
func (l *Linear[V]) residual() float64 {
	return math.Sqrt(l.column[0].Size) / max(l.norm, math.SmallestNonzeroFloat64)
}

// Turn is p ← r + βp.
func (l *Linear[V]) Turn(c []Column) error {
	r, p := l.Work[0], l.Work[1]
	l.Space.AddScaled(p, r, p, c[0].Beta)
	c[0].Slope = c[0].Size
	return nil
}

// Curve is ⟨p, Mp⟩.
func (l *Linear[V]) Curve(c []Column) error {
	p, mp := l.Work[1], l.Work[2]
	err := l.Times(mp, p)
	c[0].Curve = l.Space.Dot(p, mp)
	return err
}

// Move is x ← x + αp, r ← r − αMp.
func (l *Linear[V]) Move(c []Column) (solved bool, err error) {
	r, p, mp := l.Work[0], l.Work[1], l.Work[2]
	l.Space.AddScaled(l.x, l.x, p, c[0].Alpha)
	l.Space.AddScaled(r, r, mp, -c[0].Alpha)
	c[0].Size = l.Space.Dot(r, r)
	c[0].Cross = c[0].Size
	return l.residual() <= l.tolerance, nil
}

// Floats are vectors of numbers on the host. Products are rounded separately, so a sum has the same bits on every
// processor.
type Floats struct{}

var _ Space[[]float64] = Floats{}

// Zero is dst ← 0.
func (Floats) Zero(dst []float64) { clear(dst) }

// Copy is dst ← src.
func (Floats) Copy(dst, src []float64) { copy(dst, src) }

// Dot returns Σ a_i b_i.
func (Floats) Dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += float64(v * b[i])
	}
	return sum
}

// AddScaled is dst ← a + βb.
func (Floats) AddScaled(dst, a, b []float64, beta float64) {
	for i, v := range a {
		dst[i] = v + float64(beta*b[i])
	}
}

// Dense are matrices on a device, as vectors of their entries. Its zero value is ready; an inner product brings one
// number to the host, and allocates nothing after the first.
type Dense struct{ one *mat.Dense }

var _ Space[*mat.Dense] = (*Dense)(nil)

// Zero is dst ← 0.
func (*Dense) Zero(dst *mat.Dense) { mat.Fill(dst, 0) }

// Copy is dst ← src.
func (*Dense) Copy(dst, src *mat.Dense) { mat.Copy(dst, src) }

// Dot returns Σ a_ij b_ij.
func (d *Dense) Dot(a, b *mat.Dense) float64 {
	if d.one == nil {
		d.one = mat.New(1, 1)
	}
	mat.Dot(d.one, a, b)
	return float64(d.one.Item())
}

// Norm returns ‖a‖.
func (d *Dense) Norm(a *mat.Dense) float64 { return math.Sqrt(d.Dot(a, a)) }

// AddScaled is dst ← a + βb.
func (*Dense) AddScaled(dst, a, b *mat.Dense, beta float64) { mat.Axpby(dst, a, b, 1, mat.Real(beta)) }
