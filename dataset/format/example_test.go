package format_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/dataset/format"
)

// A folder of triples becomes a graph of its training facts; names stay what they are in the files.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "facts")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{
		"train.txt": "001\tknows\t002\n002\tknows\t003\n", "valid.txt": "001\tknows\t003\n",
		"test.txt": "003\tknows\t004\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	d, err := format.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Graph.NumNodes(), "entities,", d.Graph.NumEdges(), "facts about", d.Relations)
	fmt.Println("to predict:", d.IDs.At(d.Test[0].U), "knows", d.IDs.At(d.Test[0].V))
	fmt.Println(d.Notes[0])
	// Output:
	// 4 entities, 2 facts about [knows]
	// to predict: 003 knows 004
	// 1 of 1 test triples have an entity that is in no training triple.
}
