package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

// solver is where conjugate gradients stand, once.
const solver = "internal/solve"

// iterations are how a source tells that it has one, or explains one, and the package that it must come from.
var iterations = []struct {
	sign *regexp.Regexp
	from string
}{
	{regexp.MustCompile(`(?i)conjugate[ds]?[ -]?gradient`), solver},
	{regexp.MustCompile(`Hestenes|Polak`), solver},
	{regexp.MustCompile(`FISTA`), "descent"},
	{regexp.MustCompile(`Sqrt\(1 ?\+ ?4 ?\*`), "descent"}, // t of FISTA's momentum
	{regexp.MustCompile(`(?i)cholesky`), "gonum.org/v1/gonum"},
}

// Solvers finds iterations that are written a second time: a package that names conjugate gradients, FISTA or
// Cholesky's decomposition and does not import where they stand, and functions that look like conjugate gradients.
func (t *Tree) Solvers() []Problem {
	imports := map[string]string{} // by package, all of them
	for f := range t.goFiles {
		if !f.isTest() {
			for _, spec := range f.Syntax.Imports {
				imports[f.dir()] += strings.TrimPrefix(spec.Path.Value, `"`+t.Module+"/") + "\n"
			}
		}
	}
	var found []Problem
	for f := range t.goFiles {
		if f.isTest() || f.isGenerated() || f.dir() == solver || f.dir() == "internal/lint" {
			continue
		}
		for _, it := range iterations {
			at := it.sign.FindIndex(f.Text)
			if at != nil && f.dir() != it.from && !strings.Contains(imports[f.dir()], it.from) {
				line := 1 + strings.Count(string(f.Text[:at[0]]), "\n")
				found = append(found, Problem{f.Name, line, fmt.Sprintf("%s, and %s does not import %s, which has it",
					f.Text[at[0]:at[1]], f.dir(), it.from)})
			}
		}
		for _, d := range f.Syntax.Decls {
			if function, ok := d.(*ast.FuncDecl); ok && function.Body != nil && conjugates(function.Body) {
				found = append(found, Problem{f.Name, t.line(function.Pos()),
					function.Name.Name + " looks like conjugate gradients, which " + solver + " has"})
			}
		}
	}
	return found
}

// conjugates reports whether a function looks like conjugate gradients: in a loop it takes an inner product of a vector
// with itself and one of two others, by the same function, and divides. Of a distance or a cosine all are of the same
// two vectors.
func conjugates(body *ast.BlockStmt) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if loop, ok := n.(*ast.ForStmt); ok {
			found = found || recurs(loop.Body)
		}
		if loop, ok := n.(*ast.RangeStmt); ok {
			found = found || recurs(loop.Body)
		}
		return true
	})
	return found
}

// recurs looks at one loop.
func recurs(loop *ast.BlockStmt) bool {
	self, others, divides := map[[2]string]bool{}, [][3]string{}, false
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			divides = divides || n.Op == token.QUO
		case *ast.CallExpr:
			name, a, b := product(n)
			if a != "" && a == b {
				self[[2]string{name, a}] = true
			} else if a != "" {
				others = append(others, [3]string{name, a, b})
			}
		}
		return true
	})
	for one := range self {
		for _, o := range others {
			if divides && o[0] == one[0] && !self[[2]string{o[0], o[1]}] && !self[[2]string{o[0], o[2]}] {
				return true
			}
		}
	}
	return false
}

// product is the name of a function that is called like an inner product, dot(a, b) or a.Dot(b), and its operands.
func product(call *ast.CallExpr) (name, a, b string) {
	operands := call.Args
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		name = fun.Name
	case *ast.SelectorExpr:
		name = fun.Sel.Name
		if len(operands) == 1 {
			operands = []ast.Expr{fun.X, operands[0]}
		}
	}
	if lower := strings.ToLower(name); len(operands) != 2 || !strings.Contains(lower, "dot") &&
		!strings.Contains(lower, "inner") && !strings.Contains(lower, "product") {
		return "", "", ""
	}
	return name, types.ExprString(operands[0]), types.ExprString(operands[1])
}
