package energy_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/energy/energytest"
)

// row is one term with what its suite is told about it.
type row[T any] struct {
	name string
	make func() T
	opts []energytest.Option
}

func TestEdgeTerms(t *testing.T) {
	for _, r := range edgeTable {
		energytest.EdgeTerm(t, r.name, r.make, r.opts...)
	}
}

func TestNodeTerms(t *testing.T) {
	for _, r := range nodeTable {
		energytest.NodeTerm(t, r.name, r.make, r.opts...)
	}
}

func TestConstraints(t *testing.T) {
	for _, r := range constraintTable {
		energytest.Constraint(t, r.name, r.make, r.opts...)
	}
}

// untested are the types that need no row, with the reason.
var untested = map[string]string{
	"plainEdges": "hides the fast forms of another term",
}

// TestRegistry fails when a type of this package is a term or a constraint and no table runs it.
func TestRegistry(t *testing.T) {
	tested := map[string]bool{}
	for _, r := range edgeTable {
		tested[typeName(r.make())] = true
	}
	for _, r := range nodeTable {
		tested[typeName(r.make())] = true
	}
	for _, r := range constraintTable {
		tested[typeName(r.make())] = true
	}
	found := termTypes(t, ".")
	for name := range found {
		if !tested[name] && untested[name] == "" {
			t.Errorf("%s is a term or a constraint and stands in no table: add it to edgeTable, nodeTable or constraintTable", name)
		}
	}
	for name := range untested {
		if !found[name] {
			t.Errorf("%s needs no exception any more", name)
		}
	}
	for _, must := range []string{"Laplace", "onEdges", "majorizedBoth", "boundedScore", "plainEdges"} {
		if !found[must] {
			t.Errorf("the search for terms does not find %s", must)
		}
	}
}

func typeName(x any) string {
	typ := reflect.TypeOf(x)
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	return typ.Name()
}

// methods of a type, its own or by embedding.
type methods map[string]bool

// term reports whether they are those of an EdgeTerm, a NodeTerm or a Constraint.
func (m methods) term() bool {
	return m["Edge"] && m["Params"] || m["Node"] && m["Params"] || m["Prox"] && m["Value"] && m["Convex"]
}

// termTypes are the types in dir that have the methods of a term or a constraint.
func termTypes(t *testing.T, dir string) map[string]bool {
	all, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	has, embeds := map[string]methods{
		"EdgeTerm": {"Edge": true, "Params": true}, "NodeTerm": {"Node": true, "Params": true},
		"Constraint": {"Prox": true, "Value": true, "Convex": true},
	}, map[string][]string{}
	for _, name := range all {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			method(d, has)
			embedded(d, embeds)
		}
	}
	for range embeds { // as deep as types can embed one another
		for name, inner := range embeds {
			for _, i := range inner {
				for m := range has[i] {
					note(has, name, m)
				}
			}
		}
	}
	found := map[string]bool{}
	for name, m := range has {
		if m.term() && name != "EdgeTerm" && name != "NodeTerm" && name != "Constraint" {
			found[name] = true
		}
	}
	return found
}

func note(has map[string]methods, name, method string) {
	if has[name] == nil {
		has[name] = methods{}
	}
	has[name][method] = true
}

// method notes the method that d declares.
func method(d ast.Decl, has map[string]methods) {
	if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
		note(has, base(fn.Recv.List[0].Type), fn.Name.Name)
	}
}

// embedded notes for every struct type of a declaration the types that it embeds.
func embedded(d ast.Decl, into map[string][]string) {
	gen, ok := d.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, s := range gen.Specs {
		spec, ok := s.(*ast.TypeSpec)
		if !ok {
			continue
		}
		if st, ok := spec.Type.(*ast.StructType); ok {
			for _, f := range st.Fields.List {
				if len(f.Names) == 0 {
					into[spec.Name.Name] = append(into[spec.Name.Name], base(f.Type))
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
