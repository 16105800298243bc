package jobs_test

import (
	"fmt"
	"runtime"

	"github.com/bloomgml/bloom/internal/jobs"
)

func ExampleInUse() {
	before := jobs.InUse()
	list := make([]byte, 1<<20)
	grown := jobs.InUse() - before
	runtime.KeepAlive(list)
	fmt.Println(grown > len(list)*9/10, grown < len(list)*11/10)
	// Output: true true
}
