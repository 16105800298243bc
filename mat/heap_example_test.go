package mat_test

import (
	"fmt"
	"runtime"

	"github.com/bloomgml/bloom/mat"
)

func ExampleHeapInUse() {
	before := mat.HeapInUse()
	list := make([]byte, 1<<20)
	grown := mat.HeapInUse() - before
	runtime.KeepAlive(list)
	fmt.Println(grown > len(list)*9/10, grown < len(list)*11/10)
	// Output: true true
}
