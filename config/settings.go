package config

import (
	_ "embed"
	"path"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"
)

// settingsText are the rules: for which recipes and data sets which keys differ from the defaults.
//
//go:embed settings.yaml
var settingsText []byte

// knowledgeText are the rules for embeddings of knowledge graphs, written by a test from the settings of package kg.
//
//go:embed knowledge.yaml
var knowledgeText []byte

// expectedText is what was measured, by data set and recipe.
//
//go:embed expected.yaml
var expectedText []byte

// rule sets keys for some recipes, and for some data sets or any.
type rule struct {
	recipes, data []string // patterns of path.Match
	pairs         bool     // only for the task links; others apply to it too if they name no data
	keys          *yaml.Node
}

// rules are read once. A mistake in the file is a bug of this package, which TestSettings finds.
var rules = sync.OnceValue(func() []rule {
	var list []rule
	for _, n := range slices.Concat(document(knowledgeText).Content, document(settingsText).Content) {
		r := rule{keys: &yaml.Node{Kind: yaml.MappingNode}}
		for i := 0; i < len(n.Content); i += 2 {
			switch key := n.Content[i]; key.Value {
			case "recipes":
				r.recipes = words(n.Content[i+1])
			case "data":
				r.data = words(n.Content[i+1])
			case "task":
				r.pairs = n.Content[i+1].Value == "links"
			case "scale": // of the data, whose key has the names of sets here
				setKey(r.keys, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "data"},
					&yaml.Node{Kind: yaml.MappingNode, Content: n.Content[i : i+2]})
			default:
				setKey(r.keys, key, n.Content[i+1])
			}
		}
		list = append(list, r)
	}
	return list
})

// document returns the root of an embedded file.
func document(text []byte) *yaml.Node {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		panic("config: " + err.Error())
	}
	return doc.Content[0]
}

// words returns the scalars of a list.
func words(n *yaml.Node) []string {
	var all []string
	for _, c := range n.Content {
		all = append(all, c.Value)
	}
	return all
}

// rulesFor returns the keys of the rules for a recipe and a data set: rules for any data first, in the order of the
// file. Settings found for node classes of a data set do not apply to its links.
func rulesFor(recipe string, pairs bool, set string) []*yaml.Node {
	var general, special []*yaml.Node
	for _, r := range rules() {
		switch {
		case !matches(r.recipes, recipe) || r.pairs && !pairs || r.data != nil && pairs != r.pairs:
		case r.data == nil:
			general = append(general, r.keys)
		case matches(r.data, normal(set)):
			special = append(special, r.keys)
		}
	}
	return append(general, special...)
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { ok, _ := path.Match(p, name); return ok })
}

// SettingsFor returns the data sets that some rule for a recipe names, in the order of the file; for others its
// general settings hold.
func SettingsFor(recipe string) []string {
	var sets []string
	for _, r := range rules() {
		if matches(r.recipes, recipe) && !r.pairs {
			for _, set := range r.data {
				if !slices.Contains(sets, set) {
					sets = append(sets, set)
				}
			}
		}
	}
	return sets
}

// Expected returns the result that a recipe gives on a data set with the settings shipped for it, in a sentence;
// empty if it was not measured.
func Expected(recipe, set string) string {
	if n := get(get(document(expectedText), normal(set)), recipe); n != nil {
		return n.Value
	}
	return ""
}
