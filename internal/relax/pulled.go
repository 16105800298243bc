package relax

import (
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// pulled is the problem of states: K = Σ κ, ∇K(x) = w φ(x − π). Where |r| grows φ(r)/r falls, so that C = w φ(r)/r
// bounds the curvature of κ at r on the way to any other place (Huber 1981, section 7.8).
type pulled struct {
	*sweeper
	pi []mat.Real
}

// pulls is w φ(x − π) of some rows at a time.
type pulls struct {
	zero, weight []mat.Real
	kind         kernel.StepKind
	was, now     []mat.Real
}

// pullEntries is how many entries are pulled at once, as many rows as have them.
const pullEntries = 1 << 19

// use takes the numbers of an energy.
func (p *pulls) use(l descent.Local) {
	p.kind, p.zero = l.Kind, make([]mat.Real, pullEntries)
	p.kind.NonNeg = false
	p.weight = make([]mat.Real, pullEntries)
	for i := range p.weight {
		p.weight[i] = mat.Real(l.Weight)
	}
}

// of writes w φ(x − π) of rows to dst.
func (p *pulls) of(dst, x, pi []mat.Real, width int) []mat.Real {
	dst = room(dst, len(x))
	kernel.Step(dst, x, nil, pi, p.zero, p.zero, p.weight, len(x)/width, width, p.kind)
	return dst
}

// slopes writes w φ′(x − π) to dst.
func (p *pulls) slopes(dst, x, pi []mat.Real, width int) {
	for at := range dst {
		dst[at] = 1
	}
	rows := max(1, pullEntries/width)
	for lo := 0; lo < len(x); lo += rows * width {
		hi := min(lo+rows*width, len(x))
		kernel.StepVJP(dst[lo:hi], nil, nil, dst[lo:hi], x[lo:hi], x[lo:hi], pi[lo:hi], p.zero, p.zero, p.weight,
			(hi-lo)/width, width, p.kind, false)
	}
}

func (s pulled) begin([]mat.Real) error { return nil }

func (s pulled) size(x float64) float64 { return s.local.Weight * x }

// each calls f with rows of which pulls.was is ∇K(x), and whose first entry is at.
func (s pulled) each(x []mat.Real, lo, hi int, f func(lo, hi, at int)) {
	rows := max(1, pullEntries/s.width)
	for ; lo < hi; lo += rows {
		end := min(lo+rows, hi)
		from, to := lo*s.width, end*s.width
		s.pulls.was = s.pulls.of(s.pulls.was, x[from:to], s.pi[from:to], s.width)
		f(lo, end, from)
	}
}

func (s pulled) gradient(e, x, _ []mat.Real, lo, hi int) {
	s.each(x, lo, hi, func(lo, hi, at int) {
		s.inRows(lo, hi, func(lo, hi int) part {
			pull := s.pulls.was[lo*s.width-at:]
			for j := range e[lo*s.width : hi*s.width] {
				e[lo*s.width+j] += pull[j]
			}
			return part{}
		})
	})
}

func (s pulled) bend(p, m, x []mat.Real, lo, hi int) (sum float64) {
	s.each(x, lo, hi, func(lo, hi, at int) {
		sum += s.inRows(lo, hi, func(lo, hi int) (sum part) {
			for v := lo; v < hi; v++ {
				sum.bend += float64(s.bendRow(p, m, x, v, at))
			}
			return sum
		}).bend
	})
	return sum
}

// bendRow is ⟨p, λLp + C p⟩ of a row.
func (s pulled) bendRow(p, m, x []mat.Real, v, at int) (sum mat.Real) {
	const near = 1e-6 // where φ(r)/r is 1, and both may be 0
	from, to, weight := v*s.width, (v+1)*s.width, s.pulls.weight[0]
	pull := s.pulls.was[from-at : to-at]
	x, pi, m, p := x[from:to], s.pi[from:to], m[from:to], p[from:to]
	for j, pull := range pull {
		c, r := weight, x[j]-pi[j]
		if r > near || r < -near {
			c = pull / r
		}
		sum += p[j] * (m[j] + c*p[j])
	}
	return sum
}

func (s pulled) move(alpha mat.Real, x, e, p, m []mat.Real, lo, hi int) (all part) {
	s.each(x, lo, hi, func(lo, hi, at int) {
		s.inRows(lo, hi, func(lo, hi int) part {
			x, p := x[lo*s.width:hi*s.width], p[lo*s.width:]
			for j := range x {
				x[j] += alpha * p[j]
			}
			return part{}
		})
		from, to := lo*s.width, hi*s.width
		s.pulls.now = s.pulls.of(s.pulls.now, x[from:to], s.pi[from:to], s.width)
		all.add(s.inRows(lo, hi, func(lo, hi int) (sum part) {
			rates := make([]mat.Real, s.width)
			for v := lo; v < hi; v++ {
				s.rates(v, rates)
				sum.add(s.moveRow(alpha, x, e, m, rates, v, at))
			}
			return sum
		}))
	})
	return all
}

// moveRow follows a row of x with e.
func (s pulled) moveRow(alpha mat.Real, x, e, m, rates []mat.Real, v, at int) part {
	from, to, sum := v*s.width, (v+1)*s.width, sums{}
	was, now := s.pulls.was[from-at:to-at], s.pulls.now[from-at:to-at]
	x, e, m = x[from:to], e[from:to], m[from:to]
	for j, old := range e {
		on := alpha*m[j] + (now[j] - was[j])
		e[j] = old + on
		sum.add(old+on, on, x[j], rates[j])
	}
	return sum.part()
}

func (s pulled) rates(v int, dst []mat.Real) {
	rate := mat.Real(1 / max(s.local.Weight+s.pair(v), 1e-12))
	for j := range dst {
		dst[j] = rate
	}
}
