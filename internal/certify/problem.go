package certify

import (
	"cmp"
	"math"
	"slices"
)

// Additions are the edges that an adversary may add.
type Additions string

// The kinds: none, so that edges are only removed; edges to neighbours of neighbours; edges to all nodes.
const (
	NoAdditions Additions = "existing"
	TwoHop      Additions = "two-hop"
	All         Additions = "all"
)

// Problem is a graph and what an adversary may change of it.
type Problem struct {
	Near   [][]int32   // the neighbours of every node, ascending
	Weight [][]float64 // of the edges to them, which can then only be removed; nil for 1
	Keep   [][]int32   // those of them whose edges stay, ascending; nil for none
	Budget []int       // changes of every row
	Add    Additions   // empty for NoAdditions
}

// weight returns the weight of the edge to the i-th neighbour of v.
func (p *Problem) weight(v int32, i int) float64 {
	if p.Weight == nil {
		return 1
	}
	return p.Weight[v][i]
}

// degree returns the sum of the weights of the edges of v.
func (p *Problem) degree(v int32) (d float64) {
	if p.Weight == nil {
		return float64(len(p.Near[v]))
	}
	for _, w := range p.Weight[v] {
		d += w
	}
	return d
}

// Rule is what a node does with the values of its neighbours.
type Rule struct {
	// Next is the value of a node of degree d whose neighbours are heard as values of the given sum. own is its value
	// before, and r what it brings itself. It does not fall if own or sum grow.
	Next func(d, own, sum, r float64) float64
	// Heard is what the value of a node of degree d is multiplied by for its neighbours, above 0 if d is; nil for 1. In
	// an undirected graph, which is what it is for, nobody hears a node without neighbours.
	Heard func(d float64) float64
	// Slope is how fast Next grows with own, sum and r at most, all at least 0, and exactly if it is linear.
	Slope func(d float64) (own, sum, r float64)
	// Level is what a neighbour is heard as whose edge may go without a change of Next, for graphs with weights, where
	// Next does not fall with a ratio of two functions that are affine in d and sum. nil if there is none.
	Level func(d, own, sum, r float64) float64
}

func (f Rule) heard(d float64) float64 {
	if f.Heard == nil {
		return 1
	}
	return f.Heard(d)
}

// Change is an edge of the row of From, which is removed, or added.
type Change struct {
	From, To int32
	Added    bool
}

// adversary looks for the worst rows, given the values that nodes are heard as.
type adversary struct {
	*Problem
	heard          []float64
	sorted         [][]int32 // the neighbours of every node, by the value heard; nil unless Add is TwoHop
	all            []int32   // every node, by the value heard; nil unless Add is All
	mark           []int     // the last visit at which a node was no candidate
	visit          int
	removed, added []int32 // of the node that is looked at
}

func (p *Problem) adversary() *adversary {
	a := &adversary{Problem: p, mark: make([]int, len(p.Near))}
	switch p.Add {
	case TwoHop:
		for _, near := range p.Near {
			a.sorted = append(a.sorted, slices.Clone(near))
		}
	case All:
		a.all = make([]int32, len(p.Near))
		for v := range a.all {
			a.all[v] = int32(v)
		}
	}
	return a
}

// listen takes up the values that nodes are heard as.
func (a *adversary) listen(heard []float64) {
	a.heard = heard
	less := func(u, v int32) int { return cmp.Or(cmp.Compare(heard[u], heard[v]), cmp.Compare(u, v)) }
	for _, near := range a.sorted {
		slices.SortFunc(near, less)
	}
	slices.SortFunc(a.all, less)
}

// row calls try with every row of v that can be worst, by its degree and its sum: of rows with i edges removed and j
// added, the one without the i loudest and with the j quietest.
func (a *adversary) row(v int32, try func(removed, added int, d, sum float64)) {
	a.candidates(v)
	d, b, sum := len(a.Near[v]), a.Budget[v], 0.0
	for _, u := range a.Near[v] {
		sum += a.heard[u]
	}
	for i := 0; ; i++ {
		s := sum
		for j := 0; ; j++ {
			try(i, j, float64(d-i+j), s)
			if j == len(a.added) || i+j == b {
				break
			}
			s += a.heard[a.added[j]]
		}
		if i == len(a.removed) || i == b {
			return
		}
		sum -= a.heard[a.removed[i]]
	}
}

