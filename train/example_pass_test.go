package train_test

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// A loss and its derivative, written down once: (w − 3)² at w = 1.
func ExampleNewPass() {
	w := ad.NewParam("w", mat.Scalar(1))
	loss := func(input.Context) (ad.Var, error) { return w.Shift(-3).Square(), nil }
	pass, err := train.NewPass(nil, 1, []*ad.Param{w}, loss)
	check(err)
	check(pass.Run(0, 0))
	fmt.Println(pass.Loss().Item(), pass.Grads()[0].Item())
	// Output: 4 -4
}
