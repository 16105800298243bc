package lint

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	goTest  = regexp.MustCompile("go test [^`\n]*")
	tested  = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w*`)
	checked = regexp.MustCompile("`(?:bloom|bloom-paper|go test|go build) ")
)

// Cited finds tests and packages that documents name and the tree does not have, and claims of docs/peers.md about
// ourselves, rows of tables with a last column "how to check", that name neither a command nor a test.
func (t *Tree) Cited() []Problem {
	names, all := t.testFunctions(), []string{}
	for _, list := range names {
		all = append(all, list...)
	}
	var found []Problem
	for _, f := range t.Files {
		if dir := path.Dir(f.Name); path.Ext(f.Name) != ".md" || f.Name == "CHANGELOG.md" ||
			!slices.Contains([]string{".", "docs", "docs/lab", "bench", "beam"}, dir) {
			continue
		}
		claims := false
		for i, line := range strings.Split(string(f.Text), "\n") {
			add := func(format string, args ...any) {
				found = append(found, Problem{f.Name, i + 1, fmt.Sprintf(format, args...)})
			}
			for _, name := range tested.FindAllString(line, -1) {
				if !slices.Contains(all, name) {
					add("there is no test %s", name)
				}
			}
			for _, cmd := range goTest.FindAllString(line, -1) {
				for _, text := range missing(cmd, names) {
					add("%s: %s", cmd, text)
				}
			}
			row := strings.HasPrefix(line, "|")
			claims = row && (claims || strings.HasSuffix(line, "| how to check |"))
			if claims && !strings.HasSuffix(line, "| how to check |") && !strings.HasPrefix(line, "|---") &&
				!checked.MatchString(line) {
				add("this claim names neither a command nor a test")
			}
		}
	}
	return found
}

// testFunctions returns the tests, benchmarks and fuzz targets by folder.
func (t *Tree) testFunctions() map[string][]string {
	names := map[string][]string{}
	for f := range t.goFiles {
		if !f.isTest() {
			continue
		}
		dir := path.Dir(f.Name)
		for _, d := range f.Syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && tested.MatchString(fn.Name.Name) {
				names[dir] = append(names[dir], fn.Name.Name)
			}
		}
	}
	return names
}

// missing returns what a go test command asks for that is not there.
func missing(cmd string, names map[string][]string) (list []string) {
	words, root := strings.Fields(cmd)[2:], "."
	var dirs, patterns []string
	for i, w := range words {
		switch next := append(words[i:], "")[1]; {
		case w == "-C":
			root = next
		case w == "-run" || w == "-bench" || w == "-fuzz":
			patterns = append(patterns, strings.Trim(next, `'"`))
		case strings.HasPrefix(w, "./") && w == strings.ToLower(w) && !strings.Contains(w, "..."):
			dirs = append(dirs, path.Join(root, strings.TrimRight(w, ".,;:)")))
		}
	}
	for _, dir := range dirs {
		if len(names[dir]) == 0 {
			list = append(list, "no tests in "+dir)
			continue
		}
		for _, p := range patterns {
			p, _, _ = strings.Cut(p, "/")
			if re, err := regexp.Compile(p); p != "" && p != "-" && p != "^$" &&
				(err != nil || !slices.ContainsFunc(names[dir], re.MatchString)) {
				list = append(list, fmt.Sprintf("no test of %s matches %s", dir, p))
			}
		}
	}
	return list
}

// TestCited: what a document names must be there.
func TestCited(t *testing.T) {
	const source = "package low\n\nfunc TestOne(t *T) {}\n\nfunc BenchmarkTwo(b *B) {}\n"
	for _, c := range []struct{ name, text, want string }{
		{"there", "`go test ./low -run TestOne -v`, `go test ./low -run '^$' -bench Two`; TestOne\n", ""},
		{"no such test", "As TestThree shows.\n", "docs/peers.md:1: there is no test TestThree"},
		{"no such package", "\n    go test ./high -run One\n",
			"docs/peers.md:2: go test ./high -run One: no tests in high"},
		{"no match", "`go test ./low -run Three`\n",
			"docs/peers.md:1: go test ./low -run Three: no test of low matches Three"},
		{"in another module", "`go test -C low ./low`\n",
			"docs/peers.md:1: go test -C low ./low: no tests in low/low"},
		{"placeholder", "`go test ./PACKAGE ./...`\n", ""},
		{"claims", "| us | how to check |\n|---|---|\n| fast | `bloom bench` |\n| good | no |\n\n| us | x |\n",
			"docs/peers.md:4: this claim names neither"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := write(t, map[string]string{"low/a_test.go": source, "docs/peers.md": c.text})
			expect(t, tree.Cited(), c.want)
		})
	}
}
