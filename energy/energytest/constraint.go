package energytest

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// Constraint proves η on matrices of Nodes rows and Dim columns: its prox z of h
//
//   - is finite and has a finite Value;
//   - minimises η(z) + ‖z − h‖²/2γ, compared with z moved a little, h itself, and the prox of other points;
//   - is the prox of itself where η is an indicator, that is where its Value is 0 at every z;
//   - is firmly non-expansive, ‖p − q‖² ≤ ⟨p − q, x − y⟩, if and only if η says that it is convex;
//   - has derivatives to h and γ that agree with finite differences, on a grid and at random points, kinks left out.
//
// γ is one number, and one number per node unless the option Coupled is given.
func Constraint(t *testing.T, name string, make func() energy.Constraint, opts ...Option) {
	t.Helper()
	o := collect(opts)
	t.Run(name, func(t *testing.T) {
		newProx(t, make(), mat.Scalar(0.7)).prove(t)
		if !o.coupled {
			t.Run("gamma per node", func(t *testing.T) {
				gamma := mat.New(Nodes, 1)
				mat.Uniform(gamma, 0.2, 1.5, 5)
				newProx(t, make(), gamma).prove(t)
			})
		}
	})
}

// prox is a constraint with its prox compiled.
type prox struct {
	eta      energy.Constraint
	h, gamma *mat.Dense
	z        ad.Var
	prog     *ad.Program
}

func newProx(t *testing.T, eta energy.Constraint, gamma *mat.Dense) *prox {
	p := &prox{eta: eta, h: mat.New(Nodes, Dim), gamma: gamma}
	p.z = eta.Prox(ad.Input(p.h), ad.Input(gamma))
	if p.z.Shape() != p.h.Shape() {
		t.Fatalf("prox of shape %v for %v", p.z.Shape(), p.h.Shape())
	}
	p.prog = ad.Compile(p.z)
	return p
}

// eval returns the prox of x.
func (p *prox) eval(t *testing.T, x []mat.Real) []mat.Real {
	t.Helper()
	p.h.Write(x)
	run(t, p.prog)
	return p.prog.Value(p.z).Slice()
}

func (p *prox) value(x []mat.Real) float64 { return p.eta.Value(mat.FromSlice(Nodes, Dim, x)) }

// objective returns η(z) + Σ_v ‖z_v − h_v‖²/2γ_v.
func (p *prox) objective(z, h []mat.Real) float64 {
	sum, gamma := p.value(z), p.gamma.Slice()
	for i := range z {
		g := gamma[0]
		if len(gamma) > 1 {
			g = gamma[i/Dim]
		}
		sum += square(float64(z[i])-float64(h[i])) / (2 * float64(g))
	}
	return sum
}

func square(x float64) float64 { return x * x }

// points returns 0 and random matrices of several sizes.
func points() [][]mat.Real {
	xs := [][]mat.Real{make([]mat.Real, Nodes*Dim)}
	for i, size := range []float64{0.1, 0.5, 1, 2, 5, 20} {
		xs = append(xs, random(Nodes, Dim, size, uint64(100+i)).Slice())
	}
	return xs
}

func (p *prox) prove(t *testing.T) {
	t.Run("finite", p.finite)
	t.Run("minimiser", p.minimiser)
	t.Run("idempotent", p.idempotent)
	t.Run("derivative", p.derivative)
	t.Run("firm", p.firm)
}

func (p *prox) finite(t *testing.T) {
	for _, x := range points() {
		z := p.eval(t, x)
		if err := mat.FromSlice(Nodes, Dim, z).CheckFinite(); err != nil {
			t.Fatal(err)
		}
		if v := p.value(z); math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("η of the prox is %v", v)
		}
	}
}

func (p *prox) minimiser(t *testing.T) {
	xs := points()
	for i, x := range xs {
		z := p.eval(t, x)
		best := p.objective(z, x)
		try := func(what string, c []mat.Real) {
			if at := p.objective(c, x); at < best-20*rounding()*max(1, math.Abs(best)) {
				t.Errorf("point %d: %s has objective %v, below %v of the prox", i, what, at, best)
			}
		}
		try("the point itself", x)
		for j, y := range xs {
			other := p.eval(t, y)
			try("the prox of another point", other)
			for _, size := range []mat.Real{1e-3, 0.03, 0.3, 1} {
				try("a point towards another", towards(z, y, size))
				try("a point towards the prox of another", towards(z, other, size))
				try("a random point nearby", towards(z, random(Nodes, Dim, 3, uint64(200+j)).Slice(), size))
				try("a smaller point", towards(z, xs[0], size))
				try("a larger point", towards(z, xs[0], -size))
			}
		}
	}
}

