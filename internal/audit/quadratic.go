package audit

import (
	"math"

	"github.com/bloomgml/bloom/mat"
)

// quadratic is an upper level with a linear head and quadratic energies, whose minimum has a closed form:
//
//	ℓ_up(Θ) = Σ_i ‖y_i − b − (z_i − m)ᵀΘ‖² + λ ‖Θ‖²
//
// over the training nodes i, m and b the means of z and y. With G = Σ (z_i − m)(z_i − m)ᵀ + λ and the hat values
// h_i = 1/n + (z_i − m)ᵀ G⁻¹ (z_i − m), the minimum without node i predicts for it
//
//	ŷ₋ᵢ = (ŷ_i − h_i y_i) / (1 − h_i)
//
// exactly: nothing is trained twice. For other numbers z′ instead, with c = 1/n + (z′ − m)ᵀ G⁻¹ (z_i − m), it predicts
// ŷ′₋ᵢ = ŷ′ − c (y_i − ŷ_i) / (1 − h_i).
//
// λ is the candidate with the smallest leave-one-out loss. It costs n p² + p³ for p numbers in z.
type quadratic struct {
	*design
	inverse []float64 // 1/(eigenvalue + λ)
	theta   numbers   // Θ in the coordinates of the design, p×q
	offset  []float64 // b
	fit     numbers   // ŷ_i, n×q
	y       numbers   // n×q; nodes that do not teach have zeros
	hat     []float64 // h_i
}

// design is z of all nodes, in coordinates in which Σ (z − m)(z − m)ᵀ over the training nodes is diagonal. Several
// targets may be learned from one.
type design struct {
	teaches []bool
	own     []int32    // the training nodes
	n       float64    // how many they are
	values  []float64  // eigenvalues
	typical float64    // their mean
	mean    []mat.Real // m, p numbers
	turn    numbers    // eigenvectors, p×p
	a       numbers    // (Z − m) turn
}

// lambdas are the candidates for λ, in mean eigenvalues of Σ (z − m)(z − m)ᵀ.
var lambdas = []float64{0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30}

// chosenBy is the number of nodes that a choice of λ looks at.
const chosenBy = 4000

// mostHat bounds h_i below 1.
const mostHat = 0.999

// newQuadratic learns y, n×q, from a design. λ is the candidate with the smallest loss, which compares leave-one-out
// predictions out with y.
func newQuadratic(d *design, y numbers, loss func(out, y [][]float64) float64) *quadratic {
	u := &quadratic{design: d, y: y, offset: y.means(d.own)}
	zy := u.targets()
	best, nodes := math.Inf(1), u.some()
	a := u.a.pick(nodes)
	for _, l := range lambdas {
		try := *u
		try.solve(l*d.typical+1e-9, zy)
		out, want := try.trial(nodes, a)
		if got := loss(out, want); got < best {
			best = got
			*u = try
		}
	}
	u.finish()
	return u
}

// newDesign turns z, n×p.
func newDesign(z numbers, teaches []bool) *design {
	d := &design{teaches: teaches, mean: make([]mat.Real, z.cols)}
	for i, t := range teaches {
		if t {
			d.own = append(d.own, int32(i))
		}
	}
	d.n = float64(len(d.own))
	for k, m := range z.means(d.own) {
		d.mean[k] = mat.Real(m)
	}
	c := d.centred(z)
	d.values, d.turn = c.pick(d.own).eigen()
	d.a = c.times(d.turn, mat.NN)
	d.typical = sum(d.values) / float64(max(len(d.values), 1))
	return d
}

// means of the columns over some rows.
func (x numbers) means(rows []int32) []float64 {
	m := make([]float64, x.cols)
	for _, i := range rows {
		for k, v := range x.at(int(i)) {
			m[k] += float64(v) / float64(len(rows))
		}
	}
	return m
}

// centred is z − m.
func (d *design) centred(z numbers) numbers {
	c := newNumbers(z.rows, z.cols)
	for i := range z.rows {
		for k, v := range z.at(i) {
			c.at(i)[k] = v - d.mean[k]
		}
	}
	return c
}

// targets is aᵀ(y − b) over the training nodes, p×q.
func (u *quadratic) targets() numbers {
	y := newNumbers(u.y.rows, u.y.cols)
	for i, t := range u.teaches {
		if t {
			for k, v := range u.y.at(i) {
				y.at(i)[k] = v - mat.Real(u.offset[k])
			}
		}
	}
	return u.a.times(y, mat.TN)
}

