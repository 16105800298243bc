package config

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Value is what c has at a key, in one line as --set takes it. A list of one element is passed through, as in
// energy.f.lambda. It is empty for a key that c does not have.
func (c *Config) Value(key string) string {
	n := encode(c, true)
	for word := range strings.SplitSeq(key, ".") {
		if n != nil && n.Kind == yaml.SequenceNode && len(n.Content) == 1 {
			n = n.Content[0]
		}
		n = get(n, word)
	}
	if n == nil {
		return ""
	}
	n.Style = yaml.FlowStyle
	text, err := yaml.Marshal(n)
	if err != nil {
		panic("config: " + err.Error()) // nodes made here can be written
	}
	return strings.TrimSpace(string(text))
}
