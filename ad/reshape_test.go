package ad_test

import (
	"slices"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/ad/check"
	"github.com/bloomgml/bloom/mat"
)

func TestReshape(t *testing.T) {
	x := uniform(6, 2, -1, 1, 1)
	check.Derivatives(t, func(v []ad.Var) ad.Var { return v[0].Reshape(mat.Shape{Rows: 3, Cols: 4}).Softmax() }, x)
	y := ad.Eval(ad.Input(x).Reshape(mat.Shape{Rows: 1, Cols: 12}))
	if !slices.Equal(x.Slice(), y.Slice()) {
		t.Errorf("%v became %v", x.Slice(), y.Slice())
	}
	defer func() {
		if recover() == nil {
			t.Error("12 entries were made 11")
		}
	}()
	ad.Input(x).Reshape(mat.Shape{Rows: 1, Cols: 11})
}
