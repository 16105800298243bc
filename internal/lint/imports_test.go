package lint

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Imports finds imports that the table does not allow, packages that it does not know and
// exceptions that nothing needs.
func (t *Tree) Imports(r Rules) []Problem {
	var found []Problem
	unused := slices.Clone(r.Imports)
	for f := range t.goFiles {
		layer, known := r.layer(f.dir())
		if !known {
			found = append(found, Problem{f.Name, 1,
				fmt.Sprintf("package %q is not in the table of internal/lint", f.dir())})
		}
		for _, spec := range f.Syntax.Imports {
			target, _ := strconv.Unquote(spec.Path.Value)
			if text := t.judge(r, f, layer, target, &unused); text != "" {
				found = append(found, Problem{f.Name, t.line(spec.Pos()), text})
			}
		}
	}
	for _, e := range unused {
		found = append(found, Problem{e.File, 0, fmt.Sprintf("does not need its exception for %q any more", e.What)})
	}
	return found
}

// judge says what is wrong when f imports target; empty when nothing is.
func (t *Tree) judge(r Rules, f *File, layer []string, target string, unused *[]Exception) string {
	if target == "C" {
		return `imports "C": this project has no cgo`
	}
	inner, inside := t.inside(target)
	if !inside {
		return r.judgeModule(f, target)
	}
	if slices.Contains(layer, inner) || f.isTest() && (inner == f.dir() || slices.Contains(r.TestOnly, inner)) {
		return ""
	}
	same := func(e Exception) bool { return e.File == f.Name && e.What == inner }
	if slices.ContainsFunc(r.Imports, same) {
		*unused = slices.DeleteFunc(*unused, same)
		return ""
	}
	return fmt.Sprintf("%s may not import %s: data flows one way, see internal/lint/layers_test.go", f.dir(), inner)
}

// inside is the path of a package inside this module, "." for its root.
func (t *Tree) inside(target string) (inner string, ok bool) {
	if target == t.Module {
		return ".", true
	}
	return strings.CutPrefix(target, t.Module+"/")
}

// judgeModule says what is wrong when f imports a package of the standard library or of an
// external module.
func (r Rules) judgeModule(f *File, target string) string {
	if first, _, _ := strings.Cut(target, "/"); !strings.Contains(first, ".") {
		return "" // standard library: the first element of a module path has a dot
	}
	module, users := moduleOf(r.Modules, target)
	if f.isTest() {
		tested, testers := moduleOf(r.TestModules, target)
		module, users = cmp.Or(module, tested), slices.Concat(users, testers)
	}
	switch {
	case module == "":
		return fmt.Sprintf("%s is not among the allowed modules of internal/lint", target)
	case slices.ContainsFunc(users, func(u string) bool { return covers(u, f.dir()) }):
		return ""
	}
	return fmt.Sprintf("%s may not import from %s", f.dir(), module)
}

// moduleOf is the module of a package in a table, and who may import from it; empty where it is not there.
func moduleOf(table map[string][]string, target string) (module string, users []string) {
	for module, users := range table {
		if target == module || strings.HasPrefix(target, module+"/") {
			return module, users
		}
	}
	return "", nil
}

// layer is the row of the table for a package.
func (r Rules) layer(dir string) (allowed []string, known bool) {
	if allowed, known = r.Layers[dir]; known {
		return allowed, true
	}
	allowed, known = r.Layers[path.Dir(dir)+"/*"]
	return allowed, known
}

// covers reports whether an entry of the table means dir.
func covers(entry, dir string) bool {
	return entry == dir || entry == path.Dir(dir)+"/*"
}
