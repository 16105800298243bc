package recipe

import (
	"maps"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/part"
)

// row is a row of a matrix in double precision.
type row = []float64

// scene is a small graph with everything that terms read, in numbers.
type scene struct {
	*Place
	h        *mat.Dense
	negative []bool

	edges             []graph.Triple
	degree            []float64
	rows, x, pi, want []row // of h, of the features, of π and of labels
}

// newScene has five nodes, four columns and edges of a kind.
func newScene(t *testing.T, kind Edges) *scene {
	t.Helper()
	spec := graph.Spec{Nodes: 5, Relations: 2, Triples: []graph.Triple{{U: 0, V: 1}, {U: 1, R: 1, V: 2}, {U: 2, V: 0},
		{U: 3, R: 1, V: 1}}}
	if kind == Undirected {
		spec.Relations, spec.Undirected = 1, true
		for i := range spec.Triples {
			spec.Triples[i].R = 0
		}
	}
	g, err := graph.Build(spec)
	if err == nil && kind == Inverses {
		g, err = g.WithInverse()
	}
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{edges: g.Triples(), negative: []bool{false, true, false, true}, degree: make(row, 5),
		h: values(5, 4, 1)}
	on := energy.NewStructure(g)
	if kind == Signed {
		on = energy.NewSigned(g, s.negative)
	}
	for _, e := range s.edges {
		s.degree[e.U]++
		s.degree[e.V]++
	}
	x, pi := values(5, 4, 2), values(5, 4, 3)
	classes, known := mat.MustIndex([]int32{2, 0, 1, 3, 1}, 4), mat.MustIndex([]int32{0, 2}, 5)
	s.Place = &Place{On: on, Dim: 4, X: ad.Const(x), Pi: ad.Const(pi), Labels: energy.Labels(classes, known), Seed: 1}
	s.rows, s.x, s.pi = rowsOf(s.h), rowsOf(x), rowsOf(pi)
	s.want = []row{{0, 0, 1, 0}, {0, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}
	return s
}

func values(rows, cols int, seed uint64) *mat.Dense {
	m := mat.New(rows, cols)
	mat.Uniform(m, -1, 1, seed)
	return m
}

func rowsOf(m *mat.Dense) []row {
	x := make([]row, m.Rows())
	for i := range x {
		for _, v := range m.Slice()[i*m.Cols() : (i+1)*m.Cols()] {
			x[i] = append(x[i], float64(v))
		}
	}
	return x
}

// param is a parameter of the term.
func (s *scene) param(name string) []row { return rowsOf(s.params[name].Value()) }

// draw gives all parameters values that are not near those that they start with.
func (s *scene) draw() {
	for i, name := range slices.Sorted(maps.Keys(s.params)) {
		mat.Uniform(s.params[name].Value(), -0.7, 0.7, uint64(10+i))
	}
}

func times(x row, m []row) row {
	y := make(row, len(m[0]))
	for i := range x {
		for j := range y {
			y[j] += x[i] * m[i][j]
		}
	}
	return y
}

func plus(a, b row, s float64) row {
	y := make(row, len(a))
	for j := range y {
		y[j] = a[j] + s*b[j]
	}
	return y
}

func inner(a, b row) (sum float64) {
	for j := range a {
		sum += a[j] * b[j]
	}
	return sum
}

func product(a, b row) row {
	y := make(row, len(a))
	for j := range y {
		y[j] = a[j] * b[j]
	}
	return y
}

// apart is ½‖a − b‖².
func apart(a, b row) float64 { d := plus(a, b, -1); return inner(d, d) / 2 }

// over is a/√d_v.
func (s *scene) over(a row, v int32) row { return plus(make(row, 4), a, 1/math.Sqrt(s.degree[v])) }

// said is tanh(x_v W + (S x)_v N + b), S = D^−½ A D^−½, of the parameters of a letter.
func (s *scene) said(letter string, v int32) row {
	near := make(row, 4)
	for _, e := range s.edges {
		for _, ends := range [][2]int32{{e.U, e.V}, {e.V, e.U}} {
			if ends[1] == v {
				near = plus(near, s.x[ends[0]], 1/math.Sqrt(s.degree[ends[0]]*s.degree[v]))
			}
		}
	}
	z := plus(times(s.x[v], s.param(letter+".W")), times(near, s.param(letter+".N")), 1)
	z = plus(z, s.param(letter + ".b")[0], 1)
	for j := range z {
		z[j] = math.Tanh(z[j])
	}
	return z
}

// agreed is ½‖ĥ_u − ĥ_v‖² of rows that nodes map and divide by the roots of their degrees.
func (s *scene) agreed(e graph.Triple, mapped func(h row, v int32) row) float64 {
	return apart(s.over(mapped(s.rows[e.U], e.U), e.U), s.over(mapped(s.rows[e.V], e.V), e.V))
}

// scored is softplus(∓(margin + s)).
func (s *scene) scored(i int, score float64) float64 {
	if !s.negative[i] {
		score = -score
	}
	return math.Log1p(math.Exp(score))
}

func complexes(x row) []complex128 {
	z := make([]complex128, len(x)/2)
	for j := range z {
		z[j] = complex(x[j], x[len(z)+j])
	}
	return z
}

// edgeFormula is the energy of edge i.
type edgeFormula func(s *scene, i int, e graph.Triple) float64

// knownEdges are the formulas of all edge terms, with the settings that they have in the table.
var knownEdges = map[string][]edgeFormula{
	"laplace":    {func(s *scene, _ int, e graph.Triple) float64 { return apart(s.rows[e.U], s.rows[e.V]) }},
	"difference": {func(s *scene, _ int, e graph.Triple) float64 { return apart(s.rows[e.U], s.rows[e.V]) }},
	"compat": {func(s *scene, _ int, e graph.Triple) float64 {
		u, v, c := s.rows[e.U], s.rows[e.V], s.param("C")
		return apart(times(u, c), v) + apart(times(v, c), u)
	}},
	"relational": {func(s *scene, _ int, e graph.Triple) float64 {
		return apart(times(s.rows[e.U], s.param("C")[4*e.R:4*e.R+4]), s.rows[e.V])
	}},
	"bundle": {func(s *scene, _ int, e graph.Triple) float64 {
		return s.agreed(e, func(h row, v int32) row {
			y, z := make(row, 4), s.said("θ", v)
			for j := range z {
				turned := complex(h[j], h[j+2]) * cmplx.Exp(complex(0, math.Pi*z[j]))
				y[j], y[j+2] = real(turned), imag(turned)
			}
			return y
		})
	}},
	"householder": {func(s *scene, _ int, e graph.Triple) float64 {
		return s.agreed(e, func(h row, v int32) row {
			for z := s.said("O", v); len(z) > 0; z = z[4:] {
				w := row{1 + z[0]/2, z[1], z[2], z[3]}
				h = plus(h, w, -2*inner(h, w)/inner(w, w))
			}
			return h
		})
	}},
	"sheaf": {func(s *scene, _ int, e graph.Triple) float64 {
		return s.agreed(e, func(h row, v int32) row {
			z, y := s.said("O", v), plus(h, h, 0)
			for m := range 2 { // columns m and m + 2 are a block
				for i := range 2 {
					for j := range 2 {
						y[2*j+m] += h[2*i+m] * z[4*i+2*j+m]
					}
				}
			}
			return y
		})
	}},
	"signed": {func(s *scene, _ int, e graph.Triple) float64 {
		w, u, v := s.param("s.W"), s.over(s.rows[e.U], e.U), s.over(s.rows[e.V], e.V)
		sign := math.Tanh(inner(times(s.x[e.U], w), times(s.x[e.V], w)) + s.param("s.b")[0][0])
		return (inner(u, u) + inner(v, v) - 2*sign*inner(u, v)) / 2
	}},
	"attract": {func(s *scene, _ int, e graph.Triple) float64 {
		return -math.Exp(-apart(s.rows[e.U], s.rows[e.V]))
	}},
	"transe": {func(s *scene, i int, e graph.Triple) float64 {
		return s.scored(i, 6-2*apart(plus(s.rows[e.U], s.param("E")[e.R], 1), s.rows[e.V]))
	}},
	"distmult": {func(s *scene, i int, e graph.Triple) float64 {
		return s.scored(i, inner(product(s.rows[e.U], s.param("E")[e.R]), s.rows[e.V]))
	}},
	"complex": {func(s *scene, i int, e graph.Triple) float64 {
		u, r, v := complexes(s.rows[e.U]), complexes(s.param("E")[e.R]), complexes(s.rows[e.V])
		return s.scored(i, real(u[0]*r[0]*cmplx.Conj(v[0])+u[1]*r[1]*cmplx.Conj(v[1])))
	}},
	"rotate": {func(s *scene, i int, e graph.Triple) float64 {
		score, u, v := 6.0, complexes(s.rows[e.U]), complexes(s.rows[e.V])
		for j, angle := range s.param("E")[e.R] {
			score -= math.Pow(cmplx.Abs(u[j]*cmplx.Exp(complex(0, angle))-v[j]), 2)
		}
		return s.scored(i, score)
	}},
	"path": {func(s *scene, _ int, e graph.Triple) float64 {
		phi, r := symmetric(s.param("Φ")), s.param("E")[e.R]
		return -inner(times(plus(s.rows[e.U], r, 1), phi), s.rows[e.V]) - inner(times(r, phi), s.rows[e.U])
	}},
	"received": {func(s *scene, _ int, e graph.Triple) float64 {
		return -inner(s.rows[e.V], times(product(s.rows[e.U], s.param("E")[e.R]), s.param("Φ")))
	}},
}

// TestKnownEdges compares every edge term with its formula, edge by edge.
func TestKnownEdges(t *testing.T) {
	testkit.Known(t, EdgeTerms, knownEdges, func(t *testing.T, p part.Part[Edge], formula edgeFormula) {
		s := newScene(t, p.New.Edges())
		f := p.New.Term(s.Place)
		s.draw()
		want := 0.0
		for i, e := range s.edges {
			want += formula(s, i, e)
		}
		s.compare(t, &energy.Lower{F: energy.Given([]energy.EdgeTerm{f}, s.On, s.X)}, want)
	})
}

// compare looks at the energy of h.
func (s *scene) compare(t *testing.T, l *energy.Lower, want float64) {
	t.Helper()
	l.On, l.X, l.Pi = s.On, s.X, s.Pi
	tolerance := map[bool]float64{false: 1e-4, true: 1e-11}[testkit.Double] // of sums of a hundred rounded products
	if got := float64(ad.Eval(l.Smooth(ad.Input(s.h))).Item()); !(math.Abs(got-want) <= tolerance) {
		t.Errorf("the energy is %v, want %v", got, want)
	}
}

// symmetric is (m + mᵀ)/2.
func symmetric(m []row) []row {
	y := make([]row, len(m))
	for i := range m {
		for j := range m {
			y[i] = append(y[i], (m[i][j]+m[j][i])/2)
		}
	}
	return y
}

// TestKnownNodes compares every node term with its formula, node by node.
func TestKnownNodes(t *testing.T) {
	testkit.Known(t, NodeTerms, map[string][]func(s *scene, v int32) float64{
		"anchor":    {func(s *scene, v int32) float64 { return apart(s.rows[v], s.pi[v]) }},
		"labels":    {func(s *scene, v int32) float64 { return apart(s.rows[v], s.want[v]) }},
		"unit-norm": {func(s *scene, v int32) float64 { return math.Pow(inner(s.rows[v], s.rows[v])-1, 2) }},
		"path": {func(s *scene, v int32) float64 {
			h, psi, phi := s.rows[v], symmetric(s.param("Ψ")), symmetric(s.param("Φ"))
			return inner(h, plus(h, times(h, psi), -1))/2 - inner(times(h, phi), s.x[v])
		}},
		"received": {func(s *scene, v int32) float64 { return s.gains(v, s.x[v]) }},
		"pna": {func(s *scene, v int32) float64 {
			return s.gains(v, s.pooled(v, func(h, e row) (m, square row) {
				m = product(h, e)
				return m, product(m, m)
			}))
		}},
		"pna-fused": {func(s *scene, v int32) float64 {
			return s.gains(v, s.pooled(v, func(h, e row) (m, square row) {
				return plus(h, e, 1), plus(product(h, h), product(e, e), 1)
			}))
		}},
	}, func(t *testing.T, p part.Part[Node], formula func(*scene, int32) float64) {
		kind := Undirected
		if g, ok := p.New.(interface{ Edges() Edges }); ok {
			kind = g.Edges()
		}
		s := newScene(t, kind)
		k := p.New.Term(s.Place)
		s.draw()
		want := 0.0
		for v := range s.rows {
			want += formula(s, int32(v))
		}
		s.compare(t, &energy.Lower{Kappa: []energy.NodeTerm{k}}, want)
	})
}

// TestKnownEtas compares the prox of every constraint at γ = 1/2; those of package energy have known values there.
func TestKnownEtas(t *testing.T) {
	known := map[string][]func(*scene) []row{
		"none":   {func(s *scene) []row { return s.rows }},
		"labels": {func(s *scene) []row { return []row{s.want[0], s.rows[1], s.want[2], s.rows[3], s.rows[4]} }},
		"range": {func(s *scene) []row { // of one column: x (x·h)/(x·x)
			x, along := rowsOf(ad.Eval(s.X)), make(row, 4)
			size := 0.0
			for v, h := range s.rows {
				along, size = plus(along, h, x[v][0]), size+x[v][0]*x[v][0]
			}
			var list []row
			for v := range s.rows {
				list = append(list, plus(make(row, 4), along, x[v][0]/size))
			}
			return list
		}},
	}
	for _, p := range energy.Constraints.Parts {
		known[p.Name] = append(known[p.Name], func(s *scene) []row {
			return rowsOf(ad.Eval(p.New.Prox(ad.Input(s.h), ad.Number(0.5))))
		})
	}
	testkit.Known(t, etas(), known, func(t *testing.T, p part.Part[Eta], prox func(*scene) []row) {
		s := newScene(t, Undirected)
		s.Known, s.X = []int32{0, 2}, ad.Const(values(5, 1, 2))
		got := s.rows
		if p.New != nil {
			eta, err := p.New.Constraint(s.Place)
			if err != nil {
				t.Fatal(err)
			}
			got = rowsOf(ad.Eval(eta.Prox(ad.Input(s.h), ad.Number(0.5))))
		}
		for v, want := range prox(s) {
			if apart(got[v], want) > 1e-10 { // rounding, squared
				t.Errorf("row %d has the prox %v, want %v", v, got[v], want)
			}
		}
	})
}

// gains is −⟨h_v, a Φ⟩ − ⟨h_v, h_v Ψ⟩.
func (s *scene) gains(v int32, a row) float64 {
	h := s.rows[v]
	return -inner(h, times(a, s.param("Φ"))) - inner(h, times(h, s.param("Ψ")))
}

// pooled is mean, largest, smallest and deviation of the messages to v and of x_v, then the same times s and divided by
// s = log c / mean log c of c of them.
func (s *scene) pooled(v int32, send func(h, e row) (m, square row)) row {
	counts, list, squares := make(row, len(s.rows)), []row{s.x[v]}, []row{product(s.x[v], s.x[v])}
	for _, e := range s.edges {
		counts[e.V]++
		if e.V == v {
			m, square := send(s.rows[e.U], s.param("E")[e.R])
			list, squares = append(list, m), append(squares, square)
		}
	}
	logs := 0.0
	for _, c := range counts {
		logs += math.Log(c+1) / float64(len(counts))
	}
	scale := math.Log(counts[v]+1) / logs
	mean, largest, smallest, spread := make(row, 4), make(row, 4), make(row, 4), make(row, 4)
	for j := range mean {
		second := 0.0
		largest[j], smallest[j] = math.Inf(-1), math.Inf(1)
		for i, m := range list {
			mean[j] += m[j] / float64(len(list))
			second += squares[i][j] / float64(len(list))
			largest[j], smallest[j] = max(largest[j], m[j]), min(smallest[j], m[j])
		}
		if len(list) == 1 { // no message counts as a message of 0
			largest[j], smallest[j] = max(largest[j], 0), min(smallest[j], 0)
		}
		spread[j] = math.Sqrt(max(second-mean[j]*mean[j], 1e-6))
	}
	var all row
	for _, by := range []float64{1, scale, 1 / max(scale, 0.01)} {
		for _, part := range []row{mean, largest, smallest, spread} {
			all = append(all, plus(make(row, 4), part, by)...)
		}
	}
	return all
}
