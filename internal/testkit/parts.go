package testkit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/part"
)

// Announced fails t where a type of the package in the current folder has all of the given methods, which make it a
// part of the kind, and stands neither in the table nor, with a reason, among the exceptions; and where an
// exception is none.
func Announced[T any](t *testing.T, k part.Kind[T], except map[string]string, methods ...string) {
	t.Helper()
	var known []string
	for _, p := range k.Parts {
		if any(p.New) != nil {
			known = append(known, TypeName(p.New))
		}
		if p.Text == "" {
			t.Errorf("%s %s has no text", k.Name, p.Name)
		}
	}
	found := Types(t, ".", methods...)
	if len(found) == 0 {
		t.Errorf("no type has the methods %v", methods)
	}
	for _, name := range found {
		if !slices.Contains(known, name) && except[name] == "" {
			t.Errorf("%s, %s, is not in the table", name, k.Name)
		}
	}
	for name := range except {
		if !slices.Contains(found, name) {
			t.Errorf("%s needs no exception", name)
		}
	}
}

// TypeName is the name of the type of x, without package and star.
func TypeName(x any) string {
	typ := reflect.TypeOf(x)
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	return typ.Name()
}

// Types are the types of the Go package in dir that have all of the given methods, their own or by embedding.
func Types(t *testing.T, dir string, methods ...string) []string {
	t.Helper()
	s := search{has: map[string][]string{}, embeds: map[string][]string{}}
	each(t, dir, s.note)
	s.inherit()
	var found []string
	for name, own := range s.has {
		if !s.interfaces[name] && !slices.ContainsFunc(methods,
			func(m string) bool { return !slices.Contains(own, m) }) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

// search is what is known about the types of a package.
type search struct {
	has, embeds map[string][]string // methods, and embedded types
	interfaces  map[string]bool
}

// note takes the method or the types that d declares.
func (s *search) note(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			name := base(d.Recv.List[0].Type)
			s.has[name] = append(s.has[name], d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if spec, ok := spec.(*ast.TypeSpec); ok {
				s.declare(spec)
			}
		}
	}
}

// declare takes what a type embeds, and the methods of an interface.
func (s *search) declare(spec *ast.TypeSpec) {
	name := spec.Name.Name
	var fields []*ast.Field
	switch t := spec.Type.(type) {
	case *ast.StructType:
		fields = t.Fields.List
	case *ast.InterfaceType:
		if s.interfaces == nil {
			s.interfaces = map[string]bool{}
		}
		s.interfaces[name], fields = true, t.Methods.List
	}
	for _, f := range fields {
		switch {
		case len(f.Names) == 0:
			s.embeds[name] = append(s.embeds[name], base(f.Type))
		case s.interfaces[name]:
			s.has[name] = append(s.has[name], f.Names[0].Name)
		}
	}
}

// inherit gives types the methods of what they embed, as deep as types can embed one another.
func (s *search) inherit() {
	for range s.embeds {
		for name, inner := range s.embeds {
			for _, i := range inner {
				for _, m := range s.has[i] {
					if !slices.Contains(s.has[name], m) {
						s.has[name] = append(s.has[name], m)
					}
				}
			}
		}
	}
}

// base is the name of a type without a star.
func base(e ast.Expr) string {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// Values are the exported variables and functions of the Go package in dir whose value is of the given struct type: a
// variable that is a literal of it, or a function that returns one.
func Values(t *testing.T, dir, typ string) []string {
	t.Helper()
	var found []string
	each(t, dir, func(d ast.Decl) {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if r := d.Type.Results; d.Recv == nil && d.Name.IsExported() && r != nil && len(r.List) == 1 &&
				base(r.List[0].Type) == typ {
				found = append(found, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && len(v.Values) == 1 {
					if lit, ok := v.Values[0].(*ast.CompositeLit); ok && base(lit.Type) == typ &&
						v.Names[0].IsExported() {
						found = append(found, v.Names[0].Name)
					}
				}
			}
		}
	})
	return found
}

// Methods are the methods of a type of the Go package in dir that take nothing and return a value of type
// result.
func Methods(t *testing.T, dir, typ, result string) []string {
	t.Helper()
	var found []string
	each(t, dir, func(d ast.Decl) {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil || base(f.Recv.List[0].Type) != typ || f.Type.Params.NumFields() > 0 {
			return
		}
		if r := f.Type.Results; r != nil && len(r.List) == 1 && base(r.List[0].Type) == result {
			found = append(found, f.Name.Name)
		}
	})
	return found
}

// each calls f for every declaration of the Go package in dir, tests left out.
func each(t *testing.T, dir string, f func(ast.Decl)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f(d)
		}
	}
}
