package npy_test

import (
	"bytes"
	"fmt"

	"github.com/bloomgml/bloom/internal/codec/npy"
)

func Example() {
	var b bytes.Buffer
	if err := npy.Write(&b, []int{2, 3}, []float32{1, 2, 3, 4, 5, 6}); err != nil {
		fmt.Println(err)
	}
	a, err := npy.Decode("x.npy", &b, int64(b.Len()), npy.Options{})
	if err != nil {
		fmt.Println(err)
	}
	x, err := npy.Floats[float32](a)
	fmt.Println(a.DType, a.Shape, x, err)
	// Output: <f4 [2 3] [1 2 3 4 5 6] <nil>
}
