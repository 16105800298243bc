package path_test

import (
	"context"
	"fmt"

	"github.com/bloomgml/bloom/dataset/generate"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/path"
)

// A model learns what grandparents are from three families, and is asked about two others.
func ExampleTrain() {
	ctx := context.Background()
	data, _, err := generate.Make("family:families=3,twin=2")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := path.Train(ctx, path.Config{Hidden: 8, Layers: 3, Epochs: 8}, data, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := m.Evaluate(ctx, data.Twin, data.Twin.Test, metric.Candidates{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("better than chance:", metric.SampledHits(metric.Rankings(e), 10, 49, metric.Pessimistic) > 0.5)
	// Output: better than chance: true
}
