package lint

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Hidden finds exported names of the packages that users import whose types they cannot name, because a type of an
// internal package is in them: in a signature, a field, a method, a variable, an alias or what is embedded. It checks
// types without the bodies of functions and without other modules.
func (t *Tree) Hidden() []Problem {
	c := &checker{tree: t, files: map[string][]*ast.File{}, done: map[string]*types.Package{}}
	for f := range t.goFiles {
		dir, name := filepath.Split(t.fset.File(f.Syntax.Pos()).Name())
		if ok, err := build.Default.MatchFile(dir, name); ok && err == nil && !f.isTest() {
			c.files[f.dir()] = append(c.files[f.dir()], f.Syntax)
		}
	}
	var found []Problem
	for dir, files := range c.files {
		if !isPublic(dir) || files[0].Name.Name == "main" {
			continue
		}
		scope := c.pkg(dir).Scope()
		for _, name := range scope.Names() {
			if o := scope.Lookup(name); o.Exported() {
				found = append(found, c.hidden(dir, o)...)
			}
		}
	}
	return found
}

// isPublic reports whether users import the package in dir.
func isPublic(dir string) bool {
	return !slices.ContainsFunc(strings.Split(dir, "/"), func(s string) bool {
		return s == "internal" || s == "cmd" || s == "beam" || s == "release"
	})
}

// checker knows the types of the packages of a module; those of others are empty.
type checker struct {
	tree  *Tree
	files map[string][]*ast.File
	done  map[string]*types.Package
}

// Import implements types.Importer.
func (c *checker) Import(target string) (*types.Package, error) {
	if dir, inside := c.tree.inside(target); inside {
		return c.pkg(dir), nil
	}
	p := types.NewPackage(target, path.Base(target))
	p.MarkComplete()
	return p, nil
}

// pkg is the package in dir.
func (c *checker) pkg(dir string) *types.Package {
	if p := c.done[dir]; p != nil {
		return p
	}
	conf := types.Config{Importer: c, IgnoreFuncBodies: true, FakeImportC: true, Error: func(error) {}}
	p, _ := conf.Check(path.Join(c.tree.Module, dir), c.tree.fset, c.files[dir], nil)
	c.done[dir] = p
	return p
}

// hidden are the findings of one exported object of a package and of what it brings along.
func (c *checker) hidden(dir string, o types.Object) []Problem {
	var found []Problem
	members(o, func(member types.Object, name string) {
		if kind := c.internalIn(member.Type(), map[types.Type]bool{}); kind != "" {
			p := c.tree.fset.Position(member.Pos())
			found = append(found, Problem{path.Join(dir, path.Base(p.Filename)), p.Line,
				fmt.Sprintf("exported %s has the type %s, which users cannot name", name, kind)})
		}
	})
	return found
}

// members calls yield with an object and, where it declares a type, with its exported fields and methods instead.
func members(o types.Object, yield func(member types.Object, name string)) {
	named, declares := o.Type().(*types.Named)
	if _, ok := o.(*types.TypeName); !ok || !declares || named.Obj() != o {
		yield(o, o.Name())
		return
	}
	for m := range named.Methods() {
		if m.Exported() {
			yield(m, o.Name()+"."+m.Name())
		}
	}
	switch under := named.Underlying().(type) {
	case *types.Struct:
		for f := range under.Fields() {
			if f.Exported() {
				yield(f, o.Name()+"."+f.Name())
			}
		}
	case *types.Interface:
		for m := range under.ExplicitMethods() {
			if m.Exported() {
				yield(m, o.Name()+"."+m.Name())
			}
		}
	default:
		yield(types.NewVar(o.Pos(), o.Pkg(), o.Name(), under), o.Name())
	}
}

// internalIn is a type of an internal package that is part of a type; empty if no type is. It looks into types
// without an exported name too.
func (c *checker) internalIn(t types.Type, seen map[types.Type]bool) string {
	if seen[t] {
		return ""
	}
	seen[t] = true
	of := inside(t)
	if t, ok := t.(*types.Named); ok && t.Obj().Pkg() != nil {
		dir, ours := c.tree.inside(t.Obj().Pkg().Path())
		if ours && !isPublic(dir) {
			return dir + "." + t.Obj().Name()
		}
		if ours && !t.Obj().Exported() {
			members(t.Obj(), func(m types.Object, _ string) { of = append(of, m.Type()) })
		}
	}
	for _, t := range of {
		if name := c.internalIn(t, seen); name != "" {
			return name
		}
	}
	return ""
}

// inside are the types that a type is made of, as far as users of it see them.
func inside(t types.Type) []types.Type {
	var of []types.Type
	switch t := t.(type) {
	case *types.Alias:
		of = append(of, t.Rhs())
	case *types.Named:
		of = slices.Collect(t.TypeArgs().Types())
	case *types.Map:
		of = append(of, t.Key(), t.Elem())
	case interface{ Elem() types.Type }: // a pointer, slice, array or channel
		of = append(of, t.Elem())
	case *types.TypeParam:
		of = append(of, t.Constraint())
	case *types.Union:
		for term := range t.Terms() {
			of = append(of, term.Type())
		}
	case *types.Signature:
		of = append(of, t.Params(), t.Results())
		for p := range t.TypeParams().TypeParams() {
			of = append(of, p)
		}
	case *types.Tuple:
		for v := range t.Variables() {
			of = append(of, v.Type())
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				of = append(of, f.Type())
			}
		}
	case *types.Interface:
		of = slices.Collect(t.EmbeddedTypes())
		for m := range t.ExplicitMethods() {
			if m.Exported() {
				of = append(of, m.Type())
			}
		}
	}
	return of
}
