package baseline_test

import (
	"fmt"

	"github.com/bloomgml/bloom/internal/baseline"
)

// All models that the paper compares with.
func ExampleNames() {
	fmt.Println(baseline.Names())
	// Output: [mlp gcn gat sage appnp fagcn fsgnn gbk jacobi rgcn]
}
