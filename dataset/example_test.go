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

// Ids that an export has in another case, or that Excel has taken for numbers, are the same.
func ExampleFoldID() {
	for _, id := range []string{" ACC-7", "0042", "42.0", "DE89 3704 0044", "+49 (171) 123-45", "004917112345"} {
		fmt.Printf("%s\n", dataset.FoldID(nil, []byte(id)))
	}
	// Output:
	// acc-7
	// 42
	// 42
	// de8937040044
	// 4917112345
	// 4917112345
}
