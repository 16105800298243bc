package analysis

import (
	"slices"

	"github.com/bloomgml/bloom/graph"
)

// spread is how the degrees of a graph are distributed.
type spread struct {
	Min       int         `json:"min"`
	Mean      float64     `json:"mean"`
	Median    int         `json:"median"`
	P90       int         `json:"p90"` // nine of ten nodes have at most this many
	P99       int         `json:"p99"`
	Max       int         `json:"max"`
	Histogram []degreeBin `json:"histogram,omitempty"`
}

// degreeBin counts the nodes of degree From ≤ d < To. Bins double: 0, 1, 2–3, 4–7, …
type degreeBin struct {
	From  int `json:"from"`
	To    int `json:"to"`
	Nodes int `json:"nodes"`
}

// describeDegrees sorts the numbers of distinct neighbours.
func describeDegrees(g *graph.Graph) spread {
	n := g.NumNodes()
	if n == 0 {
		return spread{}
	}
	degrees, sum := make([]int, n), 0
	var buf []int32
	for v := range degrees {
		buf = Neighbours(buf[:0], g, v)
		degrees[v] = len(buf)
		sum += len(buf)
	}
	slices.Sort(degrees)
	at := func(q float64) int { return degrees[int(q*float64(n-1)+0.5)] }
	return spread{
		Min: degrees[0], Mean: float64(sum) / float64(n), Median: at(0.5), P90: at(0.9), P99: at(0.99),
		Max: degrees[n-1], Histogram: histogram(degrees),
	}
}

// histogram puts ascending degrees into bins that double.
func histogram(degrees []int) []degreeBin {
	bins := []degreeBin{{From: 0, To: 1}}
	for _, d := range degrees {
		for last := bins[len(bins)-1]; d >= last.To; last = bins[len(bins)-1] {
			bins = append(bins, degreeBin{From: last.To, To: 2 * last.To})
		}
		bins[len(bins)-1].Nodes++
	}
	return bins
}

// Neighbours appends to dst the distinct nodes other than v that share an edge with it, ascending,
// whatever the direction and the relation.
func Neighbours(dst []int32, g *graph.Graph, v int) []int32 {
	a, _ := g.In().Row(v)
	b, _ := g.Out().Row(v)
	for len(a) > 0 || len(b) > 0 {
		var u int32
		if len(b) == 0 || len(a) > 0 && a[0] <= b[0] {
			u, a = a[0], a[1:]
		} else {
			u, b = b[0], b[1:]
		}
		if int(u) != v && (len(dst) == 0 || dst[len(dst)-1] != u) {
			dst = append(dst, u)
		}
	}
	return dst
}
