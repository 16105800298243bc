package fit

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// Overview. Labels F that are forgotten are rows and columns of K that go. With R the others,
//
//	G' = G_RR − G_RF G_FF⁻¹ G_FR        α' = α_R − G_RF G_FF⁻¹ α_F        ŷ₋ᵢ = yᵢ − α'ᵢ / G'ᵢᵢ
//
// so every channel and every ρ of the dual form is judged again by |F| columns of G. With Z = Uᵀ V and V Vᵀ = I, up to
// rounding, answers are (H Vᵀ) U α', where the first factor has a row for every node and was there before: filters are
// not applied again. (In H Zᵀ rounding would be as large as α is.) Primal forms are decomposed again from the rows that
// are there. All is chosen again: the answers equal those of Solve without F, up to rounding.

// mostNumbers is how many numbers the rows of all members may have; with more, answers go through the filters.
const mostNumbers = 1 << 25

// reduced is a channel of all nodes in the space of the labelled rows.
type reduced struct {
	rows blas64.General    // H Vᵀ, n×t; H of a primal form, n×m
	u    blas64.Triangular // t×t; empty for a primal form
}

// earlier is a solver before labels were taken out of it.
type earlier struct {
	*solver
	kept    []int              // positions of its Rows
	gone    []int              // the others
	reduced map[string]reduced // by channels
}

// Prepare does what Without needs once, whatever is forgotten.
func (l *Linear) Prepare() {
	if l.reduced != nil {
		return
	}
	l.reduced = map[string]reduced{}
	for _, m := range l.members {
		var r reduced
		width, basis := min(m.ridge.t, m.ridge.m), []float64(nil) // the columns of Vᵀ
		if l.on.n*width*len(l.members) > mostNumbers {
			continue
		}
		if m.ridge.dual {
			v, ok := general(width, m.ridge.m, slices.Clone(m.ridge.z)), false
			if r.u, ok = lapack64.Potrf(product(blas.NoTrans, v, 1e-9*m.ridge.square, 1)); !ok {
				continue
			}
			blas64.Trsm(blas.Left, blas.Trans, 1, r.u, v)
			basis = transposed(v.Data, width)
		} else {
			basis = make([]float64, width*width)
			for i := range width {
				basis[i*width+i] = 1
			}
		}
		r.rows = general(l.on.n, width, make([]float64, l.on.n*width))
		m.weight = 1
		for _, number := range m.atoms {
			a := &l.atoms[number]
			l.addAnswer(r.rows.Data, a, m, basis[:a.source.cols*width], width)
			basis = basis[a.source.cols*width:]
		}
		for i := range r.rows.Data { // the column of ones
			r.rows.Data[i] += basis[i%width]
		}
		l.reduced[m.key()] = r
	}
}

// Without returns what Solve does without the labels of some of Rows, by their positions there. There is no OutOfFold.
func (l *Linear) Without(gone []int) (*Answers, error) {
	l.Prepare()
	s, err := l.lessLabels(gone)
	if err != nil {
		return nil, err
	}
	return s.best(), nil
}

// OnFold returns what Solve does without the labels of some of Rows, with x as Unfiltered and with OutOfFold of the
// given number of folds. Filters are not applied again, so a fold costs little more than its regressions.
func (l *Linear) OnFold(x dataset.Matrix, gone []int, folds int) (*Answers, error) {
	s, err := l.lessLabels(gone)
	if err != nil {
		return nil, err
	}
	before := *l.solver
	before.whole = nil // regressions of before are not those of parts of a fold
	s.Folds, s.before.solver = folds, &before
	s.channels, s.atoms = slices.Clone(l.channels), slices.Clone(l.atoms)
	s.addUnfiltered(x)
	s.gather(len(l.atoms))
	return s.best(), nil
}

// lessLabels returns a solver without the labels of some of Rows.
func (l *Linear) lessLabels(gone []int) (*solver, error) {
	w := &earlier{solver: l.solver, gone: gone, reduced: l.reduced}
	s := &solver{Problem: l.Problem, on: l.on, labelled: l.labelled, atoms: l.atoms, channels: l.channels,
		before: w, solved: map[string]*ridge{}, whole: map[string]*ridge{}}
	s.Rows, s.Y, s.Folds, s.Fold = nil, nil, 0, nil
	k := s.Outputs
	for i, v := range l.solver.Rows {
		if !slices.Contains(gone, i) {
			w.kept = append(w.kept, i)
			s.Rows, s.Y = append(s.Rows, v), append(s.Y, l.Y[i*k:(i+1)*k]...)
		}
	}
	if len(w.kept)+len(gone) != len(l.solver.Rows) {
		return nil, errors.New("closed form: labels to forget are not different ones of the problem")
	}
	return s, s.check()
}

func (c channel) key() string { return fmt.Sprint(c) }

