package mattest

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// curve is a function with its first two derivatives, each of x and the parameter t, and a random
// point of its domain.
type curve struct {
	order  [3]func(x, t float64) float64
	domain func(x float64) float64
}

func anywhere(x float64) float64 { return x }
func positive(x float64) float64 { return math.Abs(x) + 0.01 }
func nonzero(x float64) float64  { return math.Copysign(positive(x), x) }

// curves is the closed list as a textbook writes it, so that nothing cancels.
var curves = map[mat.Func]curve{
	"exp": {[3]func(x, t float64) float64{exp, exp, exp}, anywhere},
	"log": {[3]func(x, t float64) float64{
		func(x, _ float64) float64 { return math.Log(x) },
		func(x, _ float64) float64 { return 1 / x },
		func(x, _ float64) float64 { return -1 / (x * x) }}, positive},
	"tanh": {[3]func(x, t float64) float64{
		tanh,
		sech2,
		func(x, _ float64) float64 { return -2 * math.Tanh(x) * sech2(x, 0) }}, anywhere},
	"sigmoid": {[3]func(x, t float64) float64{
		sigmoid,
		sigmoid1,
		func(x, _ float64) float64 { return -sigmoid1(x, 0) * math.Tanh(x/2) }}, anywhere},
	"softplus": {[3]func(x, t float64) float64{
		func(x, _ float64) float64 { return math.Log1p(math.Exp(x)) }, sigmoid, sigmoid1}, anywhere},
	"relu": {[3]func(x, t float64) float64{
		func(x, _ float64) float64 { return max(x, 0) },
		func(x, _ float64) float64 { return indicator(x > 0) }, zero}, anywhere},
	"leaky_relu": {[3]func(x, t float64) float64{
		func(x, t float64) float64 { return max(x, 0) + t*min(x, 0) },
		func(x, t float64) float64 { return t + (1-t)*indicator(x > 0) }, zero}, anywhere},
	"abs": {[3]func(x, t float64) float64{
		func(x, _ float64) float64 { return math.Abs(x) },
		func(x, _ float64) float64 { return indicator(x > 0) - indicator(x < 0) }, zero}, anywhere},
	"square": {[3]func(x, t float64) float64{
		func(x, _ float64) float64 { return x * x },
		func(x, _ float64) float64 { return 2 * x },
		func(x, _ float64) float64 { return 2 }}, anywhere},
	"sqrt": {[3]func(x, t float64) float64{
		func(x, _ float64) float64 { return math.Sqrt(x) },
		func(x, _ float64) float64 { return 1 / (2 * math.Sqrt(x)) },
		func(x, _ float64) float64 { return -1 / (4 * x * math.Sqrt(x)) }}, positive},
	"recip": {[3]func(x, t float64) float64{
		func(x, _ float64) float64 { return 1 / x },
		func(x, _ float64) float64 { return -1 / (x * x) },
		func(x, _ float64) float64 { return 2 / (x * x * x) }}, nonzero},
	"sin": {[3]func(x, t float64) float64{
		func(x, _ float64) float64 { return math.Sin(x) },
		func(x, _ float64) float64 { return math.Cos(x) },
		func(x, _ float64) float64 { return -math.Sin(x) }}, anywhere},
	"cos": {[3]func(x, t float64) float64{
		func(x, _ float64) float64 { return math.Cos(x) },
		func(x, _ float64) float64 { return -math.Sin(x) },
		func(x, _ float64) float64 { return -math.Cos(x) }}, anywhere},
	"huber": {[3]func(x, t float64) float64{
		func(x, t float64) float64 { c := min(math.Abs(x), t); return c * (math.Abs(x) - c/2) },
		clamp, inside}, anywhere},
	"log_cosh": {[3]func(x, t float64) float64{ // cosh x = 1 + 2 sinh² x/2
		func(x, _ float64) float64 { return math.Log1p(2 * math.Pow(math.Sinh(x/2), 2)) }, tanh, sech2}, anywhere},
	"clamp": {[3]func(x, t float64) float64{clamp, inside, zero}, anywhere},
}

func exp(x, _ float64) float64      { return math.Exp(x) }
func tanh(x, _ float64) float64     { return math.Tanh(x) }
func sech2(x, _ float64) float64    { c := math.Cosh(x); return 1 / (c * c) }
func sigmoid(x, _ float64) float64  { return 1 / (1 + math.Exp(-x)) }
func sigmoid1(x, _ float64) float64 { return sigmoid(x, 0) * sigmoid(-x, 0) }
func clamp(x, t float64) float64    { return max(-t, min(t, x)) }
func inside(x, t float64) float64   { return indicator(math.Abs(x) < t) }
func zero(x, _ float64) float64     { return 0 }

func indicator(c bool) float64 {
	if c {
		return 1
	}
	return 0
}

