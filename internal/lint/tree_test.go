package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Problem is one finding.
type Problem struct {
	File string // slash-separated, from the root
	Line int    // 0 when the whole file is meant
	Text string
}

// String is the finding as editors understand it: file:line: text.
func (p Problem) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Text)
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// File is one text file of the tree; Syntax is nil unless it is Go.
type File struct {
	Name   string // slash-separated, from the root
	Text   []byte
	Syntax *ast.File
}

// Tree is the source of a module and of the modules nested in it, for every build tag.
type Tree struct {
	Module string // path of the outer module
	Files  []*File
	fset   *token.FileSet
}

// skipped hold no source: the repository itself and what builds and runs leave at the root.
var skipped = []string{".git", "bin", "runs"}

// Load reads the module whose go.mod lies in root.
func Load(root string) (*Tree, error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	t := &Tree{Module: modulePath(mod), fset: token.NewFileSet()}
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, name)
		switch {
		case err != nil:
			return err
		case slices.Contains(skipped, rel) && d.IsDir():
			return filepath.SkipDir
		case slices.Contains(skipped, rel) || !d.Type().IsRegular():
			return nil
		}
		return t.add(name, filepath.ToSlash(rel))
	})
	return t, err
}

// modulePath is the path in the module line of a go.mod.
func modulePath(mod []byte) string {
	for line := range strings.Lines(string(mod)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "module" {
			return f[1]
		}
	}
	return ""
}

// add reads one file; files that hold a NUL byte are not text and are left out.
func (t *Tree) add(name, rel string) error {
	text, err := os.ReadFile(name)
	if err != nil || bytes.IndexByte(text, 0) >= 0 {
		return err
	}
	f := &File{Name: rel, Text: text}
	if strings.HasSuffix(name, ".go") {
		f.Syntax, err = parser.ParseFile(t.fset, name, text, parser.ParseComments)
	}
	t.Files = append(t.Files, f)
	return err
}

// goFiles yields the Go files.
func (t *Tree) goFiles(yield func(*File) bool) {
	for _, f := range t.Files {
		if f.Syntax != nil && !yield(f) {
			return
		}
	}
}

// line is the line of a position.
func (t *Tree) line(p token.Pos) int { return t.fset.Position(p).Line }

// dir is the package of a file as the table names it.
func (f *File) dir() string { return path.Dir(f.Name) }

// isTest reports whether only `go test` builds the file.
func (f *File) isTest() bool { return strings.HasSuffix(f.Name, "_test.go") }

// isGenerated reports whether a program wrote the file.
func (f *File) isGenerated() bool { return ast.IsGenerated(f.Syntax) }
