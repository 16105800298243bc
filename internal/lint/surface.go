package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxColumns is the longest line, a tab being four.
const MaxColumns = 120

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
