package table_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
)

// A table is written row by row; what needs quotes gets them.
func ExampleCreate() {
	dir, err := os.MkdirTemp("", "tables")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "people.csv")
	w, err := table.Create(file, table.CSV, []string{"id", "about"}, files.WriteOptions{})
	if err != nil {
		panic(err)
	}
	w.Write([][]byte{[]byte("ann"), []byte(`says "hi, all"`)})
	if err := w.Close(); err != nil {
		panic(err)
	}
	text, err := os.ReadFile(file)
	fmt.Printf("%s%v %v", text, err, table.IsPostgres("postgres://db SELECT id FROM people"))
	// Output:
	// id,about
	// ann,"says ""hi, all"""
	// <nil> true
}
