package ad

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// blocky is where random expressions of blocks begin.
type blocky struct {
	rng          *rand.Rand
	rows, cols   int
	clock        *Clock
	sparse       *mat.Sparse
	val          Var
	tall         []Var // rows×cols, the same bits in blocks or not
	loose        []Var // rows×cols, from sums, which blocks round otherwise
	sums         []Var // of any shape
	square, line Var   // cols×cols and 1×cols
}

func newBlocky(seed uint64) *blocky {
	b := &blocky{rng: rand.New(rand.NewPCG(seed, 5)), rows: 4096 + int(seed%3)*70, cols: 24, clock: &Clock{Seed: seed}}
	if seed%2 == 0 {
		b.cols = 64
	}
	ptr, idx := make([]int64, b.rows+1), []int32(nil)
	for i := range b.rows {
		for range b.rng.IntN(5) {
			idx = append(idx, int32(b.rng.IntN(b.rows)))
		}
		ptr[i+1] = int64(len(idx))
	}
	s, err := mat.NewSparse(b.rows, b.rows, ptr, idx)
	if err != nil {
		panic(err)
	}
	b.sparse, b.val = s, b.leaf(s.NNZ(), 1)
	b.square, b.line = b.leaf(b.cols, b.cols), b.leaf(1, b.cols)
	b.tall = []Var{b.leaf(b.rows, b.cols), b.leaf(b.rows, b.cols)}
	return b
}

func (b *blocky) leaf(rows, cols int) Var {
	x := mat.New(rows, cols)
	mat.Uniform(x, -0.3, 0.3, b.rng.Uint64())
	return Input(x)
}

func (b *blocky) pick() Var { return b.tall[b.rng.IntN(len(b.tall))] }

// grow adds a random operation.
func (b *blocky) grow() {
	k := b.cols / 2
	switch v := b.pick(); b.rng.IntN(18) {
	case 0:
		b.tall = append(b.tall, v.Add(b.pick()))
	case 1:
		b.tall = append(b.tall, v.Add(b.line).ReLU())
	case 2:
		b.tall = append(b.tall, v.MatMul(b.square))
	case 3:
		b.loose = append(b.loose, v.Sub(b.pick().MatMulT(b.square).Scale(0.5))) // Bᵀ is transposed first
	case 4:
		b.tall = append(b.tall, Propagate(b.sparse, Var{}, v))
	case 5:
		b.tall = append(b.tall, b.pick().Add(Propagate(b.sparse, b.val, v)))
	case 6:
		b.tall = append(b.tall, v.Dropout(0.3, b.clock, b.rng.Uint64()).Tanh())
	case 7:
		b.tall = append(b.tall, v.Mul(b.pick().SumCols()))
	case 8:
		b.tall = append(b.tall, v.Norm(b.line, b.line, b.line, 1e-3, b.rng.IntN(2) == 0))
	case 9:
		b.tall = append(b.tall, v.Turn(b.pick().Columns(0, k), true))
	case 10:
		b.tall = append(b.tall, Concat(v.Columns(k, 2*k), v.Columns(0, k)))
	case 11:
		b.tall = append(b.tall, v.Max(b.pick()).Mul(v.RowDot(b.pick())))
	case 12:
		b.tall = append(b.tall, Apply(watchedRows{}, v)[0].Scale(0.9))
	case 13:
		b.sums = append(b.sums, v.TMatMul(b.pick()))
	case 14:
		b.sums = append(b.sums, v.SumRows())
	case 15:
		b.loose = append(b.loose, b.pick().Add(v.SumRows().Scale(1e-3)))
	case 16:
		b.loose = append(b.loose, v.MatMul(b.pick().TMatMul(v).Scale(1e-3)))
	case 17:
		b.sums = append(b.sums, VJP(v.Norm(b.line, b.line, b.line, 1e-3, false), b.pick(), b.line, v)...)
	}
}

// watchedRows is its input, row by row, which must be finite.
type watchedRows struct{}

var errRows = errors.New("not finite")

func (watchedRows) Name() string                      { return "watched" }
func (watchedRows) Shapes(in []mat.Shape) []mat.Shape { return in }
func (watchedRows) Looks()                            {}
func (watchedRows) Rowwise()                          {}
func (watchedRows) Eval(out, in []*mat.Dense)         { mat.Copy(out[0], in[0]) }
func (watchedRows) VJP(_, _, g []Var) []Var           { return g }
func (watchedRows) Failed([]*mat.Dense) error         { return errRows }

