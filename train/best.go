package train

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// bestWeights is a copy of the weights of the best epoch so far.
type bestWeights struct {
	params []*ad.Param
	copies []*mat.Dense
	kept   bool
}

// newBest allocates a copy of params, zeros until keep.
func newBest(params []*ad.Param) *bestWeights {
	b := &bestWeights{params: params}
	for _, p := range params {
		b.copies = append(b.copies, mat.New(p.Rows(), p.Cols()))
	}
	return b
}

// keep copies the current weights.
func (b *bestWeights) keep() {
	b.kept = true
	for i, p := range b.params {
		mat.Copy(b.copies[i], p.Value())
	}
}

// restore brings the copy back.
func (b *bestWeights) restore() {
	for i, p := range b.params {
		mat.Copy(p.Value(), b.copies[i])
	}
}

// memory returns the copies by name: the matrices themselves, which keep overwrites.
func (b *bestWeights) memory() map[string]*mat.Dense {
	all := map[string]*mat.Dense{}
	for i, p := range b.params {
		all["best/"+p.Name] = b.copies[i]
	}
	return all
}

// empty reports whether nothing was kept yet.
func (b *bestWeights) empty() bool { return !b.kept }
