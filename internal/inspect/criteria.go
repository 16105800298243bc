package inspect

import (
	"fmt"
	"math"
	"strings"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// sends is a message function μ_(u→v) = f_M(h_u, r, h_v) on a list of edges: row i of the result comes from row i of
// u and of v alone.
type sends func(u, v ad.Var) ad.Var

// criteria are the gradient representation criteria (def:grad_rep_criteria) for a message function: is there a ζ with
//
//	f_M(h_u, r, h_v) = ∂ζ/∂h_v        f_M(h_v, r⁻¹, h_u) = ∂ζ/∂h_u
//
// so that descent on an energy can send these messages? There is one if and only if derivatives commute: with μ the
// message u → v and μ⁻ the message v → u, for all i and j
//
//	∂μ_i/∂h_u,j = ∂μ⁻_j/∂h_v,i        ∂μ_i/∂h_v,j = ∂μ_j/∂h_v,i        ∂μ⁻_i/∂h_u,j = ∂μ⁻_j/∂h_u,i
//
// With Φ, d×d̃, μ has d̃ numbers and is a derivative of ζ̃ to Φᵀh. That is the case if and only if μ depends on h
// through Φᵀh alone, ∂μ (I − ΦΦ⁺) = 0, and Φμ meets the criteria above.
//
// Chosen: the definition asks for every h; check asks at random points, which finds what does not hold and proves
// nothing.
type criteria struct {
	Message sends
	Inverse sends      // f_M(·, r⁻¹, ·), called with h_v first; nil means Message: r is its own inverse
	Dim     int        // d
	Phi     *mat.Dense // Φ; nil means none
	Seed    uint64     // of the points
}

// check compares derivatives at random points and reports the pair that differs most.
func (c criteria) check() (*Verdict, error) {
	p := c.probe()
	there, back, call := p.message, p.inverse, strings.NewReplacer()
	var pairs []pair
	if c.Phi != nil {
		outside, err := p.outside(c.Phi)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, outside...)
		phi := ad.Const(c.Phi)
		there, back = there.MatMulT(phi), back.MatMulT(phi)
		call = strings.NewReplacer("μ⁻", "(Φμ⁻)", "μ", "(Φμ)")
	}
	pairs = append(pairs, p.closed(there, back, call)...)
	return p.compare(pairs)
}

// probe is a message function at random points, one a row.
type probe struct {
	u, v             *mat.Dense
	hu, hv           ad.Var
	message, inverse ad.Var
}

func (c criteria) probe() *probe {
	p := &probe{u: mat.New(points, c.Dim), v: mat.New(points, c.Dim)}
	mat.Uniform(p.u, -1.5, 1.5, mat.Mix(c.Seed, 1))
	mat.Uniform(p.v, -1.5, 1.5, mat.Mix(c.Seed, 2))
	p.hu, p.hv = ad.Input(p.u), ad.Input(p.v)
	inverse := c.Inverse
	if inverse == nil {
		inverse = c.Message
	}
	p.message, p.inverse = c.Message(p.hu, p.hv), inverse(p.hv, p.hu)
	return p
}

// jacobian returns ∂y_i/∂x: row k of entry i is that at point k.
func jacobian(y, x ad.Var) []ad.Var {
	rows := make([]ad.Var, y.Cols())
	eye := ad.Eye(y.Cols())
	for i := range rows {
		pick := eye.Columns(i, i+1).T().Expand(y.Shape())
		rows[i] = ad.VJP(y, pick, x)[0]
	}
	return rows
}

// pair is two derivatives, column by column, that must be equal.
type pair struct {
	a, b        ad.Var // points×1; b may be absent: 0
	left, right string
	i, j        int
}

