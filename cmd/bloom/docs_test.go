package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/upper"
)

// fenced are the blocks of a document in one language.
func fenced(text, language string) []string {
	var list []string
	for _, rest := range strings.Split(text, "```"+language+"\n")[1:] {
		block, _, _ := strings.Cut(rest, "```")
		list = append(list, block)
	}
	return list
}

// document is the text of a document.
func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(docs, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// plain is code without its indentation.
func plain(code string) string {
	var b strings.Builder
	for line := range strings.Lines(code) {
		b.WriteString(strings.TrimSpace(line) + "\n")
	}
	return b.String()
}

// TestEnergiesCode: every block of code in energies.md stands in an example, which is compiled and run.
func TestEnergiesCode(t *testing.T) {
	code := fenced(document(t, "energies.md"), "go")
	if len(code) < 3 {
		t.Fatalf("%d blocks", len(code))
	}
	for _, block := range code {
		first, rest, _ := strings.Cut(block, "\n")
		name := strings.TrimPrefix(first, "// ")
		source, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(plain(string(source)), plain(rest)) {
			t.Errorf("%s has no\n%s", name, rest)
		}
	}
}

// TestEnergiesFile: the file of energies.md does what the document says.
func TestEnergiesFile(t *testing.T) {
	text := document(t, "energies.md")
	t.Chdir(t.TempDir())
	write(t, "mine.yaml", []byte(fenced(text, "yaml")[0]))
	for _, x := range transcript(text) {
		if shown := typed(t, x); !matches(shown, x.expect) {
			t.Errorf("docs/energies.md:%d: %s shows\n%s", x.line, x.typed, strings.Join(shown, "\n"))
		}
	}
}

// TestReadme types the first command of the README, and looks for its model in an example.
func TestReadme(t *testing.T) {
	text := document(t, filepath.Join("..", "README.md"))
	example, err := os.ReadFile(filepath.Join("..", "..", "example_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, model, _ := strings.Cut(text, "    logcosh := ")
	model, _, _ = strings.Cut("    logcosh := "+model, "\n\n")
	if !strings.Contains(plain(string(example)), plain(model)) {
		t.Errorf("example_test.go has no\n%s", model)
	}
	for _, name := range []string{"docs/idea.svg", "docs/report.png", "docs/page.png", "docs/play.png"} {
		if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(name))); err != nil ||
			!strings.Contains(text, name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Chdir(t.TempDir())
	for _, x := range transcript(text) {
		if shown := typed(t, x); !matches(shown, x.expect) {
			t.Errorf("README.md:%d: %s shows\n%s", x.line, x.typed, strings.Join(shown, "\n"))
		}
	}
}

// TestScaleDocument types what scale.md says.
func TestScaleDocument(t *testing.T) {
	text := document(t, "scale.md")
	t.Chdir(t.TempDir())
	for _, x := range transcript(text) {
		if shown := typed(t, x); !matches(shown, x.expect) {
			t.Errorf("docs/scale.md:%d: %s shows\n%s", x.line, x.typed, strings.Join(shown, "\n"))
		}
	}
}

// TestConfigDocument: config.md is what config.Keys says today; -update writes it.
func TestConfigDocument(t *testing.T) {
	want := configDocument()
	if *update {
		if err := os.WriteFile(filepath.Join(docs, "config.md"), []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got := document(t, "config.md"); got != want {
		t.Error("docs/config.md is out of date: go test ./cmd/bloom -run TestConfigDocument -update writes it")
	}
}

// configDocument is config.md: a table for every section.
func configDocument() string {
	var b strings.Builder
	b.WriteString(`# Keys of a config

Written by a test from the comments in the code; change them there (` + "`config/config.go`, `recipe/recipe.go`" + ` and the parts themselves).

A config is a YAML or JSON file: ` + "`bloom recipe show robust > my.yaml`" + ` writes one with every key. Any key can also be set on the command line,
` + "`--set train.epochs=200`" + `, or by a variable, ` + "`BLOOM_TRAIN_EPOCHS=200`" + `. Settings of the recipe for the data set come first, then the file,
variables, ` + "`--set`" + ` and flags; what comes later wins. ` + "`bloom config check my.yaml`" + ` checks a file, ` + "`bloom config schema`" + ` prints the JSON
Schema for editors.
`)
	section := ""
	for _, k := range config.Keys() {
		if top, _, _ := strings.Cut(k.Path, "."); top != section {
			section = top
			fmt.Fprintf(&b, "\n## %s\n\n%s.\n", top, sentence(k.Doc))
			if k.Kind == keys.Section {
				b.WriteString("\n| key | takes | what it is |\n|---|---|---|\n")
			}
			continue
		}
		takes := strings.TrimSpace(string(k.Kind) + " " + k.Range)
		if len(k.Words) > 0 && k.Kind == keys.Text {
			takes = "word"
		}
		takes = short.Replace(takes)
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Path, cell(takes), cell(k.Doc))
	}
	return b.String() + partsDocument()
}

// short shortens what a key takes.
var short = strings.NewReplacer("whole number", "integer", "0 or more", "≥ 0", "1 or more", "≥ 1", "2 or more", "≥ 2",
	"above 0 to below 1", "in (0, 1)", "above 0 to 1", "in (0, 1]", "from 0 to below 1", "in [0, 1)", "above 0", "> 0")

// partsDocument is a table for every kind of part.
func partsDocument() string {
	var b strings.Builder
	b.WriteString("\n# Parts\n\nWhat the keys above can name, with the values of keys that are left out.\n")
	tables := append(recipe.Parts(), upper.Criteria.Table())
	codec := keys.New(tables...)
	for _, t := range tables {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n| written | what it is |\n|---|---|\n", t.Name, sentence(t.Doc))
		for _, p := range t.Parts {
			fmt.Fprintf(&b, "| `%s` | %s |\n", codec.Form(p, t), cell(p.Text))
		}
	}
	return b.String()
}

// cell is text inside a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// sentence is text that begins with a capital letter, unless it begins with a Greek one, which means something.
func sentence(text string) string {
	if text[0] >= utf8.RuneSelf {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