// mapped returns f⁽ᵒʳᵈᵉʳ⁾(x)·y. Eight units of the last place, 16 roundings, is what good libraries
// reach for second derivatives that are quotients; sin and cos are measured against 1, because
// their zeros are not numbers.
func mapped(f mat.Func, order int, x, t, y float64) near {
	v := curves[f].order[order](x, t) * y
	size := math.Abs(v)
	if f == "sin" || f == "cos" {
		size += math.Abs(y)
	}
	return rounded(v, size, 18)
}

// eachMap calls f with every function, order and shape, with a matrix of points and a parameter.
func (s *suite) eachMap(call func(name string, f mat.Func, order int, x grid, t mat.Real)) {
	for _, f := range slices.Sorted(maps.Keys(curves)) {
		c := curves[f]
		for order := range 3 {
			for i, shape := range append(s.small(), mat.Shape{Rows: 131, Cols: 127}) {
				scale := []float64{0.1, 1.5, 6}[i%3]
				x := s.make(shape, func() float64 { return c.domain(scale * s.rng.NormFloat64()) })
				call(fmt.Sprintf("%v, order %d", f, order), f, order, x, mat.Real(0.25+s.rng.Float64()))
			}
		}
	}
}

// checkMap: dst[i] ← f⁽ᵒʳᵈᵉʳ⁾(x[i]).
func checkMap(s *suite) {
	s.eachMap(func(name string, f mat.Func, order int, x grid, t mat.Real) {
		s.entrywise("Map "+name, []grid{x},
			func(dst *mat.Dense, in []*mat.Dense) { mat.Map(dst, in[0], f, order, t) },
			func(x []float64) near { return mapped(f, order, x[0], float64(t), 1) })
	})
	for _, c := range conventions {
		s.convention(c)
	}
	for _, f := range slices.Sorted(maps.Keys(curves)) {
		for order := range 3 {
			s.convention(convention{f, order, math.NaN(), math.NaN()})
		}
	}
}

// checkMapMul: dst[i] ← f⁽ᵒʳᵈᵉʳ⁾(x[i])·y[i].
func checkMapMul(s *suite) {
	s.eachMap(func(name string, f mat.Func, order int, x grid, t mat.Real) {
		s.entrywise("MapMul "+name, []grid{x, s.random(x.Shape)},
			func(dst *mat.Dense, in []*mat.Dense) { mat.MapMul(dst, in[0], in[1], f, order, t) },
			func(x []float64) near { return mapped(f, order, x[0], float64(t), x[1]) })
	})
}

// convention is the value of a function at a place where a choice was made: kinks, and limits.
type convention struct {
	f       mat.Func
	order   int
	x, want float64
}

// parameter is the t of the conventions.
const parameter = 0.75

var infinity = math.Inf(1)

var conventions = []convention{
	{"relu", 1, 0, 0}, {"abs", 1, 0, 0}, {"leaky_relu", 1, 0, parameter},
	{"huber", 2, parameter, 0}, {"huber", 2, -parameter, 0}, {"clamp", 1, parameter, 0},
	{"clamp", 1, -parameter, 0},
	{"exp", 0, -infinity, 0}, {"exp", 0, infinity, infinity}, {"exp", 0, 0, 1},
	{"log", 0, 0, -infinity}, {"log", 0, infinity, infinity}, {"log", 0, 1, 0}, {"log", 0, -1, math.NaN()},
	{"tanh", 0, infinity, 1}, {"tanh", 0, -infinity, -1}, {"tanh", 0, 0, 0}, {"tanh", 1, infinity, 0},
	{"tanh", 2, -infinity, 0},
	{"sigmoid", 0, infinity, 1}, {"sigmoid", 0, -infinity, 0}, {"sigmoid", 0, 0, 0.5},
	{"sigmoid", 1, -infinity, 0},
	{"softplus", 0, infinity, infinity}, {"softplus", 0, -infinity, 0},
	{"relu", 0, -infinity, 0}, {"relu", 0, infinity, infinity}, {"leaky_relu", 0, -infinity, -infinity},
	{"abs", 0, -infinity, infinity}, {"abs", 1, -infinity, -1},
	{"sqrt", 0, -1, math.NaN()}, {"sqrt", 0, infinity, infinity}, {"sqrt", 1, 0, infinity},
	{"recip", 0, infinity, 0}, {"recip", 0, 0, infinity},
	{"huber", 0, -infinity, infinity}, {"huber", 1, -infinity, -parameter},
	{"log_cosh", 0, -infinity, infinity}, {"log_cosh", 0, 0, 0},
	{"clamp", 0, infinity, parameter}, {"clamp", 0, -infinity, -parameter}, {"sin", 0, 0, 0}, {"cos", 0, 0, 1},
}

func (s *suite) convention(c convention) {
	x := s.make(mat.Shape{Rows: 3, Cols: 7}, func() float64 { return c.x })
	s.entrywise(fmt.Sprintf("Map %v, order %d, at %v", c.f, c.order, c.x), []grid{x},
		func(dst *mat.Dense, in []*mat.Dense) { mat.Map(dst, in[0], c.f, c.order, parameter) },
		func([]float64) near { return exact(c.want) })
}