// lesser returns the judgement of a channel on all rows that are left: the best ρ, what is left out, and α with zeros
// for rows that are gone. ok is false if it cannot follow from a regression of before.
func (s *solver) lesser(c channel, rows []int) (m member, ok bool) {
	if s.before == nil || len(rows) < len(s.Rows) {
		return m, false
	}
	r := s.before.whole[c.key()]
	if r == nil || !r.dual {
		return m, false
	}
	square := r.square
	for _, at := range s.before.gone {
		square -= sumSquares(r.z[at*r.m : (at+1)*r.m])
	}
	if s.Kind == Numbers { // or logarithms
		y := make([]float64, r.t*r.k)
		for i, at := range s.before.kept {
			copy(y[at*r.k:(at+1)*r.k], s.targets[i*r.k:])
		}
		r = r.withTargets(y)
		r.alphas = &sync.Map{}
	}
	d := make([]float64, r.k) // the targets of r are larger
	for j := range d {
		d[j] = r.y[s.before.kept[0]*r.k+j] - s.targets[j]
	}
	m = member{channel: c, ridge: r}
	m.rho, m.residuals = bestRho(square/float64(len(rows)), func(rho float64) []float64 {
		e, _ := r.lesser(s.before, d, rho)
		return e
	})
	_, m.alpha = r.lesser(s.before, d, m.rho)
	return m, true
}

// shifted returns α of the regression of y − d: α − G1 d, where α and G1 are kept for every ρ.
func (r *ridge) shifted(d []float64, rho float64, pivot, lower []float64) blas64.General {
	k := r.k
	v, ok := r.alphas.Load(rho)
	if !ok {
		wide := *r
		wide.k = k + 1
		y := make([]float64, 0, r.t*wide.k)
		for i := range r.t {
			y = append(append(y, r.y[i*k:(i+1)*k]...), 1)
		}
		w := wide.withTargets(y)
		v = w.turned(w.solve(pivot, lower))
		r.alphas.Store(rho, v)
	}
	all, out := v.(blas64.General), general(r.t, k, make([]float64, r.t*k))
	for i := range r.t {
		line := all.Data[i*(k+1):][:k+1]
		for j, x := range d {
			out.Data[i*k+j] = line[j] - line[k]*x
		}
	}
	return out
}

// lesser returns y − d − ŷ₋ᵢ of the rows that are kept, and α' with zeros for those that are gone.
func (r *ridge) lesser(w *earlier, d []float64, rho float64) (residuals, alpha []float64) {
	k, f := r.k, len(w.gone)
	pivot, lower := r.bidiagonal(rho)
	a := r.shifted(d, rho, pivot, lower)
	one := *r // its targets are rows F of I: columns of G
	one.k, one.b = f, general(r.t, f, make([]float64, r.t*f))
	for j, at := range w.gone {
		for i, x := range r.q.Data[at*r.q.Stride:][:r.t] {
			one.b.Data[i*f+j] = x
		}
	}
	g := one.turned(one.solve(pivot, lower)) // G_·F
	within := blas64.Symmetric{N: f, Stride: f, Uplo: blas.Upper, Data: make([]float64, f*f)}
	x := general(f, k+r.t, make([]float64, f*(k+r.t))) // G_FF⁻¹ [α_F, G_F·]
	for j, at := range w.gone {
		copy(within.Data[j*f:], g.Data[at*f:(at+1)*f])
		copy(x.Data[j*x.Stride:], a.Data[at*k:(at+1)*k])
		for i := range r.t {
			x.Data[j*x.Stride+k+i] = g.Data[i*f+j]
		}
	}
	solvePositive(within, x)
	alpha, diagonal := make([]float64, r.t*k), r.diagonal(rho, pivot, lower)
	for _, i := range w.kept {
		own, line := diagonal[i], alpha[i*k:(i+1)*k]
		copy(line, a.Data[i*k:])
		for j, y := range g.Data[i*f : (i+1)*f] {
			own -= y * x.Data[j*x.Stride+k+i]
			for c := range line {
				line[c] -= y * x.Data[j*x.Stride+c]
			}
		}
		for _, v := range line {
			residuals = append(residuals, v/math.Max(own, 1e-300))
		}
	}
	return residuals, alpha
}

// addReduced adds the answers of a member if its channel is reduced, in the form that it has.
func (s *solver) addReduced(out []float64, m member) bool {
	if s.before == nil {
		return false
	}
	r, ok := s.before.reduced[m.key()]
	if !ok || (m.alpha != nil) != (r.u.N > 0) || m.alpha == nil && m.ridge.dual {
		return false
	}
	var c blas64.General
	if m.alpha != nil {
		c = general(r.u.N, s.Outputs, slices.Clone(m.alpha))
		blas64.Trmm(blas.Left, blas.NoTrans, 1, r.u, c)
	} else {
		c = general(m.ridge.m, s.Outputs, m.weights())
	}
	c = general(c.Cols, c.Rows, transposed(c.Data, c.Rows))
	blas64.Gemm(blas.NoTrans, blas.Trans, m.weight, r.rows, c, 1, general(s.on.n, s.Outputs, out))
	return true
}

// row returns a labelled row of an atom, by its position in Rows.
func (s *solver) row(a *atom, i int) []mat.Real {
	if s.before != nil {
		i = s.before.kept[i]
	}
	return a.rows[i*a.source.cols:][:a.source.cols]
}
