// Command entry writes the AVX2 and AVX-512 bodies of the entrywise kernels: maps, linear
// combinations, reductions, softmax, dropout, Adam and products of complex rows.
package main

import (
	. "github.com/mmcloughlin/avo/build"

	"github.com/bloomgml/bloom/internal/kernel/gen/isa"
)

func main() {
	isa.Head()
	for _, s := range isa.All {
		l := lane{s}
		maps(l)
		linears(l)
		chooses(l)
		rowSums(l)
		colSums(l)
		maxAbs(l)
		softmaxes(l)
		dropout(l)
		adam(l)
		transpose(l)
		complexes(l)
	}
	pool.write()
	Generate()
}
