package mattest

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// recorder is a testing.TB that remembers the first failure instead of reporting it.
type recorder struct {
	testing.TB
	failure string
}

func (r *recorder) Helper()      {}
func (r *recorder) Failed() bool { return r.failure != "" }
func (r *recorder) Fatalf(format string, args ...any) {
	r.failure = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// verdict is the failure of a check on a Device, empty if it passes.
func verdict(t *testing.T, method string, dev mat.Device) string {
	t.Helper()
	i := slices.IndexFunc(checks, func(c check) bool { return c.method == method })
	if i < 0 {
		t.Fatalf("there is no check of %s", method)
	}
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				r.failure = fmt.Sprint("panic: ", p)
			}
		}()
		checks[i].test(r, dev)
	}()
	<-done
	return r.failure
}

// TestEveryMethodIsChecked breaks one method of the CPU at a time, a little, and wants the check of
// that method to notice.
func TestEveryMethodIsChecked(t *testing.T) {
	if names := unknown(); names != nil {
		t.Errorf("no check for %v", names)
	}
	for m := range reflect.TypeFor[whole]().Methods() {
		for _, from := range []int{0, 10000} {
			failure := verdict(t, m.Name, broken{cpu, m.Name, from, new(mat.Buffer)})
			if failure == "" {
				t.Errorf("a Device whose %s is wrong from %d entries on passes", m.Name, from)
			}
			t.Logf("%s: %s", m.Name, failure)
		}
	}
	n := reflect.TypeFor[whole]().NumMethod()
	for _, beyond := range []reflect.Type{reflect.TypeFor[mat.Crowd](), reflect.TypeFor[mat.Recorder](),
		reflect.TypeFor[mat.Laned]()} {
		n += beyond.NumMethod()
	}
	if len(checks) != n {
		t.Errorf("%d checks for %d methods", len(checks), n)
	}
}

// TestChecksNotice wants the suite to notice mistakes that a Device is likely to have.
func TestChecksNotice(t *testing.T) {
	for _, m := range mistakes {
		t.Run(m.method+" "+m.name, func(t *testing.T) {
			failure := verdict(t, m.method, m.dev)
			if failure == "" {
				t.Fatal("the suite did not notice")
			}
			if !strings.Contains(failure, m.says) {
				t.Errorf("the suite says %q, want %q in it", failure, m.says)
			}
		})
	}
}

// mistake is a Device that breaks one law.
type mistake struct {
	method, name, says string
	dev                mat.Device
}

var mistakes = []mistake{
	{"MatMul", "reads the old destination with β = 0", "NaN", greedy{cpu}},
	{"GroupMatMul", "reads the old destination with β = 0", "NaN", greedy{cpu}},
	{"RelMM", "reads the old destination with β = 0", "NaN", greedy{cpu}},
	{"SpMM", "reads the old destination with β = 0", "NaN", greedy{cpu}},
	{"SpMM", "takes a weighted symmetric pattern for its transpose", "symmetric true, transpose true, values true",
		lazyTranspose{cpu}},
	{"Axpby", "changes an input", "input 1 of shape", meddler{cpu}},
	{"Axpby", "does not work in place", "is input", copier{cpu}},
	{"Fill", "fills all memory of a short matrix", "behind the end", spiller{cpu}},
	{"CrossEntropy", "takes no row for all rows", "0 rows (picked true)", allRows{cpu}},
	{"CrossEntropyGrad", "takes a row that repeats for one", "rows that repeat", onceOnly{cpu}},
	{"Norm", "forgets to add", "add true", forgetful{cpu}},
	{"NormVJP", "counts u = 0 as positive", "destination 1", closed{cpu}},
	{"MulComplex", "forgets to conjugate", "conj true", forgetful{cpu}},
	{"RelStats", "takes the first of no messages", "want -1", winner{cpu}},
	{"RelStatsVJP", "hands the largest on to all", "RelStatsVJP", winner{cpu}},
	{"RelStats", "multiplies what is to be added", "plus true", multiplier{cpu}},
	{"RelStatsVJP", "multiplies what is to be added", "plus true", multiplier{cpu}},
	{"UpdateIndex", "keeps the first ids", "UpdateIndex", forgetful{cpu}},
	{"UpdatePattern", "keeps the first columns", "UpdatePattern", forgetful{cpu}},
	{"UpdateGroups", "keeps the first groups", "GroupMatMul", forgetful{cpu}},
	{"UpdateSeed", "keeps the first seed", "draws the same", forgetful{cpu}},
	{"Triples", "takes the third numbers from their end", "Triples", mixed{cpu}},
	{"Record", "does what it records", "while operations are recorded", eager{cpu}},
	{"Record", "follows an Alias", "Axpby, replayed", late{cpu}},
	{"AdamAll", "forgets the decay", "AdamAll, ", hasty{cpu}},
	{"MarkAll", "takes the last", "MarkAll of [99 51]", hasty{cpu}},
	{"Lane", "is the device itself", "500 ones are 0", single{cpu}},
	{"Sum", "is not the same every time", "gave other bits", moody{cpu, new(int)}},
	{"Uniform", "depends on the shape", "another shape", shaped{cpu}},
	{"GreaterMask", "ignores ties", "GreaterMask", winner{cpu}},
	{"StepVJP", "counts z = 0 as positive", "NonNeg:true", closed{cpu}},
	{"DescendVJP", "forgets the tape", "NonNeg:true", forgetful{cpu}},
}

