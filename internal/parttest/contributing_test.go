package parttest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the folder of the module.
const root = "../.."

// cost is a row of the table in CONTRIBUTING.md: what a part takes.
type cost struct {
	part, file, lines, elsewhere string
	suites                       []string // package and test, as "energy TestPenalties/cauchy"
}

// costs reads the table.
func costs(t *testing.T) []cost {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text),
		"| part | new file | lines | line elsewhere | suites that ran on it |\n|---|---|---|---|---|\n")
	if !ok {
		t.Fatal("CONTRIBUTING.md has no table of parts")
	}
	var list []cost
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.ReplaceAll(line, "`", ""), "| \n"), " | ")
		if len(cells) != 5 {
			break
		}
		list = append(list, cost{cells[0], cells[1], cells[2], cells[3], strings.Split(cells[4], ", ")})
	}
	return list
}

// TestCosts: each part of the table stands in one file, of as many lines as the table says, and the names that this
// file declares are used in one line elsewhere, that of the table of its kind. Tests and snapshots are left out.
func TestCosts(t *testing.T) {
	list := costs(t)
	if len(list) != 5 {
		t.Fatalf("%d parts", len(list))
	}
	for _, c := range list {
		text, err := os.ReadFile(filepath.Join(root, c.file))
		if err != nil {
			t.Error(err)
			continue
		}
		if n := fmt.Sprint(bytes.Count(text, []byte("\n"))); n != c.lines {
			t.Errorf("%s has %s lines, CONTRIBUTING.md says %s", c.file, n, c.lines)
		}
		if used := uses(t, c.file); !slices.Equal(used, []string{c.elsewhere}) {
			t.Errorf("%s is used in %v, CONTRIBUTING.md says %s", c.part, used, c.elsewhere)
		}
	}
}

// uses are the files, once for every line, in which the names that a file declares are used: in its package, and as a
// member of it in others.
func uses(t *testing.T, file string) []string {
	t.Helper()
	names, pkg := declared(t, file), filepath.Base(filepath.Dir(file))
	var found []string
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil || filepath.ToSlash(name) == file {
			return err
		}
		fset := token.NewFileSet()
		syntax, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		lines := map[int]bool{}
		note := func(id *ast.Ident) {
			if slices.Contains(names, id.Name) {
				lines[fset.Position(id.Pos()).Line] = true
			}
		}
		if filepath.Dir(filepath.ToSlash(name)) == filepath.Dir(file) {
			for _, id := range syntax.Unresolved {
				note(id)
			}
		}
		ast.Inspect(syntax, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == pkg {
					note(s.Sel)
				}
			}
			return true
		})
		for range lines {
			found = append(found, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// declared are the names that a file declares at its top, methods left out.
func declared(t *testing.T, file string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range f.Scope.Objects {
		names = append(names, name)
	}
	return names
}

// TestSuites: the suites that the table names run on the parts, and pass.
func TestSuites(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the tests of other packages")
	}
	runs := map[string][]string{}
	for _, c := range costs(t) {
		if len(c.suites) == 0 {
			t.Errorf("no suite runs on %s", c.part)
		}
		for _, s := range c.suites {
			pkg, test, _ := strings.Cut(s, " ")
			runs[pkg] = append(runs[pkg], test)
		}
	}
	for pkg, tests := range runs {
		for _, test := range tests {
			var pattern []string
			for element := range strings.SplitSeq(test, "/") {
				pattern = append(pattern, "^"+regexp.QuoteMeta(element)+"$")
			}
			run := exec.Command("go", "test", "-short", "-v", "-run", strings.Join(pattern, "/"), "./"+pkg)
			run.Dir = root
			out, _ := run.CombinedOutput()
			if !strings.Contains(string(out), "--- PASS: "+test+" ") {
				t.Errorf("%s of %s does not pass:\n%s", test, pkg, out)
			}
		}
	}
}
