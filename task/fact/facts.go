package fact

import "github.com/bloomgml/bloom/dataset"

// Fact is a fact by names.
type Fact = dataset.Fact

// Settle says how new entities find their embeddings. The zero value means ten steps.
type Settle struct {
	L     int     // steps; 0 means 10, and a negative number none, which leaves new entities at their start
	Gamma float64 // γ of AdaGrad; 0 means 0.1
	// Negatives is the number of false answers that all questions share; 0 means 128.
	Negatives int
	Seed      uint64 // of what is false
}
