package upper

import "github.com/bloomgml/bloom/part"

// Criteria is the table of criteria.
var Criteria = part.Kind[Criterion]{
	Name: "criterion", Doc: "what training minimises",
	Parts: []part.Part[Criterion]{
		{Name: "auto", Text: "chosen by the task: cross_entropy for classes, binary for sets, squared for numbers",
			New: Auto},
		{Name: "cross_entropy", Text: "the mean of −log p, p the probability of the right class", New: CrossEntropy},
		{Name: "binary", Text: "binary cross-entropy of every class against the rest, added up", New: Binary},
		{Name: "squared", Text: "the mean of (z − y)², y being 1 for the right class and 0 for others", New: Squared},
		huber, focal,
	},
}
