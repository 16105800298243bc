package ondisk_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/internal/ondisk"
)

// Tables of any size become blocks; only the names of nodes are held.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "tables")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := func(name string) string { return filepath.Join(dir, name) }
	err = os.WriteFile(path("calls-1.csv"), []byte("source,target\nann,bob\nbob,cyd\nbob,ann\n"), 0o666)
	if err != nil {
		panic(err)
	}
	src, err := ondisk.OpenTables(ondisk.TableSpec{Edges: []string{path("calls-*.csv")}, Scratch: path("scratch")})
	if err != nil {
		panic(err)
	}
	defer src.Close()
	r, err := ondisk.Build(path("calls.bloom"), src, ondisk.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Nodes, "nodes,", r.Edges, "edges,", r.Repeats, "repeat")
	// Output: 3 nodes, 2 edges, 1 repeat
}
