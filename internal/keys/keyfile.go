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

// keys returns the keys of a part.
func (c *Codec) keys(p part.Part[any]) []Field { return Keys(p.New, c.isPart) }

// needs reports whether a part has a value of its own.
func (c *Codec) needs(p part.Part[any]) bool {
	keys := c.keys(p)
	return len(keys) > 0 && (keys[0].Key == Own || keys[0].Key == Inline && c.needs(inner(p, keys[0])))
}

// inner returns the part that stands in a field of another.
func inner(p part.Part[any], f Field) part.Part[any] {
	return part.Part[any]{Name: p.Name, New: reflect.ValueOf(p.New).FieldByIndex(f.Index).Interface()}
}

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
