package codec_test

import (
	"bytes"
	"fmt"

	"github.com/bloomgml/bloom/internal/codec"
)

func Example() {
	var b bytes.Buffer
	if err := codec.WriteNPY(&b, []int{2, 3}, []float32{1, 2, 3, 4, 5, 6}); err != nil {
		fmt.Println(err)
	}
	a, err := codec.DecodeNPY("x.npy", &b, int64(b.Len()), nil)
	if err != nil {
		fmt.Println(err)
	}
	x, err := codec.Floats[float32](a)
	fmt.Println(a.DType, a.Shape, x, err)
	// Output: <f4 [2 3] [1 2 3 4 5 6] <nil>
}
