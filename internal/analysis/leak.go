package analysis

import "fmt"

// The kinds of warnings. The first six are leaks: a test that is easier than it seems. The others are tests that
// cannot be passed.
const (
	repeatedTriples  = "repeated_triples"  // a triple of one part is in another
	InverseTriples   = "inverse_triples"   // a test triple is in the training graph the other way round
	sharedEntities   = "shared_entities"   // an entity of the twin is in the training graph
	overlappingParts = "overlapping_parts" // a node is in two parts of a split
	equalFeatures    = "equal_features"    // a test node has the features of a training node
	futureEdges      = "future_edges"      // a time split trains on edges to later nodes
	UnseenEntities   = "unseen_entities"   // a test triple names an entity that is not in the training graph
	unlabelledNodes  = "unlabelled_nodes"  // a node of a split has no class
	untaughtClasses  = "untaught_classes"  // a class has no training node
)

// Warning is something that a reader of results should know.
type Warning struct {
	Kind  string `json:"kind"` // such as InverseTriples
	Count int    `json:"count"`
	Text  string `json:"text"` // one sentence
}

// warnings grow by the checks that are its methods.
type warnings []Warning

// add appends a warning about count things, unless there are none.
func (w *warnings) add(kind string, count int, format string, args ...any) {
	if count > 0 {
		*w = append(*w, Warning{kind, count, fmt.Sprintf(format, args...)})
	}
}
