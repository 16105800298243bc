package ad_test

import (
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// layer is a small nonlinear step that uses a parameter and another variable from outside.
func layer(h, p, w ad.Var) ad.Var { return h.MatMul(w).Tanh().Add(p.Mul(h.Square())) }

// deep calls a Func of two layers three times, or writes the six layers out.
func deep(call bool) testkit.Func {
	return func(v []ad.Var) ad.Var {
		h, w, p := v[0], v[1], v[2].Sigmoid()
		two := func(in []ad.Var) []ad.Var { return []ad.Var{layer(layer(in[0], p, w), p, w)} }
		f := ad.NewFunc(&ad.Arena{}, two, h.Shape())
		for range 3 {
			if call {
				h = f.Call(h)[0]
			} else {
				h = two([]ad.Var{h})[0]
			}
		}
		return h.Scale(0.5)
	}
}

func TestFuncDerivatives(t *testing.T) {
	h, w, p := uniform(4, 3, -0.4, 0.4, 1), uniform(3, 3, -0.6, 0.6, 2), uniform(4, 3, -1, 1, 3)
	testkit.Derivatives(t, deep(true), h, w, p)
}

// TestFuncEqualsInline compares values, gradients and second derivatives with the same layers written out.
func TestFuncEqualsInline(t *testing.T) {
	xs := []*mat.Dense{uniform(4, 3, -0.4, 0.4, 4), uniform(3, 3, -0.6, 0.6, 5), uniform(4, 3, -1, 1, 6)}
	run := func(call bool) []mat.Real {
		vars := make([]ad.Var, len(xs))
		for i, x := range xs {
			vars[i] = ad.Input(x)
		}
		y := deep(call)(vars)
		grads := ad.Grad(y.Square().Sum(), vars...)
		second := ad.Grad(grads[1].Square().Sum(), vars...)
		prog := ad.Compile(append(append([]ad.Var{y}, grads...), second...)...)
		if err := prog.Run(); err != nil {
			t.Fatal(err)
		}
		var all []mat.Real
		for _, v := range append(append([]ad.Var{y}, grads...), second...) {
			all = append(all, prog.Value(v).Slice()...)
		}
		return all
	}
	got, want := run(true), run(false)
	for i := range want {
		if d := got[i] - want[i]; d > 1e-5 || d < -1e-5 { // sums in another order: a few roundings of numbers near 1
			t.Errorf("entry %d: %v called, %v inline", i, got[i], want[i])
		}
	}
}

// TestFuncMemory: more calls cost their inputs and outputs, not what happens inside.
func TestFuncMemory(t *testing.T) {
	const n, d = 50, 4
	bytes := func(calls int) int {
		arena := &ad.Arena{}
		x, w := ad.Input(uniform(n, d, -1, 1, 7)), ad.Input(uniform(d, d, -1, 1, 8))
		f := ad.NewFunc(arena, func(in []ad.Var) []ad.Var {
			h := in[0]
			for range 10 {
				h = h.MatMul(w).Tanh()
			}
			return []ad.Var{h}
		}, x.Shape())
		h := x
		for range calls {
			h = f.Call(h)[0]
		}
		return ad.Compile(ad.Grad(h.Sum(), x, w)...).Bytes()
	}
	if got, want := bytes(9)-bytes(5), 4*mat.New(n, d).Bytes(); got != want {
		t.Errorf("four more calls cost %d bytes, want %d: one matrix each", got, want)
	}
}

func TestFuncAllocatesNothing(t *testing.T) {
	x := ad.Input(uniform(5, 4, -1, 1, 9))
	f := ad.NewFunc(&ad.Arena{}, func(in []ad.Var) []ad.Var { return []ad.Var{in[0].Tanh().Square()} }, x.Shape())
	prog := ad.Compile(ad.Grad(f.Call(x)[0].Sum(), x)...)
	run := func() {
		if err := prog.Run(); err != nil {
			t.Fatal(err)
		}
	}
	run()
	if n := testing.AllocsPerRun(10, run); n != 0 {
		t.Errorf("%v allocations a run, want 0", n)
	}
}

// TestFuncReshapesItsInput: an input of a Func has no memory before the call, and can be read in another shape all the
// same.
func TestFuncReshapesItsInput(t *testing.T) {
	f := ad.NewFunc(new(ad.Arena), func(in []ad.Var) []ad.Var { return []ad.Var{in[0].Reshape(2, 3).SumCols()} },
		mat.Shape{Rows: 3, Cols: 2})
	x := mat.FromSlice(3, 2, []mat.Real{1, 2, 3, 4, 5, 6})
	got := ad.Eval(f.Call(ad.Input(x))[0]).Slice()
	if len(got) != 2 || got[0] != 6 || got[1] != 15 {
		t.Errorf("got %v, want [6 15]", got)
	}
}
