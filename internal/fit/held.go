package fit

import (
	"errors"
	"math"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Overview. With the weights W held as they are, the logits are a function of the graph alone,
//
//	logit_v = Offset + Σ_a f_a(S) Z_a / ‖f_a(S) X‖        Z_a = τ weight X W_a
//
// where rows are divided by their norms if the channel says so. What changed edges can do to it can be bounded.

// Term is what one atom of one member adds to the logits.
type Term struct {
	Lambda float64     // f is the minimiser for it, see Term.Tail; 0 if f is Σ_k Powers_k Pᵏ
	Powers []float64   //
	Unit   bool        // rows are divided by their norms
	Z      [][]float64 // by outputs, of all nodes
	Gram   []float64   // Wᵀ W, k×k, of the same W
	source *source
	filter filter
}

// ErrPlace says that an answer rests on singular vectors of the graph.
var ErrPlace = errors.New("the place of a node in the graph is a channel of it, which depends on every edge by way " +
	"of singular vectors")

// ErrUnfiltered says that an answer rests on Problem.Unfiltered.
var ErrUnfiltered = errors.New("the answers rest on labels of rows alike and of neighbours, which edges change; " +
	"--set model.alike=false trains without them")

// Terms returns the logits as a function of the graph.
func (l *Linear) Terms() (list []Term, offset []float64, err error) {
	c, k := &l.Calibration, l.solver.Outputs
	offset = make([]float64, k)
	for j := range offset {
		offset[j] = c.Beta * c.prior(j)
	}
	for _, m := range l.members {
		all := m.weights()
		for _, number := range m.atoms {
			a := &l.atoms[number]
			if a.place {
				return nil, nil, ErrPlace
			}
			if a.unfiltered {
				return nil, nil, ErrUnfiltered
			}
			scale, size := c.Tau*m.weight/math.Sqrt(float64(len(m.atoms))), a.source.cols*k
			if !m.unit {
				scale *= a.scale
			}
			w := make([]float64, size)
			for i := range w {
				w[i] = scale * all[i]
			}
			all = all[size:]
			t := Term{Lambda: a.filter.lambda, Powers: a.filter.powers, Unit: m.unit, Z: make([][]float64, k),
				Gram: make([]float64, k*k), source: a.source, filter: a.filter}
			for i, z := range a.source.times(w, k).Slice() {
				t.Z[i%k] = append(t.Z[i%k], float64(z))
			}
			for at := 0; at < size; at += k {
				for i, x := range w[at : at+k] {
					for j, y := range w[at : at+k] {
						t.Gram[i*k+j] += x * y
					}
				}
			}
			list = append(list, t)
		}
		for j := range offset {
			offset[j] += c.Tau * m.weight * all[j]
		}
	}
	return list, offset, nil
}

// Tail bounds ‖f(S) − (the series that is computed)‖: what is left of a geometric series.
func (t *Term) Tail() (sum float64) {
	if t.Lambda == 0 {
		return 0
	}
	whole := seriesOf(t.Lambda, 1, 1e-15).series
	for _, c := range whole[len(t.filter.series):] {
		sum += math.Abs(c)
	}
	return sum
}

// Steps returns the rows that f takes one after the other, of every node: their lengths, and by how much they miss
// those of neighbours, in the order of near.
//
//	λ > 0    one step    u = D̃^(−½) f(S) X        ‖λ u_w − (1 + λ) u_v‖ of neighbours w
//	λ < 0    one step    the same                 ‖|λ| u_w + (1 + |λ|) u_v‖
//	Powers   step k      Pᵏ X                     ‖(Pᵏ X)_w − (Pᵏ⁺¹ X)_v‖
//
// norm has the lengths of X, of the steps, and at the end those of f(S) X, for λ of u.
func (l *Linear) Steps(t *Term, near [][]int32) (norm [][]float64, gap [][][]float64) {
	n, filters, own := l.on.n, []filter{t.filter}, -1-math.Abs(t.Lambda)
	other := math.Abs(t.Lambda)
	if t.Lambda != 0 {
		filters[0] = seriesOf(t.Lambda, 1, 1e-7)
		own = math.Copysign(own, -t.Lambda)
	} else {
		filters, own, other = filters[:0], -1, 1
		for k := range t.Powers {
			filters = append(filters, filter{powers: append(make([]float64, k), 1)})
		}
		filters = append(filters, t.filter)
	}
	steps := max(len(filters)-2, 1)
	norm = make([][]float64, len(filters)+1)
	for i := range norm {
		norm[i] = make([]float64, n)
	}
	for range steps {
		rows := make([][]float64, n)
		for v := range rows {
			rows[v] = make([]float64, len(near[v]))
		}
		gap = append(gap, rows)
	}
	if len(t.Powers) == 1 {
		gap = nil // x as it is
	}
	before := []mat.Real(nil)
	l.panels(t.source, filters, func(i, _ int, h *mat.Dense) {
		host, w := h.Slice(), h.Cols()
		if t.Lambda != 0 {
			for at := range host {
				host[at] /= mat.Real(math.Sqrt(1 + float64(len(near[at/w]))))
			}
			before = host
		}
		for at, x := range host {
			norm[i+1][at/w] += float64(x) * float64(x)
		}
		if k := i - 1; t.Lambda != 0 || k >= 0 && k < len(gap) {
			distances(gap[max(k, 0)], near, before, host, w, other, own)
		}
		before = host
	})
	x := &t.source.byRow
	for v := range n {
		for _, y := range x.Values[x.Ptr[v]:x.Ptr[v+1]] {
			norm[0][v] += float64(y) * float64(y)
		}
	}
	roots(norm)
	for _, rows := range gap {
		roots(rows)
	}
	return norm, gap
}

func roots(lists [][]float64) {
	for _, list := range lists {
		for i := range list {
			list[i] = math.Sqrt(list[i])
		}
	}
}

// distances adds ‖a x_u + b y_v‖² for every neighbour u of every v, of rows of w numbers.
func distances(gap [][]float64, near [][]int32, x, y []mat.Real, w int, a, b float64) {
	for v, list := range near {
		own := y[v*w : (v+1)*w]
		for i, u := range list {
			sum := 0.0
			for j, z := range x[int(u)*w:][:w] {
				d := a*float64(z) + b*float64(own[j])
				sum += d * d
			}
			gap[v][i] += sum
		}
	}
}

// Held returns the logits of all nodes on another graph with W, μ and scales as they are, n×k.
func (l *Linear) Held(g *graph.Graph) ([]float64, error) {
	s := *l.solver
	var err error
	if s.on, err = newOperators(g); err != nil {
		return nil, err
	}
	s.before, s.atoms = nil, append([]atom(nil), l.atoms...)
	for _, m := range s.members {
		for _, number := range m.atoms {
			a := &s.atoms[number]
			if a.place {
				return nil, ErrPlace
			}
			if a.norms = make([]float64, s.on.n); !m.unit {
				continue
			}
			s.panels(a.source, []filter{a.filter}, func(_, _ int, h *mat.Dense) {
				for at, x := range h.Slice() {
					a.norms[at/h.Cols()] += float64(x) * float64(x)
				}
			})
			for v, x := range a.norms {
				a.norms[v] = math.Sqrt(x)
			}
		}
	}
	z, k := s.answers(), s.Outputs
	for at := 0; at < len(z); at += k {
		l.Calibration.Logits(z[at:at+k], z[at:at+k])
	}
	return z, nil
}
