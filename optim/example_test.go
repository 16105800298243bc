package optim_test

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/optim"
)

// A parameter goes down on ½w², whose gradient is w itself.
func ExampleNew() {
	w := ad.NewParam("w", mat.Scalar(8))
	c := optim.Config{Rule: "sgd", Rate: 0.5, Schedule: "linear"}
	o, err := optim.New(c, []*ad.Param{w}, nil)
	if err != nil {
		panic(err)
	}
	for epoch := range 2 {
		o.Step([]*mat.Dense{w.Value()}, c.RateAt(float64(epoch), 2))
	}
	fmt.Println(w.Value().Item(), o.Steps)
	// Output: 3 2
}

// Of many entities a batch moves few.
func ExampleNew_rows() {
	entities := ad.NewParam("entities", mat.FromSlice(3, 1, []mat.Real{1, 1, 1}))
	rows, _ := mat.NewIndex([]int32{2}, 3)
	o, err := optim.New(optim.Config{Rule: "adagrad"}, []*ad.Param{entities}, rows)
	if err != nil {
		panic(err)
	}
	o.Step([]*mat.Dense{mat.Scalar(7)}, 0.25)
	fmt.Println(entities.Value().Slice(), len(o.Memory()), optim.Decays(entities))
	// Output: [1 1 0.75] 1 true
}
