package ad_test

import (
	"errors"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// watched is its input, which must be finite.
type watched struct{ name string }

func (watched) Name() string                      { return "watched" }
func (watched) Shapes(in []mat.Shape) []mat.Shape { return in }
func (watched) Eval(out, in []*mat.Dense)         { mat.Copy(out[0], in[0]) }
func (watched) VJP(_, _, g []ad.Var) []ad.Var     { return g }
func (o watched) Failed(in []*mat.Dense) error    { return &unfit{o.name, in[0].CheckFinite()} }

type unfit struct {
	name string
	err  error
}

func (e *unfit) Error() string { return e.name }

// hosted is its input, and counts.
type hosted struct{ calls *int }

func (hosted) Name() string                      { return "hosted" }
func (hosted) Shapes(in []mat.Shape) []mat.Shape { return in }
func (hosted) Eval(_, _ []*mat.Dense)            { panic("Eval of a HostOp") }
func (hosted) VJP(_, _, g []ad.Var) []ad.Var     { return g }
func (o hosted) TryEval(out, in []*mat.Dense) error {
	*o.calls++
	if in[0].Item() == 17 {
		return errors.New("unlucky")
	}
	mat.Copy(out[0], in[0])
	return nil
}

func watch(name string, v ad.Var) ad.Var { return ad.Apply(watched{name}, v)[0] }

// TestChecked: Run names the first check that fails, with its input as it was, whether it stands in the program or in a
// Func, and goes on well when the numbers are.
func TestChecked(t *testing.T) {
	x := mat.Scalar(1)
	v := ad.Input(x)
	inner := ad.NewFunc(&ad.Arena{}, func(in []ad.Var) []ad.Var {
		return []ad.Var{watch("in a Func", in[0].Log()).Shift(1)}
	}, v.Shape())
	// Each check would have its memory overwritten by what follows.
	y := watch("root", v.Shift(4).Sqrt()).Square()
	y = inner.Call(y.Shift(-2))[0]
	y = watch("last", y.Recip()).Shift(2).Tanh().Sum()
	prog := ad.Compile(y)
	for _, c := range []struct {
		x    mat.Real
		name string
	}{{1, ""}, {-5, "root"}, {2, ""}, {-3, "in a Func"}, {3, ""}, {-3, "in a Func"}, {-7, "root"}, {1, ""}} {
		mat.Fill(x, c.x)
		err := prog.Run()
		var bad *unfit
		switch {
		case c.name == "" && err != nil:
			t.Errorf("at %v: %v", c.x, err)
		case c.name != "" && (!errors.As(err, &bad) || bad.name != c.name || bad.err == nil):
			t.Errorf("at %v: %v, want %s", c.x, err, c.name)
		}
	}
}

// TestFixedChecked: a check of what never changes fails in every run.
func TestFixedChecked(t *testing.T) {
	prog := ad.Compile(watch("fixed", ad.Const(mat.Scalar(-1)).Log()).Add(ad.Input(mat.Scalar(1))))
	for range 3 {
		var bad *unfit
		if err := prog.Run(); !errors.As(err, &bad) || bad.name != "fixed" {
			t.Errorf("%v", err)
		}
	}
}

// TestHostOp: it is not evaluated behind a check that failed, its error is the error of the run, and what stands behind
// it runs with what it gave.
func TestHostOp(t *testing.T) {
	x, calls := mat.Scalar(4), 0
	v := ad.Input(x)
	y := ad.Apply(hosted{&calls}, watch("root", v.Sqrt()).Square().Shift(1))[0].Scale(2)
	prog := ad.Compile(y)
	for i, c := range []struct {
		x     mat.Real
		says  string
		calls int
	}{
		{4, "", 1}, {9, "", 2}, {-1, "watched: root", 2}, {16, "hosted: unlucky", 3},
		{4, "", 4}, {4, "", 5}, {9, "", 6},
	} {
		mat.Fill(x, c.x)
		says := ""
		if err := prog.Run(); err != nil {
			says = err.Error()
		} else if got := prog.Value(y).Item(); got != 2*(c.x+1) {
			t.Errorf("run %d: %v", i, got)
		}
		if says != c.says {
			t.Errorf("run %d: %q, want %q", i, says, c.says)
		}
		if calls != c.calls {
			t.Errorf("run %d: %d evaluations, want %d", i, calls, c.calls)
		}
	}
}
