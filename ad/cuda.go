//go:build cudatest && cuda && linux && (amd64 || arm64) && !f64

package ad

import (
	"fmt"
	"os"

	"github.com/bloomgml/bloom/cuda"
	"github.com/bloomgml/bloom/mat"
)

// With the build tags cuda and cudatest every test of a package above this one runs on the first GPU, if there is one.
func init() {
	dev, err := cuda.Open(0)
	if err != nil {
		fmt.Fprintln(os.Stderr, "tests run on the CPU:", err)
		return
	}
	mat.Use(dev)
}