type greedy struct{ whole }

func (d greedy) MatMul(dst, a, b *mat.Dense, t mat.Trans, alpha, beta mat.Real) {
	if dst.Len() > 0 {
		old := d.At(dst, 0)
		d.whole.MatMul(dst, a, b, t, alpha, beta)
		shift(dst, float64(beta*old)*0)
	}
}

func (d greedy) SpMM(dst *mat.Dense, s *mat.Sparse, t bool, val, x *mat.Dense, alpha, beta mat.Real) {
	if dst.Len() > 0 {
		old := d.At(dst, 0)
		d.whole.SpMM(dst, s, t, val, x, alpha, beta)
		shift(dst, float64(beta*old)*0)
	}
}

func (d greedy) GroupMatMul(dst *mat.Dense, g *mat.Groups, a, b *mat.Dense, t mat.Trans, beta mat.Real) {
	if dst.Len() > 0 {
		old := d.At(dst, 0)
		d.whole.GroupMatMul(dst, g, a, b, t, beta)
		shift(dst, float64(beta*old)*0)
	}
}

func (d greedy) RelMM(dst *mat.Dense, t *mat.Triples, to int, x, y *mat.Dense, beta mat.Real) {
	if dst.Len() > 0 {
		old := d.At(dst, 0)
		d.whole.RelMM(dst, t, to, x, y, beta)
		shift(dst, float64(beta*old)*0)
	}
}

type lazyTranspose struct{ whole }

func (d lazyTranspose) SpMM(dst *mat.Dense, s *mat.Sparse, t bool, val, x *mat.Dense, alpha, beta mat.Real) {
	d.whole.SpMM(dst, s, t && !s.Symmetric(), val, x, alpha, beta)
}

type meddler struct{ whole }

func (d meddler) Axpby(dst, a, b *mat.Dense, alpha, beta mat.Real) {
	d.whole.Axpby(dst, a, b, alpha, beta)
	if b != dst {
		d.Affine(b, b, beta, 0)
	}
}

type copier struct{ whole }

func (d copier) Axpby(dst, a, b *mat.Dense, alpha, beta mat.Real) {
	d.Affine(dst, a, alpha, 0)
	d.whole.Axpby(dst, dst, b, 1, beta)
}

type spiller struct{ whole }

func (d spiller) Fill(dst *mat.Dense, v mat.Real) {
	defer func() { _ = recover() }()
	for n := dst.Len(); ; n++ {
		d.whole.Fill(dst.As(mat.Shape{Rows: n, Cols: 1}), v)
	}
}

type allRows struct{ whole }

func (d allRows) CrossEntropy(dst, x *mat.Dense, labels, pick *mat.Index) {
	if pick != nil && pick.Len() == 0 {
		pick = nil
	}
	d.whole.CrossEntropy(dst, x, labels, pick)
}

type onceOnly struct{ whole }

// CrossEntropyGrad counts every row that is picked once, over the number of picks.
func (d onceOnly) CrossEntropyGrad(dst, x *mat.Dense, labels, pick *mat.Index) {
	d.whole.CrossEntropyGrad(dst, x, labels, pick)
	if pick == nil || pick.Len() == 0 {
		return
	}
	ones, times := mat.New(pick.Len(), 1), mat.New(x.Rows(), 1)
	d.Fill(ones, 1)
	d.SegmentSum(times, ones, pick, 1, 0)
	v := times.Slice()
	for i := range v {
		v[i] = 1 / max(v[i], 1)
	}
	times.Write(v)
	d.Mul(dst, dst, times, 1, false)
}

type moody struct {
	whole
	calls *int
}

// Sum differs in the last bit from call to call.
func (d moody) Sum(dst, x *mat.Dense) {
	d.whole.Sum(dst, x)
	*d.calls++
	v := dst.Slice()
	if *d.calls%7 == 0 {
		v[0] *= mat.Real(1 + 2*unit)
	}
	dst.Write(v)
}

