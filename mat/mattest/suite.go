package mattest

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// seed starts the random numbers of every check; it stands in every failure.
const seed = 20250611

// suite is one run of one check.
type suite struct {
	testing.TB
	dev    mat.Device
	method string // of dev, that the check is about
	rng    *rand.Rand
	bits   uint64 // a hash of every result

	// again is set when an earlier run has compared the same results with the oracle: then it is
	// enough that the bits are the same.
	again bool
}

func newSuite(t testing.TB, dev mat.Device, method string) *suite {
	h := fnv.New64a()
	h.Write([]byte(method))
	return &suite{TB: t, dev: dev, method: method, rng: rand.New(rand.NewPCG(seed, h.Sum64()))}
}

// note adds results to the bits that all runs of a check must agree on.
func (s *suite) note(results ...mat.Real) {
	for _, v := range results {
		s.bits = (s.bits ^ math.Float64bits(float64(v))) * 0x9e3779b97f4a7c15
		s.bits ^= s.bits >> 29
	}
}

// trial is one call of an operation with what it should give.
type trial struct {
	name string
	in   []grid                     // inputs
	dst  []grid                     // destinations, with their old numbers
	over [][2]int                   // {k, i}: destination k may be input i
	run  func(dst, in []*mat.Dense) // the call
	want []func(i, j int) near      // entry i, j of each destination
}

// try runs a trial with destinations of their own, and once for every place a destination may share.
func (s *suite) try(t trial) {
	s.Helper()
	if !strings.HasPrefix(t.name, s.method) {
		t.name = s.method + ": " + t.name
	}
	s.once(t, t.name, [2]int{-1, -1})
	for _, o := range t.over {
		s.once(t, fmt.Sprintf("%s, destination %d is input %d", t.name, o[0], o[1]), o)
	}
}

// once runs a trial and looks at everything that was on the device.
func (s *suite) once(t trial, name string, place [2]int) {
	s.Helper()
	in, inputs := s.putAll(t.in)
	dst, destinations := s.putAll(t.dst)
	if place[0] >= 0 {
		dst[place[0]], destinations[place[0]] = in[place[1]], inputs[place[1]]
	}
	t.run(destinations, inputs)
	for k, d := range dst {
		s.compare(fmt.Sprintf("%s, destination %d", name, k), d, t.want[k])
	}
	for i, x := range in {
		if i != place[1] {
			s.unchanged(fmt.Sprintf("%s, input %d", name, i), x)
		}
	}
}

// operand is a matrix on the device, the numbers that were put there, and its memory.
type operand struct {
	*mat.Dense
	grid grid
	room *mat.Dense
}

// guard stands behind the entries of every operand: an operation that writes there is wrong.
var guard = []mat.Real{12345.5, -54321.25, 777, 0, 1}

// put makes a matrix on the device, at the front of memory that is a little longer.
func (s *suite) put(g grid) operand {
	room := mat.New(g.Len()+len(guard), 1)
	room.Write(slices.Concat(g.v, guard))
	return operand{room.As(g.Shape), g, room}
}

func (s *suite) putAll(gs []grid) ([]operand, []*mat.Dense) {
	ops, ms := make([]operand, len(gs)), make([]*mat.Dense, len(gs))
	for i, g := range gs {
		ops[i] = s.put(g)
		ms[i] = ops[i].Dense
	}
	return ops, ms
}

// numbers reads an operand and checks its guard.
func (s *suite) numbers(name string, x operand) []mat.Real {
	s.Helper()
	all := x.room.Slice()
	for i, v := range all[x.Len():] {
		if v != guard[i] {
			s.Fatalf("%s of shape %v: wrote %d entries behind the end; seed %d", name, x.Shape(), i+1, seed)
		}
	}
	return all[:x.Len()]
}

// compare holds the entries of a destination against the oracle.
func (s *suite) compare(name string, x operand, want func(i, j int) near) {
	s.Helper()
	got := s.numbers(name, x)
	s.note(got...)
	if s.again {
		return
	}
	for at, v := range got {
		i, j := at/x.Cols(), at%x.Cols()
		if w := want(i, j); !w.matches(v) {
			s.Fatalf("%s of shape %v, entry %d,%d: got %v, want %v ± %.2g; seed %d", name, x.Shape(), i, j, v, w.v,
				w.tol, seed)
		}
	}
}

// unchanged fails when an input is not, bit for bit, what was put there.
func (s *suite) unchanged(name string, x operand) {
	s.Helper()
	for at, v := range s.numbers(name, x) {
		if math.Float64bits(float64(v)) != math.Float64bits(float64(x.grid.v[at])) {
			s.Fatalf("%s of shape %v was changed at %d: %v, was %v; seed %d", name, x.Shape(), at, v, x.grid.v[at],
				seed)
		}
	}
}

// unit is half the distance from 1 to the next Real: the relative error of one rounding.
var unit = map[int]float64{32: 0x1p-24, 64: 0x1p-53}[reflect.TypeFor[mat.Real]().Bits()]

// near is a number and how far a result may be from it; 0 means that it must be equal.
type near struct{ v, tol float64 }

// matches compares a result: NaN with NaN, Inf with Inf, numbers within the tolerance. Results
// below the normal numbers may be flushed to 0.
func (n near) matches(got mat.Real) bool {
	g := float64(got)
	switch {
	case math.IsNaN(n.v):
		return math.IsNaN(g)
	case math.IsInf(n.v, 0) || n.tol == 0:
		return g == n.v
	}
	return math.Abs(g-n.v) <= n.tol+0x1p-126
}

// exact wants this number.
func exact(v float64) near { return near{v, 0} }

// rounded returns a number after a few roundings of terms of the given size; twice as much, since in
// double precision the oracle rounds as well.
func rounded(v, size, roundings float64) near {
	return near{v, 2 * roundings * unit * math.Abs(size)}
}

// sum is Σ terms, of random sign or of one sign. Its partial sums, in any order, are then of the size
// |Σ| + √Σ terms²; n roundings of that size, up or down, come to √n of them, and six times as much is
// never seen. The bound for the worst case, n·Σ|terms|, would hide a wrong term.
type sum struct {
	v, squares float64
	n          int
}

func (t *sum) add(x float64) { t.v, t.squares, t.n = t.v+x, t.squares+x*x, t.n+1 }

// times returns α·Σ + β·old, where β = 0 does not look at old, with a few roundings for the products.
func (t sum) times(alpha, beta, old float64) near {
	v, size := alpha*t.v, math.Abs(alpha)*(math.Abs(t.v)+math.Sqrt(t.squares))
	if beta != 0 {
		v, size = v+beta*old, size+math.Abs(beta*old)
	}
	return rounded(v, size, 6*math.Sqrt(float64(t.n))+5)
}

func (t sum) near() near { return t.times(1, 0, 0) }