// towards returns (1−s)z + s y.
func towards(z, y []mat.Real, s mat.Real) []mat.Real {
	c := make([]mat.Real, len(z))
	for i := range z {
		c[i] = (1-s)*z[i] + s*y[i]
	}
	return c
}

func (p *prox) idempotent(t *testing.T) {
	for _, x := range points() {
		if p.value(p.eval(t, x)) != 0 {
			t.Skip("not an indicator")
		}
	}
	for _, x := range points() {
		z := p.eval(t, x)
		same(t, "prox of a prox", p.eval(t, z), z)
	}
}

func (p *prox) firm(t *testing.T) {
	xs := points()
	for _, x := range xs {
		for _, y := range xs {
			a, b := p.eval(t, x), p.eval(t, y)
			d, e := towards(a, b, 0), towards(x, y, 0)
			for i := range d {
				d[i], e[i] = a[i]-b[i], x[i]-y[i]
			}
			if got, most := dot(d, d), dot(d, e); !(got <= most+20*rounding()*max(1, got)) {
				if p.eta.Convex() {
					t.Errorf("‖p − q‖² = %v is above ⟨p − q, x − y⟩ = %v", got, most)
				}
				return
			}
		}
	}
	if !p.eta.Convex() {
		t.Error("says that it is not convex, and is firmly non-expansive")
	}
}

// derivative: at numbers (k + ½)/4, an eighth away from where the kinks of thresholds usually are, and at random
// points. Those where a step of finite differences meets a kink are left out; some must be left.
func (p *prox) derivative(t *testing.T) {
	hv, gv := ad.Input(p.h), ad.Input(p.gamma)
	y := p.eta.Prox(hv, gv).Dot(ad.Const(random(Nodes, Dim, 1, 301)))
	grads := ad.Grad(y, hv, gv)
	prog := ad.Compile(grads...)
	checked := 0
	for seed := uint64(310); seed < 370 && checked < 3; seed++ {
		x := random(Nodes, Dim, 2, seed)
		if seed == 310 {
			mat.Copy(x, grid(x))
		}
		p.h.Write(x.Slice())
		if smooth(t, prog, grads, p.h, p.gamma) {
			checked++
			testkit.Gradient(t, y, grads, p.h, p.gamma)
			if t.Failed() {
				t.Fatalf("at the random point of seed %d", seed)
			}
		}
	}
	if checked < 2 {
		t.Errorf("derivatives jump at all points but %d", checked)
	}
}

// grid returns x at numbers (k + ½)/4.
func grid(x *mat.Dense) *mat.Dense {
	at := x.Slice()
	for i, v := range at {
		at[i] = mat.Real((math.Floor(float64(v)*4) + 0.5) / 4)
	}
	return mat.FromSlice(x.Rows(), x.Cols(), at)
}

// smooth reports whether derivatives hardly change within a step of finite differences along any entry of xs.
func smooth(t *testing.T, prog *ad.Program, grads []ad.Var, xs ...*mat.Dense) bool {
	run(t, prog)
	var here [][]mat.Real
	for _, g := range grads {
		here = append(here, prog.Value(g).Slice())
	}
	for _, x := range xs {
		at := x.Slice()
		for i := range at {
			for _, step := range []mat.Real{-1.5 * testkit.Step, 1.5 * testkit.Step} {
				moved := append([]mat.Real(nil), at...)
				moved[i] += step
				x.Write(moved)
				run(t, prog)
				for k, g := range grads {
					if jumps(here[k], prog.Value(g).Slice()) {
						x.Write(at)
						return false
					}
				}
			}
		}
		x.Write(at)
	}
	return true
}

// jumps reports whether two lists differ by more than smooth functions do within a step.
func jumps(a, b []mat.Real) bool {
	for i := range a {
		if math.Abs(float64(a[i]-b[i])) > 20*testkit.Step*max(1, math.Abs(float64(a[i]))) {
			return true
		}
	}
	return false
}
