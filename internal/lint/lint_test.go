package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProject holds this repository to its rules. They do not depend on build tags, so that the
// short runs with other tags need not repeat it.
func TestProject(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all of the source")
	}
	tree, err := Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Files) < 10 || tree.Module != "github.com/bloomgml/bloom" {
		t.Fatalf("read %d files of module %q: not this repository", len(tree.Files), tree.Module)
	}
	checks := map[string][]Problem{
		"imports":  tree.Imports(Project),
		"format":   tree.Format(),
		"names":    tree.Names(),
		"comments": tree.Comments(),
		"misnamed": tree.Misnamed(),
		"lessons":  tree.Lessons(),
		"examples": tree.Examples(Project),
		"foreign":  tree.Foreign(),
		"sizes":    tree.Sizes(Project),
		"columns":  tree.Columns(),
		"solvers":  tree.Solvers(),
		"hidden":   tree.Hidden(),
		"prose":    tree.Prose(),
		"cited":    tree.Cited(),
	}
	for name, problems := range checks {
		t.Run(name, func(t *testing.T) {
			for _, p := range problems {
				t.Error(p)
			}
		})
	}
}

// TestLayersHaveNoCycle walks the table: it must be a picture of data that flows one way, and
// name only packages that are rows of it.
func TestLayersHaveNoCycle(t *testing.T) {
	const visiting, done = 1, 2
	state := map[string]int{}
	var visit func(dir string)
	visit = func(dir string) {
		allowed, known := Project.layer(dir)
		if !known {
			t.Errorf("%q is imported in the table but has no row", dir)
		}
		if state[dir] == visiting {
			t.Errorf("%q may import itself by a detour", dir)
		}
		if state[dir] != 0 {
			return
		}
		state[dir] = visiting
		for _, a := range allowed {
			if !covers(dir, a) {
				visit(a)
			}
		}
		state[dir] = done
	}
	for dir := range Project.Layers {
		visit(dir)
	}
}

func TestExceptionsHaveReasons(t *testing.T) {
	for _, list := range [][]Exception{Project.Imports, Project.LongFiles, Project.LongFuncs, Project.Unshown} {
		for _, e := range list {
			if e.Reason == "" {
				t.Errorf("the exception of %s for %q has no reason", e.File, e.What)
			}
		}
	}
}

// long is a function of n lines.
func long(name string, n int) string {
	return "func " + name + "() {\n" + strings.Repeat("\t_ = 0\n", n-2) + "}\n"
}

// secondSolver is conjugate gradients under another name.
const secondSolver = `func minimise(x, r, p, q []float64) {
	size := dot(r, r)
	for range 9 {
		times(q, p)
		by := size / dot(p, q)
		add(x, p, by)
		add(r, q, -by)
		next := dot(r, r)
		blend(p, r, next/size)
		size = next
	}
}
`

