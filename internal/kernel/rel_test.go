package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// relCase is a list of triples and the matrices between which messages go.
type relCase struct {
	a    *CSR
	with []int32
	x, y []Real
	cols int
	plus bool // messages are x + y, otherwise x·y
}

func newRelCase(rng *rand.Rand, rows, entries, cols int, numbers func(*rand.Rand, int) []Real) relCase {
	const others, relations = 11, 3
	i, j, k := make([]int32, entries), make([]int32, entries), make([]int32, entries)
	for e := range i {
		i[e], j[e], k[e] = rng.Int32N(int32(rows)), rng.Int32N(others), rng.Int32N(relations)
	}
	a, with := ListTriples(rows, others, i, j, k)
	x, y := copyGuarded(numbers(rng, others*cols)).x, copyGuarded(numbers(rng, relations*cols)).x
	return relCase{a, with, x, y, cols, false}
}

// message is entry e, column c, in double precision.
func (r relCase) message(e int64, c int) float64 {
	x, y := r.operands(e, c)
	if r.plus {
		return float64(x) + float64(y)
	}
	return float64(x) * float64(y)
}

// rounded is a message as a Real: what the largest is chosen by.
func (r relCase) rounded(e int64, c int) Real {
	x, y := r.operands(e, c)
	if r.plus {
		return x + y
	}
	return x * y
}

// operands are what the message of entry e is made of, in column c.
func (r relCase) operands(e int64, c int) (x, y Real) {
	return r.x[int(r.a.Idx[e])*r.cols+c], r.y[int(r.with[e])*r.cols+c]
}

// cells calls f for every row and column.
func (r relCase) cells(f func(i, c, at int)) {
	for i := range r.a.Rows {
		for c := range r.cols {
			f(i, c, i*r.cols+c)
		}
	}
}

// relSizes are columns with every tail of a vector and widths of several tiles.
func relSizes() []int {
	var cols []int
	for n := range 68 {
		cols = append(cols, n)
	}
	return append(cols, 127, 128, 130, 200)
}

func TestRelMM(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := entryRand()
		for _, cols := range relSizes() {
			for _, entries := range []int{0, 1, 40} {
				for _, numbers := range []func(*rand.Rand, int) []Real{normals, withSpecials} {
					r := newRelCase(rng, 9, entries, cols, numbers)
					for _, beta := range []Real{0, 1, 0.5} {
						testRelMM(t, rng, r, beta)
					}
				}
			}
		}
	})
}

// testRelMM compares with the formula. Tolerance: every product and addition rounds once, relative to
// the sum of magnitudes; there are fewer than 50 of them.
func testRelMM(t *testing.T, rng *rand.Rand, r relCase, beta Real) {
	t.Helper()
	old := normals(rng, r.a.Rows*r.cols)
	if beta == 0 && len(old) > 0 {
		old[0] = Real(math.NaN()) // must not be read
	}
	dst := copyGuarded(old)
	RelMM(dst.x, r.a, r.with, r.x, r.y, r.cols, beta)
	what := fmt.Sprintf("%d entries, %d columns, beta %v", len(r.with), r.cols, beta)
	dst.check(t, what)
	want, size := make([]float64, len(old)), make([]float64, len(old))
	r.cells(func(i, c, at int) {
		if beta != 0 {
			want[at] = float64(beta) * float64(old[at])
		}
		size[at] = math.Abs(want[at])
		for e := r.a.Ptr[i]; e < r.a.Ptr[i+1]; e++ {
			want[at] += r.message(e, c)
			size[at] += math.Abs(r.message(e, c))
		}
	})
	skipOverflow(dst.x, want, size)
	// Denormal numbers have fewer digits.
	near(t, what, dst.x, want, 50*roundoff, func(i int) float64 { return size[i] + 1e-36 })
}

// skipOverflow leaves out sums that pass the largest Real on the way: where they end depends on the
// order, and on whether a product is rounded.
func skipOverflow(got []Real, want, size []float64) {
	most := math.MaxFloat32
	if RealBytes == 8 {
		most = math.MaxFloat64
	}
	for i := range want {
		if size[i] > most/4 && !math.IsNaN(want[i]) || math.IsInf(size[i], 0) {
			got[i], want[i], size[i] = 0, 0, 0
		}
	}
}

