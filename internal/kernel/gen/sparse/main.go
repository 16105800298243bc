// Command sparse writes the SIMD bodies of the sparse kernels: SpMM, SDDMM, Gather, GatherSum and the read
// test. Every body loops over a whole range of rows.
package main

import (
	. "github.com/mmcloughlin/avo/build"

	"github.com/bloomgml/bloom/internal/kernel/gen/isa"
)

func main() {
	isa.Head()
	for _, s := range isa.All {
		for _, k := range widths(s) {
			for _, m := range modes {
				spmm(s, m, k)
			}
		}
	}
	for _, s := range isa.All {
		gather(s)
		sddmm(s)
		read(s)
		sum(s)
	}
	Generate()
}
