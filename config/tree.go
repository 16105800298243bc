package config

import (
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/keys"
)

// tree is a configuration before it is decoded: YAML nodes, each of which knows where it came from.
type tree struct {
	root *yaml.Node
	from map[*yaml.Node]string // a file, "--set train.epochs", "BLOOM_TRAIN_EPOCHS"; settings have none
	err  error                 // the first mistake

	recipe string
	family Family // of the recipe
}

// fail keeps a mistake at n.
func (t *tree) fail(n *yaml.Node, format string, args ...any) {
	if t.err == nil {
		t.err = t.errorAt(n, fmt.Sprintf(format, args...))
	}
}

// errorAt returns an error at the place of n.
func (t *tree) errorAt(n *yaml.Node, text string) error {
	if place, ok := t.from[n]; ok {
		return files.ErrorAtLetter(place, n.Line, n.Column, "%s", text)
	}
	return files.Errorf("settings of the recipe", "%s", text)
}

// parse reads a file into a mapping without aliases.
func (t *tree) parse(file string, text []byte) *yaml.Node {
	root, err := keys.Parse(file, text)
	if err != nil {
		t.err = err
		return nil
	}
	budget := maxNodes
	return t.own(file, root, &budget)
}

// maxNodes is the maximum number of nodes of a file with its aliases expanded.
const maxNodes = 100_000

// own returns a copy of n whose nodes are known to come from a place, with aliases written out. A
// duplicate key in a mapping is a mistake.
func (t *tree) own(place string, n *yaml.Node, budget *int) *yaml.Node {
	line, column := n.Line, n.Column
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	c := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value, Line: line, Column: column}
	t.from[c] = place
	if *budget--; *budget < 0 {
		t.fail(c, "more than %d values, aliases written out", maxNodes)
		return c
	}
	for i, child := range n.Content {
		own := t.own(place, child, budget)
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			switch {
			case own.Kind != yaml.ScalarNode:
				t.fail(own, "want a word as key")
			case get(c, own.Value) != nil:
				t.fail(own, "duplicate key %q", own.Value)
			}
		}
		c.Content = append(c.Content, own)
		if t.err != nil {
			break
		}
	}
	return c
}

// get returns the value at a key of a mapping, or nil if the key is missing.
func get(n *yaml.Node, key string) *yaml.Node {
	if i := index(n, key); i >= 0 && i+1 < len(n.Content) {
		return n.Content[i+1]
	}
	return nil
}

// index returns the index of a key in a mapping, or −1 if it is missing.
func index(n *yaml.Node, key string) int {
	if n == nil || n.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// setKey sets a key of a mapping, replacing an existing value.
func setKey(m, key, value *yaml.Node) {
	if i := index(m, key.Value); i >= 0 {
		m.Content[i], m.Content[i+1] = key, value
		return
	}
	m.Content = append(m.Content, key, value)
}

// copyNode returns a copy of n that can be changed.
func copyNode(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		c.Content[i] = copyNode(child)
	}
	return &c
}

// merge returns under overridden by over. Mappings are merged key by key; everything else is replaced. A mapping over
// a list applies to its only element or, with numbers as keys, to those elements. Nothing and null change nothing.
func (t *tree) merge(under, over *yaml.Node) *yaml.Node {
	switch {
	case over == nil || over.Kind == yaml.ScalarNode && over.Tag == "!!null":
		return under
	case under == nil || over.Kind != yaml.MappingNode:
		return over
	case under.Kind == yaml.SequenceNode:
		return t.mergeList(under, over)
	case under.Kind != yaml.MappingNode || otherPart(under, over):
		return over
	}
	for i := 0; i < len(over.Content); i += 2 {
		key, value := over.Content[i], over.Content[i+1]
		dropDependent(under, key.Value, value)
		if now := t.merge(get(under, key.Value), value); now != nil {
			setKey(under, key, now)
		}
	}
	return under
}

// mergeList merges a mapping into elements of a list.
func (t *tree) mergeList(under, over *yaml.Node) *yaml.Node {
	if len(over.Content) > 0 && isNumber(over.Content[0].Value) {
		for i := 0; i < len(over.Content); i += 2 {
			key := over.Content[i]
			k, err := strconv.Atoi(key.Value)
			if err != nil || k < 0 || k >= len(under.Content) {
				t.fail(key, "there is no element %q; the list has %d, from 0", key.Value, len(under.Content))
				return under
			}
			under.Content[k] = t.merge(under.Content[k], over.Content[i+1])
		}
		return under
	}
	_, name := codec().Which(over)
	switch {
	case len(under.Content) == 1:
		under.Content[0] = t.merge(under.Content[0], over)
		return under
	case name != "" || len(under.Content) == 0:
		return over
	}
	t.fail(over, "the list has %d elements: say which, from 0, or give all", len(under.Content))
	return under
}

func isNumber(text string) bool { _, err := strconv.Atoi(text); return err == nil }

// otherPart reports whether over is another part of an energy than under: its keys then do not go together.
func otherPart(under, over *yaml.Node) bool {
	key, name := codec().Which(under)
	key2, name2 := codec().Which(over)
	return name != "" && name2 != "" && (key != key2 || name != name2)
}

// dropDependent removes from m the keys that depend on another whose value changes.
func dropDependent(m *yaml.Node, key string, value *yaml.Node) {
	old := get(m, key)
	if old == nil || old.Value == value.Value {
		return
	}
	for _, dependent := range codec().Dependents(key) {
		if i := index(m, dependent); i >= 0 {
			m.Content = slices.Delete(m.Content, i, i+2)
		}
	}
}
