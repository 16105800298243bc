package mattest

import (
	"fmt"
	"sync"

	"github.com/bloomgml/bloom/mat"
)

// descent is a whole descent as the oracle sees it.
type descent struct {
	pattern
	kind         mat.StepKind
	steps        int
	weighted     bool // values val, else ones
	val, a, b, c grid
	h0, p, g     grid // g is the cotangent of the result
}

// descent draws the numbers of a descent that neither explodes nor vanishes.
func (s *suite) descent(p pattern, cols, steps int, kind mat.StepKind, weighted bool) descent {
	shape, col := mat.Shape{Rows: p.rows, Cols: cols}, mat.Shape{Rows: p.rows, Cols: 1}
	between := func(s *suite, shape mat.Shape, lo, hi float64) grid {
		return s.make(shape, func() float64 { return lo + (hi-lo)*s.rng.Float64() })
	}
	return descent{
		pattern: p, kind: kind, steps: steps, weighted: weighted,
		val: between(s, p.values(), -0.5, 1.5),
		a:   between(s, col, 0.4, 0.8), b: between(s, col, 0.05, 0.2), c: between(s, col, -0.5, -0.2),
		h0: s.random(shape), p: s.random(shape), g: s.random(shape),
	}
}

func (d descent) String() string {
	return fmt.Sprintf("%v, %d entries (symmetric %v, values %v), %d steps of %+v", d.h0.Shape, len(d.idx), d.symmetric,
		d.weighted, d.steps, d.kind)
}

// inputs returns what goes to the device; on takes them there again.
func (d descent) inputs() []grid { return []grid{d.h0, d.p, d.a, d.b, d.c, d.val, d.g} }

// on returns the descent as mat takes it, with inputs on the device.
func (d descent) on(m *mat.Sparse, in []*mat.Dense) mat.Descent {
	k := mat.Descent{S: m, Steps: d.steps, Kind: d.kind, A: in[2], B: in[3], C: in[4]}
	if d.weighted {
		k.Val = in[5]
	}
	return k
}

// eachDescent calls f with every kind of step on graphs without nodes or edges, small ones, and one that
// is wide or has many nodes.
func (s *suite) eachDescent(f func(d descent)) {
	for _, kind := range kinds {
		for _, weighted := range []bool{false, true} {
			f(s.descent(s.undirected(1, 0), 3, 2, kind, weighted))
			f(s.descent(s.directed(0, 0, 0), 3, 2, kind, weighted))
			f(s.descent(s.directed(5, 5, 2), 0, 2, kind, weighted))
			f(s.descent(s.directed(6, 6, 0), 4, 3, kind, weighted))
			for _, steps := range []int{0, 1, 4} {
				n := 2 + s.rng.IntN(30)
				f(s.descent(s.undirected(n, 3), 1+s.rng.IntN(30), steps, kind, weighted))
				f(s.descent(s.directed(n, n, 3), 1+s.rng.IntN(30), steps, kind, weighted))
			}
		}
		if kind.NonNeg == (kind.Phi == mat.PhiHuber) {
			f(s.descent(s.directed(17003, 17003, 2), 2, 2, kind, !kind.NonNeg))
		} else {
			f(s.descent(s.undirected(307, 4), 133, 3, kind, kind.Phi == mat.PhiHuber))
		}
	}
}

// newTape returns memory for the tape, full of NaN: Descend must write all that its adjoint reads.
func (s *suite) newTape(d mat.Descent, h mat.Shape) operand {
	return s.put(junk(d.TapeShape(h)))
}

// checkTapeLen: a number ≥ 0 that depends on the pattern, the shape, the steps and their kind alone.
func checkTapeLen(s *suite) {
	s.eachDescent(func(d descent) {
		m := s.on(d.pattern)
		_, in := s.putAll(d.inputs())
		dev := s.dev.(mat.Descender)
		n := dev.TapeLen(d.h0.Shape, d.on(m, in))
		bare := mat.Descent{S: m, Steps: d.steps, Kind: d.kind}
		if again := dev.TapeLen(d.h0.Shape, bare); n < 0 || again != n {
			s.Fatalf("TapeLen, %v: %d, and %d without coefficients; seed %d", d, n, again, seed)
		}
		s.note(mat.Real(n))
	})
}

// checkDescend: the result is the same with a tape, without one, and where h0 is p; the tape keeps
// inside its memory.
func checkDescend(s *suite) {
	s.eachDescent(func(d descent) {
		s.descend(d, "with a tape", func(dst, in []*mat.Dense, k mat.Descent) {
			tape := s.newTape(k, d.h0.Shape)
			mat.Descend(dst[0], tape.Dense, in[0], in[1], k)
			s.numbers("Descend, tape", tape)
		})
		s.descend(d, "without a tape", func(dst, in []*mat.Dense, k mat.Descent) {
			mat.Descend(dst[0], nil, in[0], in[1], k)
		})
		d.h0 = d.p
		s.descend(d, "from p", func(dst, in []*mat.Dense, k mat.Descent) {
			mat.Descend(dst[0], nil, in[1], in[1], k)
		})
	})
}

func (s *suite) descend(d descent, how string, run func(dst, in []*mat.Dense, k mat.Descent)) {
	m := s.on(d.pattern)
	h := sync.OnceValue(func() []near { h, _ := d.forward(); return h })
	cols := d.h0.Cols
	s.try(trial{
		name: fmt.Sprintf("Descend %s, %v", how, d), in: d.inputs(), dst: []grid{junk(d.h0.Shape)},
		run:  func(dst, in []*mat.Dense) { run(dst, in, d.on(m, in)) },
		want: alone(func(i, j int) near { return h()[i*cols+j] }),
	})
}

// checkDescendVJP: the adjoint of Descend, which reads the tape and leaves it as it is.
func checkDescendVJP(s *suite) {
	s.eachDescent(func(d descent) {
		m, cols := s.on(d.pattern), d.h0.Cols
		want := sync.OnceValue(func() [2][]near { dh0, dp := d.backward(); return [2][]near{dh0, dp} })
		s.try(trial{
			name: fmt.Sprintf("DescendVJP, %v", d), in: d.inputs(), dst: []grid{junk(d.h0.Shape), junk(d.h0.Shape)},
			run: func(dst, in []*mat.Dense) { s.adjoint(d, m, dst[0], dst[1], in[0], in) },
			want: []func(i, j int) near{
				func(i, j int) near { return want()[0][i*cols+j] },
				func(i, j int) near { return want()[1][i*cols+j] },
			},
		})
		d.h0 = d.p
		both := sync.OnceValue(func() []near { dh0, dp := d.backward(); return plus(dh0, dp) })
		s.try(trial{
			name: fmt.Sprintf("DescendVJP from p, %v", d), in: d.inputs(), dst: []grid{junk(d.h0.Shape)},
			run:  func(dst, in []*mat.Dense) { s.adjoint(d, m, nil, dst[0], in[1], in) },
			want: alone(func(i, j int) near { return both()[i*cols+j] }),
		})
	})
}

// adjoint runs Descend and then DescendVJP with its tape.
func (s *suite) adjoint(d descent, m *mat.Sparse, dh0, dp, h0 *mat.Dense, in []*mat.Dense) {
	k := d.on(m, in)
	tape := s.newTape(k, d.h0.Shape)
	mat.Descend(mat.New(d.h0.Rows, d.h0.Cols), tape.Dense, h0, in[1], k)
	tape.grid.v = s.numbers("Descend, tape", tape)
	mat.DescendVJP(dh0, dp, in[6], tape.Dense, k)
	s.unchanged("DescendVJP, tape", tape)
}
