package tune_test

import (
	"context"
	"fmt"

	"github.com/bloomgml/bloom/internal/tune"
)

// A search for the top of a hill, whose space has nine points.
func Example() {
	space, err := tune.ReadSpace("hill.yaml", []byte(`
x: {float: [-1, 1], step: 1}
y: {choice: [low, middle, high]}
`))
	if err != nil {
		panic(err)
	}
	study := tune.Study{Space: space, Trials: 9}
	result, err := study.Run(context.Background(), func(_ context.Context, t *tune.Trial) (float64, error) {
		x := t.Value("x").(float64)
		if t.Value("y") != "middle" {
			return -1, nil
		}
		return 1 - x*x, nil
	})
	if err != nil {
		panic(err)
	}
	best := result.Best()
	fmt.Println(len(result.Trials), best.Value, space.Settings(best.Point))
	// Output: 9 1 [x=0 y=middle]
}
