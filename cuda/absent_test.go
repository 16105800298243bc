//go:build !cuda || !linux || !(amd64 || arm64) || f64

package cuda_test

import (
	"fmt"

	"github.com/bloomgml/bloom/cuda"
	"github.com/bloomgml/bloom/mat"
)

// A program takes the GPU where it can, and says why where it cannot.
func ExampleOpen() {
	dev, err := cuda.Open(0)
	if err != nil {
		fmt.Println("on the CPU")
		dev = mat.CPU
	}
	mat.Use(dev)
	fmt.Println(mat.Default().Name())
	// Output:
	// on the CPU
	// cpu
}
