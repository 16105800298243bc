//go:build !amd64 || noasm || f64

package kernel

func (f *forward) rows(lo, hi int)  { f.rowsGeneric(lo, hi) }
func (t *backward) rows(lo, hi int) { t.rowsGeneric(lo, hi) }
func (t *finish) rows(lo, hi int)   { t.rowsGeneric(lo, hi) }