// candidates sets removed to the loudest neighbours of v whose edges may go, and added to the quietest nodes that it
// may be joined to, as many of each as its budget.
func (a *adversary) candidates(v int32) {
	a.removed, a.added = a.removed[:0], a.added[:0]
	b, near := a.Budget[v], a.Near[v]
	if b == 0 {
		return
	}
	for _, u := range near {
		if len(a.removed) == b && a.heard[u] <= a.heard[a.removed[b-1]] || a.stays(v, u) {
			continue
		}
		a.removed = a.insert(a.removed, b, u, -1)
	}
	if a.Add != All && a.Add != TwoHop {
		return
	}
	a.visit++
	a.mark[v] = a.visit
	for _, u := range near {
		a.mark[u] = a.visit
	}
	if a.Add == All {
		a.quietest(b, a.all)
		return
	}
	for _, u := range near {
		a.quietest(b, a.sorted[u])
	}
}

// stays reports whether the edge from v to u cannot be removed.
func (a *adversary) stays(v, u int32) bool {
	if a.Keep == nil {
		return false
	}
	_, stays := slices.BinarySearch(a.Keep[v], u)
	return stays
}

// quietest puts nodes of a sorted list into added, which is sorted and has at most b.
func (a *adversary) quietest(b int, list []int32) {
	for _, u := range list {
		if len(a.added) == b && a.heard[u] >= a.heard[a.added[b-1]] {
			return
		}
		if a.mark[u] == a.visit {
			continue
		}
		a.mark[u] = a.visit
		a.added = a.insert(a.added, b, u, 1)
	}
}

// insert puts u into a list of at most b nodes that is sorted by sign times the value heard; the last may fall out.
func (a *adversary) insert(list []int32, b int, u int32, sign float64) []int32 {
	list = list[:min(len(list), b-1)]
	at := len(list)
	for at > 0 && sign*a.heard[list[at-1]] > sign*a.heard[u] {
		at--
	}
	return slices.Insert(list, at, u)
}

// worst returns the least value of v over its rows, what it is heard as at least, and how many edges the row with the
// least value has lost and got: the first of removed and of added.
func (a *adversary) worst(f Rule, v int32, own, r float64) (value, heard float64, removed, added int) {
	if a.Weight != nil {
		value = a.weighted(f, v, own, r)
		return value, value, len(a.removed), 0
	}
	value, heard = math.Inf(1), math.Inf(1)
	a.row(v, func(i, j int, d, sum float64) {
		x := f.Next(d, own, sum, r)
		if x < value {
			value, removed, added = x, i, j
		}
		if d > 0 || f.Heard == nil {
			heard = min(heard, f.heard(d)*x)
		}
	})
	if math.IsInf(heard, 1) {
		heard = value
	}
	return value, heard, removed, added
}

// weighted returns the least value of v where edges have weights, and sets removed. Without an edge Next is lower if
// w (heard − Level) is positive, and lowest without the b edges of which that is largest, at the Level of that row. It
// is found by trying those that the Level of the row before asks for, until none is worse (Dinkelbach 1967).
func (a *adversary) weighted(f Rule, v int32, own, r float64) float64 {
	a.removed = a.removed[:0]
	near, d, sum := a.Near[v], a.degree(v), 0.0
	for i, u := range near {
		sum += a.Weight[v][i] * a.heard[u]
	}
	value, level := f.Next(d, own, sum, r), f.Level(d, own, sum, r)
	for {
		gain := func(i int) float64 { return a.Weight[v][i] * (a.heard[near[i]] - level) }
		var list []int
		for i, u := range near {
			if gain(i) > 0 && !a.stays(v, u) {
				list = append(list, i)
			}
		}
		slices.SortStableFunc(list, func(i, j int) int { return cmp.Compare(gain(j), gain(i)) })
		list = list[:min(len(list), a.Budget[v])]
		left, rest := 0.0, 0.0 // added up again: without any edge they are 0
		for i, u := range near {
			if !slices.Contains(list, i) {
				left, rest = left+a.Weight[v][i], rest+a.Weight[v][i]*a.heard[u]
			}
		}
		x := f.Next(left, own, rest, r)
		if !(x < value) {
			return value
		}
		value, level = x, f.Level(left, own, rest, r)
		a.removed = a.removed[:0]
		for _, i := range list {
			a.removed = append(a.removed, near[i])
		}
	}
}

// changes returns the changes of the row that worst has found.
func (a *adversary) changes(v int32, removed, added int) (list []Change) {
	for _, u := range a.removed[:removed] {
		list = append(list, Change{v, u, false})
	}
	for _, u := range a.added[:added] {
		list = append(list, Change{v, u, true})
	}
	return list
}
