package solve

import (
	"context"
	"fmt"
	"math"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// Overview: the minimum of a quadratic ℓ_low, row by row. With all others held, the minimum of a row is
//
//	h_v = prox( (q_v + w p_v) / (k_v + w) )      q_v = λ s_v Σ_u a_uv s_u h_u,   k_v = λ d_v s_v²
//
// Rows are looked at until none has a gradient that may be longer than ε allows,
//
//	g_v = (k_v + w) h_v − q_v − w p_v            under η: where h = 0, only what of it is negative
//
// The Hessian B = w + λ(D − A), or w + λ(I − S), has no positive entry off its diagonal, so B⁻¹ ≥ 0, and as B·1 = w,
// or B√d ≥ w√d,
//
//	‖g_v‖ ≤ ε w y_v for all v    ⇒    ‖h_v − h*_v‖ ≤ ε y_v        y = 1, or √d
//
// also under η. √d may be tiny, so ‖g_v‖ ≤ ε w 2⁻²⁰ is always enough: as there are fewer than 2³¹ rows, such gradients
// are together no longer than ε w/16, and B ≥ w.
//
// The length of g_v counts with all that may have been rounded off in computing it, from rows and weights that are held
// exactly. Where that alone is more than ε allows, there is an error in place of a bound.
//
// A row is the sum of two float32: the last layer is h as Row returns it, the first what that lacks.

// exact returns entry j of a row whose parts are hi and lo.
func exact(hi, lo []mat.Real, j int) float64 { return float64(hi[j]) + float64(lo[j]) }

// divide makes h entry j of a row, in two parts.
func divide(hi, lo []mat.Real, j int, h float64) {
	hi[j] = mat.Real(h)
	lo[j] = mat.Real(h - float64(hi[j]))
}

// ownRow returns the parts of the row of v to be changed.
func (s *State) ownRow(v int32) (hi, lo []mat.Real) {
	i := s.writable(v)
	return span(s.layers[1], i, s.cols), span(s.layers[0], i, s.cols)
}

// exactRow returns the parts of the row of v.
func (s *State) exactRow(v int32) (hi, lo []mat.Real) {
	o, i := s.owner(v)
	return span(o.layers[1], i, s.cols), span(o.layers[0], i, s.cols)
}

// tiny is the least y of a row, relative to 1.
const tiny = 0x1p-20

// reach returns the y that bounds a row of degree d, and the one that its gradient may use.
func (s *State) reach(d float64) (bound, allowed float64) {
	if s.form.Norm == graph.None {
		return 1, 1
	}
	root := 1.0
	if d > 0 {
		root = math.Sqrt(d)
	}
	return root + 1.0/16, max(root, tiny)
}

// Bound returns the maximum of ‖Row(v) − h*_v‖, where h* is the minimum; 0 for L steps, which are taken exactly, and
// for rows of SetRow.
func (s *State) Bound(v int32) float64 {
	if s.form.tolerance == 0 {
		return 0
	}
	_, lo := s.exactRow(v)
	y, _ := s.reach(s.list(v).degree)
	lacks := 0.0
	for _, x := range lo {
		lacks += float64(x) * float64(x)
	}
	return (s.form.tolerance*y + math.Sqrt(lacks)) * (1 + tiny)
}

// Widest returns the largest Bound that a node has or had.
func (s *State) Widest() float64 { return s.widest }

// pulled is what pulls at a row: its neighbours.
type pulled struct {
	q     []float64
	heard float64 // λ s_v Σ_u a_uv s_u ‖h_u‖
	k     float64
	n     int // neighbours
}

// pull computes them for v; q is valid until the next call.
func (s *State) pull(v int32) pulled {
	l := s.list(v)
	s.q = resized(s.q, s.cols)
	clear(s.q)
	out := pulled{q: s.q, k: s.form.Own(l.degree), n: len(l.near)}
	by := s.form.Lambda * s.form.Scale(l.degree)
	for at, u := range l.near {
		a := by * l.weightAt(at) * s.form.Scale(s.list(u).degree)
		hi, lo := s.exactRow(u)
		square := 0.0
		for j := range out.q {
			h := exact(hi, lo, j)
			out.q[j] += a * h
			square += h * h
		}
		out.heard += a * math.Sqrt(square)
	}
	return out
}

// ulp is what an operation rounds off at most, relative to its result.
const ulp = 0x1p-53

// gradient returns the length of g_v, and how much of it may be rounding: a sum of n products rounds off n + 1 ulps of
// what their lengths are together, and fewer than 64 operations stand between any other number here and those that are
// held.
func (s *State) gradient(v int32, by pulled) (left, rounding float64) {
	hi, lo := s.exactRow(v)
	w, own, far := s.form.Weight, 0.0, 0.0
	for j, p := range s.Pi(v) {
		h, p := exact(hi, lo, j), float64(p)
		g := (by.k+w)*h - by.q[j] - w*p
		if s.form.Kind.NonNeg && h <= 0 {
			if g = min(g, 0); h < 0 {
				g = math.Inf(1) // as a new row may be
			}
		}
		left += g * g
		own, far = own+h*h, far+p*p
	}
	return math.Sqrt(left), ulp * (64*((by.k+w)*math.Sqrt(own)+w*math.Sqrt(far)) + float64(by.n+64)*by.heard)
}

// relax solves for v if its gradient may be too long, and reports whether it is certainly short then. A gradient that
// may be nothing but rounding stays.
func (s *State) relax(v int32) (short bool, err error) {
	by := s.pull(v)
	_, y := s.reach(s.list(v).degree)
	allowed := s.form.tolerance * s.form.Weight * y * (1 - tiny)
	left, rounding := s.gradient(v, by)
	if !(left <= max(allowed-rounding, 2*rounding)) {
		if !s.put(v, by) {
			return false, &Unsettled{v, notFinite}
		}
		s.visited++
		s.touchAll(s.list(v).near)
		left, rounding = s.gradient(v, by)
	}
	s.widest = max(s.widest, s.Bound(v))
	return left+rounding <= allowed, nil
}

// put moves row v to its minimum, and reports whether that is finite.
func (s *State) put(v int32, by pulled) (finite bool) {
	hi, lo := s.ownRow(v)
	for j, p := range s.Pi(v) {
		divide(hi, lo, j, s.form.Prox((by.q[j]+s.form.Weight*float64(p))/(by.k+s.form.Weight)))
	}
	return kernel.FirstNonFinite(hi) < 0
}

// sweeps is how often as many rows are looked at as the graph has. Then all of them are solved for together, which is
// faster where a change reaches everywhere, up to attempts times. Under η they are looked at again.
const sweeps, attempts, attemptsUnderEta = 4, 16, 4096

// minimise looks at the rows that changed, and at those that these reach, until all of them are certain.
func (s *State) minimise(ctx context.Context) error {
	for attempt := 0; ; {
		began := s.visited
		blunt, err := s.sweep(ctx, &attempt)
		if err != nil || len(blunt) == 0 {
			return err
		}
		if s.visited == began {
			return &Unsettled{blunt[0], fmt.Sprintf("no bound can be given: its features or the weights of its edges "+
				"are so large or so small that rounding alone is more than the tolerance of %g", s.form.tolerance)}
		}
		s.touchAll(blunt) // what they hear may have become shorter
	}
}

// sweep empties the queue, and returns the rows that are not certain.
func (s *State) sweep(ctx context.Context, attempt *int) (blunt []int32, err error) {
	work, most := 0, sweeps*(2*s.edges+s.nodes)
	for at := 0; at < len(s.queue); at++ {
		v := s.queue[at]
		s.is[v] = false
		short, err := s.relax(v)
		switch work += 1 + len(s.list(v).near); {
		case err != nil:
			return nil, err
		case at%64 == 0 && ctx.Err() != nil:
			return nil, ctx.Err()
		case !short:
			blunt = append(blunt, v)
		}
		if at > s.nodes {
			s.queue = append(s.queue[:0], s.queue[at+1:]...)
			at = -1
		}
		if work <= most {
			continue
		}
		work, *attempt = 0, *attempt+1
		if linear := s.form.Linear(); linear && *attempt > attempts || *attempt > attemptsUnderEta {
			return nil, &Unsettled{v, fmt.Sprintf("no bound can be given: the weights of edges are so far from one "+
				"another that a tolerance of %g is not reached", s.form.tolerance)}
		} else if linear {
			if err := s.together(ctx); err != nil {
				return nil, err
			}
		}
	}
	s.queue = s.queue[:0]
	return blunt, nil
}

// panel is the number of columns that are solved for at once.
const panel = 16

// together moves all rows near the minimum, and touches them:
//
//	C⁻¹BC⁻¹ (C δ) = −C⁻¹ g,   C² = the diagonal of B;   h ← h + δ
//
// Nothing rests on how well that ends, as every row is looked at afterwards.
func (s *State) together(ctx context.Context) error {
	c := &conjugate{State: s, ctx: ctx, diagonal: make([]float64, s.nodes), g: make([]float64, s.nodes*s.cols),
		least: math.Inf(1)}
	for v := range int32(s.nodes) {
		by := s.pull(v)
		hi, lo := s.exactRow(v)
		c.diagonal[v] = math.Sqrt(by.k + s.form.Weight)
		for j, p := range s.Pi(v) {
			c.g[int(v)*s.cols+j] = (by.q[j] + s.form.Weight*float64(p) - (by.k+s.form.Weight)*exact(hi, lo, j)) /
				c.diagonal[v]
		}
		_, y := s.reach(s.list(v).degree)
		c.least = min(c.least, s.form.tolerance*s.form.Weight*y/c.diagonal[v])
	}
	kernel.Each((s.cols+panel-1)/panel, c)
	for v := range int32(s.nodes) {
		hi, lo := s.ownRow(v)
		for j, d := range span(c.g, int(v), s.cols) {
			divide(hi, lo, j, exact(hi, lo, j)+d/c.diagonal[v])
		}
		s.touch(v)
	}
	s.visited += s.nodes
	return ctx.Err()
}

// conjugate solves for all rows by conjugate gradients.
type conjugate struct {
	*State
	ctx         context.Context
	diagonal, g []float64 // C; n×cols: −C⁻¹g, and then C δ
	least       float64   // the shortest C⁻¹g that is allowed
}

func (c *conjugate) Do(i int) {
	from := i * panel
	width := min(panel, c.cols-from)
	b, x := make([]float64, c.nodes*width), make([]float64, c.nodes*width)
	for v := range c.nodes {
		copy(span(b, v, width), c.g[v*c.cols+from:])
	}
	length := math.Sqrt(Floats{}.Dot(b, b))
	l := NewFloats(len(b), func(dst, t []float64) error { return c.times(dst, t, width) })
	if length > 0 { // the error is the error of ctx
		_, _ = l.Solve(x, b, max(1e-12, c.least/2/length), 20000)
	}
	for v := range c.nodes {
		copy(c.g[v*c.cols+from:v*c.cols+from+width], span(x, v, width))
	}
}

// times is dst ← C⁻¹BC⁻¹ t.
func (c *conjugate) times(dst, t []float64, width int) error {
	copy(dst, t)
	for v := range int32(c.nodes) {
		l, own := c.list(v), span(dst, int(v), width)
		by := c.form.Lambda * c.form.Scale(l.degree) / c.diagonal[v]
		for at, u := range l.near {
			a := by * l.weightAt(at) * c.form.Scale(c.list(u).degree) / c.diagonal[u]
			for j, x := range span(t, int(u), width) {
				own[j] -= a * x
			}
		}
	}
	return c.ctx.Err()
}
