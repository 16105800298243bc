package mat

import (
	"fmt"

	"github.com/bloomgml/bloom/internal/kernel"
)

// MulComplex is the product, entry by entry, of matrices of complex numbers, whose rows are [Re | Im]:
//
//	dst ← a∘b, or a∘b̄ where conj is set
//
// or, where add is set, dst plus that. Shapes are equal, with an even number of columns. dst may be a or b unless add
// is set.
func MulComplex(dst, a, b *Dense, conj, add bool) {
	mustMatch("MulComplex", dst, a, b)
	if a.Cols()%2 != 0 {
		panic(fmt.Sprintf("mat: MulComplex: shape %v has an odd number of columns", a.shape))
	}
	fused[Turner]("MulComplex", dst.dev).MulComplex(dst, a, b, conj, add)
}

func (cpu) MulComplex(dst, a, b *Dense, conj, add bool) {
	kernel.MulComplex(data(dst), data(a), data(b), a.Rows(), a.Cols(), conj, add)
}

func (cpu) ImComplex(dst, a, b *Dense) {
	mustEqual("ImComplex", a.shape, Shape{dst.Rows(), 2 * dst.Cols()})
	mustEqual("ImComplex", b.shape, a.shape)
	kernel.ImComplex(data(dst), data(a), data(b), a.Rows(), a.Cols())
}
