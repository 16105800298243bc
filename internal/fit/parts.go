package fit

import (
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// Linear is the answer of a Problem as a linear function of the features of all nodes, with the weights that the labels
// gave, so that it can be taken apart.
type Linear struct {
	*Answers
	*solver
	// the column of the features, side by side for all node types, that a column of the source belongs to
	owner   []int
	reduced map[string]reduced // see earlier; nil before they are asked for
}

// Parts are the parts of Σ_c weight_c f_c of a node: Prior, Own, Place and Others add up to it. If Answers.Log is
// set, f is the logarithm of what the answer has above Answers.Floor, but for a factor.
type Parts struct {
	Prior      float64   // of a node without features, at no place
	Own        []float64 // of its columns, side by side for all node types
	Place      float64   // of its place in the graph
	Unfiltered float64   // of Problem.Unfiltered
	Others     []float64 // of the features of every other node, 0 at the node itself
}

// NewLinear solves p as Solve does, and keeps the weights.
func NewLinear(p Problem) (*Linear, error) {
	fit, s, err := solve(p)
	if err != nil {
		return nil, err
	}
	return &Linear{Answers: fit, solver: s, owner: owners(p.Features)}, nil
}

// owners returns the columns that newSource made of each column.
func owners(features []dataset.Matrix) (owner []int) {
	first := 0
	for _, m := range features {
		at := len(owner)
		if m.IsSparse() || m.Cols == 0 {
			for j := range m.Cols {
				owner = append(owner, first+j)
			}
		} else {
			columns, width := encode(m, 0)
			owner = append(owner, make([]int, width)...)
			for j, column := range columns {
				column(0, func(k int, _ mat.Real) { owner[at+k] = first + j })
			}
		}
		first += m.Cols
	}
	return owner
}

// Parts takes the answer for node v apart. With row v of f_a(S), every term is c_a(v) f_a(S)_vu x_uj W_a,jc.
func (l *Linear) Parts(v int32, weight []float64) *Parts {
	k, p := l.solver.Outputs, &Parts{Others: make([]float64, l.on.n)}
	for _, m := range l.Problem.Features {
		p.Own = append(p.Own, make([]float64, m.Cols)...)
	}
	for c, w := range weight {
		p.Prior += w * l.mean[c]
	}
	for _, m := range l.members {
		all := m.ridge.weights(m.rho)
		for _, number := range m.atoms {
			a := &l.atoms[number]
			w := make([]float64, a.source.cols) // W weight
			for j := range w {
				for c, x := range weight {
					w[j] += m.weight * a.factor(v, m.unit, len(m.atoms)) * all[j*k+c] * x
				}
			}
			all = all[a.source.cols*k:]
			if a.place {
				p.Place += a.source.dot(v, w, nil)
				continue
			}
			if a.unfiltered {
				p.Unfiltered += a.source.dot(v, w, nil)
				continue
			}
			for u, f := range l.on.row(a.filter, v) {
				switch {
				case f == 0:
				case u == int(v):
					a.source.dot(v, w, func(j int32, x float64) { p.Own[l.owner[j]] += f * x })
				default:
					p.Others[u] += f * a.source.dot(int32(u), w, nil)
				}
			}
		}
		for c, x := range weight {
			p.Prior += m.weight * all[c] * x
		}
	}
	return p
}

// dot returns Σ_j x_vj w_j, and tells each term.
func (s *source) dot(v int32, w []float64, tell func(j int32, x float64)) (sum float64) {
	for e := s.byRow.Ptr[v]; e < s.byRow.Ptr[v+1]; e++ {
		x := float64(s.byRow.Values[e]) * w[s.byRow.Idx[e]]
		if sum += x; tell != nil {
			tell(s.byRow.Idx[e], x)
		}
	}
	return sum
}

// row returns row v of a filter, n numbers: f(S)ᵀ e_v, S being symmetric.
func (o *operators) row(f filter, v int32) []float64 {
	at := make([]mat.Real, o.n)
	at[v] = 1
	now := mat.FromSlice(o.n, 1, at)
	row := make([]float64, o.n)
	if f.series != nil {
		o.apply(now, []filter{f}, func(_ int, h *mat.Dense) {
			for u, x := range h.Slice() {
				row[u] = float64(x)
			}
		})
		return row
	}
	next := mat.New(o.n, 1)
	for _, c := range f.powers {
		for u, x := range now.Slice() {
			row[u] += c * float64(x)
		}
		mat.SpMM(next, o.p, true, o.pv, now, 1, 0)
		now, next = next, now
	}
	return row
}
