package ondisk

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// Means are μ: for every node of a graph the mean of what it is in the parts that it is in, so that the descents of
// all parts s are one (Jiang et al. 2024, "MuseGNN: Interpretable and Convergent Graph Neural Network Layers at
// Scale"),
//
//	min over all H_s and μ of  Σ_s [ ℓ_low(H_s) + γ/2 Σ_v∈s ‖h_sv − μ_v‖² ]
//
// Every part descends while μ is held, and then moves it, μ ← ρ μ + (1 − ρ) h. A node that has no mean yet is pulled
// nowhere.
type Means struct {
	gamma, forget float64
	mean          *ad.Param // n×d
	known         *ad.Param // n×1: 1 if the node has a mean
}

// NewMeans returns the means of n nodes, d columns wide; no node has a mean yet.
func NewMeans(n, d int, o SampleOptions) *Means {
	return &Means{gamma: o.Gamma, forget: o.Forget, mean: ad.NewParam("sample.mean", mat.New(n, d)),
		known: ad.NewParam("sample.known", mat.New(n, 1))}
}

// State returns the parameters that a checkpoint must hold.
func (m *Means) State() []*ad.Param { return []*ad.Param{m.mean, m.known} }

// Tie returns γ/2 ‖h_v − μ_v‖² of the part whose nodes are rows.
func (m *Means) Tie(rows *mat.Index) energy.NodeTerm {
	return energy.WeightedNodes(energy.ToTarget(energy.HalfSquared, m.mean.Gather(rows)),
		m.known.Gather(rows).Scale(m.gamma))
}

// Follow updates the means of rows with h, the result of a descent.
func (m *Means) Follow(u *input.Updates, rows *mat.Index, h ad.Var) {
	keep := m.known.Gather(rows).Scale(m.forget)
	mean := m.mean.Gather(rows).Mul(keep).Add(ad.Stop(h).Mul(keep.Neg().Shift(1)))
	u.Follow(m.mean, rows, mean)
	u.Follow(m.known, rows, ad.Fill(mat.Shape{Rows: rows.Len(), Cols: 1}, 1))
}
