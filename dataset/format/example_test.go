package format_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/dataset/format"
)

// A graph goes to PyTorch Geometric and comes back as it was.
func ExampleWriteGeometric() {
	dir, err := os.MkdirTemp("", "geometric")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	d, err := format.Open("testdata/samples/graphMLFile/team.graphml")
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(dir, "team.pt")
	class, err := format.WriteGeometric(path, d, false)
	if err != nil {
		log.Fatal(err)
	}
	back, err := format.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(class, back.IDs.At(3), back.Labels.Names)
	// Output: Data zoë [dev ops]
}

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
