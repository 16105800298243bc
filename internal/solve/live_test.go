package solve

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// forms are all that there are.
func forms() map[string]form {
	out := map[string]form{}
	for name, kind := range map[string]mat.StepKind{
		"square": {}, "huber": {Phi: mat.PhiHuber, T: 0.4}, "log-cosh": {Phi: mat.PhiLogCosh},
		"square ≥ 0": {NonNeg: true}, "huber ≥ 0": {Phi: mat.PhiHuber, T: 0.4, NonNeg: true},
	} {
		for norm, text := range map[graph.Norm]string{graph.None: "", graph.Symmetric: ", symmetric"} {
			l := descent.Local{Lambda: 0.7, Weight: 1.3, Norm: norm, Kind: kind,
				Rate: func(q float64) float64 { return 0.9 / (1.3 + q/2) }}
			out[name+text] = form{Form: NewForm(l), steps: 5}
			if kind.Phi == mat.PhiSquare {
				f := form{Form: NewForm(l)}
				f.tolerance = 1e-4
				out["minimum of "+name+text] = f
			}
		}
	}
	return out
}

// world is a graph as a list, the plain thing that a State is compared with.
type world struct {
	form form
	p    [][]float64
	w    map[[2]int32]float64
}

func (w *world) degree(v int32) float64 {
	var d float64
	for e, x := range w.w {
		if e[0] == v || e[1] == v {
			d += x
		}
	}
	return d
}

// messages are k and λ a s_u s_v, by rows.
func (w *world) messages() (own []float64, near [][]message) {
	own, near = make([]float64, len(w.p)), make([][]message, len(w.p))
	scale := make([]float64, len(w.p))
	for v := range w.p {
		d := w.degree(int32(v))
		if own[v], scale[v] = w.form.Lambda*d, 1; w.form.Norm != graph.None {
			own[v], scale[v] = 0, 0
			if d > 0 {
				own[v], scale[v] = w.form.Lambda, 1/math.Sqrt(d)
			}
		}
	}
	for e, a := range w.w {
		x := w.form.Lambda * a * scale[e[0]] * scale[e[1]]
		near[e[0]] = append(near[e[0]], message{e[1], x})
		near[e[1]] = append(near[e[1]], message{e[0], x})
	}
	return own, near
}

type message struct {
	from int32
	by   float64
}

// truth is H by L steps in double precision, or the minimum.
func (w *world) truth() [][]float64 {
	f := w.form
	own, near := w.messages()
	h, next := make([][]float64, len(w.p)), make([][]float64, len(w.p))
	for v := range h {
		next[v] = make([]float64, cols)
		for _, x := range w.p[v] {
			h[v] = append(h[v], prox(f.Kind, x))
		}
	}
	steps := f.steps
	if f.tolerance > 0 {
		steps = 400
	}
	for range steps {
		for v := range h {
			rate := f.Rate(2 * own[v])
			for j, x := range h[v] {
				g := own[v]*x + f.Weight*phi(f.Kind, x-w.p[v][j])
				for _, m := range near[v] {
					g -= m.by * h[m.from][j]
				}
				next[v][j] = prox(f.Kind, x-rate*g)
			}
		}
		h, next = next, h
	}
	return h
}

func phi(k mat.StepKind, r float64) float64 {
	switch k.Phi {
	case mat.PhiHuber:
		return max(-float64(k.T), min(float64(k.T), r))
	case mat.PhiLogCosh:
		return math.Tanh(r)
	}
	return r
}

func prox(k mat.StepKind, h float64) float64 {
	if k.NonNeg {
		return max(0, h)
	}
	return h
}

const cols = 3

// at is l with π = p.
func at(l descent.Local, p *mat.Dense) descent.Local {
	l.Pi = p
	return l
}

func randomRow(rng *rand.Rand) ([]mat.Real, []float64) {
	row, same := make([]mat.Real, cols), make([]float64, cols)
	for j := range row {
		row[j] = mat.Real(rng.NormFloat64())
		same[j] = float64(row[j])
	}
	return row, same
}

// start is a random graph of n nodes as both.
func start(t *testing.T, f form, rng *rand.Rand, n int, weighted bool) (*State, *world) {
	t.Helper()
	w := &world{form: f, w: map[[2]int32]float64{}}
	spec := graph.Spec{Nodes: n, Relations: 1, Undirected: true}
	var p []mat.Real
	for range n {
		row, same := randomRow(rng)
		p, w.p = append(p, row...), append(w.p, same)
	}
	for range 2 * n {
		u, v := rng.Int32N(int32(n)), rng.Int32N(int32(n))
		if u >= v || w.w[[2]int32{u, v}] != 0 {
			continue
		}
		x := 1.0
		if weighted {
			x = float64(mat.Real(0.5 + rng.Float64()))
		}
		w.w[[2]int32{u, v}] = x
		spec.Triples = append(spec.Triples, graph.Triple{U: u, V: v})
		spec.Weights = append(spec.Weights, mat.Real(x))
	}
	if !weighted {
		spec.Weights = nil
	}
	g, err := graph.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	f.Pi = mat.FromSlice(n, cols, p)
	s, err := newState(context.Background(), f, g)
	if err != nil {
		t.Fatal(err)
	}
	return s, w
}

