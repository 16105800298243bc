package upper

import (
	"fmt"
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// Two draws that agree, and are sure, cost nothing; draws that contradict each other do.
func ExampleDistance() {
	z := func(a, b mat.Real) ad.Var { return ad.Const(mat.FromSlice(1, 2, []mat.Real{a, b})) }
	agree := ad.Eval(Distance(0.5, z(20, 0), z(20, 0))).Item()
	differ := ad.Eval(Distance(0.5, z(20, 0), z(0, 20))).Item()
	fmt.Printf("%.2f %.2f\n", agree, differ)
	// Output: 0.00 0.50
}

// tolerance is some units of rounding of sums of about ten numbers.
var tolerance = map[bool]float64{false: 1e-5, true: 1e-12}[testkit.Double]

func drawn(seed uint64) *mat.Dense {
	m := mat.New(4, 3)
	mat.Uniform(m, -2, 2, seed)
	return m
}

// probabilities are the softmax of every row of z, in double precision.
func probabilities(z *mat.Dense) []float64 {
	c, p := z.Cols(), make([]float64, z.Shape().Len())
	for i := range z.Rows() {
		sum := 0.0
		for j := range c {
			p[i*c+j] = math.Exp(float64(z.Slice()[i*c+j]))
			sum += p[i*c+j]
		}
		for j := range c {
			p[i*c+j] /= sum
		}
	}
	return p
}

// goals are the means of the probabilities, sharpened.
func goals(temperature float64, zs ...*mat.Dense) []float64 {
	c, q := zs[0].Cols(), make([]float64, zs[0].Shape().Len())
	for _, z := range zs {
		for i, p := range probabilities(z) {
			q[i] += p / float64(len(zs))
		}
	}
	for i := 0; i < len(q); i += c {
		sum := 0.0
		for j := range c {
			q[i+j] = math.Pow(q[i+j], 1/temperature)
			sum += q[i+j]
		}
		for j := range c {
			q[i+j] /= sum
		}
	}
	return q
}

// TestDistance: against the formula, and its derivatives against differences of the formula with goals that stay.
func TestDistance(t *testing.T) {
	a, b, d := drawn(1), drawn(2), drawn(3)
	for _, temperature := range []float64{1, 0.5, 0.2} {
		q := goals(temperature, a, b, d)
		want := 0.0
		for _, z := range []*mat.Dense{a, b, d} {
			for i, p := range probabilities(z) {
				want += (q[i] - p) * (q[i] - p) / 12
			}
		}
		vars := []ad.Var{ad.Input(a), ad.Input(b), ad.Input(d)}
		got := Distance(temperature, vars...)
		if y := float64(ad.Eval(got).Item()); math.Abs(y-want) > tolerance {
			t.Errorf("T = %v: the distance is %v, want %v", temperature, y, want)
		}
		held := make([]mat.Real, len(q))
		for i := range q {
			held[i] = mat.Real(q[i])
		}
		sum := ad.Number(0)
		for _, z := range vars {
			sum = sum.Add(ad.Const(mat.FromSlice(4, 3, held)).Sub(z.Softmax()).Square().Sum().Scale(1.0 / 12))
		}
		testkit.Gradient(t, sum, ad.Grad(got, vars...), a, b, d)
	}
}

// TestDistanceOfExtremes: value and derivative are finite where probabilities underflow.
func TestDistanceOfExtremes(t *testing.T) {
	z := ad.Input(mat.FromSlice(2, 2, []mat.Real{500, -500, -500, 500}))
	y := Distance(0.1, z, z.Neg(), z.Scale(0))
	for _, v := range []ad.Var{y, ad.Grad(y, z)[0]} {
		if err := ad.Eval(v).CheckFinite(); err != nil {
			t.Error(err)
		}
	}
}
