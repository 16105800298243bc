package dataset

import (
	"fmt"
	"math"
	"time"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Decay weighs edges by their age: old ones are forgotten. An edge made of rows i of the table, each of the weight w
// that the table gives the edge, weighs at the last time T of all rows
//
//	a_uv = w Σᵢ e^(−(T − tᵢ)/τ)
//
// A row without a time is as old as T. Later rows weigh more than w, which is what older ones lose against them.
type Decay struct {
	column string
	end    float64 // T, in days since 1970
	tau    float64 // in days
}

// NewDecay returns the decay of the edges of d. The error says why they have no times.
func NewDecay(d *Dataset, tau time.Duration) (*Decay, error) {
	k := &Decay{end: math.Inf(-1), tau: tau.Hours() / 24}
	if d.Schema != nil && d.Raw != nil && d.Raw.Rows != nil {
		for _, s := range d.Schema.Stats {
			if s.Time.Name != "" {
				k.column, k.end = s.Time.Name, max(k.end, s.End)
			}
		}
	}
	if k.column == "" {
		return nil, fmt.Errorf("edges of %s have no times", d.Name)
	}
	return k, nil
}

// End returns T, in days since 1970.
func (k *Decay) End() float64 { return k.end }

// Column returns the name of the column of times.
func (k *Decay) Column() string { return k.column }

// Weight returns e^(−(T − t)/τ), 1 for NaN; t is in days since 1970.
func (k *Decay) Weight(t float64) float64 {
	if math.IsNaN(t) {
		return 1
	}
	return math.Exp((t - k.end) / k.tau)
}

// Weights returns the weights of the edges of d.
func (k *Decay) Weights(d *Dataset) []mat.Real {
	g, rows, sums := d.Graph, d.Raw.Rows, map[graph.Triple]float64{}
	times := rows.Column(k.column)
	for i, u := range rows.Src {
		sums[edgeOf(g, u, rows.Dst[i], rows.Relation(i))] += k.Weight(times[i])
	}
	w := make([]mat.Real, g.NumEdges())
	for e := range w {
		x := g.Edge(int32(e))
		w[e] = mat.Real(max(sums[edgeOf(g, x.U, x.V, x.R)], least))
		if given := g.Weights(); given != nil && d.Schema.Weight == "" {
			w[e] *= given[e]
		}
	}
	return w
}

// least is the weight of an edge that is forgotten: no node becomes alone.
const least = 1e-20