// solve finds Θ for one λ.
func (u *quadratic) solve(lambda float64, zy numbers) {
	u.inverse = make([]float64, len(u.values))
	u.theta = newNumbers(zy.rows, zy.cols)
	for k, v := range u.values {
		u.inverse[k] = 1 / (v + lambda)
		for j, t := range zy.at(k) {
			u.theta.at(k)[j] = mat.Real(u.inverse[k] * float64(t))
		}
	}
}

// some returns training nodes, evenly spread.
func (d *design) some() (nodes []int32) {
	for k := 0; k < len(d.own); k += len(d.own)/chosenBy + 1 {
		nodes = append(nodes, d.own[k])
	}
	return nodes
}

// trial returns the leave-one-out predictions of some nodes, whose coordinates are a, and their targets.
func (u *quadratic) trial(nodes []int32, a numbers) (out, want [][]float64) {
	fit := a.times(u.theta, mat.NN)
	for r, i := range nodes {
		o, w := make([]float64, u.y.cols), make([]float64, u.y.cols)
		h := min(u.cross(a.at(r), a.at(r)), mostHat)
		for k, y := range u.y.at(int(i)) {
			w[k] = float64(y)
			o[k] = (float64(fit.at(r)[k]) + u.offset[k] - h*w[k]) / (1 - h)
		}
		out, want = append(out, o), append(want, w)
	}
	return out, want
}

// predict is ŷ of a row of coordinates.
func (u *quadratic) predict(out []float64, a []mat.Real) {
	copy(out, u.offset)
	for k, x := range a {
		for j, t := range u.theta.at(k) {
			out[j] += float64(x) * float64(t)
		}
	}
}

// cross returns 1/n + (z′ − m)ᵀ G⁻¹ (z − m).
func (u *quadratic) cross(a, b []mat.Real) float64 {
	sum := 1 / u.n
	for k, x := range a {
		sum += float64(x) * float64(b[k]) * u.inverse[k]
	}
	return sum
}

// finish computes ŷ and h of all nodes.
func (u *quadratic) finish() {
	u.fit = u.a.times(u.theta, mat.NN)
	for i := range u.fit.rows {
		for k, b := range u.offset {
			u.fit.at(i)[k] += mat.Real(b)
		}
	}
	u.hats()
}

// hats computes h.
func (u *quadratic) hats() {
	u.hat = make([]float64, u.a.rows)
	for i := range u.hat {
		u.hat[i] = min(u.cross(u.a.at(i), u.a.at(i)), mostHat)
	}
}

// leaveOut writes the prediction for node i without it to out.
func (u *quadratic) leaveOut(out []float64, i int) {
	for k, y := range u.fit.at(i) {
		out[k] = float64(y)
		if u.teaches[i] {
			out[k] = (out[k] - u.hat[i]*float64(u.y.at(i)[k])) / (1 - u.hat[i])
		}
	}
}

// instead writes the prediction for coordinates z′ instead of node i's own, without node i, to out.
func (u *quadratic) instead(out []float64, i int, a []mat.Real) {
	u.predict(out, a)
	if !u.teaches[i] {
		return
	}
	c := u.cross(a, u.a.at(i)) / (1 - u.hat[i])
	for k, y := range u.y.at(i) {
		out[k] -= c * float64(y-u.fit.at(i)[k])
	}
}

// energy returns (z′ − m)ᵀ G⁻¹ (z′ − m) for coordinates z′ instead of node i's own, without node i.
func (u *quadratic) energy(i int, a []mat.Real) float64 {
	if !u.teaches[i] {
		return u.cross(a, a)
	}
	c := u.cross(a, u.a.at(i))
	return u.cross(a, a) + c*c/(1-u.hat[i])
}

// coordinates returns (z′ − m) turn: other rows z′ in the coordinates of the design.
func (d *design) coordinates(z numbers) numbers { return d.centred(z).times(d.turn, mat.NN) }

// newShape has no targets: its energies tell how usual a row is.
func newShape(d *design) *quadratic {
	u := &quadratic{design: d, y: newNumbers(d.a.rows, 0)}
	u.solve(0.03*d.typical+1e-9, newNumbers(d.a.cols, 0))
	u.hats()
	return u
}