func TestRelStats(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := entryRand()
		for _, cols := range relSizes() {
			for _, entries := range []int{0, 1, 40} {
				for _, numbers := range []func(*rand.Rand, int) []Real{normals, smallIntegers} {
					r := newRelCase(rng, 9, entries, cols, numbers)
					testRelStats(t, r)
					r.plus = true
					testRelStats(t, r)
				}
			}
		}
	})
}

// smallIntegers have many equal products.
func smallIntegers(rng *rand.Rand, n int) []Real {
	x := make([]Real, n)
	for i := range x {
		x[i] = Real(rng.IntN(5) - 2)
	}
	return x
}

// stats are six guarded matrices of the case's shape.
func (r relCase) stats() (s RelStats, all [6]guarded) {
	for i := range all {
		all[i] = newGuarded(r.a.Rows * r.cols)
	}
	return RelStats{all[0].x, all[1].x, all[2].x, all[3].x, all[4].x, all[5].x, r.plus}, all
}

// testRelStats compares with the formulas: Max, Min and their places exactly, sums as in testRelMM.
func testRelStats(t *testing.T, r relCase) {
	t.Helper()
	what := fmt.Sprintf("%d entries, %d columns, plus %v", len(r.with), r.cols, r.plus)
	s, all := r.stats()
	s.Compute(r.a, r.with, r.x, r.y, r.cols)
	for i := range all {
		all[i].check(t, what)
	}
	n := r.a.Rows * r.cols
	sum, square, most, least := make([]float64, n), make([]float64, n), make([]Real, n), make([]Real, n)
	argMost, argLeast := make([]Real, n), make([]Real, n)
	r.cells(func(i, c, at int) {
		argMost[at], argLeast[at] = -1, -1
		for e := r.a.Ptr[i]; e < r.a.Ptr[i+1]; e++ {
			m, k := r.rounded(e, c), Real(e-r.a.Ptr[i])
			sum[at] += r.message(e, c)
			square[at] += r.message(e, c) * r.message(e, c)
			if k == 0 || m > most[at] {
				most[at], argMost[at] = m, k
			}
			if k == 0 || m < least[at] {
				least[at], argLeast[at] = m, k
			}
		}
	})
	size := func(i int) float64 { return 10 + 10*square[i] }
	near(t, what+": sum", s.Sum, sum, 50*roundoff, size)
	near(t, what+": squares", s.Square, square, 50*roundoff, size)
	for i := range n {
		if s.Max[i] != most[i] || s.Min[i] != least[i] || s.ArgMax[i] != argMost[i] || s.ArgMin[i] != argLeast[i] {
			t.Fatalf("%s, seed %d: number %d: max %v at %v, min %v at %v; want %v at %v, %v at %v", what, entrySeed, i,
				s.Max[i], s.ArgMax[i], s.Min[i], s.ArgMin[i], most[i], argMost[i], least[i], argLeast[i])
		}
	}
	testRelAdjoint(t, what, r, s)
}

// testRelAdjoint takes the statistics themselves as cotangents. Tolerance: four additions.
func testRelAdjoint(t *testing.T, what string, r relCase, s RelStats) {
	t.Helper()
	dm := newGuarded(len(r.with) * r.cols)
	s.Adjoint(dm.x, r.a, r.with, r.x, r.y, r.cols)
	dm.check(t, what)
	want, size := make([]float64, len(dm.x)), make([]float64, len(dm.x))
	r.cells(func(i, c, at int) {
		for e := r.a.Ptr[i]; e < r.a.Ptr[i+1]; e++ {
			k, to := Real(e-r.a.Ptr[i]), int(e)*r.cols+c
			want[to] = float64(s.Sum[at]) + 2*r.message(e, c)*float64(s.Square[at])
			size[to] = math.Abs(float64(s.Sum[at])) + math.Abs(2*r.message(e, c)*float64(s.Square[at]))
			if s.ArgMax[at] == k {
				want[to] += float64(s.Max[at])
			}
			if s.ArgMin[at] == k {
				want[to] += float64(s.Min[at])
			}
			size[to] += math.Abs(float64(s.Max[at])) + math.Abs(float64(s.Min[at]))
		}
	})
	near(t, what+": adjoint", dm.x, want, 8*roundoff, func(i int) float64 { return size[i] })
}

