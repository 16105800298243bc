package config

import (
	"iter"

	"go.yaml.in/yaml/v3"
)

// scalars are the values of a node without its keys, in order.
func scalars(n *yaml.Node) []string {
	if n.Kind == yaml.ScalarNode {
		return []string{n.Value}
	}
	var all []string
	for i, c := range n.Content {
		if n.Kind == yaml.SequenceNode || i%2 == 1 {
			all = append(all, scalars(c)...)
		}
	}
	return all
}

// pairs are the keys and values of a mapping.
func pairs(n *yaml.Node) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for i := 0; n != nil && i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i].Value, n.Content[i+1].Value) {
				return
			}
		}
	}
}
