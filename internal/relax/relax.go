// Package relax trains on the fixed point of a convex energy whose graph, and whose states, stay on the disk.
//
// For f = λ/2 ‖s_u h_u − s_v h_v‖², κ = w ρ(h − π(x; W)) with a convex ρ, and h ≥ 0 or no η, the descent has one fixed
// point, and every column of it is a problem of its own. States lie in files, some columns to a panel. A panel is
// brought into memory, is relaxed by conjugate gradients or, with η, by projected steps with momentum, and goes back;
// neighbours are read block by block in every sweep.
// Training is lazy: an epoch begins at the states that the epoch before found, and so does its adjoint state
//
//	∇²F(H) S = ∂ℓ_up/∂H        ∂ℓ_up/∂π = w φ′(H − π) ∘ S        ∂ℓ_up/∂λ = −⟨S, ∂∇F/∂λ⟩
//
// so that few sweeps are needed. π and the head see some rows at a time: rows of one are not needed for another.
// A Certificate says how near both are to what they should be.
package relax

import (
	"context"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/blocks"
	"github.com/bloomgml/bloom/internal/settle"
	"github.com/bloomgml/bloom/mat"
)

// Options say what is relaxed, and with how much memory and care.
type Options struct {
	Scratch   string  // the folder where states lie while there are some
	Scale     string  // of features, see prepare.Scale
	Split     int     // whose nodes train
	Seed      uint64  // of the nodes that are looked at
	Memory    int64   // bytes
	Tolerance float64 // of a Certificate; 0 means 3e-5
	Sweeps    int     // of states and of their adjoint in an epoch, at most; 0 means 100. Predictions may have 10 × it
}

// tolerance is what certificates should be at most.
func (o Options) tolerance() float64 {
	if o.Tolerance == 0 {
		return 3e-5
	}
	return o.Tolerance
}

// most is how many sweeps there may be.
func (o Options) most() int {
	if o.Sweeps == 0 {
		return 100
	}
	return o.Sweeps
}

// Certificate is how near a solution is: ‖∇F(H)‖ / (w ‖H‖) of states, which bounds ‖H − H*‖ / ‖H‖ where κ is quadratic,
// and ‖∇²F S − G‖ / ‖G‖ of their adjoint. With η it is the gradient of a projected step.
type Certificate struct {
	Residual float64 `json:"residual"`
	Sweeps   int     `json:"sweeps"` // over all columns
}

// Graph is a folder of blocks with the states of its nodes.
type Graph struct {
	*blocks.Store
	Options
	Context context.Context // ends what is under way
	// Found and Adjoint are how near the states that were last looked at, and the adjoint of the last epoch, are.
	Found, Adjoint Certificate

	x     *settle.Columns
	kept  *settle.Kept
	train []int32 // rows that train
	class []int32 // theirs
	files *files  // of the network that is trained; nil before there is one
}

// NewGraph is the graph of s, of which every part of a split has rows that are looked at after an epoch.
func NewGraph(ctx context.Context, s *blocks.Store, o Options) (*Graph, error) {
	g := &Graph{Store: s, Options: o, Context: ctx}
	var err error
	if g.kept, err = settle.Choose(s, settle.Options{Split: o.Split, Seed: o.Seed, Thin: true}); err != nil {
		return nil, err
	}
	if g.x, err = settle.NewColumns(s, o.Scale); err != nil {
		return nil, err
	}
	for i := range s.Blocks() {
		l, err := s.Labels(i)
		if err != nil {
			return nil, err
		}
		first, _ := s.Rows(i)
		for r, p := range l.Parts[o.Split] {
			if p == blocks.Train {
				g.train, g.class = append(g.train, int32(first+r)), append(g.class, l.Class[r])
			}
		}
	}
	return g, nil
}

// Dataset is the set of the rows that are looked at, whose features are x, with neither edges nor states: energy says
// whose fixed point these are.
func (g *Graph) Dataset(energy string) (*dataset.Dataset, error) {
	all, at := make([]mat.Real, 0, g.Kept()*g.Columns), 0
	var x []mat.Real
	for i := range g.Blocks() {
		var err error
		if x, err = g.x.Block(i, x); err != nil {
			return nil, err
		}
		first, end := g.Rows(i)
		for ; at < g.Kept() && int(g.kept.Place[at]) < end; at++ {
			v := int(g.kept.Place[at]) - first
			all = append(all, x[v*g.Columns:(v+1)*g.Columns]...)
		}
	}
	return g.kept.Dataset(g.Store, all, energy)
}

// Kept is how many rows are looked at.
func (g *Graph) Kept() int { return len(g.kept.Place) }

// Close closes the states, which are gone then.
func (g *Graph) Close() error {
	if g.files == nil {
		return nil
	}
	f := g.files
	g.files = nil
	return f.close()
}

// piece is how many rows of d columns π sees at once.
func (g *Graph) piece(d int) int {
	most := 1
	for i := range g.Blocks() {
		first, end := g.Rows(i)
		most = max(most, end-first)
	}
	return min(pieceRows, most, max(256, pieceEntries/d))
}

// room is x with n entries, whatever they are.
func room(x []mat.Real, n int) []mat.Real {
	if cap(x) < n {
		return make([]mat.Real, n)
	}
	return x[:n]
}
