package table_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/internal/codec/table"
)

// Whatever it comes from, a table is columns with names and rows of text.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "tables")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "people.csv")
	if err := os.WriteFile(file, []byte("id;age\nann;30\nbob;41\n"), 0o666); err != nil {
		panic(err)
	}
	t, err := table.Open(file, table.Options{})
	if err != nil {
		panic(err)
	}
	defer t.Close()
	err = table.Each(t, func(b *table.Batch) error {
		for row := range b.Rows() {
			fmt.Printf("%s %s\n", b.Cell(row, 0), b.Cell(row, 1))
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// ann 30
	// bob 41
}
