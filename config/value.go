package config

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

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
