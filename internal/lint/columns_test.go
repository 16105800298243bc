package lint

import (
	"fmt"
	"go/ast"
	"go/token"
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
