package optim

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Best is a copy of weights: those of the best epoch so far.
type Best struct {
	params []*ad.Param
	copies []*mat.Dense
	kept   bool
}

// NewBest has room for a copy of params, zeros until Keep.
func NewBest(params []*ad.Param) *Best {
	b := &Best{params: params}
	for _, p := range params {
		b.copies = append(b.copies, mat.New(p.Rows(), p.Cols()))
	}
	return b
}

// Keep copies the present weights.
func (b *Best) Keep() {
	b.kept = true
	for i, p := range b.params {
		mat.Copy(b.copies[i], p.Value())
	}
}

// Restore brings the copy back.
func (b *Best) Restore() {
	for i, p := range b.params {
		mat.Copy(p.Value(), b.copies[i])
	}
}

// Memory is the copies by name: the matrices themselves, which Keep overwrites.
func (b *Best) Memory() map[string]*mat.Dense {
	all := map[string]*mat.Dense{}
	for i, p := range b.params {
		all["best/"+p.Name] = b.copies[i]
	}
	return all
}

// Empty reports whether nothing was kept yet.
func (b *Best) Empty() bool { return !b.kept }
