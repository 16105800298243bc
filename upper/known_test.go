package upper_test

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/part"
	"github.com/bloomgml/bloom/upper"
)

// formula is a criterion of one row: of a class, of numbers, or of both.
type formula struct {
	criterion upper.Criterion // nil for that of the table
	class     func(z []float64, y int) float64
	value     func(z, y []float64) float64
}

// probability is softmax(z)[y].
func probability(z []float64, y int) float64 {
	sum := 0.0
	for _, x := range z {
		sum += math.Exp(x)
	}
	return math.Exp(z[y]) / sum
}

// hot is 1 at y and 0 elsewhere, three of them.
func hot(y int) []float64 {
	row := make([]float64, 3)
	row[y] = 1
	return row
}

// over is the mean of f over columns.
func over(f func(z, y float64) float64) func(z, y []float64) float64 {
	return func(z, y []float64) float64 { return sumOver(f)(z, y) / float64(len(z)) }
}

// sumOver is the sum of f over columns.
func sumOver(f func(z, y float64) float64) func(z, y []float64) float64 {
	return func(z, y []float64) (sum float64) {
		for j := range z {
			sum += f(z[j], y[j])
		}
		return sum
	}
}

// onHot is f of classes.
func onHot(f func(z, y []float64) float64) func(z []float64, y int) float64 {
	return func(z []float64, y int) float64 { return f(z, hot(y)) }
}

func huberOf(delta float64) func(z, y []float64) float64 {
	return over(func(z, y float64) float64 {
		if r := math.Abs(z - y); r > delta {
			return delta*r - delta*delta/2
		}
		return (z - y) * (z - y) / 2
	})
}

func focalOf(gamma float64) func(z []float64, y int) float64 {
	return func(z []float64, y int) float64 {
		p := probability(z, y)
		return -math.Pow(1-p, gamma) * math.Log(p)
	}
}

// TestKnown compares every criterion with its formula, row by row.
func TestKnown(t *testing.T) {
	cross := func(z []float64, y int) float64 { return -math.Log(probability(z, y)) }
	square := over(func(z, y float64) float64 { return (z - y) * (z - y) })
	binary := sumOver(func(z, y float64) float64 {
		p := 1 / (1 + math.Exp(-z))
		return -y*math.Log(p) - (1-y)*math.Log(1-p)
	})
	testkit.Known(t, upper.Criteria, map[string][]formula{
		"auto":          {{nil, cross, square}},
		"cross_entropy": {{nil, cross, nil}},
		"binary":        {{nil, onHot(binary), binary}},
		"squared":       {{nil, onHot(square), square}},
		"huber":         {{nil, onHot(huberOf(1)), huberOf(1)}, {upper.Huber(0.3), onHot(huberOf(0.3)), huberOf(0.3)}},
		"focal":         {{nil, focalOf(2), nil}, {upper.Focal(0.5), focalOf(0.5), nil}, {upper.Focal(0), cross, nil}},
	}, func(t *testing.T, p part.Part[upper.Criterion], f formula) {
		c := f.criterion
		if c == nil {
			c = p.New
		}
		for seed := range uint64(20) {
			z, want := drawn(1, 3, -3, 3, seed), drawn(1, 3, 0, 1, 50+seed)
			if f.class != nil {
				y := int(seed) % 3
				class := upper.Target{Class: mat.MustIndex([]int32{int32(y)}, 3)}
				wantNumber(t, "of a class", item(c.Of(ad.Input(z), class)), f.class(numbers(z), y))
			}
			if f.value != nil {
				wantNumber(t, "of numbers", item(c.Of(ad.Input(z), upper.Target{Value: want})),
					f.value(numbers(z), numbers(want)))
			}
		}
	})
}

func numbers(m *mat.Dense) (list []float64) {
	for _, x := range m.Slice() {
		list = append(list, float64(x))
	}
	return list
}
