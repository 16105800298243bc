package inspect

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// Gradient compares ∇(Σ f + Σ κ) with central differences, and with the gradient without fast forms. Errors are
// relative to the largest entry, or to 1.
type Gradient struct {
	Entries int     `json:"entries"` // how many were compared with differences
	Error   float64 `json:"error"`
	Limit   float64 `json:"limit"`
	Plain   float64 `json:"plain_error"`
	OK      bool    `json:"ok"`
}

// most is the number of entries that are compared: all of a small graph, evenly spaced ones of a large.
const most = 400

// precision returns the length of a difference and the error that is allowed: a central difference is off by about
// length² where f is smooth, by length/4 at a kink of f′, and by rounding, the unit over length.
func precision() (length mat.Real, limit float64) {
	if realBits() == 64 {
		return 1e-5, 1e-6
	}
	return 1.0 / 128, 5e-3
}

// gradient checks the gradient of l at h against differences of held, which is l unless its terms hold numbers that
// depend on h: there these stay what they are at h.
func gradient(l, held *energy.Lower, h *mat.Dense) (Gradient, error) {
	x := clone(h)
	hv := ad.Input(x)
	got, plain := l.Grad(hv), l.Plain().Grad(hv)
	prog := ad.Compile(got, plain)
	if err := prog.Run(); err != nil {
		return Gradient{}, err
	}
	g, p := prog.Value(got).Slice(), prog.Value(plain).Slice()
	scale, off := 1.0, 0.0
	for i := range g {
		scale = max(scale, math.Abs(float64(g[i])))
		off = worse(off, float64(g[i])-float64(p[i]))
	}
	r := Gradient{Plain: off / scale}
	_, r.Limit = precision()
	every := (len(g) + most - 1) / most
	d := newDifferences(held, hv, x)
	for i := 0; i < len(g); i += every {
		want, err := d.difference(i)
		if err != nil {
			return r, err
		}
		r.Error = worse(r.Error, (float64(g[i])-want)/scale)
		r.Entries++
	}
	r.OK = r.Error <= r.Limit && r.Plain <= r.Limit
	return r, nil
}

// worse returns the larger of two errors, NaN being the largest.
func worse(a, b float64) float64 {
	b = math.Abs(b)
	if a > b || math.IsNaN(a) {
		return a
	}
	return b
}

// differences computes central differences of the energy. They are taken of the energies of single edges, nodes and
// whole terms, and then summed, so unchanged parts cancel.
type differences struct {
	prog  *ad.Program
	rows  []ad.Var
	x     *mat.Dense
	point []mat.Real
}

func newDifferences(l *energy.Lower, h ad.Var, x *mat.Dense) *differences {
	d := &differences{x: x, point: x.Slice()}
	edges, nodes := l.Rows(h, ad.Const(clone(x)))
	d.rows = append(edges, nodes...)
	for _, w := range l.Whole {
		d.rows = append(d.rows, w.Whole(h))
	}
	d.prog = ad.Compile(d.rows...)
	return d
}

// difference returns the difference along entry i.
func (d *differences) difference(i int) (float64, error) {
	length, _ := precision()
	up, err := d.moved(i, length)
	if err != nil {
		return 0, err
	}
	down, err := d.moved(i, -length)
	sum := 0.0
	for k := range up {
		sum += up[k] - down[k]
	}
	return sum / (2 * float64(length)), err
}

// moved returns the energies with entry i moved by a little.
func (d *differences) moved(i int, by mat.Real) ([]float64, error) {
	was := d.point[i]
	d.point[i] += by
	d.x.Write(d.point)
	d.point[i] = was
	err := d.prog.Run()
	var list []float64
	for _, v := range d.rows {
		for _, e := range d.prog.Value(v).Slice() {
			list = append(list, float64(e))
		}
	}
	return list, err
}
