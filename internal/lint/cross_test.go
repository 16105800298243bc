//go:build cross

package lint

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// TestCross: the types of every package and of its tests are right on systems where nobody runs them here. Compilers
// say the same, and take five times as long to write code that is thrown away.
func TestCross(t *testing.T) {
	for _, system := range []struct {
		os, arch string
		packages []string
	}{
		{"windows", "amd64", []string{"./..."}},
		{"darwin", "arm64", []string{"./..."}},
		// what runs in a browser; the tests of release run it
		{"js", "wasm", []string{".", "./recipe", "./internal/inspect", "./cmd/bloom-play"}},
	} {
		t.Run(system.os, func(t *testing.T) {
			c := &crossed{fset: token.NewFileSet(), sizes: types.SizesFor("gc", system.arch),
				room: make(chan int, runtime.NumCPU())}
			packages, err := listed(system.os, system.arch, system.packages)
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range c.all(packages) {
				t.Error(err)
			}
		})
	}
}

// listing is what go list says of a package, or of one together with its tests.
type listing struct {
	ImportPath, Dir, ForTest string
	GoFiles                  []string
	ImportMap                map[string]string // from what a file says to an ImportPath, where they differ
	Module                   *struct {
		Main      bool
		GoVersion string
	}
}

// listed are packages, their tests and all that they import.
func listed(system, arch string, packages []string) (list []*listing, err error) {
	cmd := exec.Command("go", append([]string{"list", "-deps", "-test",
		"-json=ImportPath,Dir,ForTest,GoFiles,ImportMap,Module"}, packages...)...)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for d := json.NewDecoder(out); err == nil; {
		p := &listing{}
		if err = d.Decode(p); err == nil && !strings.HasSuffix(p.ImportPath, ".test") { // which is generated
			list = append(list, p)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return list, errors.Join(err, cmd.Wait())
}

// crossed checks types, each package once all that it imports is checked.
type crossed struct {
	fset  *token.FileSet
	sizes types.Sizes
	room  chan int
	done  map[string]func() (*types.Package, []error)
}

// all checks packages, which come after what they import.
func (c *crossed) all(packages []*listing) (found []error) {
	tested := map[string]bool{} // also checked together with tests
	for _, p := range packages {
		tested[p.ForTest] = true
	}
	c.done = map[string]func() (*types.Package, []error){
		"unsafe": func() (*types.Package, []error) { return types.Unsafe, nil },
	}
	var all sync.WaitGroup
	for _, p := range packages {
		path, _, _ := strings.Cut(p.ImportPath, " ")
		whole := p.Module != nil && p.Module.Main && (strings.TrimSuffix(path, "_test") == p.ForTest || !tested[path])
		if path != "unsafe" {
			c.done[p.ImportPath] = sync.OnceValues(func() (*types.Package, []error) { return c.check(p, path, whole) })
		}
	}
	for _, one := range c.done {
		all.Go(func() { one() })
	}
	all.Wait()
	for _, one := range c.done {
		_, errs := one()
		found = append(found, errs...)
	}
	return found
}

// check checks one package, with the bodies of its functions or without.
func (c *crossed) check(p *listing, path string, whole bool) (*types.Package, []error) {
	var found []error
	note := func(err error) { found = append(found, err) }
	imported := importer(func(name string) (*types.Package, error) {
		if to := p.ImportMap[name]; to != "" {
			name = to
		}
		one := c.done[name]
		if one == nil {
			return nil, fmt.Errorf("%s is not listed", name)
		}
		other, _ := one()
		return other, nil
	})
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(c.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			note(err)
		}
		files = append(files, f)
	}
	for _, f := range files { // first, and outside of room, which they need
		for _, spec := range f.Imports {
			_, _ = imported(strings.Trim(spec.Path.Value, `"`))
		}
	}
	c.room <- 0
	defer func() { <-c.room }()
	conf := types.Config{Importer: imported, Sizes: c.sizes, IgnoreFuncBodies: !whole, Error: note}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	checked, _ := conf.Check(path, c.fset, files, nil)
	return checked, found
}

// importer is a types.Importer of one function.
type importer func(path string) (*types.Package, error)

// Import implements types.Importer.
func (i importer) Import(path string) (*types.Package, error) { return i(path) }