// findings are files with one mistake each, and what is said of it.
var findings = []struct{ name, file, text, want string }{
	{"allowed", "high/a.go", "package high\n\nimport _ \"m.org/m/low\"\n", ""},
	{"upward", "low/a.go", "package low\n\nimport (\n\t\"fmt\"\n\t\"m.org/m/high\"\n)\n",
		"low/a.go:5: low may not import high"},
	{"upward in a tagged file", "low/a_arm64.go", "//go:build never\n\npackage low\n\nimport \"m.org/m/high\"\n",
		"low/a_arm64.go:5: low may not"},
	{"upward in a test", "low/a_test.go", "package low\n\nimport _ \"m.org/m/high\"\n",
		"low/a_test.go:3: low may not import high"},
	{"suite in a test", "low/a_test.go", "package low\n\nimport _ \"m.org/m/suite\"\n", ""},
	{"own package in a test", "low/a_test.go", "package low_test\n\nimport _ \"m.org/m/low\"\n", ""},
	{"exception of another file", "low/a.go", "package low\n\nimport _ \"m.org/m/suite\"\n",
		"low/a.go:3: low may not import suite"},
	{"unknown package", "new/a.go", "package new\n", `new/a.go:1: package "new" is not in the table`},
	{"module", "low/a.go", "package low\n\nimport _ \"example.org/tool/x\"\n",
		"low/a.go:3: low may not import from example.org/tool"},
	{"module by pattern", "gen/x/a.go", "package main\n\nimport _ \"example.org/tool/x\"\n", ""},
	{"unknown module", "low/a.go", "package low\n\nimport _ \"example.org/toolbox\"\n",
		"low/a.go:3: example.org/toolbox is not among"},
	{"module of tests", "low/a_test.go", "package low\n\nimport _ \"example.org/judge\"\n", ""},
	{"module of tests outside of them", "low/a.go", "package low\n\nimport _ \"example.org/judge\"\n",
		"low/a.go:3: example.org/judge is not among"},
	{"module for the tests of another package", "high/a_test.go",
		"package high\n\nimport _ \"example.org/judge\"\n",
		"high/a_test.go:3: high may not import from example.org/judge"},
	{"module for more packages in tests", "low/a_test.go", "package low\n\nimport _ \"example.org/tool/x\"\n", ""},
	{"cgo", "low/a.go", "package low\n\nimport \"C\"\n", `low/a.go:3: imports "C"`},
	{"format", "low/a.go", "package low\nvar  x = 1\n", "low/a.go: is not gofmt-clean"},
	{"name", "low/a.go", "package util\n", "low/a.go:1: package util needs"},
	{"function comment", "low/a.go", "package low\n\nfunc F() {}\n", "low/a.go:3: exported F has no comment"},
	{"method comment", "low/a.go", "package low\n\n// T is.\ntype T[E any] struct{}\n\nfunc (t *T[E]) F() {}\n",
		"low/a.go:6: exported F"},
	{"method of a hidden type", "low/a.go", "package low\n\ntype t struct{}\n\nfunc (t) F() {}\n", ""},
	{"value comment", "low/a.go", "package low\n\nconst (\n\ta, B = 1, 2\n\tC    = 3 // C is.\n)\n",
		"low/a.go:4: exported B"},
	{"empty comment", "low/a.go", "package low\n\nconst A = 1 //\n", "low/a.go:3: exported A"},
	{"type comment", "low/a.go", "package low\n\ntype T int\n", "low/a.go:3: exported T"},
	{"group comment", "low/a.go", "package low\n\n// Both.\nconst (\n\tA = 1\n\tB = 2\n)\n", ""},
	{"comment under another name", "low/a.go", "package low\n\n// g is.\nfunc f() {}\n",
		`low/a.go:3: the comment of f begins with "g"`},
	{"comment of a type under another name", "low/a.go", "package low\n\n// u is.\ntype t int\n",
		`low/a.go:3: the comment of t begins with "u"`},
	{"comment of a value under another name", "low/a.go", "package low\n\n// Y is one.\nconst x = 1\n",
		`low/a.go:3: the comment of x begins with "Y"`},
	{"sentence about a value", "low/a.go", "package low\n\n// Limits of all.\nconst x = 1\n", ""},
	{"machine path", "notes.md", "see /ho" + "me/me/x\n", "notes.md:1: "},
	{"path inside a path", "notes.md", "see a.org/ho" + "me/me and ./wo" + "rk/x\n", ""},
	{"registry", "notes.md", "\nfrom https://proxy.go" + "lang.org\n", "notes.md:2: "},
	{"long function", "low/a.go", "package low\n\n" + long("f", MaxFunc+1), "low/a.go:3: f has 61 lines"},
	{"function that just fits", "low/a.go", "package low\n\n" + long("f", MaxFunc), ""},
	{"long file", "low/a.go", "package low\n" + strings.Repeat("\n// x\n", MaxFile/2), "low/a.go: has 501 lines"},
	{"long line", "low/a.go", "package low\n\n// " + strings.Repeat("é", MaxColumns-2) + "\n",
		"low/a.go:3: has 121 columns"},
	{"line that just fits", "low/a.go", "package low\n\n// " + strings.Repeat("é", MaxColumns-3) + "\n", ""},
	{"long raw string", "low/a.go", "package low\n\nvar x = `" + strings.Repeat("x", MaxColumns) + "`\n", ""},
	{"second conjugate gradients", "low/a.go", "package low\n\n" + secondSolver, "low/a.go:3: minimise looks like"},
	{"cosine", "low/a.go", "package low\n\n" + strings.Replace(secondSolver, "dot(p, q)", "dot(p, r)", 1), ""},
	{"second solver by its name", "low/a.go", "package low\n\n// f takes conjugate gradient steps.\nfunc f() {}\n",
		"low/a.go:3: conjugate gradient, and low does not import internal/solve"},
	{"second momentum", "low/a.go", "package low\n\nimport \"math\"\n\nfunc f(t float64) float64 {\n\t" +
		"return math.Sqrt(1 + 4*t*t)\n}\n", "low/a.go:6: Sqrt(1 + 4*, and low does not import descent"},
	{"long generated file", "low/a.go", "// Code generated by x. DO NOT EDIT.\n\npackage low\n" +
		strings.Repeat("\n// x\n", MaxFile/2), ""},
}

