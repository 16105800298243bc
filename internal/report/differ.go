package report

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// differences are the keys of the configs on which runs do not agree.
func differences(runs []*Run) []difference {
	configs := make([][]byte, len(runs))
	for i, r := range runs {
		configs[i] = r.config
	}
	return differencesOf(configs)
}

// differencesOf are the keys on which configs do not agree, in the order in which they first appear.
func differencesOf(configs [][]byte) []difference {
	var order []string
	values := make([]map[string]string, len(configs))
	for i, text := range configs {
		values[i] = map[string]string{}
		var root yaml.Node
		if yaml.Unmarshal(text, &root) != nil {
			continue // a run that was opened has a config that can be read
		}
		flatten(&root, "", func(key, value string) {
			if old, ok := values[i][key]; ok {
				value = old + ", " + value
			}
			values[i][key] = value
			if !slices.Contains(order, key) {
				order = append(order, key)
			}
		})
	}
	var list []difference
	for _, key := range order {
		d := difference{Key: key}
		same := true
		for i := range configs {
			d.Values = append(d.Values, values[i][key])
			same = same && values[i][key] == values[0][key]
		}
		if !same {
			list = append(list, d)
		}
	}
	return list
}

// flatten calls visit for every value of a file, with its keys joined by dots; entries of lists have the key of the
// list.
func flatten(n *yaml.Node, key string, visit func(key, value string)) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			flatten(n.Content[i+1], strings.TrimPrefix(key+"."+n.Content[i].Value, "."), visit)
		}
	case yaml.ScalarNode:
		visit(key, n.Value)
	default:
		for _, c := range n.Content {
			flatten(c, key, visit)
		}
	}
}