type shaped struct{ whole }

func (d shaped) Uniform(dst *mat.Dense, lo, hi mat.Real, seed uint64) {
	d.whole.Uniform(dst, lo, hi, seed+uint64(dst.Cols())<<32)
}

type winner struct{ whole }

func (d winner) GreaterMask(dst, a, b, y *mat.Dense) {
	more := mat.New(a.Rows(), a.Cols())
	d.Affine(more, a, 1, 1.0/64) // less than the distance of coarse numbers
	d.whole.GreaterMask(dst, more, b, y)
}

// RelStats has no −1.
func (d winner) RelStats(s mat.RelStatistics, t *mat.Triples, x, y *mat.Dense) {
	d.whole.RelStats(s, t, x, y)
	d.Map(s.ArgMax, s.ArgMax, "relu", 0, 0)
}

// RelStatsVJP takes the cotangent of Max for one of Sum, too.
func (d winner) RelStatsVJP(dm *mat.Dense, s mat.RelStatistics, t *mat.Triples, x, y *mat.Dense) {
	both := mat.New(s.Sum.Rows(), s.Sum.Cols())
	d.Axpby(both, s.Sum, s.Max, 1, 1)
	s.Sum = both
	d.whole.RelStatsVJP(dm, s, t, x, y)
}

type multiplier struct{ whole }

func (d multiplier) RelStats(s mat.RelStatistics, t *mat.Triples, x, y *mat.Dense) {
	s.Plus = false
	d.whole.RelStats(s, t, x, y)
}

func (d multiplier) RelStatsVJP(dm *mat.Dense, s mat.RelStatistics, t *mat.Triples, x, y *mat.Dense) {
	s.Plus = false
	d.whole.RelStatsVJP(dm, s, t, x, y)
}

type mixed struct{ whole }

func (d mixed) Triples(bounds [3]int, ids [3][]int32) mat.Buffer {
	ids[2] = slices.Clone(ids[2])
	slices.Reverse(ids[2])
	return d.whole.Triples(bounds, ids)
}

type closed struct{ whole }

func (d closed) NormVJP(dz, dp, g, z, bias, scale, shift *mat.Dense, eps, floor mat.Real) {
	more := mat.New(1, z.Cols())
	d.Affine(more, shift, 1, 1e-30) // vanishes in any other number than 0
	d.whole.NormVJP(dz, dp, g, z, bias, scale, more, eps, floor)
}

func (d closed) StepVJP(dh, ds, dp, g, out, h, p, a, b, c *mat.Dense, kind mat.StepKind) {
	more := mat.New(h.Rows(), h.Cols())
	d.Affine(more, out, 1, 1.0/64)
	d.whole.StepVJP(dh, ds, dp, g, more, h, p, a, b, c, kind)
}

type eager struct{ whole }

func (eager) Record(f func()) func() { f(); return f }

type hasty struct{ whole }

func (d hasty) AdamAll(list []mat.Moved, c mat.AdamConfig, t int) {
	for _, x := range list {
		d.Adam(x.W, x.M, x.V, x.Grad, c, t)
	}
}

func (d hasty) MarkAll(flag *mat.Dense, xs []*mat.Dense) {
	d.Fill(flag, 0)
	for i, x := range xs {
		if d.FirstNonFinite(x) >= 0 {
			d.Fill(flag, mat.Real(i+1))
		}
	}
}

type single struct{ whole }

func (d single) Lane() (mat.Device, error) { return d, nil }

type late struct{ whole }

func (late) Record(f func()) func() { return f }

type forgetful struct{ whole }

func (d forgetful) Norm(dst, z, bias, scale, shift *mat.Dense, eps, floor mat.Real, _ bool) {
	d.whole.Norm(dst, z, bias, scale, shift, eps, floor, false)
}

func (d forgetful) MulComplex(dst, a, b *mat.Dense, _, add bool) {
	d.whole.MulComplex(dst, a, b, false, add)
}

func (forgetful) UpdateIndex(mat.Buffer, []int32) {}

func (forgetful) UpdatePattern(mat.Buffer, []int32) {}

func (forgetful) UpdateGroups(mat.Buffer, []int) {}

func (forgetful) UpdateSeed(mat.Buffer, uint64) {}

func (d forgetful) DescendVJP(dh0, dp, g, tape *mat.Dense, k mat.Descent) {
	if k.Kind.Phi == mat.PhiSquare {
		k.Kind.NonNeg, tape = false, nil
	}
	d.whole.DescendVJP(dh0, dp, g, tape, k)
}
