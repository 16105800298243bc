package capacity_test

import (
	"fmt"
	"runtime"

	"github.com/bloomgml/bloom/internal/capacity"
)

func ExampleHeapInUse() {
	before := capacity.HeapInUse()
	list := make([]byte, 1<<20)
	grown := capacity.HeapInUse() - before
	runtime.KeepAlive(list)
	fmt.Println(grown > len(list)*9/10, grown < len(list)*11/10)
	// Output: true true
}
