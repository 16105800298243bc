package lint

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Examples finds exported functions of packages that users import which no example calls, in whichever package it
// stands, and exceptions that nothing needs.
func (t *Tree) Examples(r Rules) []Problem {
	shown := t.shown()
	var found []Problem
	needed := map[Exception]bool{}
	for f := range t.goFiles {
		if f.isTest() || f.isGenerated() || private(f) {
			continue
		}
		for _, d := range f.Syntax.Decls {
			function, ok := d.(*ast.FuncDecl)
			if !ok || function.Recv != nil || !function.Name.IsExported() || shown[f.dir()+"."+function.Name.Name] {
				continue
			}
			excused := func(e Exception) bool {
				return e.File == f.dir() && (e.What == "" || e.What == function.Name.Name)
			}
			if i := slices.IndexFunc(r.Unshown, excused); i >= 0 {
				needed[r.Unshown[i]] = true
				continue
			}
			found = append(found, Problem{f.Name, t.line(function.Pos()), "no example calls " + function.Name.Name})
		}
	}
	for _, e := range r.Unshown {
		if !needed[e] {
			found = append(found, Problem{e.File, 0,
				fmt.Sprintf("does not need its exception from examples %q", e.What)})
		}
	}
	return found
}

// private reports whether users do not import the package of f: commands, internal packages and those of tests.
func private(f *File) bool {
	name := f.Syntax.Name.Name
	return name == "main" || strings.Contains("/"+f.Name, "/internal/") ||
		strings.HasSuffix(strings.TrimSuffix(name, "_test"), "test") || f.dir() == "ad/check"
}

// shown are the functions of this module that examples call, as directory.Name, and those that entries of tables of
// parts name, which files of settings and the documentation show.
func (t *Tree) shown() map[string]bool {
	all := map[string]bool{}
	for f := range t.goFiles {
		if !f.isTest() {
			ast.Inspect(f.Syntax, func(n ast.Node) bool {
				if lit, ok := n.(*ast.CompositeLit); ok && ofPart(lit.Type) {
					ast.Inspect(lit, func(n ast.Node) bool {
						if id, ok := n.(*ast.Ident); ok {
							all[f.dir()+"."+id.Name] = true
						}
						return true
					})
				}
				return true
			})
			continue
		}
		dirs := t.imported(f)
		for _, d := range f.Syntax.Decls {
			if example, ok := d.(*ast.FuncDecl); !ok || example.Recv != nil ||
				!strings.HasPrefix(example.Name.Name, "Example") {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok && dirs[x.Name] != "" {
						all[dirs[x.Name]+"."+n.Sel.Name] = true
					}
				case *ast.Ident:
					if !strings.HasSuffix(f.Syntax.Name.Name, "_test") {
						all[f.dir()+"."+n.Name] = true
					}
				}
				return true
			})
		}
	}
	return all
}

// ofPart reports whether a type is an entry or a table: part.Part[T] or part.Kind[T].
func ofPart(e ast.Expr) bool {
	index, ok := e.(*ast.IndexExpr)
	if !ok {
		return false
	}
	s, ok := index.X.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == "part"
}

// imported maps the names by which f knows packages of this module to their directories.
func (t *Tree) imported(f *File) map[string]string {
	dirs := map[string]string{}
	for _, spec := range f.Syntax.Imports {
		target, _ := strconv.Unquote(spec.Path.Value)
		inner, ok := t.inside(target)
		if !ok {
			continue
		}
		name := path.Base(target)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		dirs[name] = inner
	}
	return dirs
}
