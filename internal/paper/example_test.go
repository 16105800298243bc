package paper_test

import (
	"fmt"

	"github.com/bloomgml/bloom/internal/paper"
)

// An experiment is a table or a figure of the paper, made of cells.
func ExampleFind() {
	e, err := paper.Find("noise")
	if err != nil {
		panic(err)
	}
	cells, err := e.Cells()
	fmt.Println(e.ID, len(e.Rows) > 0, len(cells) > 0, err)
	// Output: noise true true <nil>
}
