package ad

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// naive evaluates v the plain way: every node once, in memory of its own, nothing shared or fused.
func naive(v Var, done map[*node][]*mat.Dense) *mat.Dense {
	if v.n.leaf != nil {
		return v.n.leaf
	}
	if out, ok := done[v.n]; ok {
		return out[v.out]
	}
	in := make([]*mat.Dense, len(v.n.read()))
	for i, x := range v.n.read() {
		in[i] = naive(x, done)
	}
	out := make([]*mat.Dense, len(v.n.shapes))
	for i, s := range v.n.shapes {
		out[i] = mat.New(s.Rows, s.Cols)
	}
	v.n.op.Eval(out, in)
	done[v.n] = out
	return out[v.out]
}

// grow returns a random expression over n×n matrices: many shared parts, sums of products, values
// that die early and values that live on.
func grow(rng *rand.Rand, leaves []Var, size int) []Var {
	vs := append([]Var(nil), leaves...)
	pick := func() Var { return vs[rng.IntN(len(vs))] }
	for range size {
		var v Var
		switch rng.IntN(16) {
		case 0:
			v = pick().Add(pick())
		case 1:
			v = pick().Sub(pick().Scale(0.5))
		case 2:
			v = pick().Mul(pick())
		case 3:
			v = pick().MatMul(pick()).Scale(0.3)
		case 4:
			v = pick().TMatMul(pick()).Add(pick())
		case 5:
			v = pick().Add(pick().MatMulT(pick()))
		case 6:
			v = pick().Tanh()
		case 7:
			v = pick().Add(pick().SumRows())
		case 8:
			v = pick().Mul(pick().SumCols())
		case 9:
			v = Stop(pick()).Sigmoid()
		case 10:
			v = pick().Add(pick().Mul(pick()))
		case 11:
			v = pick().Reshape(2, 8).SumRows().Reshape(2, 4).T().Reshape(8, 1).
				MatMulT(pick().Columns(0, 2).Reshape(8, 1)).
				Columns(1, 3).Reshape(4, 4)
		case 12:
			v = pick().Add(pick().Reshape(2, 8).Mul(pick().Reshape(2, 8)).Reshape(4, 4))
		case 13:
			v = pick().Reshape(8, 2).Tanh().Reshape(2, 8).Softmax().Reshape(4, 4)
		case 14:
			v = pick().SumCols().Reshape(1, 4).Add(pick())
		default:
			v = pick().Softmax().Map("clamp", 0.7)
		}
		vs = append(vs, v.Tanh())
	}
	return vs
}

// TestCompiledEqualsNaive is the whole planner against plain evaluation: order, common parts, fused
// sums, memory in place and used again, derivatives included, over several runs with new inputs.
func TestCompiledEqualsNaive(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		const n = 4
		x, y, c := mat.New(n, n), mat.New(n, n), mat.New(n, n)
		mat.Uniform(c, -1, 1, seed)
		leaves := []Var{Input(x), Input(y), Const(c)}
		vs := grow(rng, leaves, 5+rng.IntN(25))
		last := vs[len(vs)-1]
		grads := Grad(last.Square().Sum(), leaves[0], leaves[1])
		slope := grads[0].Dot(leaves[2]).Add(grads[1].Sum())
		outputs := append(Grad(slope, leaves[0]), last, vs[len(vs)/2], slope, grads[0], grads[1])
		prog := Compile(outputs...)
		for run := range uint64(3) {
			mat.Uniform(x, -1, 1, 7*seed+run)
			mat.Uniform(y, -1, 1, 7*seed+run+1000)
			mustRun(t, prog)
			done := map[*node][]*mat.Dense{}
			for i, v := range outputs {
				if err := close(prog.Value(v).Slice(), naive(v, done).Slice()); err != nil {
					t.Fatalf("seed %d, run %d, output %d: %v", seed, run, i, err)
				}
			}
		}
	}
}

