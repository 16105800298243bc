package fact

import "github.com/bloomgml/bloom/dataset"

// Fact is a fact by names.
type Fact = dataset.Fact

// Settle says how new entities find their place. The zero value is ten steps.
type Settle struct {
	L     int     // steps; 0 means 10, and a negative number none, which leaves new entities at their start
	Gamma float64 // γ of AdaGrad; 0 means 0.1
	// Negatives is how many false answers all questions share; 0 means 128. In the lower level of a bilevel model it
	// is the number of false triples of a fact; 0 means 32.
	Negatives int
	Seed      uint64 // of what is false
}
