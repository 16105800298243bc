package baseline

import (
	"cmp"
	"fmt"
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/random"
	"github.com/bloomgml/bloom/mat"
)

// Jacobi are the exponents of the Jacobi polynomials P_k^(a,b), both above −1.
type Jacobi struct{ A, B float64 }

// jacobi is JacobiConv of Wang and Zhang (2022): a linear model under one polynomial filter per class,
//
//	y = x W + b     z = Σ_k β_k ∘ (γ₁⋯γ_k) P_k(S) y,     γ_k = γ′ tanh η_k,     k = 0, …, K
//
// with S = D^-1/2 A D^-1/2 without self loops, β_k a row of one number per class, K = Hops = 10 and γ′ = Alpha = 1.
// By the recurrence of the polynomials, with γ's inside,
//
//	y₀ = y     y_k = γ_k (θ_k S y_k₋₁ + θ′_k y_k₋₁ − γ_k₋₁ θ″_k y_k₋₂)
//
// Chosen: θ′ is added, as P_k has it; the authors' program subtracts it, which matters only if a ≠ b.
type jacobi struct {
	adj   operator
	o     Options
	basis Jacobi
	in    input.Linear
	beta  *ad.Param // (K+1)×Out
	eta   *ad.Param // 1×K
}

func newJacobi(o Options, g *graph.Graph) (Model, error) {
	o.Hops, o.Alpha = cmp.Or(o.Hops, 10), cmp.Or(o.Alpha, 1)
	m := &jacobi{adj: newOperator(g, graph.Symmetric, graph.DropLoops), o: o, basis: Jacobi{1, 1}}
	if o.Jacobi != nil {
		m.basis = *o.Jacobi
	}
	if !(m.basis.A > -1 && m.basis.B > -1) || math.IsInf(m.basis.A+m.basis.B, 1) {
		return nil, fmt.Errorf("baseline: jacobi with a = %v and b = %v, which must be above −1", m.basis.A, m.basis.B)
	}
	m.in = input.NewLinear("jacobi", o.In, o.Out, o.Seed)
	m.beta = random.Filled("jacobi.beta", o.Hops+1, o.Out, 1)
	m.eta = random.Filled("jacobi.eta", 1, o.Hops, mat.Real(min(1/o.Alpha, 1)))
	return m, nil
}

// theta returns θ, θ′ and θ″ of P_k = (θ z + θ′) P_k₋₁ − θ″ P_k₋₂; θ″ of P₁ is 0. P₁ has a formula of its own, because
// the general one divides 0 by 0 there where a + b = 0 or −1.
func (j Jacobi) theta(k int) (t, t1, t2 float64) {
	a, b, n := j.A, j.B, float64(k)
	s := 2*n + a + b
	if k == 1 {
		return s / 2, (a - b) / 2, 0
	}
	below := 2 * n * (n + a + b)
	return s * (s - 1) / below,
		(s - 1) * (a*a - b*b) / (below * (s - 2)),
		2 * (n + a - 1) * (n + b - 1) * s / (below * (s - 2))
}

func (m *jacobi) Forward(c input.Context, x input.Features) ad.Var {
	y := m.in.Forward(c, x.Drop(c, m.o.InputDropout, "jacobi input"))
	y = c.Drop(y, m.o.Dropout, "jacobi hidden")
	out, gammas := m.o.Out, m.eta.Tanh().Scale(m.o.Alpha)
	betas := m.beta.Reshape(1, (m.o.Hops+1)*out)
	z := y.Mul(betas.Columns(0, out))
	before, last := ad.Var{}, ad.Var{} // y_k₋₂ and γ_k₋₁
	for k := 1; k <= m.o.Hops; k++ {
		t, t1, t2 := m.basis.theta(k)
		next := m.adj.times(y).Scale(t).Add(y.Scale(t1))
		if k > 1 {
			next = next.Sub(before.Scale(t2).Mul(last))
		}
		last = gammas.Columns(k-1, k)
		before, y = y, next.Mul(last)
		z = z.Add(y.Mul(betas.Columns(k*out, (k+1)*out)))
	}
	return z
}

func (m *jacobi) Params() []*ad.Param { return append(m.in.Params(), m.beta, m.eta) }
