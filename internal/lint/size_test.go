package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"slices"
)

// Limits beyond which a file or a function needs an exception with a reason.
const (
	MaxFile = 500 // lines
	MaxFunc = 60  // lines
)

// Sizes finds files and functions that are too long and exceptions that nothing needs. Generated
// files are left out.
func (t *Tree) Sizes(r Rules) []Problem {
	files, funcs := allowance{open: slices.Clone(r.LongFiles)}, allowance{open: slices.Clone(r.LongFuncs)}
	for f := range t.goFiles {
		if f.isGenerated() {
			continue
		}
		if n := bytes.Count(f.Text, []byte("\n")); n > MaxFile {
			files.use(f.Name, "", Problem{f.Name, 0, fmt.Sprintf("has %d lines, more than %d", n, MaxFile)})
		}
		for _, d := range f.Syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := t.line(fn.End()) - t.line(fn.Pos()) + 1; n > MaxFunc {
				text := fmt.Sprintf("%s has %d lines, more than %d", fn.Name.Name, n, MaxFunc)
				funcs.use(f.Name, fn.Name.Name, Problem{f.Name, t.line(fn.Pos()), text})
			}
		}
	}
	return append(files.problems(), funcs.problems()...)
}

// allowance keeps the exceptions that were not used yet and the findings that had none.
type allowance struct {
	open, spent []Exception
	found       []Problem
}

// use accepts a finding if there is an exception for it.
func (a *allowance) use(file, what string, p Problem) {
	same := func(e Exception) bool { return e.File == file && e.What == what }
	if i := slices.IndexFunc(a.open, same); i >= 0 {
		a.spent = append(a.spent, a.open[i])
		a.open = slices.Delete(a.open, i, i+1)
	} else if !slices.ContainsFunc(a.spent, same) {
		a.found = append(a.found, p)
	}
}

// problems are the findings without an exception and the exceptions without a finding.
func (a *allowance) problems() []Problem {
	for _, e := range a.open {
		a.found = append(a.found, Problem{e.File, 0,
			fmt.Sprintf("does not need its length exception %q any more", e.What)})
	}
	return a.found
}