// TestRelStatsNaN: a NaN is seen in the sums, and in Max only where it comes first.
func TestRelStatsNaN(t *testing.T) {
	nan := Real(math.NaN())
	a, with := ListTriples(1, 2, []int32{0, 0}, []int32{0, 1}, []int32{0, 0})
	eachLevel(t, func(t *testing.T) {
		for _, first := range []bool{true, false} {
			x := []Real{nan, 2}
			if !first {
				x = []Real{2, nan}
			}
			r := relCase{a, with, x, []Real{1}, 1, false}
			s, _ := r.stats()
			s.Compute(a, with, r.x, r.y, 1)
			if s.Sum[0] == s.Sum[0] || s.Square[0] == s.Square[0] {
				t.Errorf("sum %v and squares %v of a NaN", s.Sum[0], s.Square[0])
			}
			if isNaN := s.Max[0] != s.Max[0]; isNaN != first {
				t.Errorf("NaN first %v: maximum %v", first, s.Max[0])
			}
		}
	})
}

// big is a case that is cut into many chunks; with few rows it is cut by columns too.
func bigRelCase(rows int) relCase { return newRelCase(entryRand(), rows, 6000, 200, normals) }

func TestRelDeterminism(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, rows := range []int{3, 1500} {
			r := bigRelCase(rows)
			sameForThreads(t, fmt.Sprint(rows, " rows"), func() []Real {
				dst := make([]Real, rows*r.cols)
				RelMM(dst, r.a, r.with, r.x, r.y, r.cols, 0)
				s, all := r.stats()
				s.Compute(r.a, r.with, r.x, r.y, r.cols)
				dm := make([]Real, len(r.with)*r.cols)
				s.Adjoint(dm, r.a, r.with, r.x, r.y, r.cols)
				for _, g := range all {
					dst = append(dst, g.x...)
				}
				return append(dst, dm...)
			})
		}
	})
}

func TestRelAllocatesNothing(t *testing.T) {
	r := bigRelCase(500)
	s, _ := r.stats()
	dst, dm := make([]Real, 500*r.cols), make([]Real, len(r.with)*r.cols)
	for name, f := range map[string]func(){
		"RelMM":   func() { RelMM(dst, r.a, r.with, r.x, r.y, r.cols, 1) },
		"Compute": func() { s.Compute(r.a, r.with, r.x, r.y, r.cols) },
		"Adjoint": func() { s.Adjoint(dm, r.a, r.with, r.x, r.y, r.cols) },
	} {
		f() // fills the free lists
		if n := testing.AllocsPerRun(5, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func FuzzRel(f *testing.F) {
	f.Add(uint64(1), uint8(9), uint16(40), uint8(33))
	f.Fuzz(func(t *testing.T, seed uint64, rows uint8, entries uint16, cols uint8) {
		rng := rand.New(rand.NewPCG(seed, 2))
		r := newRelCase(rng, 1+int(rows), int(entries)%300, int(cols), smallIntegers)
		for l := Portable; l <= Best(); l++ {
			restore := Use(l)
			s, _ := r.stats()
			s.Compute(r.a, r.with, r.x, r.y, r.cols)
			dst := make([]Real, len(s.Sum))
			RelMM(dst, r.a, r.with, r.x, r.y, r.cols, 0)
			restore()
			for i := range dst {
				if dst[i] != s.Sum[i] { // small integers add up exactly
					t.Fatalf("%v: RelMM gives %v, RelStats %v", l, dst[i], s.Sum[i])
				}
			}
		}
	})
}

func BenchmarkRel(b *testing.B) {
	const nodes, relations, entries, cols = 2746, 18, 10820, 128
	rng := entryRand()
	i, j, k := make([]int32, entries), make([]int32, entries), make([]int32, entries)
	for e := range i {
		i[e], j[e], k[e] = rng.Int32N(nodes), rng.Int32N(nodes), rng.Int32N(relations)
	}
	a, with := ListTriples(nodes, nodes, i, j, k)
	byRelation, pairs := ListTriples(relations, nodes, k, i, j)
	r := relCase{a, with, normals(rng, nodes*cols), normals(rng, relations*cols), cols, false}
	s, _ := r.stats()
	dst, dw, dm := make([]Real, nodes*cols), make([]Real, relations*cols), make([]Real, entries*cols)
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"sum", func() { RelMM(dst, a, with, r.x, r.y, cols, 0) }},
		{"to-relations", func() { RelMM(dw, byRelation, pairs, r.x, dst, cols, 0) }},
		{"stats", func() { s.Compute(a, with, r.x, r.y, cols) }},
		{"adjoint", func() { s.Adjoint(dm, a, with, r.x, r.y, cols) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(2 * entries * cols * RealBytes)
			for b.Loop() {
				c.f()
			}
		})
	}
}