// edit does the same to both.
func edit(t *testing.T, s *State, w *world, rng *rand.Rand, weighted bool) {
	t.Helper()
	n := int32(len(w.p))
	u, v := rng.Int32N(n), rng.Int32N(n)
	key := [2]int32{min(u, v), max(u, v)}
	var err error
	switch rng.IntN(5) {
	case 0:
		row, same := randomRow(rng)
		s.Move(u, row)
		w.p[u] = same
	case 1:
		row, same := randomRow(rng)
		if got := s.Add(row); int(got) != len(w.p) {
			t.Fatalf("node %d, want %d", got, len(w.p))
		}
		w.p = append(w.p, same)
	case 2:
		for key = range w.w {
			break
		}
		err = s.Separate(key[1], key[0])
		delete(w.w, key)
	default:
		if u == v || w.w[key] != 0 {
			return
		}
		x := 1.0
		if weighted {
			x = float64(mat.Real(0.5 + rng.Float64()))
		}
		err = s.Connect(u, v, x)
		w.w[key] = x
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestEdits(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for name, f := range forms() {
		for _, weighted := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, weighted %v", name, weighted), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(seed, 1))
				s, w := start(t, f, rng, 30, weighted)
				for round := range 4 {
					compare(t, s, w, fmt.Sprint("round ", round))
					for range 1 + 7*round {
						edit(t, s, w, rng, weighted)
					}
					if err := s.Settle(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				compare(t, s, w, "at the end")
			})
		}
	}
}

// compare asks for the rows of the world, up to the rounding of float32 numbers of about 1 in 5 steps.
func compare(t *testing.T, s *State, w *world, when string) {
	t.Helper()
	truth := w.truth()
	if s.Nodes() != len(truth) || s.Edges() != len(w.w) {
		t.Fatalf("%s: %d nodes and %d edges, want %d and %d", when, s.Nodes(), s.Edges(), len(truth), len(w.w))
	}
	for v, want := range truth {
		most := 2e-6
		if w.form.tolerance > 0 {
			if most = s.Bound(int32(v)); most > s.Widest() || most > 1e-3 {
				t.Fatalf("%s: node %d has the bound %g, the widest is %g", when, v, most, s.Widest())
			}
		}
		for j, x := range s.Row(int32(v)) {
			if !(math.Abs(float64(x)-want[j]) <= most) {
				t.Fatalf("%s: node %d is %v, want %v", when, v, s.Row(int32(v)), want)
			}
		}
	}
}

func TestLittleWork(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	spec := graph.Spec{Nodes: 5000, Relations: 1, Undirected: true}
	for v := range int32(4999) {
		spec.Triples = append(spec.Triples, graph.Triple{U: v, V: v + 1})
	}
	g, err := graph.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	p := mat.New(5000, cols)
	p.Write(func() []mat.Real {
		x := make([]mat.Real, 5000*cols)
		for i := range x {
			x[i] = mat.Real(rng.NormFloat64())
		}
		return x
	}())
	l := descent.Local{Lambda: 1, Weight: 1, Rate: func(q float64) float64 { return 1 / (1 + q/2) }}
	s, err := NewState(context.Background(), at(l, p), 4, g)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Connect(1000, 3000, 1); err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.Visited() > 1000 {
		t.Errorf("one edge on a long path computed %d rows", s.Visited())
	}
}

func TestBadEdits(t *testing.T) {
	s, w := start(t, forms()["square"], rand.New(rand.NewPCG(1, 2)), 10, false)
	for e := range w.w {
		if err := s.Connect(e[1], e[0], 1); err == nil {
			t.Errorf("edge %v twice", e)
		}
	}
	for name, err := range map[string]error{
		"a loop": s.Connect(1, 1, 1), "no such edge": s.Separate(2, 2), "NaN": s.Connect(0, 9, math.NaN()),
		"negative":  s.Connect(0, 9, -1),
		"too large": s.Connect(0, 9, 1e308),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	s.Move(3, []mat.Real{mat.Real(math.Inf(1)), 0, 0})
	if err := s.Settle(t.Context()); err == nil {
		t.Error("an infinite row settled")
	}
}