// close allows for sums that were added in another order: a few roundings of float32, grown by the
// depth of the expressions.
func close(got, want []mat.Real) error {
	scale := 1.0
	for _, w := range want {
		scale = max(scale, math.Abs(float64(w)))
	}
	for i := range want {
		if e := math.Abs(float64(got[i]-want[i])) / scale; !(e < 1e-4) {
			return fmt.Errorf("entry %d is %v, want %v", i, got[i], want[i])
		}
	}
	return nil
}

// TestReshapeIsFree counts operations, and keeps apart what differs in shape alone.
func TestReshapeIsFree(t *testing.T) {
	x := Input(mat.FromSlice(2, 3, []mat.Real{1, 2, 3, 4, 5, 6}))
	turned := x.Reshape(3, 2)
	if got := len(Compile(turned.Square().Reshape(1, 6).Tanh()).each); got != 2 {
		t.Errorf("%d operations, want 2", got)
	}
	a, b := x.SumCols(), turned.SumCols()
	prog := Compile(a, b, turned)
	mustRun(t, prog)
	if got := prog.Value(a).Slice(); got[0] != 6 || got[1] != 15 {
		t.Errorf("rows of 3 add up to %v", got)
	}
	if got := prog.Value(b).Slice(); got[0] != 3 || got[1] != 7 || got[2] != 11 {
		t.Errorf("rows of 2 add up to %v", got)
	}
	if got := prog.Value(turned).Shape(); got != turned.Shape() {
		t.Errorf("value of shape %v, want %v", got, turned.Shape())
	}
}

func mustRun(t testing.TB, p *Program) {
	t.Helper()
	if err := p.Run(); err != nil {
		t.Fatal(err)
	}
}

// failing is an operation that fails.
type failing struct{}

func (failing) Name() string                       { return "failing" }
func (failing) Shapes(in []mat.Shape) []mat.Shape  { return in }
func (failing) Eval(out, in []*mat.Dense)          { panic("TryEval is there") }
func (failing) VJP(in, out, g []Var) []Var         { return g }
func (failing) TryEval(out, in []*mat.Dense) error { return errFailing }

var errFailing = errors.New("no luck")

func TestRunReturnsTheErrorOfAnOperation(t *testing.T) {
	v := apply1(failing{}, Input(mat.New(2, 2)))
	if err := Compile(v.Tanh()).Run(); !errors.Is(err, errFailing) {
		t.Errorf("error %v, want %v", err, errFailing)
	}
}

func TestRunAllocatesNothing(t *testing.T) {
	x := Input(mat.New(40, 30))
	w := NewParam("w", mat.New(30, 20))
	clock := &Clock{Seed: 1}
	loss := x.Dropout(0.5, clock, 0).MatMul(w.Var).Tanh().Square().Sum()
	prog := Compile(append(Grad(loss, w.Var), loss)...)
	mustRun(t, prog)
	allocs := testing.AllocsPerRun(20, func() {
		clock.Epoch++
		mustRun(t, prog)
	})
	if allocs != 0 {
		t.Errorf("%v allocations a run, want 0", allocs)
	}
}

func TestEqualOperationsRunOnce(t *testing.T) {
	c := Input(mat.New(4, 4))
	h := Input(mat.New(5, 4))
	for range 10 {
		h = h.MatMul(c.Add(c.T())).Tanh()
	}
	if got, want := len(Compile(h).each), 10*2+2; got != want {
		t.Errorf("%d operations, want %d: C + Cᵀ is the same in every layer", got, want)
	}
}

func TestSumsAreFused(t *testing.T) {
	a, b := Input(mat.New(4, 4)), Input(mat.New(4, 4))
	y := a.MatMul(b).Sub(b.MatMul(a)).Add(a.Mul(b).Scale(3))
	if got, want := len(Compile(y).each), 3; got != want {
		t.Errorf("%d operations, want %d", got, want)
	}
}

