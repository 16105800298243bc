package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits on the shape of the source.
const (
	MaxColumns = 120 // of a line, a tab being four
	MaxSources = 40  // files of a package, tests and generated ones left out
	MaxSurface = 900 // exported names of all packages that users import; to be lowered as it falls
)

// Columns finds lines that are too long. Generated files, lines that a raw string touches (texts and struct tags cannot
// be wrapped) are left out.
func (t *Tree) Columns() []Problem {
	var found []Problem
	for f := range t.goFiles {
		if f.isGenerated() {
			continue
		}
		raw := t.rawLines(f)
		for i, line := range strings.Split(string(f.Text), "\n") {
			n := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
			if n > MaxColumns && !raw[i+1] {
				found = append(found, Problem{f.Name, i + 1, fmt.Sprintf("has %d columns, more than %d", n,
					MaxColumns)})
			}
		}
	}
	return found
}

// rawLines are the lines that raw strings touch.
func (t *Tree) rawLines(f *File) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING && s.Value[0] == '`' {
			for i := t.line(s.Pos()); i <= t.line(s.End()); i++ {
				lines[i] = true
			}
		}
		return true
	})
	return lines
}

// Crowds finds packages of too many source files. The kernels, a file for each operation and instruction set, may have
// more.
func (t *Tree) Crowds() []Problem {
	count := map[string]int{}
	for f := range t.goFiles {
		if !f.isTest() && !f.isGenerated() && f.dir() != "internal/kernel" {
			count[f.dir()]++
		}
	}
	var crowded []Problem
	for _, dir := range slices.Sorted(maps.Keys(count)) {
		if n := count[dir]; n > MaxSources {
			crowded = append(crowded, Problem{dir, 0, fmt.Sprintf("has %d source files, more than %d", n, MaxSources)})
		}
	}
	return crowded
}

// Surface counts the exported names of the packages that users import, by package: functions, methods of exported
// types, types, constants and variables.
func (t *Tree) Surface() map[string]int {
	count := map[string]int{}
	for f := range t.goFiles {
		if f.isTest() || strings.Contains("/"+f.Name, "/internal/") || f.Syntax.Name.Name == "main" {
			continue
		}
		for _, d := range f.Syntax.Decls {
			count[f.dir()] += exported(d)
		}
	}
	return count
}

// exported is how many names a declaration exports.
func exported(d ast.Decl) int {
	var names []*ast.Ident
	switch d := d.(type) {
	case *ast.FuncDecl:
		if exportedReceiver(d) {
			names = append(names, d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name)
			case *ast.ValueSpec:
				names = append(names, s.Names...)
			}
		}
	}
	return len(slices.DeleteFunc(names, func(n *ast.Ident) bool { return !n.IsExported() }))
}

// Wide finds a surface that is too large to keep in mind.
func (t *Tree) Wide() []Problem {
	total := 0
	for _, n := range t.Surface() {
		total += n
	}
	if total <= MaxSurface {
		return nil
	}
	return []Problem{{"packages that users import", 0, fmt.Sprintf("export %d names, more than %d", total, MaxSurface)}}
}
