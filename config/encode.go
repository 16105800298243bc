package config

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/upper"
)

// YAML returns c as a file that Load reads back as c. Every key has its description as a comment, and the first
// comment says what result to expect, if known.
func (c *Config) YAML() []byte {
	root := encode(c, false)
	describe(root, "")
	var text bytes.Buffer
	text.WriteString(c.heading() + "\n\n")
	enc := yaml.NewEncoder(&text)
	enc.SetIndent(2)
	if err := enc.Encode(&yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{root}}); err != nil {
		panic("config: " + err.Error()) // nodes made here can be written
	}
	return text.Bytes()
}

// heading returns the first comment.
func (c *Config) heading() string {
	lines := []string{fmt.Sprintf("%s on %s", seen(c.Recipe), seen(c.Data.Name))}
	if s, _ := About(c.Recipe); s != "" {
		lines[0] += ": " + s
	}
	if e := Expected(c.Recipe, c.Data.Name); e != "" {
		lines = append(lines, "Expected: "+e)
	}
	if c.Energy != nil {
		if !c.Energy.Certified() {
			lines = append(lines, "Steps are not certified (energy.descent.gamma and sigma): the energy may rise.")
		}
		if _, err := recipe.Encode(c.Energy); err != nil {
			lines = append(lines, "The energy is not here: "+err.Error())
		}
	}
	return comment(strings.Join(lines, "\n"))
}

// seen returns a name as it may stand in a comment, which YAML allows no control characters in.
func seen(name string) string {
	if utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return name
	}
	return strconv.Quote(name)
}

// About returns one line about a recipe or a baseline, and where it is from; empty for an unknown name.
func About(name string) (summary, source string) {
	for _, b := range baselines() {
		if b.Name == name {
			return b.Summary, b.Source
		}
	}
	if r, err := recipe.Find(name); err == nil {
		return r.Summary, r.Source
	}
	return "", ""
}

// encode returns c as a tree, without keys that its family does not have. The name, summary and source of a recipe
// are left out where the recipe that c names has the same, unless all is set; an energy of a user's own is left out.
func encode(c *Config, all bool) *yaml.Node {
	family, named := c.Family(), c.Energy != nil
	if named {
		_, err := recipe.Encode(c.Energy)
		named = err == nil
	}
	filled := *c
	if filled.Task == "" {
		filled.Task = "auto"
	}
	if filled.Train.Loss == nil {
		filled.Train.Loss = upper.Auto
	}
	if w := &filled.Train.ClassWeight; w.By == nil && w.Word == "" {
		w.Word = "none"
	}
	root, err := codec().Encode(filled, func(f keys.Field) bool {
		return isFor(f, family) && (f.Key != "energy" || named)
	})
	if err != nil {
		panic("config: " + err.Error()) // the energy was looked at, and criteria have names
	}
	if known, err := recipe.Find(c.Recipe); err == nil && named && !all {
		e := get(root, "energy")
		for key, value := range map[string]string{"name": known.Name, "summary": known.Summary,
			"source": known.Source} {
			if n := get(e, key); n != nil && n.Value == value {
				i := index(e, key)
				e.Content = append(e.Content[:i:i], e.Content[i+2:]...)
			}
		}
	}
	return root
}

// describe writes the descriptions of keys above them, and inside the parts of an energy next to them.
func describe(n *yaml.Node, prefix string) {
	docs := map[string]string{}
	for _, k := range allKeys() {
		docs[k.Path] = k.Doc
	}
	var walk func(n *yaml.Node, path string, beside bool)
	walk = func(n *yaml.Node, path string, beside bool) {
		for i, c := range n.Content {
			switch {
			case n.Kind == yaml.SequenceNode:
				walk(c, path, true)
			case i%2 == 0:
				key, value := c, n.Content[i+1]
				at := strings.TrimPrefix(path+"."+key.Value, ".")
				if beside && value.Kind == yaml.ScalarNode {
					value.LineComment = "# " + cmp.Or(docs[at], docs[path]) // {forced: 2} has the description of γ
				} else if !beside {
					key.HeadComment = comment(docs[at])
				}
				walk(value, at, beside || strings.HasPrefix(at, "energy.descent"))
			}
		}
	}
	walk(n, prefix, false)
}

// comment returns text as comment lines of at most 100 letters.
func comment(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		now := "#"
		for _, word := range strings.Fields(line) {
			if len([]rune(now))+len([]rune(word)) >= 100 {
				lines, now = append(lines, now), "#"
			}
			now += " " + word
		}
		lines = append(lines, now)
	}
	return strings.Join(lines, "\n")
}

// Values returns c as a function of keys: what it has at one, in one line as --set takes it. A list of one element is
// passed through, as in energy.f.lambda. It is empty for a key that c does not have.
func (c *Config) Values() func(key string) string {
	root := encode(c, true)
	return func(key string) string {
		n := root
		for word := range strings.SplitSeq(key, ".") {
			if n != nil && n.Kind == yaml.SequenceNode && len(n.Content) == 1 {
				n = n.Content[0]
			}
			n = get(n, word)
		}
		switch {
		case n == nil:
			return ""
		case n.Kind == yaml.ScalarNode && n.Value != "":
			return n.Value
		}
		n.Style = yaml.FlowStyle
		text, err := yaml.Marshal(n)
		if err != nil {
			panic("config: " + err.Error()) // nodes made here can be written
		}
		return strings.TrimSpace(string(text))
	}
}