// TestFindings gives every check one bad file in a module of its own and expects exactly one
// finding, at the right place.
func TestFindings(t *testing.T) {
	rules := Rules{
		Layers:   map[string][]string{"low": {}, "high": {"low"}, "gen/*": {}, "suite": {"low"}},
		TestOnly: []string{"suite"},
		Modules:  map[string][]string{"example.org/tool": {"high", "gen/*"}},

		TestModules: map[string][]string{"example.org/tool": {"low"}, "example.org/judge": {"low"}},
		Imports:     []Exception{{"low/odd.go", "suite", "test"}},
	}
	odd := "package low\n\nimport _ \"m.org/m/suite\"\n" // uses the exception above
	for _, c := range findings {
		t.Run(c.name, func(t *testing.T) {
			tree := write(t, map[string]string{"low/odd.go": odd, c.file: c.text})
			expect(t, all(tree, rules), c.want)
		})
	}
}

func TestUnusedExceptions(t *testing.T) {
	tree := write(t, map[string]string{"low/a.go": "package low\n\n" + long("f", MaxFunc+1)})
	rules := Rules{Layers: map[string][]string{"low": {}}, LongFuncs: []Exception{{"low/a.go", "f", "test"}}}
	expect(t, all(tree, rules), "")
	rules.LongFuncs = append(rules.LongFuncs, Exception{"low/a.go", "h", "test"})
	expect(t, all(tree, rules), `low/a.go: does not need its length exception "h"`)
	rules.LongFuncs = rules.LongFuncs[:1]
	rules.Imports = []Exception{{"low/a.go", "high", "test"}}
	expect(t, all(tree, rules), `low/a.go: does not need its exception for "high"`)
}

func TestLoadErrors(t *testing.T) {
	if _, err := Load(t.TempDir()); err == nil {
		t.Error("a directory without go.mod was accepted")
	}
	dir := t.TempDir()
	put(t, dir, map[string]string{"go.mod": "module m.org/m\n", "a.go": "package\n"})
	if _, err := Load(dir); err == nil {
		t.Error("a file with a syntax error was accepted")
	}
}

// all runs every check.
func all(t *Tree, r Rules) []Problem {
	var found []Problem
	for _, p := range [][]Problem{t.Imports(r), t.Format(), t.Names(), t.Comments(), t.Misnamed(), t.Foreign(),
		t.Sizes(r), t.Columns(), t.Solvers()} {
		found = append(found, p...)
	}
	return found
}

// expect wants no finding, or exactly one that begins with want.
func expect(t *testing.T, found []Problem, want string) {
	t.Helper()
	if want == "" && len(found) > 0 || want != "" && (len(found) != 1 || !strings.HasPrefix(found[0].String(), want)) {
		t.Errorf("found %v, want %q", found, want)
	}
}

// write makes a module m.org/m of the files.
func write(t *testing.T, files map[string]string) *Tree {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module m.org/m\n"
	put(t, dir, files)
	tree, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLessons: a package needs a comment, and one that users import an example.
func TestLessons(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"both", map[string]string{"low/a.go": "// Package low is.\npackage low\n",
			"low/a_test.go": "package low\n\nfunc Example() {}\n"}, ""},
		{"no comment", map[string]string{"low/a.go": "package low\n",
			"low/a_test.go": "package low\n\nfunc Example() {}\n"}, "low/a.go: package low has no comment"},
		{"comment of a test", map[string]string{"low/a.go": "package low\n",
			"low/a_test.go": "// Package low is.\npackage low\n\nfunc Example() {}\n"},
			"low/a.go: package low has no comment"},
		{"no example", map[string]string{"low/a.go": "// Package low is.\npackage low\n"},
			"low/a.go: package low has no example"},
		{"internal", map[string]string{"internal/low/a.go": "// Package low is.\npackage low\n"}, ""},
		{"command", map[string]string{"cmd/a.go": "// Command a is.\npackage main\n"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, write(t, c.files).Lessons(), c.want) })
	}
}

