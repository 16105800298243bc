//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import (
	"math"

	"github.com/bloomgml/bloom/mat"
)

func (d *device) Adam(w, m, v, grad *mat.Dense, c mat.AdamConfig, t int) {
	defer d.enter().leave()
	x, k, n := shrink(c, c.Decay), coefficients(c, t), w.Len()
	d.launch(d.kernels.Adam, d.each(n), p(d.ptr(w)), p(d.ptr(m)), p(d.ptr(v)), p(d.ptr(grad)), i(n), f(x.l2), f(x.keep),
		k[0], k[1], k[2], k[3], k[4], k[5], k[6])
}

// coefficients returns β₁, 1 − β₁, β₂, 1 − β₂, the factor of √v, ε and the length of step t, as arguments.
func coefficients(c mat.AdamConfig, t int) [7]uint64 {
	b1, b2 := float64(c.Beta1), float64(c.Beta2)
	root := mat.Real(1 / math.Sqrt(1-math.Pow(b2, float64(t))))
	step := mat.Real(float64(c.Rate) / (1 - math.Pow(b1, float64(t))))
	return [...]uint64{f(c.Beta1), f(mat.Real(1 - b1)), f(c.Beta2), f(mat.Real(1 - b2)), f(root), f(c.Eps), f(step)}
}

// member is a matrix of a crowd, as the kernels read it: what AdamAll moves, or w alone.
type member struct {
	w, m, v, grad uintptr
	n             int64
	l2, keep      float32
}

// crowd is the largest list of matrices that fits in the arguments of a kernel.
type crowd [80]member

// shrink returns the effect of weight decay: it is added to the gradient, or shrinks the weights.
func shrink(c mat.AdamConfig, decay mat.Real) member {
	if c.Decoupled {
		return member{keep: mat.Real(1 - float64(c.Rate)*float64(decay))}
	}
	return member{l2: decay, keep: 1}
}

// AdamAll updates the matrices in batches, each as large as a crowd.
func (d *device) AdamAll(list []mat.Moved, c mat.AdamConfig, t int) {
	defer d.enter().leave()
	k := coefficients(c, t)
	for len(list) > 0 {
		n := min(len(list), len(d.crowd))
		for at, x := range list[:n] {
			one := shrink(c, x.Decay)
			one.w, one.m, one.v, one.grad, one.n = d.ptr(x.W), d.ptr(x.M), d.ptr(x.V), d.ptr(x.Grad), int64(x.W.Len())
			d.crowd[at] = one
		}
		d.launchCrowd(d.kernels.AdamAll, d.crowdSize(n), k[:]...)
		list = list[n:]
	}
}

// crowdSize returns a launch with a row of blocks for each of the first n of the crowd, long enough for the largest.
func (d *device) crowdSize(n int) size {
	most := int64(0)
	for _, x := range d.crowd[:n] {
		most = max(most, x.n)
	}
	s := d.each(int(most))
	s.y = n
	return s
}

func (d *device) MarkAll(flag *mat.Dense, xs []*mat.Dense) {
	defer d.enter().leave()
	at, first := d.ptr(flag), 1
	d.zero(at, 1)
	for len(xs) > 0 {
		n := min(len(xs), len(d.crowd))
		for at, x := range xs[:n] {
			d.crowd[at] = member{w: d.ptr(x), n: int64(x.Len())}
		}
		d.launchCrowd(d.kernels.MarkAll, d.crowdSize(n), p(at), f(float32(first)))
		xs, first = xs[n:], first+n
	}
}
