package codec

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// tripleWritten is a term in words.
func tripleWritten(t Term) string {
	return [...]string{"iri ", "blank ", "literal "}[t.Kind] + string(t.Text)
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ line, subject, predicate, object string }{
		{`<http://a/s> <http://a/p> <http://a/o> .`, "iri http://a/s", "iri http://a/p", "iri http://a/o"},
		{`<a:s><a:p><a:o>.`, "iri a:s", "iri a:p", "iri a:o"},
		{"  _:b1\t<a:p>\t_:x.y-z . # comment\r", "blank _:b1", "iri a:p", "blank _:x.y-z"},
		{`_:b <a:p> _:c.`, "blank _:b", "iri a:p", "blank _:c"},
		{`<a:s> <a:p> "" .`, "iri a:s", "iri a:p", `literal ""`},
		{`<a:s> <a:p> "a \"b\" \n\t\\ é \u00e9 \U0001F600" .`, "iri a:s", "iri a:p",
			`literal "a \"b\" \n\t\\ é \u00e9 \U0001F600"`},
		{`<a:s> <a:p> "x"@en-GB .`, "iri a:s", "iri a:p", `literal "x"@en-GB`},
		{`<a:s> <a:p> "1"^^<a:int> .`, "iri a:s", "iri a:p", `literal "1"^^<a:int>`},
		{`<a:\u00E9\U0001F600x> <a:p{}|^` + "`" + `> <a:é> .`, "iri a:é😀x", "iri a:p{}|^`", "iri a:é"},
		{`<a:s> <a:p> "<a> . # no comment" .`, "iri a:s", "iri a:p", `literal "<a> . # no comment"`},
	} {
		got, ok, err := ParseTriple([]byte(c.line))
		if err != nil || !ok {
			t.Errorf("%s: %v, %v", c.line, ok, err)
			continue
		}
		if tripleWritten(got.Subject) != c.subject || tripleWritten(got.Predicate) != c.predicate ||
			tripleWritten(got.Object) != c.object {
			t.Errorf("%s: %s, %s, %s", c.line, tripleWritten(got.Subject), tripleWritten(got.Predicate),
				tripleWritten(got.Object))
		}
	}
}

func TestNothingSaid(t *testing.T) {
	for _, line := range []string{"", "\r", " \t", "# <a:s> <a:p> <a:o> ."} {
		if _, ok, err := ParseTriple([]byte(line)); ok || err != nil {
			t.Errorf("%q: %v, %v", line, ok, err)
		}
	}
}

func TestMistakes(t *testing.T) {
	for line, want := range map[string]string{
		`<a:s> <a:p>`:                `column 12: expected an object: an absolute IRI in <>, a blank node _:b or a literal`,
		`<a:s> <a:p> <a:o>`:          `column 18: expected the full stop, found ""`,
		`<a:s> <a:p> <a:o> . x`:      `column 21: expected nothing after the full stop, found "x"`,
		`<a:s> <a:p> <a:o> <a:g> .`:  `column 19: expected the full stop, found "<a:g> ."`,
		`"x" <a:p> <a:o> .`:          "column 1: expected a subject",
		`<a:s> _:p <a:o> .`:          "column 7: expected a predicate",
		`<a:s> "p" <a:o> .`:          "column 7: expected a predicate",
		`<s> <a:p> <a:o> .`:          "column 1: expected a subject: an absolute IRI",
		`<a:s <a:p> <a:o> .`:         "column 1: expected a subject",
		`<a:s> <a:p> <a:o`:           "column 13: expected an object",
		`<a:\n> <a:p> <a:o> .`:       "column 1: expected a subject",
		`<a:s> <a:p> "\x" .`:         "column 13: expected an object",
		`<a:s> <a:p> "\u12g4" .`:     "column 13: expected an object",
		`<a:s> <a:p> "\u12`:          "column 13: expected an object",
		`<a:s> <a:p> "\UFFFFFFFF" .`: "column 13: expected an object",
		`<a:s> <a:p> "x .`:           "column 13: expected an object",
		`<a:s> <a:p> "x"@ .`:         "column 13: expected an object",
		`<a:s> <a:p> "x"@en- .`:      "column 19: expected the full stop",
		`<a:s> <a:p> "x"^^int .`:     "column 16: expected the full stop",
		`_ <a:p> <a:o> .`:            "column 1: expected a subject",
		`_: <a:p> <a:o> .`:           "column 1: expected a subject",
		`_:-a <a:p> <a:o> .`:         "column 1: expected a subject",
		`s p o .`:                    `a subject: an absolute IRI in <> or a blank node _:b, found "s p o ."`,
		strings.Repeat("x", 50):      `found "` + strings.Repeat("x", 40) + `"`,
	} {
		if _, ok, err := ParseTriple([]byte(line)); ok || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot  %v\nwant %s", line, err, want)
		}
	}
}

