package fit

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Influence says what Σ_c weight_c f_c of one node would be without some of the labels, exactly, with channels, ρ and
// the weights of channels as they are. With a_j = z_vᵀ (ZᵀZ + ρI)⁻¹ z_j of every labelled row j, and labels F gone,
//
//	Δf = d (1 − Σ_j a_j) − Σ_{j∈F} a_j e_j        d = μ′ − μ
//
// where e are the residuals of F, predicted by the regression of Y − μ′ without all of F. If Answers.Log is set, f
// is the logarithm of what the answer has above Answers.Floor, but for a factor.
type Influence struct {
	*Linear
	weight []float64
	reach  [][]float64 // a, of every member
}

// Influence asks about the answer for node v.
func (l *Linear) Influence(v int32, weight []float64) *Influence {
	i := &Influence{Linear: l, weight: weight}
	for _, m := range l.members {
		i.reach = append(i.reach, m.ridge.reach(l.channelRow(v, m), m.rho))
	}
	return i
}

// channelRow returns z_v, the row of a channel for any node.
func (l *Linear) channelRow(v int32, m member) (z []float64) {
	for _, number := range m.atoms {
		a := &l.atoms[number]
		row := make([]float64, a.source.cols)
		for u, f := range l.on.row(a.filter, v) {
			if f *= a.factor(v, m.unit, len(m.atoms)); f == 0 {
				continue
			}
			x := &a.source.byRow
			for e := x.Ptr[u]; e < x.Ptr[u+1]; e++ {
				row[x.Idx[e]] += f * float64(x.Values[e])
			}
		}
		z = append(z, row...)
	}
	return append(z, 1)
}

// reach returns zᵀ (ZᵀZ + ρI)⁻¹ Zᵀ for a row z of m numbers: how much the answer there follows each of the t labels.
//
//	dual   Q (T + ρI)⁻¹ Qᵀ Z z        primal   Z Q (T + ρI)⁻¹ Qᵀ z
func (r *ridge) reach(z []float64, rho float64) []float64 {
	one, row := *r, general(len(z), 1, z)
	one.k = 1
	if r.dual {
		y := general(r.t, 1, make([]float64, r.t))
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, general(r.t, r.m, r.z), row, 0, y)
		one = *one.withTargets(y.Data)
	} else {
		one.b = general(r.m, 1, make([]float64, r.m))
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, r.back, row, 0, one.b)
	}
	out := general(r.t, 1, make([]float64, r.t))
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, r.q, one.solve(one.bidiagonal(rho)), 0, out)
	return out.Data
}

// Each returns the change without the label of every one of Rows alone.
func (i *Influence) Each() []float64 {
	t, k := len(i.solver.Rows), i.solver.Outputs
	out := make([]float64, t)
	for n, m := range i.members {
		one := *m.ridge
		one.k = 1
		ones, a := one.withTargets(slices.Repeat([]float64{1}, t)).leftOut(m.rho), i.reach[n]
		free := 1 - sum(a)
		for j := range out {
			for c, w := range i.weight {
				d := -i.targets[j*k+c] / float64(t-1)
				out[j] += m.weight * w * (d*free - a[j]*(m.residuals[j*k+c]-d*ones[j]))
			}
		}
	}
	return out
}

// Without returns the change without the labels of several of Rows, by their positions there, each once and not all.
func (i *Influence) Without(gone []int) (change float64) {
	t, k := len(i.solver.Rows), i.solver.Outputs
	d, y := make([]float64, k), slices.Clone(i.targets)
	for _, j := range gone {
		for c := range d {
			d[c] -= i.targets[j*k+c] / float64(t-len(gone))
		}
	}
	for at := range y {
		y[at] -= d[at%k]
	}
	for n, m := range i.members {
		e, a := m.ridge.withTargets(y).withoutFold(gone, m.rho), i.reach[n]
		for c, w := range i.weight {
			part := d[c] * (1 - sum(a))
			for at, j := range gone {
				part -= a[j] * e[at*k+c]
			}
			change += m.weight * w * part
		}
	}
	return change
}

func sum(list []float64) (s float64) {
	for _, x := range list {
		s += x
	}
	return s
}