// closed returns the pairs of the criteria for μ and μ⁻, points×d; call changes what they are called.
func (p *probe) closed(there, back ad.Var, call *strings.Replacer) []pair {
	toU, toV := jacobian(there, p.hu), jacobian(there, p.hv)
	backU, backV := jacobian(back, p.hu), jacobian(back, p.hv)
	at := func(rows []ad.Var, i, j int) ad.Var { return rows[i].Columns(j, j+1) }
	var list []pair
	add := func(a, b ad.Var, left, right string, i, j int) {
		left, right = call.Replace(left), call.Replace(right)
		list = append(list, pair{a, b, fmt.Sprintf(left, i+1, j+1), fmt.Sprintf(right, j+1, i+1), i + 1, j + 1})
	}
	for i := range toU {
		for j := range toU {
			add(at(toU, i, j), at(backV, j, i), "∂μ_%d/∂h_u,%d", "∂μ⁻_%d/∂h_v,%d", i, j)
			if i < j {
				add(at(toV, i, j), at(toV, j, i), "∂μ_%d/∂h_v,%d", "∂μ_%d/∂h_v,%d", i, j)
				add(at(backU, i, j), at(backU, j, i), "∂μ⁻_%d/∂h_u,%d", "∂μ⁻_%d/∂h_u,%d", i, j)
			}
		}
	}
	return list
}

// outside returns the pairs that say that μ and μ⁻ depend on h through Φᵀh alone.
func (p *probe) outside(phi *mat.Dense) ([]pair, error) {
	within, err := energy.Basis(phi)
	if err != nil {
		return nil, err
	}
	basis := ad.Const(within)
	var list []pair
	add := func(y, x ad.Var, name string) {
		for i, row := range jacobian(y, x) {
			for j := range row.Cols() {
				rest := row
				if within.Cols() > 0 {
					rest = row.Sub(row.MatMul(basis).MatMulT(basis))
				}
				list = append(list, pair{a: rest.Columns(j, j+1),
					left: fmt.Sprintf("(∂"+name+" (I − ΦΦ⁺))_%d", i+1, j+1), i: i + 1, j: j + 1})
			}
		}
	}
	add(p.message, p.hu, "μ_%d/∂h_u")
	add(p.message, p.hv, "μ_%d/∂h_v")
	add(p.inverse, p.hu, "μ⁻_%d/∂h_u")
	add(p.inverse, p.hv, "μ⁻_%d/∂h_v")
	return list, nil
}

// compare finds the pair that differs most. Derivatives that are equal differ by rounding: 1024 units of the largest.
func (p *probe) compare(pairs []pair) (*Verdict, error) {
	var outputs []ad.Var
	for i := range pairs {
		if pairs[i].b.IsZero() {
			pairs[i].b = ad.Fill(pairs[i].a.Shape(), 0)
		}
		outputs = append(outputs, pairs[i].a, pairs[i].b)
	}
	prog := ad.Compile(outputs...)
	if err := prog.Run(); err != nil {
		return nil, err
	}
	v, scale := &Verdict{}, 1.0
	u, w := p.u.Slice(), p.v.Slice()
	most := -1.0
	for _, q := range pairs {
		as, bs := prog.Value(q.a).Slice(), prog.Value(q.b).Slice()
		for k := range as {
			a, b := float64(as[k]), float64(bs[k])
			if off := math.Abs(a - b); math.IsNaN(off) || math.IsInf(off, 0) {
				return nil, fmt.Errorf("inspect: criteria: %s is %v and %s is %v", q.left, a, q.right, b)
			} else if off > most {
				most = off
				d := p.u.Cols()
				v.Worst = Disagreement{q.left, q.right, q.i, q.j, a, b, u[k*d : (k+1)*d], w[k*d : (k+1)*d]}
			}
			scale = max(scale, math.Abs(a), math.Abs(b))
		}
	}
	unit := 0x1p-23
	if realBits() == 64 {
		unit = 0x1p-52
	}
	v.Limit = 1024 * unit * scale
	v.Holds = most <= v.Limit
	return v, nil
}
