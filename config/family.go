package config

import (
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/keys"
)

// Family returns the family of the recipe, or PairFamily where the task is another than the recipe's own.
func (c *Config) Family() Family { return familyOf(c.Recipe, c.Task) }

func familyOf(recipe string, task Task) Family {
	if f := FamilyOf(recipe); f != NodeFamily || task != "links" {
		return f
	}
	return PairFamily
}

// hasEnergy reports whether a run of a recipe has key energy. A baseline has no energy; the layers of path and zero are
// steps on one whose parts are keys of link, or fixed.
func hasEnergy(recipe string) bool {
	return !IsBaseline(recipe) && FamilyOf(recipe) != Paths && FamilyOf(recipe) != Zero
}

// families returns the families that have a field, or none if all have it. The tag for names them; facts stands for
// all families that predict facts.
func families(f keys.Field) []string {
	return strings.Fields(strings.ReplaceAll(f.Tag.Get("for"), "facts", "embeddings bilevel paths zero refactor"))
}

func isFor(f keys.Field, of Family) bool {
	list := families(f)
	return len(list) == 0 || slices.Contains(list, string(of))
}

// whose returns the recipes that have the field, in words.
func whose(f keys.Field) string {
	words := map[Family]string{NodeFamily: "classes of nodes", PairFamily: "links", EventFamily: "links in time",
		Embeddings: "embeddings of knowledge graphs",
		Bilevel:    "the -bilevel recipes", Paths: "path", Zero: "zero", Refactor: "refactor"}
	var list []string
	for _, name := range families(f) {
		list = append(list, words[Family(name)])
	}
	if last := len(list) - 1; last > 0 {
		return strings.Join(list[:last], ", ") + " and " + list[last]
	}
	return strings.Join(list, "")
}

// Family is a kind of training. Recipes of one family have the same keys, and files leave out the keys of others.
type Family string

// The families.
const (
	NodeFamily  Family = "nodes"      // classes, sets of classes or numbers of nodes
	PairFamily  Family = "pairs"      // which pairs of nodes are joined: task links with a recipe for nodes
	EventFamily Family = "events"     // which pairs of nodes meet next, in a graph in time
	Embeddings  Family = "embeddings" // of a knowledge graph: entities and relations are trained together
	Bilevel     Family = "bilevel"    // the same, but entities follow from relations by descent
	Paths       Family = "paths"      // completion of a knowledge graph by paths between entities
	Zero        Family = "zero"       // the same for any relations, with weights from elsewhere
	Refactor    Family = "refactor"   // factorisation as message passing, the baseline of Paths
)

// FamilyOf returns the family of a recipe or a baseline.
func FamilyOf(recipe string) Family {
	name, bilevel := strings.CutSuffix(recipe, "-bilevel")
	switch name {
	case "transe", "distmult", "complex", "rotate":
		if bilevel {
			return Bilevel
		}
		return Embeddings
	case "decay":
		return EventFamily
	case "path":
		return Paths
	case "zero":
		return Zero
	case "refactor":
		return Refactor
	}
	return NodeFamily
}

// IsFacts reports whether recipes of the family predict facts of a knowledge graph.
func (f Family) IsFacts() bool { return f != NodeFamily && f != PairFamily && f != EventFamily }
