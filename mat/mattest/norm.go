package mattest

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/bloomgml/bloom/mat"
)

// normed is a layer normalisation as the oracle sees it. Every number comes with a bound of the error that a
// Device may have made so far.
type normed struct {
	z, bias, scale, shift grid
	eps, floor            mat.Real

	once    sync.Once // of forward
	inverse []near    // 1/√(variance + ε), of every row
	n, u    []near    // (v − mean)·inverse and n∘scale + shift
}

// floors are 0, the floor of ReLU, and −∞, which means no floor.
var floors = []mat.Real{0, mat.Real(math.Inf(-1))}

// normed draws the numbers. Some columns have scale and shift 0: there the ReLU is at its kink.
func (s *suite) normed(shape mat.Shape, eps, floor mat.Real) *normed {
	row := mat.Shape{Rows: 1, Cols: shape.Cols}
	d := &normed{z: s.random(shape), bias: s.random(row), scale: s.random(row), shift: s.random(row), eps: eps,
		floor: floor}
	for j := range shape.Cols {
		if s.rng.IntN(7) == 0 {
			d.scale.v[j], d.shift.v[j] = 0, 0
		}
	}
	return d
}

func (d *normed) String() string {
	return fmt.Sprintf("%v, ε %v, floor %v", d.z.Shape, d.eps, d.floor)
}

// inputs returns what goes to the device after what the caller puts first.
func (d *normed) inputs(first ...grid) []grid { return append(first, d.z, d.bias, d.scale, d.shift) }

// forward computes n and u. The mean of a row is right up to a few roundings of its largest number, and
// so is its distance from each, which the variance inherits.
func (d *normed) forward() {
	rows, cols := d.z.Rows, d.z.Cols
	d.inverse, d.n, d.u = make([]near, rows), make([]near, d.z.Len()), make([]near, d.z.Len())
	for i := range rows {
		mean, size := 0.0, 0.0
		for j := range cols {
			mean += (d.z.at(i, j) + d.bias.at(0, j)) / float64(cols)
			size = max(size, abs(d.z.at(i, j))+abs(d.bias.at(0, j)))
		}
		variance, tol := 0.0, rounded(0, size, 4).tol
		for j := range cols {
			variance += sq(d.z.at(i, j)+d.bias.at(0, j)-mean) / float64(cols)
		}
		below := variance + float64(d.eps)
		inverse := 1 / math.Sqrt(below)
		off := (2*math.Sqrt(variance)*tol+tol*tol)/(2*below) + rounded(0, 1, math.Sqrt(float64(cols))+5).tol
		d.inverse[i] = near{inverse, inverse * off}
		for j := range cols {
			n := (d.z.at(i, j) + d.bias.at(0, j) - mean) * inverse
			nTol, p, q := tol*inverse+abs(n)*off, d.scale.at(0, j), d.shift.at(0, j)
			d.n[i*cols+j] = near{n, nTol}
			d.u[i*cols+j] = near{n*p + q, abs(p)*nTol + rounded(0, abs(n*p)+abs(q), 3).tol}
		}
	}
}

func sq(x float64) float64 { return x * x }

// checkNorm: dst ← max(floor, n∘scale + shift), or dst plus that. A row with NaN is NaN and no other.
func checkNorm(s *suite) {
	for _, shape := range s.shapes() {
		for i, eps := range []mat.Real{1e-5, 0.25, 1e-5, 0.25} {
			d := s.normed(shape, eps, floors[i/2])
			if n := d.z.Len(); n > 0 && eps == 0.25 {
				d.z.v[s.rng.IntN(n)] = mat.Real(math.NaN())
			}
			s.rowNorm(d, junk(shape), false)
			s.rowNorm(d, s.random(shape), true)
		}
	}
}

func (s *suite) rowNorm(d *normed, old grid, add bool) {
	over := [][2]int{{0, 0}}
	if add {
		over = nil
	}
	s.try(trial{
		name: fmt.Sprintf("Norm of %v, add %v", d, add), in: d.inputs(), dst: []grid{old}, over: over,
		run: func(dst, in []*mat.Dense) { mat.Norm(dst[0], in[0], in[1], in[2], in[3], d.eps, d.floor, add) },
		want: alone(func(i, j int) near {
			d.once.Do(d.forward)
			u := d.u[i*d.z.Cols+j]
			v := max(u.v, float64(d.floor))
			if add {
				return near{v + old.at(i, j), u.tol + rounded(0, abs(v)+abs(old.at(i, j)), 1).tol}
			}
			return near{v, u.tol}
		}),
	})
}

