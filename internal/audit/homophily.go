package audit

import (
	"maps"
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
)

// homophily says how the classes of neighbours go together. Over the distinct undirected edges
// without self loops of which both ends are labelled, with m of them, y_v the class and d(v) the
// degree of a node,
//
//	edge      h_edge = |{{u,v} : y_u = y_v}| / m
//	adjusted  h_adj  = (h_edge − Σ_c p̄(c)²) / (1 − Σ_c p̄(c)²),   p̄(c) = Σ_{v: y_v=c} d(v) / 2m
//	          LI     = 2 − Σ_{a,b} p(a,b) log p(a,b) / Σ_c p̄(c) log p̄(c)
//
// where p(a,b) is the share of the 2m directed edges that go from class a to class b. h_adj is
// about 0 where edges ignore classes, whatever their sizes, and at most 1. LI, the label
// informativeness, is the share of the entropy of y_u that y_v takes away, {u,v} being an edge
// drawn at random: it is also high where a class always meets another one. Source: Platonov,
// Kuznedelev, Babenko, Prokhorenkova, "Characterizing Graph Datasets for Node Classification"
// (2022), of whose two versions of LI this is LI_edge.
//
// Chosen: edges with an unlabelled end are left out. Where all labelled ends have one class h_adj
// and LI are 0/0; they are 0 then. Chance is the deviation of h_adj where edges ignore classes:
// m h_edge is then binomial, and with s = Σ_c p̄(c)² it is √(s / ((1 − s) m)).
type homophily struct {
	Edges           int     `json:"edges"` // m
	Edge            float64 `json:"edge_homophily"`
	Adjusted        float64 `json:"adjusted_homophily"`
	Chance          float64 `json:"-"`
	Informativeness float64 `json:"label_informativeness"`
}

// Homophily returns nil if no edge joins two labelled nodes. Describe has it too, and takes much longer.
func Homophily(d *dataset.Dataset) *homophily {
	l := d.Labels
	if l.Task != "" {
		return nil // it is defined for one class per node
	}
	ends, joint := 0, make([]map[int32]int, len(l.Names)) // [a][b]: edges from class a to class b, every edge both ways
	for a := range joint {
		joint[a] = map[int32]int{}
	}
	var near []int32
	for v, a := range l.Class {
		if a < 0 {
			continue
		}
		near = Neighbours(near[:0], d.Graph, v)
		for _, u := range near {
			if b := l.Class[u]; b >= 0 {
				joint[a][b]++
				ends++
			}
		}
	}
	if ends == 0 {
		return nil
	}
	var same, square, own, both float64
	for a, row := range joint {
		var p float64
		for _, b := range slices.Sorted(maps.Keys(row)) {
			share := float64(row[b]) / float64(ends)
			p += share
			both += plogp(share)
		}
		same += float64(row[int32(a)]) / float64(ends)
		square += p * p
		own += plogp(p)
	}
	h := &homophily{Edges: ends / 2, Edge: same}
	if own < 0 {
		h.Adjusted = (same - square) / (1 - square)
		h.Chance = math.Sqrt(square / ((1 - square) * float64(h.Edges)))
		h.Informativeness = 2 - both/own
	}
	return h
}

// plogp returns p log p, 0 at 0.
func plogp(p float64) float64 {
	if p == 0 {
		return 0
	}
	return p * math.Log(p)
}
