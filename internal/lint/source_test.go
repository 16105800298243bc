package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"path"
	"regexp"
	"slices"
)

// Format finds Go files that gofmt would change.
func (t *Tree) Format() []Problem {
	var found []Problem
	for f := range t.goFiles {
		if want, err := format.Source(f.Text); err != nil || !bytes.Equal(want, f.Text) {
			found = append(found, Problem{f.Name, 0, "is not gofmt-clean"})
		}
	}
	return found
}

// vague are package names that say nothing about what is inside.
var vague = []string{"util", "utils", "common", "helper", "helpers", "misc"}

// Names finds packages whose name says nothing.
func (t *Tree) Names() []Problem {
	var found []Problem
	for f := range t.goFiles {
		if name := f.Syntax.Name; slices.Contains(vague, name.Name) {
			found = append(found, Problem{f.Name, t.line(name.Pos()), "package " + name.Name +
				" needs a name that says what is in it"})
		}
	}
	return found
}

// Comments finds exported identifiers without a comment. Trailing comments and the comment of a
// group count; tests and generated files are left out.
func (t *Tree) Comments() []Problem {
	var found []Problem
	for f := range t.goFiles {
		if f.isTest() || f.isGenerated() {
			continue
		}
		for _, d := range f.Syntax.Decls {
			for _, id := range undocumented(d) {
				found = append(found, Problem{f.Name, t.line(id.Pos()), "exported " + id.Name + " has no comment"})
			}
		}
	}
	return found
}

// beginning is the first word of a comment, and the verb after it where that makes it a definition.
var beginning = regexp.MustCompile(`^([\pL\d_]+)( (?:is|are) )?`)

// Misnamed finds comments that begin with another name than the function, type, constant or variable that they stand
// above. One above a constant or variable may be a sentence about a group. Tests and generated files are left out.
func (t *Tree) Misnamed() []Problem {
	var found []Problem
	check := func(f *File, doc *ast.CommentGroup, id *ast.Ident, sentence bool) {
		m := beginning.FindStringSubmatch(doc.Text())
		if m != nil && m[1] != id.Name && id.Name != "init" && (!sentence || m[2] != "") {
			found = append(found, Problem{f.Name, t.line(doc.Pos()),
				fmt.Sprintf("the comment of %s begins with %q", id.Name, m[1])})
		}
	}
	for f := range t.goFiles {
		if f.isTest() || f.isGenerated() {
			continue
		}
		for _, d := range f.Syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				check(f, d.Doc, d.Name, false)
			case *ast.GenDecl:
				if d.Lparen.IsValid() || len(d.Specs) != 1 {
					continue
				}
				switch s := d.Specs[0].(type) {
				case *ast.TypeSpec:
					check(f, d.Doc, s.Name, false)
				case *ast.ValueSpec:
					check(f, d.Doc, s.Names[0], true)
				}
			}
		}
	}
	return found
}

// Lessons finds packages without a comment of their own, and packages that users import without an example. Packages of
// tests and of commands need no example.
func (t *Tree) Lessons() []Problem {
	type lesson struct {
		file            string
		taught, example bool
		exempt          bool
	}
	seen := map[string]*lesson{}
	for f := range t.goFiles {
		dir := path.Dir(f.Name)
		if seen[dir] == nil {
			seen[dir] = &lesson{file: f.Name, exempt: private(f)}
		}
		s := seen[dir]
		s.taught = s.taught || !f.isTest() && f.Syntax.Doc.Text() != ""
		s.example = s.example || f.isTest() && bytes.Contains(f.Text, []byte("\nfunc Example"))
	}
	var found []Problem
	for dir, s := range seen {
		if !s.taught {
			found = append(found, Problem{s.file, 0, "package " + dir + " has no comment"})
		}
		if !s.exempt && !s.example {
			found = append(found, Problem{s.file, 0, "package " + dir + " has no example"})
		}
	}
	return found
}

// undocumented lists the exported names of a declaration that carry no comment.
func undocumented(d ast.Decl) []*ast.Ident {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc.Text() == "" && d.Name.IsExported() && exportedReceiver(d) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		if d.Doc.Text() == "" {
			return undocumentedSpecs(d.Specs)
		}
	}
	return nil
}

// undocumentedSpecs is undocumented for the lines of a type, const or var group.
func undocumentedSpecs(specs []ast.Spec) []*ast.Ident {
	var names []*ast.Ident
	for _, s := range specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Doc.Text()+s.Comment.Text() == "" {
				names = append(names, s.Name)
			}
		case *ast.ValueSpec:
			if s.Doc.Text()+s.Comment.Text() == "" {
				names = append(names, s.Names...)
			}
		}
	}
	return slices.DeleteFunc(names, func(id *ast.Ident) bool { return !id.IsExported() })
}

// exportedReceiver reports whether a function is no method or the method of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	exported := false
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !exported {
			exported = id.IsExported()
			return false
		}
		return true
	})
	return exported
}

// foreign are texts that tie the source to one machine or one network. The patterns are written
// so that they do not match themselves.
var foreign = []*regexp.Regexp{
	regexp.MustCompile(`(^|[^\w./~$})*-])/(home|root|work|Users|tmp|mnt|workspace)/\w`),
	regexp.MustCompile(`[A-Z]:\\Users\\`),
	regexp.MustCompile(
		`\b(proxy\.golang|sum\.golang|pypi|files\.pythonhosted|registry\.[a-z0-9-]+|index\.docker)\.(org|com|io|net)\b`),
	regexp.MustCompile(`\b(ghcr|quay)\.io\b|\b(localhost|127\.0\.0\.1):\d+|\b(GOPROXY|PIP_INDEX_URL)=`),
}

// served is the address that bloom serve listens on where it is not told another.
const served = "127.0.0.1" + ":8080"

// Foreign finds paths of one machine and hosts of package registries.
func (t *Tree) Foreign() []Problem {
	var found []Problem
	for _, f := range t.Files {
		if path.Ext(f.Name) == ".s" {
			continue // long, and written by generators that are looked at
		}
		for _, re := range foreign {
			if !re.Match(f.Text) {
				continue
			}
			for i, line := range bytes.Split(f.Text, []byte("\n")) {
				if m := re.Find(line); m != nil && string(m) != served {
					found = append(found, Problem{f.Name, i + 1, fmt.Sprintf("%q is of one machine or network", m)})
				}
			}
		}
	}
	return found
}
