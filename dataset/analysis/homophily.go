package analysis

import (
	"math"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
)

// Homophily says how the classes of neighbours go together. Over the distinct undirected edges
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
// and LI are 0/0; they are 0 then.
type Homophily struct {
	Edges           int     `json:"edges"` // m
	Edge            float64 `json:"edge_homophily"`
	Adjusted        float64 `json:"adjusted_homophily"`
	Informativeness float64 `json:"label_informativeness"`
}

// measureHomophily is nil where no edge joins two labelled nodes.
func measureHomophily(g *graph.Graph, l dataset.Labels) *Homophily {
	joint, ends := countLabelPairs(g, l)
	if ends == 0 {
		return nil
	}
	k := len(l.Names)
	var same, square, own, both float64
	for a := range k {
		var row float64
		for b := range k {
			p := float64(joint[a*k+b]) / float64(ends)
			row += p
			both += plogp(p)
		}
		same += float64(joint[a*k+a]) / float64(ends)
		square += row * row
		own += plogp(row)
	}
	h := &Homophily{Edges: ends / 2, Edge: same}
	if own < 0 {
		h.Adjusted = (same - square) / (1 - square)
		h.Informativeness = 2 - both/own
	}
	return h
}

// countLabelPairs counts, for k classes, the k×k pairs of classes at the ends of edges, every edge
// both ways, and all of them.
func countLabelPairs(g *graph.Graph, l dataset.Labels) (joint []int, ends int) {
	k := len(l.Names)
	joint = make([]int, k*k)
	var buf []int32
	for v, c := range l.Class {
		if c < 0 {
			continue
		}
		buf = neighbours(buf[:0], g, v)
		for _, u := range buf {
			if b := l.Class[u]; b >= 0 {
				joint[int(c)*k+int(b)]++
				ends++
			}
		}
	}
	return joint, ends
}

// plogp is p log p, 0 at 0.
func plogp(p float64) float64 {
	if p == 0 {
		return 0
	}
	return p * math.Log(p)
}
