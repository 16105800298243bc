package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// phrases make readers stumble. Each has a pattern, in which a space is any gap between two words, and what to write
// instead.
var phrases = []struct{ pattern, instead string }{
	{`so many`, "name the number"},
	{`so much`, "name the amount"},
	{`where there (?:is|are) none`, `"if there is no …", with the noun`},
	{`(?:is|are|gave) no numbers?`, `"NaN", "not finite" or "not a number"`},
	{`numbers? that (?:is|are) none`, `"NaN", "not finite" or "not a number"`},
	{`as many (?:as|first|more than)`, `"as many NOUNS as"`},
	{`(?:first|among|of) as many`, "name the number"},
	{`of those that`, "name them"},
	{`(?:is|are) none of`, `"is not one of"`},
	{`(?:that|which|one) is none`, `"that is not a …"`},
	{`is that (?:of|which)`, "name it again"},
	{`are those of`, "name them again"},
	{`those which`, `"those that", or the noun`},
	{`beside`, `"next to", "besides", "compared with" or "in addition to"`},
	{`at present`, `"now" or "current"`},
	{`by itself alone`, `"alone"`},
	{`anew`, `"again" or "from scratch"`},
	{`(?:that|which|nodes|they) (?:only )?teach`, `"training nodes"`},
	{`those that (?:train|validate|test)`, `"training, validation or test nodes"`},
	{`in the place of`, `"instead of"`},
	{`(?:one|a) (?:number|row|class|line|object|bit) a (?:node|row|line|entry|class|edge)`, `"per"`},
	{`from (?:which|when) on`, `"after which" or "from"`},
	{`goes on from`, `"resumes from"`},
	{`speaks? (?:most )?(?:for|against)`, `"supports", "contradicts" or "counts for"`},
	{`(?:is|are) let go`, `"ignored" or "has limited influence"`},
	{`written to its end`, `"written completely"`},
	{`stands? (?:here )?twice`, `"duplicate" or "is listed twice"`},
	{`(?:from|on) the safe side`, `"conservative"`},
	{`in peace`, `"undisturbed"`},
	{`lets? go of`, `"ignores", "frees" or "forgets"`},
	{`there already`, `"exists already" or "duplicate"`},
	{`(?:is|are|was|were|be) begun`, `"started"`},
	{`cannot be told`, `"cannot be detected", "cannot be known" or "cannot be distinguished"`},
}

// gap is what may stand between two words of a phrase: blanks, the next line of a comment, the next piece of a string.
const gap = `(?:\s|//|"\s*\+\s*")+`

// stumbling finds any of the phrases; the word before it must not be the rest of a name such as link.beside.
var stumbling = func() []*regexp.Regexp {
	var list []*regexp.Regexp
	for _, p := range phrases {
		list = append(list,
			regexp.MustCompile(`(?i)(?:^|[\s("'“:;,—])(`+strings.ReplaceAll(p.pattern, " ", gap)+`)(?:[\s"'`+
				"`"+`.,;:)”\\]|$)`))
	}
	return list
}()

// keyword is the longest word of every phrase, in small letters: a file without it does not have the phrase.
var keyword = func() []string {
	choice, optional := regexp.MustCompile(`\(\?:[^()]*\)\??`), regexp.MustCompile(`[a-z]\?`)
	var list []string
	for _, p := range phrases {
		words := strings.Fields(optional.ReplaceAllString(choice.ReplaceAllString(p.pattern, ""), ""))
		list = append(list, slices.MaxFunc(words, func(a, b string) int { return len(a) - len(b) }))
	}
	return list
}()

// Prose finds phrases that make readers stumble in comments, in strings of the program, and in documents. Strings of
// tests and generated files are left out.
func (t *Tree) Prose() []Problem {
	var found []Problem
	for _, f := range t.Files {
		spans := t.prose(f)
		if len(spans) == 0 {
			continue
		}
		var read []byte
		for _, s := range spans {
			read = append(append(read, f.Text[s[0]:s[1]]...), '\n')
		}
		read = bytes.ToLower(read)
		for i, re := range stumbling {
			if !bytes.Contains(read, []byte(keyword[i])) {
				continue
			}
			for _, m := range re.FindAllSubmatchIndex(f.Text, -1) {
				from, to := m[2], m[3]
				if named(f.Text, from, to) ||
					!slices.ContainsFunc(spans, func(s [2]int) bool { return s[0] <= from && from < s[1] }) {
					continue
				}
				line := 1 + strings.Count(string(f.Text[:from]), "\n")
				found = append(found, Problem{f.Name, line, fmt.Sprintf("%q: instead, %s", f.Text[from:to],
					phrases[i].instead)})
			}
		}
	}
	return found
}

