package path_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/internal/path"
)

// The baseline is kept in a file.
func ExampleLoadRefactor() {
	d, _, err := generate.Make("family:families=1,twin=0")
	if err != nil {
		fmt.Println(err)
		return
	}
	m := path.NewRefactor(path.RefactorConfig{Hidden: 4}, d.Relations)
	dir, err := os.MkdirTemp("", "refactor")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "model.safetensors")
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		panic(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		panic(err)
	}
	again, err := path.LoadRefactor(file)
	fmt.Println(again.Hidden, err)
	_, err = path.LoadRefactor(filepath.Join(dir, "there is no such file"))
	fmt.Println(err != nil)
	// Output:
	// 4 <nil>
	// true
}