// TestExamples: a function that users call is in an example, of its own package or of another.
func TestExamples(t *testing.T) {
	source := "package low\n\n// F is.\nfunc F() {}\n"
	for _, c := range []struct {
		name, file, text string
		unshown          []Exception
		want             string
	}{
		{"shown inside", "low/a_test.go", "package low\n\nfunc ExampleF() { F() }\n", nil, ""},
		{"shown outside", "low/a_test.go", "package low_test\n\nimport \"m.org/m/low\"\n\nfunc ExampleF() { " +
			"low.F() }\n", nil, ""},
		{"shown elsewhere", "high/a_test.go", "package high\n\nimport l \"m.org/m/low\"\n\nfunc Example() { l.F() }\n",
			nil, ""},
		{"in a test alone", "low/a_test.go", "package low\n\nfunc TestF() { F() }\n", nil,
			"low/a.go:4: no example calls F"},
		{"in a table", "low/b.go", "package low\n\nvar t = part.Part[func()]{New: F}\n", nil, ""},
		{"in another list", "low/b.go", "package low\n\nvar t = []func(){F}\n", nil,
			"low/a.go:4: no example calls F"},
		{"another F", "low/a_test.go", "package low_test\n\nimport \"m.org/m/high\"\n\nfunc Example() { high.F() }\n",
			nil, "low/a.go:4: no example calls F"},
		{"excused", "low/b.go", "package low\n", []Exception{{"low", "F", "test"}}, ""},
		{"excused with its package", "low/b.go", "package low\n", []Exception{{"low", "", "test"}}, ""},
		{"needlessly", "low/a_test.go", "package low\n\nfunc ExampleF() { F() }\n", []Exception{{"low", "F", "test"}},
			`low: does not need its exception from examples "F"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := write(t, map[string]string{"low/a.go": source, c.file: c.text})
			expect(t, tree.Examples(Rules{Unshown: c.unshown}), c.want)
		})
	}
}

// TestHidden: what users import has no type in it that they cannot name.
func TestHidden(t *testing.T) {
	const inner = `"m.org/m/internal/deep"`
	for _, c := range []struct{ name, text, want string }{
		{"function", "func F(x []deep.T) {}", "F"},
		{"result", "func F() (n int, err func(map[string]*deep.T)) { return }", "F"},
		{"method", "type P int\n\nfunc (*P) M() deep.T { panic(0) }", "P.M"},
		{"field", "type P struct{ X, y deep.T }", "P.X"},
		{"embedded", "type P struct{ deep.T }", "P.T"},
		{"method of an interface", "type P interface{ M(deep.T) }", "P.M"},
		{"alias", "type P = deep.T", "P"},
		{"alias of no name", "type p = deep.T\n\nfunc F(p) {}", "F"},
		{"definition", "type P []deep.T", "P"},
		{"variable", "var V = deep.New()", "V"},
		{"constant", "const V = deep.One", "V"},
		{"type parameter", "func F[P deep.I](P) {}", "F"},
		{"argument of a type", "type L[P any] []P\n\nfunc F(L[deep.T]) {}", "F"},
		{"field of a type without a name", "type p struct{ X deep.T }\n\nfunc F() (x p) { return }", "F"},
		{"what others do not see", "type P struct{ x deep.T }\n\nfunc (p P) m() deep.T { return p.x }\n\n" +
			"func F() int { return int(deep.New()) }", ""},
		{"type of that type", "type P deep.T\n\nfunc F(P) {}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := write(t, map[string]string{
				"internal/deep/a.go": "package deep\n\ntype T int\n\nconst One T = 1\n\nfunc New() T { return 0 }\n\n" +
					"type I interface{ ~int }\n",
				"low/a.go": "package low\n\nimport " + inner + "\n\n" + c.text + "\n",
				"cmd/a.go": "package main\n\nimport " + inner + "\n\nvar V deep.T\n",
			})
			found := tree.Hidden()
			if len(found) != min(1, len(c.want)) ||
				len(found) == 1 && !strings.Contains(found[0].Text, "exported "+c.want+" has the type internal/deep.") {
				t.Errorf("found %v, want %q", found, c.want)
			}
		})
	}
}
