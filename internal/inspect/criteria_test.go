package inspect

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// matrix is a fixed matrix without symmetry.
func matrix(rows, cols int, seed uint64) *mat.Dense {
	m := mat.New(rows, cols)
	mat.Uniform(m, -1, 1, seed)
	return m
}

// TestCriteria has message functions of which it is known whether an energy sends them.
func TestCriteria(t *testing.T) {
	const d = 3
	w, e := ad.Const(matrix(d, d, 7)), ad.Const(matrix(1, d, 8))
	bottle := matrix(d, 2, 9)
	phi, first := ad.Const(bottle), mat.FromSlice(d, 1, []mat.Real{1, 0, 0})
	minus := func(v ad.Var) ad.Var { return v.Neg() }
	relu := func(u, v ad.Var) ad.Var { return v.Sub(u).ReLU() }
	for _, c := range []struct {
		name  string
		c     criteria
		holds bool
		place string // in the text of the disagreement
	}{
		{"laplace", criteria{Message: func(u, v ad.Var) ad.Var { return v.Sub(u) }}, true, ""},
		{"neighbour", criteria{Message: func(u, v ad.Var) ad.Var { return u.Neg() }}, true, ""},
		{"itself", criteria{Message: func(u, v ad.Var) ad.Var { return v.MatMul(w) }}, false, "∂h_v"},
		{"weight", criteria{Message: func(u, v ad.Var) ad.Var { return u.MatMul(w) }}, false, "∂μ⁻"},
		{"symmetric weight", criteria{Message: func(u,
			v ad.Var) ad.Var {
			return u.MatMul(w.Add(w.T()))
		}}, true, ""},
		{"weight, and its transpose back", criteria{Message: func(u, v ad.Var) ad.Var { return u.MatMul(w) },
			Inverse: func(v, u ad.Var) ad.Var { return v.MatMulT(w) }}, true, ""},
		{"transe", criteria{Message: func(u, v ad.Var) ad.Var { return v.Sub(u).Sub(e) },
			Inverse: func(v, u ad.Var) ad.Var { return u.Sub(v).Sub(minus(e)) }}, true, ""},
		{"half of a difference", criteria{Message: relu}, false, "∂h_u"},
		{"half of a difference, and the other half back", criteria{Message: relu,
			Inverse: func(v, u ad.Var) ad.Var { return v.Sub(u).ReLU().Neg() }}, true, ""},
		{"through Φ, not of the difference", criteria{Phi: bottle,
			Message: func(u, v ad.Var) ad.Var { return v.MatMul(phi).Sub(u.MatMul(phi).Tanh()) }}, false, "∂(Φμ⁻)"},
		{"through Φ, linear", criteria{Phi: bottle,
			Message: func(u, v ad.Var) ad.Var { return u.MatMul(phi) }}, true, ""},
		{"through Φ, of the difference", criteria{Phi: bottle,
			Message: func(u, v ad.Var) ad.Var { return v.Sub(u).MatMul(phi).Tanh() }}, true, ""},
		{"beside Φ", criteria{Phi: first,
			Message: func(u, v ad.Var) ad.Var { return u.Columns(1, 2) }}, false, "ΦΦ⁺"},
	} {
		c.c.Dim = d
		got, err := c.c.check()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got.Holds != c.holds || !c.holds && !strings.Contains(got.Worst.Left+got.Worst.Right, c.place) {
			t.Errorf("%s: holds %v, %v", c.name, got.Holds, got.Worst)
		}
		off := math.Abs(got.Worst.LeftValue - got.Worst.RightValue)
		if (off <= got.Limit) != got.Holds || len(got.Worst.Hu) != d {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// TestCriteriaNames: the entry that is off is named. Only μ_2 of this message looks at h_u,3, and nothing back.
func TestCriteriaNames(t *testing.T) {
	c := criteria{Dim: 3, Message: func(u, v ad.Var) ad.Var {
		only := ad.Concat(ad.Fill(mat.Shape{Rows: u.Rows(), Cols: 1}, 0), u.Columns(2, 3),
			ad.Fill(mat.Shape{Rows: u.Rows(), Cols: 1}, 0))
		return v.Sub(u).Add(only.Scale(0.5))
	}}
	got, err := c.check()
	if err != nil {
		t.Fatal(err)
	}
	w := got.Worst
	w.Hu, w.Hv = nil, nil
	want := Disagreement{Left: "∂μ_2/∂h_u,3", Right: "∂μ⁻_3/∂h_v,2", I: 2, J: 3, LeftValue: 0.5}
	if got.Holds || !reflect.DeepEqual(w, want) {
		t.Errorf("%+v, want %+v", w, want)
	}
}

// TestCriteriaNotFinite: derivatives that are not finite say nothing.
func TestCriteriaNotFinite(t *testing.T) {
	c := criteria{Message: func(u, v ad.Var) ad.Var { return u.Square().Neg().Shift(-1).Sqrt() }, Dim: 2}
	if _, err := c.check(); err == nil || !strings.Contains(err.Error(), "∂μ_1/∂h_u,1 is NaN") {
		t.Errorf("error %v", err)
	}
}