// TestBlocksEqualWhole: a program in groups gives what it gives operation by operation: the same bits, and where blocks
// are added up the same numbers up to rounding; twice, and on any number of threads, the same bits.
func TestBlocksEqualWhole(t *testing.T) {
	if !cuts(mat.Default()) {
		t.Skip("the device has no blocks")
	}
	defer mat.SetThreads(mat.Threads())
	grouped := 0
	for seed := range uint64(8) {
		b := newBlocky(seed)
		for range 30 {
			b.grow()
		}
		exact := []Var{b.tall[len(b.tall)-1], b.tall[len(b.tall)/2]}
		near := slices.Concat(b.loose, b.sums)
		all := slices.Concat(exact, near)
		blocks, whole := Compile(all...), compile(&Arena{}, all, false)
		grouped += len(blocks.groups)
		var first [][]mat.Real
		for _, threads := range []int{1, 2, 8, 1} {
			mat.SetThreads(threads)
			if err := errors.Join(blocks.Run(), whole.Run()); err != nil {
				t.Fatal(err)
			}
			for i, v := range all {
				got, want := blocks.Value(v).Slice(), whole.Value(v).Slice()
				if threads == 1 && len(first) < len(all) {
					first = append(first, got)
				}
				name := fmt.Sprintf("seed %d, output %d of %d, %v, %d threads", seed, i, len(all), v.Shape(), threads)
				if !slices.Equal(got, first[i]) {
					t.Fatal(name, "has other bits than with one thread")
				}
				compareBlocks(t, name, got, want, i < len(exact))
			}
		}
	}
	if grouped < 8 {
		t.Errorf("%d groups in 8 programs: the test has nothing to compare", grouped)
	}
}

// compareBlocks: sums of some thousand numbers, in two orders, differ by about √4096 roundings of the largest.
func compareBlocks(t *testing.T, name string, got, want []mat.Real, exact bool) {
	t.Helper()
	most := 0.0
	for _, v := range want {
		most = max(most, math.Abs(float64(v)))
	}
	for i := range want {
		if off := math.Abs(float64(got[i] - want[i])); exact && off != 0 || off > 1e-4*most {
			t.Fatalf("%s: entry %d is %v in blocks and %v without", name, i, got[i], want[i])
		}
	}
}

// TestBlocksCheck: a check inside a group fails where one number of one block is not finite, and the next run is well.
func TestBlocksCheck(t *testing.T) {
	x := mat.New(8192, 16)
	v := Apply(watchedRows{}, Input(x).Shift(1).Log())[0].Shift(3).Square()
	prog := Compile(v)
	for _, bad := range []bool{false, true, false} {
		numbers := make([]mat.Real, x.Len())
		if bad {
			numbers[5000*16+3] = -1
		}
		x.Write(numbers)
		if err := prog.Run(); errors.Is(err, errRows) != bad {
			t.Fatalf("Run gives %v, with a bad number: %v", err, bad)
		}
	}
}

// TestBlocksAllocateNothing: nor do groups in steady state.
func TestBlocksAllocateNothing(t *testing.T) {
	b := newBlocky(2)
	for range 30 {
		b.grow()
	}
	prog := Compile(b.tall[len(b.tall)-1], b.tall[len(b.tall)-2])
	if err := prog.Run(); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(5, func() { _ = prog.Run() }); n > 0 {
		t.Errorf("a run allocates %v times", n)
	}
}

// TestOneStepInBlocks: a descent of one linear step, which is taken apart where it is cut into blocks, and its
// derivative equal those of the operation.
func TestOneStepInBlocks(t *testing.T) {
	b := newBlocky(2)
	p, g := b.tall[0], b.tall[1]
	column := func(v mat.Real) *mat.Dense { return mat.FromSlice(b.rows, 1, slices.Repeat([]mat.Real{v}, b.rows)) }
	d := mat.Descent{S: b.sparse, Val: b.val.n.leaf, Steps: 1, A: column(0.6), B: column(0.3), C: column(-0.2)}
	h := Descend(b.sparse, b.val, p, p, StepCoefs{Input(d.A), Input(d.B), Input(d.C)}, 1, d.Kind)
	dp := VJP(h, g, p)[0]
	prog := Compile(h, dp)
	if err := prog.Run(); err != nil {
		t.Fatal(err)
	}
	if cuts(mat.Default()) && slices.ContainsFunc(prog.each, func(s instruction) bool {
		return s.op.Name() == "descend"
	}) {
		t.Error("the descent was not taken apart")
	}
	dev, ok := mat.Default().(mat.Descender)
	if !ok {
		t.Skip("the device has no descents to compare with")
	}
	want, back := mat.New(b.rows, b.cols), mat.New(b.rows, b.cols)
	dev.Descend(want, nil, p.n.leaf, p.n.leaf, d)
	dev.DescendVJP(nil, back, g.n.leaf, nil, d)
	for i, w := range []*mat.Dense{want, back} {
		got := prog.Value([]Var{h, dp}[i]).Slice()
		for k, x := range w.Slice() { // a few roundings of numbers below 1
			if math.Abs(float64(got[k]-x)) > 1e-6 {
				t.Fatalf("output %d, entry %d: %v in blocks, %v as one operation", i, k, got[k], x)
			}
		}
	}
}