// TestReader goes through comments, empty lines and CRLF to a mistake.
func TestReader(t *testing.T) {
	text := "# people\r\n\r\n<a:s> <a:p> <a:o> .\r\n\n_:b <a:p> \"x\" .\n<a:s>\n"
	r := NewTripleReader(iotest.OneByteReader(strings.NewReader(text)), "f.nt")
	for _, line := range []int{3, 5} {
		if _, err := r.Next(); err != nil || r.line != line {
			t.Fatalf("line %d, %v; want line %d", r.line, err, line)
		}
	}
	if _, err := r.Next(); err == nil || !strings.HasPrefix(err.Error(), "f.nt:6: column 6: expected") {
		t.Errorf("error %v", err)
	}
}

// TestReaderErrors are those that are not about a statement.
func TestReaderErrors(t *testing.T) {
	if _, err := NewTripleReader(strings.NewReader("\n"), "f.nt").Next(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	if _, err := NewTripleReader(strings.NewReader("\n<a:\xff> <a:p> <a:o> ."), "f.nt").Next(); err == nil ||
		err.Error() != "f.nt:2: is not valid UTF-8" {
		t.Errorf("bad UTF-8: %v", err)
	}
	if _, err := NewTripleReader(iotest.ErrReader(io.ErrUnexpectedEOF), "f.nt").Next(); !errors.Is(err,
		io.ErrUnexpectedEOF) {
		t.Errorf("failing reader: %v", err)
	}
}

func TestTripleNoAllocations(t *testing.T) {
	line := []byte(`<http://a/s> <http://a/p> "x \u00e9"^^<http://a/t> .`)
	if n := testing.AllocsPerRun(100, func() { ParseTriple(line) }); n != 0 {
		t.Errorf("%v allocations a line", n)
	}
}

// FuzzTriples wants what is accepted to mean the same when it is written again.
func FuzzTriples(f *testing.F) {
	for _, line := range []string{`<a:s> <a:p> "x\u00e9"@en .`, `_:b <a:p> "1"^^<a:t>.#c`,
		`<a:\u00e9> <a:p> _:c .`, ""} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		a, ok, err := ParseTriple([]byte(line))
		if err != nil || !ok || !utf8.ValidString(line) {
			return
		}
		again := ""
		for _, x := range []Term{a.Subject, a.Predicate, a.Object} {
			if x.Kind == IRI {
				again += "<" + strings.Map(escapeSyntax, string(x.Text)) + "> "
			} else {
				again += string(x.Text) + " "
			}
		}
		if strings.ContainsRune(again, syntax) {
			return // an escaped <, > or blank cannot be written plainly
		}
		b, ok, err := ParseTriple([]byte(again + "."))
		if err != nil || !ok || tripleWritten(a.Subject) != tripleWritten(b.Subject) ||
			tripleWritten(a.Predicate) != tripleWritten(b.Predicate) ||
			tripleWritten(a.Object) != tripleWritten(b.Object) {

			t.Errorf("%q was written as %q: %v", line, again, err)
		}
	})
}

const syntax = '\uffff'

// escapeSyntax marks what an IRI holds only as an escape.
func escapeSyntax(r rune) rune {
	if r <= ' ' || strings.ContainsRune(`<>"\`, r) {
		return syntax
	}
	return r
}

func ExampleReader() {
	r := NewTripleReader(strings.NewReader(`<http://example.org/anna> <http://example.org/age> "31"@en .`), "people.nt")
	for {
		t, err := r.Next()
		if err != nil {
			break
		}
		fmt.Println(string(t.Subject.Text), string(t.Object.Text))
	}
	// Output: http://example.org/anna "31"@en
}
