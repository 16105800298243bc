package config

import "strings"

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
