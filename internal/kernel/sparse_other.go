//go:build (!amd64 && !arm64) || noasm || f64

package kernel

// spmmFast would run the body of the active level.
func spmmFast([]Real, *CSR, int, int, []Real, []Real, []Real, int, Real, Real) bool { return false }

// sddmmFast would run the body of the active level.
func sddmmFast([]Real, *CSR, int, int, []Real, []Real, int) bool { return false }

// gatherFast would run the body of the active level.
func gatherFast([]Real, []Real, []int32, int) bool { return false }

// readFast would run the body of the active level.
func readFast([]Real) (Real, bool) { return 0, false }

// spmmByPanels would run SpMM by column panels.
func spmmByPanels([]Real, *CSR, []Real, []Real, []Real, int, Real, Real) bool { return false }