// TestVJPStopsAtItsInputs differentiates layer by layer: the cost of a derivative must not depend on
// how deep its layer stands.
func TestVJPStopsAtItsInputs(t *testing.T) {
	count := func(layers int) uint64 {
		h := Input(mat.New(3, 2))
		start := created.Load()
		for range layers {
			energy := h.Tanh().Square().Sum()
			h = h.Sub(Grad(energy, h)[0].Scale(0.1))
		}
		return created.Load() - start
	}
	if a, b := count(100), count(200); b != 2*a {
		t.Errorf("%d nodes for 100 layers and %d for 200, want twice as many", a, b)
	}
}

func TestStop(t *testing.T) {
	x := Input(mat.FromSlice(1, 2, []mat.Real{3, 5}))
	if g := Eval(Grad(Stop(x).Mul(x).Sum(), x)[0]).Slice(); g[0] != 3 || g[1] != 5 {
		t.Errorf("derivative of Stop(x)·x is %v, want x", g)
	}
}

// TestDerivativeToAnyVariable: what a variable was made from must not hide that it is used.
func TestDerivativeToAnyVariable(t *testing.T) {
	a := Input(mat.FromSlice(1, 2, []mat.Real{3, 5}))
	for name, x := range map[string]Var{
		"scaled": a.Scale(0.5), "product": a.Mul(a), "zeros": Fill(a.Shape(), 0), "number": Fill(a.Shape(), 2),
		"transposed": a.T(), "reshaped": a.Reshape(2, 1), "expanded": Number(2).Expand(a.Shape()),
	} {
		one := Fill(x.Shape(), 1)
		for use, y := range map[string]Var{
			"sum": x.Sum(), "add": x.Add(one).Sum(), "scale": x.Scale(2).Scale(0.5).Sum(), "mul": x.Mul(one).Sum(),
			"transpose": x.T().Sum(), "matmul": x.MatMulT(one).Columns(0, 1).Sum().Scale(1 / float64(x.Cols())),
		} {
			want := mat.Real(1)
			if use == "matmul" {
				want = mat.Real(1 / float64(x.Cols()))
			}
			g := Eval(Grad(y, x)[0]).Slice()
			if d := g[0] - want; d > 1e-6 || d < -1e-6 {
				t.Errorf("%s of %s: derivative %v, want %v", use, name, g, want)
			}
		}
	}
}

func TestAbsentDerivativeIsZero(t *testing.T) {
	x, y := Input(mat.New(2, 3)), Input(mat.New(2, 3))
	if g := Eval(Grad(x.Sum(), y)[0]); g.MaxAbs() != 0 || g.Shape() != y.Shape() {
		t.Errorf("derivative to an input that is not used: %v of shape %v", g.Slice(), g.Shape())
	}
}

