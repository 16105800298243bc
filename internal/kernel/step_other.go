//go:build (!amd64 && !arm64) || noasm || f64

package kernel

func stepRows(t *stepJob, lo, hi int)       { stepRowsGeneric(t, lo, hi) }
func stepVJPRows(t *stepVJPJob, lo, hi int) { stepVJPRowsGeneric(t, lo, hi) }