// named reports whether a match is a name and not prose: a key in a tag, or one word at the beginning of a
// comment, which is what the comment is about.
func named(text []byte, from, to int) bool {
	before := text[max(0, from-6):from]
	return bytes.HasSuffix(before, []byte("json:\"")) || bytes.HasSuffix(before, []byte("key:\"")) ||
		bytes.HasSuffix(before, []byte("// ")) && !bytes.ContainsAny(text[from:to], " \n")
}

// prose returns the ranges of bytes of a file that people read.
func (t *Tree) prose(f *File) [][2]int {
	dir := path.Dir(f.Name)
	switch {
	case path.Ext(f.Name) == ".md" && (dir == "." || dir == "docs" || dir == "docs/lab"):
		return [][2]int{{0, len(f.Text)}}
	case f.Syntax == nil || f.isGenerated() || f.Name == "internal/lint/prose_test.go":
		return nil
	}
	var spans [][2]int
	add := func(n ast.Node) {
		spans = append(spans, [2]int{t.fset.Position(n.Pos()).Offset, t.fset.Position(n.End()).Offset})
	}
	for _, c := range f.Syntax.Comments {
		add(c)
	}
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING && !f.isTest() {
			add(s)
		}
		return true
	})
	return spans
}

// TestProse: every phrase is found wherever people read it, and nowhere else.
func TestProse(t *testing.T) {
	for _, c := range []struct{ name, file, text, want string }{
		{"comment", "low/a.go", "package low\n\n// F takes so many steps.\nfunc F() {}\n", `low/a.go:3: "so many": instead`},
		{"two lines", "low/a.go", "package low\n\n// F is nil where there\n// is none.\nfunc F() {}\n",
			`low/a.go:3: "where there\n// is none": instead`},
		{"trailing comment", "low/a.go", "package low\n\nvar x = 1 // that is no number\n", `low/a.go:3: "is no number"`},
		{"string", "low/a.go", "package low\n\nvar x = \"the loss is no number\"\n", `low/a.go:3: "is no number"`},
		{"string in two pieces", "low/a.go", "package low\n\nvar x = \"0 for as many \" +\n\t\"as fit\"\n",
			`low/a.go:3: "as many \" +\n\t\"as"`},
		{"tag", "low/a.go", "package low\n\ntype t struct {\n\tx int `doc:\"pairs beside every edge\"`\n}\n",
			`low/a.go:4: "beside"`},
		{"document", "docs/a.md", "# A\n\nDrawn anew.\n", `docs/a.md:3: "anew"`},
		{"beginning of a document", "README.md", "At present.\n", `README.md:1: "At present"`},
		{"note of the laboratory", "docs/lab/a.md", "Drawn anew.\n", `docs/lab/a.md:1: "anew"`},
		{"string of a test", "low/a_test.go", "package low\n\nvar x = \"at present\"\n", ""},
		{"name", "low/a.go", "package low\n\nfunc f(beside, b bool) bool { return beside || b }\n", ""},
		{"key", "low/a.go", "package low\n\nvar x = \"link.beside\" // as by link.beside\n", ""},
		{"key of JSON", "low/a.go", "package low\n\ntype t struct {\n\tX int `json:\"beside,omitempty\"`\n}\n", ""},
		{"what is declared", "low/a.go", "package low\n\n// anew reports that.\nfunc anew() {}\n", ""},
		{"generated", "low/a.go", "// Code generated by x. DO NOT EDIT.\n\npackage low\n\n// so many\n", ""},
		{"plain", "low/a.go", "package low\n\n// F has as many rows as nodes, twice the columns, and besides π.\n" +
			"func F() {}\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, write(t, map[string]string{c.file: c.text}).Prose(), c.want) })
	}
}
