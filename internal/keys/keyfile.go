// Package keys is the names that people type: what was probably meant (Suggest, Unknown), key=value lists (ParsePairs),
// and structs as YAML or JSON (Codec). A field with the tag key is a key (see Field), and a field whose type has a
// table is a part of that table. A part is written in one of three ways:
//
//	{term: laplace, lambda: 2}     the kind has a key for the name
//	{ball: 2}, {box: [0, 1]}       the name is a key, with a value
//	nonnegative, ball              a part by its name, with its default values
//
// The keys of a part inside a part stand next to its name: {anchor: huber, threshold: 2}.
package keys

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/part"
)

// Loads counts the configs that were loaded: a command loads one. Tests read it.
var Loads atomic.Int64

// Codec reads and writes structs with parts of some kinds.
type Codec struct {
	tables     []part.Table
	dependents map[string][]string // see Dependents
}

// New returns a Codec for parts of the given kinds.
func New(tables ...part.Table) *Codec {
	c := &Codec{tables, map[string][]string{}}
	for _, t := range tables {
		for _, p := range t.Parts {
			for _, f := range c.keys(p) {
				if inside, ok := c.table(f.Type); ok {
					c.dependents[f.Key] = c.allKeys(inside)
				}
			}
		}
	}
	return c
}

// table returns the table of parts that a type belongs to.
func (c *Codec) table(t reflect.Type) (part.Table, bool) {
	i := slices.IndexFunc(c.tables, func(k part.Table) bool { return k.Type == t })
	if i < 0 {
		return part.Table{}, false
	}
	return c.tables[i], true
}

func (c *Codec) isPart(t reflect.Type) bool { _, ok := c.table(t); return ok }

// Which returns the key by which a mapping says which part it is, and the name of the part; both are empty if it does
// not say.
func (c *Codec) Which(n *yaml.Node) (key, name string) {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		at, value := n.Content[i].Value, n.Content[i+1].Value
		for _, t := range c.tables {
			if t.Key == at {
				return at, value
			}
			for _, p := range t.Parts {
				if t.Key != "" || p.Name != at || !c.needs(p) {
					continue
				}
				if c.isPart(c.keys(p)[0].Type) && c.keys(p)[0].Key == Own {
					return at, value
				}
				return at, at
			}
		}
	}
	return "", ""
}

// Dependents returns the keys whose meaning depends on the value of key: the keys of the parts that it can name.
func (c *Codec) Dependents(key string) []string { return c.dependents[key] }

// lineOf finds the line in a message of the parser, which has no other place for it.
var lineOf = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// Parse returns the root of the only document of a YAML or JSON file. The error is a *files.Error.
func Parse(file string, text []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	err := dec.Decode(&doc)
	switch {
	case errors.Is(err, io.EOF):
		return nil, files.Errorf(file, "is empty")
	case err != nil:
		line, text := 0, err.Error()
		if m := lineOf.FindStringSubmatch(text); m != nil {
			line, _ = strconv.Atoi(m[1])
			text = m[2]
		}
		return nil, files.ErrorAtLetter(file, line, min(line, 1), "%s", text)
	}
	if err := dec.Decode(&more); err == nil {
		return nil, files.ErrorAtLetter(file, more.Line, max(1, more.Column), "a second document; one is enough")
	}
	return doc.Content[0], nil
}

// follow returns the node that an alias stands for.
func follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// words returns the words of an enumeration.
func words(f Field) []string {
	return slices.DeleteFunc(slices.Clone(f.Words), func(w string) bool { return w == "-" })
}

// Either returns "a, b or c".
func Either(list []string) string {
	last := len(list) - 1
	if last < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:last], ", ") + " or " + list[last]
}
