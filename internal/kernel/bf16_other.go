//go:build !amd64 || noasm || f64

package kernel

// bf16Core multiplies packed pairs; this build has no implementation.
type bf16Core func()

func bf16Fast() bf16Core { return nil }

func (p *gemm) runBF16(bf16Core) { p.runRounded() }

func spmmHalves([]Real, *CSR, []Real, []Real, []Real, int, Real, Real) bool { return false }