// TestEdgeDifferencesAreOneProduct: α h_u + β h_v over edges, and what it sends back, are products with an incidence
// matrix.
func TestEdgeDifferencesAreOneProduct(t *testing.T) {
	index := func(ids ...int32) *mat.Index {
		x, err := mat.NewIndex(ids, 4)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	u, v, w := index(0, 3, 3, 1, 2), index(1, 0, 2, 2, 2), mat.New(5, 3)
	x := mat.New(4, 3)
	mat.Uniform(x, -1, 1, 1)
	mat.Uniform(w, -1, 1, 2)
	h := Input(x)
	diff := h.Gather(u).Scale(2).Sub(h.Gather(v))
	back := Grad(diff.Mul(Input(w)).Sum(), h)[0]
	for name, y := range map[string]Var{"difference": diff, "back": back} {
		prog := Compile(y)
		mustRun(t, prog)
		if len(prog.each) != 1 {
			t.Errorf("%s: %d operations, want 1", name, len(prog.each))
		}
		if err := close(prog.Value(y).Slice(), naive(y, map[*node][]*mat.Dense{}).Slice()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestProductsOverFewerRows: h_u·C over edges and all its derivatives multiply matrices with a row per node,
// never per edge.
func TestProductsOverFewerRows(t *testing.T) {
	const nodes, edges, d = 4, 9, 3
	u, err := mat.NewIndex([]int32{0, 3, 3, 1, 2, 2, 0, 1, 1}, nodes)
	if err != nil {
		t.Fatal(err)
	}
	x, c, w := mat.New(nodes, d), mat.New(d, d), mat.New(edges, d)
	for i, m := range []*mat.Dense{x, c, w} {
		mat.Uniform(m, -1, 1, uint64(i+1))
	}
	h, C, W := Input(x), Input(c), Input(w)
	z := h.Gather(u).MatMul(C)
	back := Grad(z.Mul(W).Sum(), h, C)
	outs := map[string]Var{"NN": z, "NT": h.Gather(u).MatMulT(C), "TN": h.Gather(u).TMatMul(W),
		"TN, right": W.TMatMul(h.Gather(u)), "∂h": back[0], "∂C": back[1]}
	for name, y := range outs {
		prog := Compile(y)
		mustRun(t, prog)
		for _, x := range append(prog.once, prog.each...) {
			if _, ok := x.op.(matmul); ok && (x.in[0].Rows() == edges || x.in[1].Rows() == edges) {
				t.Errorf("%s: a product of %v and %v", name, x.in[0].Shape(), x.in[1].Shape())
			}
		}
		if err := close(prog.Value(y).Slice(), naive(y, map[*node][]*mat.Dense{}).Slice()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNoTapeWithoutAdjoint: a descent that nobody differentiates keeps nothing.
func TestNoTapeWithoutAdjoint(t *testing.T) {
	s, err := mat.NewSparse(2, 2, []int64{0, 1, 2}, []int32{1, 0})
	if err != nil {
		t.Fatal(err)
	}
	h0, p, c := Input(mat.New(2, 8)), Input(mat.New(2, 8)), Const(mat.New(2, 1))
	h := Descend(s, Var{}, h0, p, StepCoefs{c, c, c}, 100, mat.StepKind{Phi: mat.PhiLogCosh})
	prog := Compile(h)
	if err := prog.Run(); err != nil {
		t.Fatal(err)
	}
	want := mat.New(2, 8).Bytes()
	if _, ok := mat.Default().(mat.Descender); !ok {
		want *= 2 // a step at a time has messages in addition to h
	}
	if got := prog.Bytes(); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
}

func TestFixedPartsRunOnce(t *testing.T) {
	c, x := Const(mat.Eye(3)), Input(mat.New(3, 3))
	prog := Compile(c.MatMul(c).Tanh().MatMul(x))
	if len(prog.each) != 1 || len(prog.once) != 2 {
		t.Errorf("%d operations a run and %d once, want 1 and 2", len(prog.each), len(prog.once))
	}
}

func TestShapeMistakesNameBothShapes(t *testing.T) {
	a, b := Input(mat.New(3, 4)), Input(mat.New(5, 6))
	for name, c := range map[string]struct {
		f    func()
		want string
	}{
		"add":    {func() { a.Add(b) }, "ad: Expand: shapes 3×4 and 5×6 do not go together"},
		"matmul": {func() { a.MatMul(b) }, "mat: MatMul: shapes 3×4 and 5×6 do not go together"},
		"dot":    {func() { a.RowDot(b) }, "ad: Dot: shapes 3×4 and 5×6 do not go together"},
		"grad":   {func() { Grad(a, a) }, "ad: Grad of shape 3×4 where 1×1 is needed"},
		"view":   {func() { a.Reshape(5, 2) }, "ad: Reshape: shapes 3×4 and 5×2 do not go together"},
		"vjp":    {func() { VJP(a, b, a) }, "ad: VJP: cotangent 5×6 for an expression of shape 3×4"},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if got := recover(); got != c.want {
					t.Errorf("panic %v, want %q", got, c.want)
				}
			}()
			c.f()
		})
	}
}
