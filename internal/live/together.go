package live

import (
	"math"

	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// A change that reaches everywhere is slow to follow row by row: where nodes have d neighbours, what all rows have in
// common comes closer to its place by a part of w/(w + λd) a sweep. Conjugate gradients need the root of that many
// sweeps. They are for energies that are quadratic, η included, and run on a few columns of all rows at once:
//
//	∇² h = −∇      from h = 0, preconditioned by the diagonal of ∇²
//
// Nothing rests on how well they end: Settle measures every row afterwards.

// sweeps is how much Settle does row by row, in edges of the whole graph, before all rows are solved for together.
const sweeps = 2

// rounds is how many steps conjugate gradients take at most.
const rounds = 500

// panel is how many columns are solved for at once: a line of the cache.
const panel = 16

// linear reports whether the gradient is.
func (f Form) linear() bool { return f.Kind.Phi == mat.PhiSquare && !f.Kind.NonNeg }

// together moves all rows near the minimiser, and touches them.
func (s *State) together(tolerance float64) {
	n := s.Nodes()
	c := &conjugate{State: s, at: make([]placed, n), limit: make([]float64, n),
		took: make([]int, (s.cols+panel-1)/panel)}
	for v := range c.at {
		c.at[v] = s.placed(int32(v))
		limit := tolerance * s.allowance(int32(v)) / 2
		c.limit[v] = limit * limit / float64(s.cols)
		s.touch(int32(v))
	}
	kernel.Each(len(c.took), c)
	most := 0
	for _, k := range c.took {
		most = max(most, k)
	}
	s.visited += most * n
}

// conjugate are the rows as conjugate gradients see them.
type conjugate struct {
	*State
	at    []placed
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
	now, there := d.begin()
	for _, x := range now {
		there = there || math.IsNaN(x-x) // π is not finite, and Settle will find that
	}
	for c.took[i] < rounds && !there {
		before := now
		now, there = d.round(now)
		d.turn(now, before)
		c.took[i]++
	}
}

// begin is r, and t = P⁻¹ r in z, with rᵀP⁻¹r of every column; there: all gradients are short.
func (d *descending) begin() (now [panel]float64, there bool) {
	there = true
	for v := range d.at {
		at, r := &d.at[v], d.r[v*d.width:(v+1)*d.width]
		var left float64
		for j := range r {
			h := at.root * at.z[d.from+j]
			r[j] = at.by*at.q[d.from+j] - at.k*h - at.w*(h-float64(at.p[d.from+j]))
			now[j] += r[j] * r[j] / (at.k + at.w)
			d.t[v*d.width+j] = r[j] / ((at.k + at.w) * at.root)
			left += r[j] * r[j]
		}
		there = there && left <= d.limit[v]*float64(d.width)
	}
	return now, there
}

// round is one step along t.
func (d *descending) round(now [panel]float64) (next [panel]float64, there bool) {
	step := d.step(now)
	there = true
	for v := range d.at {
		at, o := &d.at[v], v*d.width
		r, t, heard := d.r[o:o+d.width], d.t[o:o+d.width], d.heard[o:o+d.width]
		z, q := at.z[d.from:d.from+d.width], at.q[d.from:d.from+d.width]
		own, inverse, left := (at.k+at.w)*at.root, 1/(at.k+at.w), 0.0
		for j := range r {
			z[j] += step[j] * t[j]
			q[j] += step[j] * heard[j]
			r[j] -= step[j] * (own*t[j] - at.by*heard[j])
			square := r[j] * r[j]
			left += square
			next[j] += square * inverse
		}
		there = there && left <= d.limit[v]*float64(d.width)
	}
	return next, there
}

// step hears t, and is how far to go along it: rᵀP⁻¹r / uᵀ∇²u of every column, where u is t in h.
func (d *descending) step(now [panel]float64) (by [panel]float64) {
	clear(d.heard)
	for v := range d.at {
		d.on.spread(d.heard, d.t[v*d.width:(v+1)*d.width], int32(v))
	}
	for v := range d.at {
		at, o := &d.at[v], v*d.width
		t, heard := d.t[o:o+d.width], d.heard[o:o+d.width]
		for j := range t {
			u := at.root * t[j]
			by[j] += u * ((at.k+at.w)*u - at.by*heard[j])
		}
	}
	for j := range by {
		by[j] = share(now[j], by[j])
	}
	return by
}

// turn is the next direction, t = P⁻¹ r + now/before · t.
func (d *descending) turn(now, before [panel]float64) {
	var keep [panel]float64
	for j := range keep {
		keep[j] = share(now[j], before[j])
	}
	for v := range d.at {
		at, o := &d.at[v], v*d.width
		back := 1 / ((at.k + at.w) * at.root)
		r, t := d.r[o:o+d.width], d.t[o:o+d.width]
		for j := range t {
			t[j] = r[j]*back + keep[j]*t[j]
		}
	}
}

// share is x/y, 0 for a column that has arrived.
func share(x, y float64) float64 {
	if y > 0 {
		return x / y
	}
	return 0
}
