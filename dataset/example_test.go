package dataset_test

import (
	"fmt"

	"github.com/bloomgml/bloom/dataset"
)

// Ids are texts and stay as they are; several node types may have the same one.
func ExampleNewIDs() {
	ids := dataset.NewIDs([]string{"ann", "bob", "ann"})
	fmt.Println(ids.At(1), ids.Find("ann", 3), dataset.MapIDs([]int64{3, 6}, []byte("catdog")).At(1))
	// Output: bob [0 2] dog
}
