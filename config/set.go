package config

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/keys"
)

// reserved are the variables that begin like keys but are not keys.
var reserved = []string{"BLOOM_DATA", "BLOOM_CACHE", "BLOOM_THREADS", "BLOOM_MEMORY", "BLOOM_DEVICE", "BLOOM_POSTGRES"}

// overlay returns a tree with the one value at path, which came from place.
func (t *tree) overlay(place, path, value string) *yaml.Node {
	n := t.value(place, path, value)
	names := strings.Split(path, ".")
	for _, name := range slices.Backward(names) {
		key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}
		m := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, n}}
		t.from[key], t.from[m] = place, place
		n = m
	}
	return n
}

// value parses the value of a key: the text itself for a text key, otherwise YAML, so {ball: 2} is a mapping.
func (t *tree) value(place, path, text string) *yaml.Node {
	word := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	t.from[word] = place
	if text == "" || kindOf(path) == keys.Text {
		return word
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil || len(doc.Content) == 0 {
		t.fail(word, "cannot read the value %q", text)
		return word
	}
	budget := maxNodes
	n := t.own(place, doc.Content[0], &budget)
	forgetLines(n)
	return n
}

// forgetLines removes line numbers from a text that does not come from a file.
func forgetLines(n *yaml.Node) {
	n.Line, n.Column = 0, 0
	for _, c := range n.Content {
		forgetLines(c)
	}
}

// kindOf returns the kind of a key; it ignores list indices in the path.
func kindOf(path string) keys.Kind {
	names := slices.DeleteFunc(strings.Split(path, "."), isNumber)
	path = strings.Join(names, ".")
	for _, k := range allKeys() {
		if k.Path == path {
			return k.Kind
		}
	}
	return ""
}

// set returns the overlay of one --set.
func (t *tree) set(text string) *yaml.Node {
	path, value, ok := strings.Cut(text, "=")
	path = strings.TrimSpace(path)
	if !ok || path == "" || slices.Contains(strings.Split(path, "."), "") {
		t.err = files.Errorf("--set "+text, "want key=value, as train.epochs=200")
		return nil
	}
	return t.overlay("--set "+path, path, value)
}

// variable returns the environment variable of a key: BLOOM_TRAIN_EPOCHS for train.epochs.
func variable(path string) string {
	return "BLOOM_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(path))
}

// environment returns the overlays of BLOOM_* variables, in the order of their names. Empty variables are ignored.
func (t *tree) environment(env []string) []*yaml.Node {
	if len(env) == 0 {
		return nil
	}
	paths := map[string]string{}
	var names []string
	for _, k := range allKeys() {
		if k.Kind != keys.Section {
			paths[variable(k.Path)] = k.Path
			names = append(names, variable(k.Path))
		}
	}
	var overlays []*yaml.Node
	for _, assignment := range slices.Sorted(slices.Values(env)) {
		name, value, _ := strings.Cut(assignment, "=")
		if !strings.HasPrefix(name, "BLOOM_") || slices.Contains(reserved, name) || value == "" {
			continue
		}
		path, ok := paths[name]
		if !ok {
			text := "there is no such key"
			if near := keys.Name(strings.ToLower(name), lower(names)); near != "" {
				text += "; did you mean " + strings.ToUpper(near) + "?"
			}
			t.err = files.Errorf(name, "%s", text)
			return nil
		}
		overlays = append(overlays, t.overlay(name, path, value))
	}
	return overlays
}

// lower returns names in lower case, as nearest compares them.
func lower(names []string) []string {
	var small []string
	for _, name := range names {
		small = append(small, strings.ToLower(name))
	}
	return small
}
