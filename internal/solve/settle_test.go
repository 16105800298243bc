package solve

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// eliminated returns column j of the minimum by elimination in double precision, and B⁻¹w|p|, against which its
// rounding is measured. It works on z = s h, for which row v of the system is
//
//	(r_v + Σ_u o_vu) z_v − Σ_u o_vu z_u = b_v        o_vu = λ a_uv, r = w/s², b = w p/s
//
// and subtracts nothing on the left, so no weight is lost next to another.
func (w *world) eliminated(j int) (h, size []float64) {
	n := len(w.p)
	o, r, b, b1, root := make([][]float64, n), make([]float64, n), make([]float64, n), make([]float64, n),
		make([]float64, n)
	for v := range n {
		if o[v], root[v] = make([]float64, n), 1; w.form.Norm != graph.None && w.degree(int32(v)) > 0 {
			root[v] = math.Sqrt(w.degree(int32(v)))
		}
		r[v], b[v] = w.form.Weight*root[v]*root[v], w.form.Weight*root[v]*w.p[v][j]
		b1[v] = math.Abs(b[v])
	}
	for e, a := range w.w {
		o[e[0]][e[1]], o[e[1]][e[0]] = w.form.Lambda*a, w.form.Lambda*a
	}
	diagonal := make([]float64, n)
	for k := n - 1; k >= 0; k-- {
		diagonal[k] = r[k]
		for u := range k {
			diagonal[k] += o[k][u]
		}
		for v := range k {
			f := o[v][k] / diagonal[k]
			r[v], b[v], b1[v] = r[v]+f*r[k], b[v]+f*b[k], b1[v]+f*b1[k]
			for u := range k {
				if u != v {
					o[v][u] += f * o[k][u]
				}
			}
		}
	}
	h, size = make([]float64, n), make([]float64, n)
	for k := range n {
		h[k], size[k] = b[k], b1[k]
		for u := range k {
			h[k], size[k] = h[k]+o[k][u]*h[u], size[k]+o[k][u]*size[u]
		}
		h[k], size[k] = h[k]/diagonal[k], size[k]/diagonal[k]
	}
	for v := range h {
		h[v], size[v] = h[v]*root[v], size[v]*root[v]
	}
	return h, size
}

// within wants every row as near to the minimum as its bound says, and returns the largest part of a bound in use.
func within(t *testing.T, s *State, w *world) (worst float64) {
	t.Helper()
	far, slack := make([]float64, len(w.p)), make([]float64, len(w.p))
	for j := range cols {
		h, size := w.eliminated(j)
		for v := range h {
			d := float64(s.Row(int32(v))[j]) - h[v]
			far[v] += d * d
			slack[v] += 1e-13 * size[v]
		}
	}
	for v := range far {
		bound := s.Bound(int32(v))
		worst = max(worst, (math.Sqrt(far[v])-slack[v])/bound)
		if d := math.Sqrt(far[v]); !(d <= bound+slack[v]) || bound > s.Widest() {
			t.Errorf("node %d of degree %g: %g from the minimum, bound %g, widest %g", v, w.degree(int32(v)), d, bound,
				s.Widest())
		}
	}
	return worst
}

// TestBound attacks the bound with weights and features that float32 cannot hold, or that are far from one another:
// either there is a bound that holds, or an error and no trace of the edit.
func TestBound(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	weights := []float64{1e-30, 1e30, 1 + 1e-9, 0.1, 1.0 / 3, 1, 7e5, 1e9, 1e-9, 3}
	for _, norm := range []graph.Norm{graph.None, graph.Symmetric} {
		for _, tolerance := range []float64{1e-2, 1e-4, 1e-6, 1e-9} {
			f := form{Form: NewForm(descent.Local{Lambda: 0.9, Weight: 1.1, Norm: norm})}
			f.tolerance = tolerance
			rng, kept, refused, worst := rand.New(rand.NewPCG(seed, 2)), 0, 0, 0.0
			s, w := start(t, f, rng, 12, true)
			worst = within(t, s, w)
			for range 400 {
				d, next := s.Draft(), w.clone()
				u, v := rng.Int32N(12), rng.Int32N(12)
				key := [2]int32{min(u, v), max(u, v)}
				var err error
				switch _, there := next.w[key]; {
				case rng.IntN(6) == 0:
					row, same := randomRow(rng)
					for j := range row {
						row[j] *= mat.Real(math.Pow(10, 20*rng.Float64()-14))
						same[j] = float64(row[j])
					}
					d.Move(u, row)
					next.p[u] = same
				case there:
					err = d.Separate(u, v)
					delete(next.w, key)
				case u != v:
					next.w[key] = weights[rng.IntN(len(weights))]
					err = d.Connect(u, v, next.w[key])
				}
				if err != nil {
					t.Fatal(err)
				}
				if err := d.Settle(t.Context()); err != nil {
					if !errors.As(err, new(*Unsettled)) || !strings.Contains(err.Error(), "no bound") {
						t.Fatal(err)
					}
					refused++
					d.Drop()
					continue
				}
				kept++
				worst = max(worst, within(t, d, next))
				d.Commit()
				w = next
			}
			worst = max(worst, within(t, s, w))
			t.Logf("%v, tolerance %g: %d kept, %d refused, at most %.2g of the bound", norm, tolerance, kept, refused,
				worst)
			if kept < 40 {
				t.Errorf("%v, tolerance %g: %d edits kept, %d refused", norm, tolerance, kept, refused)
			}
		}
	}
}

// TestNoBound: what no bound can be given for is refused at the start.
func TestNoBound(t *testing.T) {
	g, err := graph.Build(graph.Spec{Nodes: 2, Undirected: true, Triples: []graph.Triple{{U: 0, V: 1}},
		Weights: []mat.Real{1e30}})
	if err != nil {
		t.Fatal(err)
	}
	p := mat.FromSlice(2, 1, []mat.Real{1, 2})
	for want, l := range map[string]descent.Local{
		"nearly flat":     {Lambda: 1, Weight: 1, Pi: p, Kind: mat.StepKind{Phi: mat.PhiHuber, T: 1}},
		"no bound can be": {Lambda: 1, Weight: 1, Pi: p},
	} {
		if _, err := NewMinimum(t.Context(), l, 1e-4, g); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

// TestTogether: conjugate gradients of the rows end at the minimum.
func TestTogether(t *testing.T) {
	for _, norm := range []graph.Norm{graph.None, graph.Symmetric} {
		f := form{Form: NewForm(descent.Local{Lambda: 5, Weight: 0.01, Norm: norm})}
		f.tolerance = 1e-6
		s, w := start(t, f, rand.New(rand.NewPCG(1, 5)), 40, true)
		for v := range int32(40) {
			row, same := randomRow(rand.New(rand.NewPCG(1, uint64(v))))
			s.Move(v, row)
			w.p[v] = same
		}
		if err := s.together(t.Context()); err != nil {
			t.Fatal(err)
		}
		before := s.visited
		if err := s.Settle(t.Context()); err != nil || s.Visited() > 4 {
			t.Errorf("%v: %d rows moved after %d, %v", norm, s.Visited(), before, err)
		}
		within(t, s, w)
	}
}
