//go:build (!amd64 && !arm64) || noasm || f64

package kernel

func (f *forward) rows(lo, hi int) { f.rowsGeneric(lo, hi) }

// adjointScaled would be the fast adjoint.
func (d *Descent) adjointScaled(dh0, dp, g, tape []Real) bool { return false }
