package live

import (
	"context"
	"slices"

	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/internal/solve"
)

// A change that reaches everywhere is slow to follow row by row: if nodes have d neighbours, what all rows have in
// common comes closer to its place by a part of w/(w + λd) a sweep. Conjugate gradients need the root of that many
// sweeps. They are for energies that are quadratic, η included, and run on a few columns of all rows at once:
//
//	∇² h = −∇      from h = 0, preconditioned by the diagonal of ∇²
//
// Nothing rests on how well they end: Settle measures every row afterwards.

// sweeps is the amount of work that Settle does row by row, in edges of the whole graph, before it solves for all rows
// together.
const sweeps = 2

// rounds is the maximum number of steps of conjugate gradients.
const rounds = 20000

// panel is the number of columns that are solved for at once: a cache line.
const panel = 16

// together moves all rows near the minimiser, and touches them.
func (s *State) together(ctx context.Context) error {
	c := &conjugate{State: s, ctx: ctx, at: make([]placed, s.nodes), r: make([]float64, s.nodes*s.cols),
		limit: make([]float64, s.nodes), took: make([]int, (s.cols+panel-1)/panel)}
	for v := range int32(s.nodes) {
		s.writable(v) // rows are elsewhere after others were taken
	}
	for v := range c.at {
		at := s.placed(int32(v))
		_, size := at.gradient()
		limit := max(s.allowed(s.list(int32(v)), at.shy)/2, 2*at.rounding(size))
		c.limit[v] = limit * limit / float64(s.cols)
		for j, r := 0, span(c.r, v, s.cols); j < len(r); j++ {
			r[j] = at.by*at.q[j] + at.w*float64(at.p[j]) - (at.k+at.w)*at.root*at.z[j]
		}
		c.at[v] = at
		s.touch(int32(v))
	}
	kernel.Each(len(c.took), c)
	for v := range c.at {
		s.of[s.writable(int32(v))].size = s.length(int32(v))
	}
	s.visited += slices.Max(c.took) * s.nodes
	return ctx.Err()
}

// conjugate are the rows as conjugate gradients see them.
type conjugate struct {
	*State
	ctx   context.Context
	at    []placed  // whose q are not used
	r     []float64 // n×cols: −∇ in the beginning
	limit []float64 // ‖∇_v‖² that one column may have in the end
	took  []int     // rounds, by panels
}

// descending is a panel on its way, n×width each: r = −∇, t the direction of z, heard A t.
type descending struct {
	*conjugate
	from, width int
	r, t, heard []float64
}

// Do solves for panel i.
func (c *conjugate) Do(i int) {
	d := &descending{conjugate: c, from: i * panel, width: min(panel, c.cols-i*panel)}
	size := len(c.at) * d.width
	d.r, d.t, d.heard = make([]float64, size), make([]float64, size), make([]float64, size)
	if by := make([]solve.Column, d.width); !d.residuals(by) {
		c.took[i], _, _ = solve.Conjugate(d, by, rounds) // the error is the error of ctx
	}
}

// residuals computes r and the sizes of its columns, and reports whether all gradients are short.
func (d *descending) residuals(c []solve.Column) (there bool) {
	there = true
	for v := range d.at {
		r := span(d.r, v, d.width)
		copy(r, d.conjugate.r[v*d.cols+d.from:])
		there = d.add(c, v) && there
	}
	return there
}

// add adds row v to the sizes of columns, and reports whether its gradient is short.
func (d *descending) add(c []solve.Column, v int) bool {
	at, left := &d.at[v], 0.0
	for j, r := range span(d.r, v, d.width) {
		left += r * r
		c[j].Size += r * r / (at.k + at.w)
	}
	return left <= d.limit[v]*float64(d.width)
}

// Turn is the next direction.
func (d *descending) Turn(c []solve.Column) error {
	for j := range c {
		c[j].Slope = 0
	}
	for v := range d.at {
		at := &d.at[v]
		back, t := 1/((at.k+at.w)*at.root), span(d.t, v, d.width)
		for j, r := range span(d.r, v, d.width) {
			t[j] = r*back + c[j].Beta*t[j]
			c[j].Slope += r * at.root * t[j]
		}
	}
	return d.ctx.Err()
}

// Curve hears t.
func (d *descending) Curve(c []solve.Column) error {
	clear(d.heard)
	for j := range c {
		c[j].Curve = 0
	}
	for v := range d.at {
		at, t, heard := &d.at[v], span(d.t, v, d.width), span(d.heard, v, d.width)
		d.list(int32(v)).gather(heard, d.t)
		for j := range t {
			u := at.root * t[j]
			c[j].Curve += u * ((at.k+at.w)*u - at.by*heard[j])
		}
	}
	return nil
}

// Move goes along t.
func (d *descending) Move(c []solve.Column) (there bool, err error) {
	there = true
	for j := range c {
		c[j].Size = 0
	}
	for v := range d.at {
		at, r, t, heard := &d.at[v], span(d.r, v, d.width), span(d.t, v, d.width), span(d.heard, v, d.width)
		z, own := at.z[d.from:d.from+d.width], (at.k+at.w)*at.root
		for j := range r {
			z[j] += c[j].Alpha * t[j]
			r[j] -= c[j].Alpha * (own*t[j] - at.by*heard[j])
		}
		there = d.add(c, v) && there
	}
	for j := range c {
		c[j].Cross = c[j].Size
	}
	return there, nil
}

// gather adds a_uv x_u of the neighbours u to q; the rows of x are as wide.
func (l *list) gather(q, x []float64) {
	if l.weight == nil {
		kernel.GatherSum(q, x, l.near)
		return
	}
	for at, u := range l.near {
		a := float64(l.weight[at])
		for j, t := range span(x, int(u), len(q)) {
			q[j] += a * t
		}
	}
}
