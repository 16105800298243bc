package config

import (
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/family"
	"github.com/bloomgml/bloom/internal/part"
)

// Family is the family of the recipe, or Joined where the task is another than the recipe's own.
func (c *Config) Family() family.Family { return familyOf(c.Recipe, c.Task) }

func familyOf(recipe, task string) family.Family {
	if f := family.Of(recipe); f != family.Nodes || task != "links" {
		return f
	}
	return family.Joined
}

// hasEnergy reports whether a run of a recipe has key energy. A baseline has no energy; the layers of path are steps on
// one whose parts are keys of link.
func hasEnergy(recipe string) bool { return !IsBaseline(recipe) && family.Of(recipe) != family.Paths }

// families are those that have a field; none for all. The tag for names them, links being all that predict facts.
func families(f part.Field) []string {
	return strings.Fields(strings.ReplaceAll(f.Tag.Get("for"), "links", "embeddings bilevel paths refactor"))
}

// isFor reports whether a family has the field.
func isFor(f part.Field, of family.Family) bool {
	list := families(f)
	return len(list) == 0 || slices.Contains(list, string(of))
}

// whose are the recipes that have the field, in words.
func whose(f part.Field) string {
	words := map[family.Family]string{family.Nodes: "classes of nodes", family.Joined: "links",
		family.Embeddings: "embeddings of knowledge graphs",
		family.Bilevel:    "the -bilevel recipes", family.Paths: "path", family.Refactor: "refactor"}
	var list []string
	for _, name := range families(f) {
		list = append(list, words[family.Family(name)])
	}
	if last := len(list) - 1; last > 0 {
		return strings.Join(list[:last], ", ") + " and " + list[last]
	}
	return strings.Join(list, "")
}
