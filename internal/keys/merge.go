package keys

import (
	"go.yaml.in/yaml/v3"
)

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
