package config

import (
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/part"
)

// Family is a kind of training. Recipes of one family have the same keys, and files leave out the keys of others.
type Family string

// The families.
const (
	Nodes      Family = "nodes"      // classes of nodes
	Joined     Family = "pairs"      // which nodes are joined: task links with a recipe for nodes
	Embeddings Family = "embeddings" // of a knowledge graph: entities and relations are trained together
	Bilevel    Family = "bilevel"    // the same, but entities follow from relations by descent
	Paths      Family = "paths"      // completion of a knowledge graph by paths between entities
	Refactor   Family = "refactor"   // factorisation as message passing, the baseline of Paths
)

// FamilyOf is the family of a recipe or a baseline.
func FamilyOf(recipe string) Family {
	name, bilevel := strings.CutSuffix(recipe, "-bilevel")
	switch name {
	case "transe", "distmult", "complex", "rotate":
		if bilevel {
			return Bilevel
		}
		return Embeddings
	case "path":
		return Paths
	case "refactor":
		return Refactor
	}
	return Nodes
}

// Family is the family of the recipe, or Joined where the task is another than the recipe's own.
func (c *Config) Family() Family { return familyOf(c.Recipe, c.Task) }

func familyOf(recipe, task string) Family {
	if f := FamilyOf(recipe); f != Nodes || task != "links" {
		return f
	}
	return Joined
}

// Links reports whether recipes of the family predict facts of a knowledge graph rather than classes of nodes.
func (f Family) Links() bool { return f != Nodes && f != Joined }

// hasEnergy reports whether a run of a recipe has key energy. A baseline has no energy; the layers of path are steps on
// one whose parts are keys of link.
func hasEnergy(recipe string) bool { return !IsBaseline(recipe) && FamilyOf(recipe) != Paths }

// families are those that have a field; none for all. The tag for names them, links being all that predict facts.
func families(f part.Field) []string {
	return strings.Fields(strings.ReplaceAll(f.Tag.Get("for"), "links", "embeddings bilevel paths refactor"))
}

// isFor reports whether a family has the field.
func isFor(f part.Field, family Family) bool {
	list := families(f)
	return len(list) == 0 || slices.Contains(list, string(family))
}

// whose are the recipes that have the field, in words.
func whose(f part.Field) string {
	words := map[Family]string{Nodes: "classes of nodes", Joined: "links",
		Embeddings: "embeddings of knowledge graphs",
		Bilevel:    "the -bilevel recipes", Paths: "path", Refactor: "refactor"}
	var list []string
	for _, name := range families(f) {
		list = append(list, words[Family(name)])
	}
	if last := len(list) - 1; last > 0 {
		return strings.Join(list[:last], ", ") + " and " + list[last]
	}
	return strings.Join(list, "")
}