// checkNormVJP: with w = g∘[u > floor] and a = w∘scale, dz ← (a − mean a − n·mean(a∘n))·inverse, and dp ← the
// sums of dz, w∘n and w over the rows.
func checkNormVJP(s *suite) {
	shapes := s.shapes()
	for i, shape := range slices.Concat(shapes, shapes) {
		d, g := s.normed(shape, 0.01, floors[i/len(shapes)]), s.random(shape)
		want := sync.OnceValue(func() [2][]near { dz, dp := d.backward(g); return [2][]near{dz, dp} })
		s.try(trial{
			name: fmt.Sprintf("NormVJP of %v", d), in: d.inputs(g), over: [][2]int{{0, 0}},
			dst: []grid{junk(shape), junk(mat.Shape{Rows: 3, Cols: shape.Cols})},
			run: func(dst, in []*mat.Dense) {
				mat.NormVJP(dst[0], dst[1], in[0], in[1], in[2], in[3], in[4], d.eps, d.floor)
			},
			want: []func(i, j int) near{
				func(i, j int) near { return want()[0][i*shape.Cols+j] },
				func(i, j int) near { return want()[1][i*shape.Cols+j] },
			},
		})
	}
}

// backward returns dz and dp for the cotangent g, with bounds. Where u may be on either side of the floor, so may w.
func (d *normed) backward(g grid) (dz, dp []near) {
	d.once.Do(d.forward)
	rows, cols := d.z.Rows, d.z.Cols
	dz, w := make([]near, rows*cols), make([]near, rows*cols)
	for i := range rows {
		var a, an sum
		aTol, anTol := 0.0, 0.0
		for j := range cols {
			at := i*cols + j
			w[at] = near{v: float64(g.v[at]) * indicator(d.u[at].v > float64(d.floor))}
			if u := d.u[at]; u.tol > 0 && abs(u.v-float64(d.floor)) <= u.tol {
				w[at].tol = abs(float64(g.v[at]))
			}
			p, n := d.scale.at(0, j), d.n[at]
			a.add(w[at].v * p / float64(cols))
			an.add(w[at].v * p * n.v / float64(cols))
			aTol += w[at].tol * abs(p) / float64(cols)
			anTol += (w[at].tol*(abs(n.v)+n.tol) + abs(w[at].v)*n.tol) * abs(p) / float64(cols)
		}
		mean, product := a.near(), an.near()
		mean.tol, product.tol = mean.tol+aTol, product.tol+anTol
		for j := range cols {
			dz[i*cols+j] = d.slope(w[i*cols+j], d.n[i*cols+j], d.scale.at(0, j), mean, product, d.inverse[i])
		}
	}
	return dz, columnSums(rows, cols, dz, w, d.n)
}

// slope returns (w·p − mean − n·product)·inverse with the bounds that its factors hand on.
func (d *normed) slope(w, n near, p float64, mean, product, inverse near) near {
	v := w.v*p - mean.v - n.v*product.v
	size := abs(w.v*p) + abs(mean.v) + abs(n.v*product.v)
	tol := w.tol*abs(p) + mean.tol + n.tol*abs(product.v) + abs(n.v)*product.tol + rounded(0, size, 3).tol
	return near{v * inverse.v, tol*inverse.v + size*inverse.tol}
}

// columnSums returns Σ_i of dz, w∘n and w.
func columnSums(rows, cols int, dz, w, n []near) []near {
	sums, tol := make([]sum, 3*cols), make([]float64, 3*cols)
	for i := range rows {
		for j := range cols {
			at := i*cols + j
			for r, x := range [3]near{dz[at], {w[at].v * n[at].v, w[at].tol*abs(n[at].v) + abs(w[at].v)*n[at].tol},
				w[at]} {
				sums[r*cols+j].add(x.v)
				tol[r*cols+j] += x.tol
			}
		}
	}
	out := make([]near, 3*cols)
	for k := range out {
		out[k] = sums[k].near()
		out[k].tol += tol[k]
	}
	return out
}
