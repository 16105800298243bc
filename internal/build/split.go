package build

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/random"
)

// Stratified draws a split of all labelled nodes (class ≥ 0), class by class: of the n nodes of a class
// round(shares[0]·n) train, round((shares[0]+shares[1])·n) minus those validate, and so on. Nodes beyond the sum of
// shares, which is at most 1, are in no part. Parts are ascending. The result is a function of the arguments on every
// platform.
func Stratified(class []int32, shares [3]float64, seed uint64) (dataset.Split, error) {
	if err := CheckShares(shares); err != nil {
		return dataset.Split{}, err
	}
	rng := random.New(seed, random.Splits)
	var s dataset.Split
	for _, nodes := range ByClass(class) {
		random.Shuffle(rng, nodes)
		Deal(&s, nodes, shares)
	}
	Sort(&s)
	return s, nil
}

// PerClass draws perClass training nodes of every class, then valid and test nodes from the rest without regard to
// classes, as the splits of Yang et al. (2016) are drawn. It is an error if a class, or the rest, has too few nodes.
func PerClass(class []int32, perClass, valid, test int, seed uint64) (dataset.Split, error) {
	if perClass < 0 || valid < 0 || test < 0 {
		return dataset.Split{}, fmt.Errorf("a split of %d nodes per class, %d and %d: sizes must not be negative",
			perClass, valid, test)
	}
	rng := random.New(seed, random.Splits)
	var s dataset.Split
	var rest []int32
	for c, nodes := range ByClass(class) {
		if len(nodes) < perClass {
			return dataset.Split{}, fmt.Errorf("class %d has %d labelled nodes, the split needs %d", c,
				len(nodes), perClass)
		}
		random.Shuffle(rng, nodes)
		s.Train = append(s.Train, nodes[:perClass]...)
		rest = append(rest, nodes[perClass:]...)
	}
	if len(rest) < valid+test {
		return dataset.Split{}, fmt.Errorf("%d nodes are left for validation and test, the split needs %d", len(rest),
			valid+test)
	}
	random.Shuffle(rng, rest)
	s.Valid, s.Test = rest[:valid:valid], rest[valid:valid+test]
	Sort(&s)
	return s, nil
}

// CheckShares returns an error unless shares are three shares of one whole.
func CheckShares(shares [3]float64) error {
	sum := 0.0
	for _, p := range shares {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("the share %v of a split is not between 0 and 1", p)
		}
		sum += p
	}
	if sum > 1+1e-9 {
		return fmt.Errorf("the shares %v of a split add up to %v, more than 1", shares, sum)
	}
	return nil
}

// Deal assigns nodes to the parts of s, in order and by shares.
func Deal(s *dataset.Split, nodes []int32, shares [3]float64) {
	cut := func(p float64) int { return min(len(nodes), int(p*float64(len(nodes))+0.5)) }
	a, b, c := cut(shares[0]), cut(shares[0]+shares[1]), cut(shares[0]+shares[1]+shares[2])
	s.Train = append(s.Train, nodes[:a]...)
	s.Valid = append(s.Valid, nodes[a:b]...)
	s.Test = append(s.Test, nodes[b:c]...)
}

// Sort sorts the parts in ascending order.
func Sort(s *dataset.Split) {
	slices.Sort(s.Train)
	slices.Sort(s.Valid)
	slices.Sort(s.Test)
}

// ByClass lists the nodes of every class, ascending.
func ByClass(class []int32) [][]int32 {
	k := int32(0)
	for _, c := range class {
		k = max(k, c+1)
	}
	nodes := make([][]int32, k)
	for v, c := range class {
		if c >= 0 {
			nodes[c] = append(nodes[c], int32(v))
		}
	}
	return nodes
}

// Links draws the part of every edge at random: 0 trains, 1 validates, 2 tests. An edge leaves the training graph only
// if both ends and its relation still occur there in other edges: what was never seen cannot be learnt.
func Links(g *graph.Graph, ratio [3]float64, seed uint64) []int8 {
	n := g.NumEdges()
	order := Range(0, n)
	random.New(seed, random.Splits).Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	degree, uses := make([]int32, g.NumNodes()), make([]int32, g.NumRelations())
	for e := range n {
		t := g.Edge(int32(e))
		degree[t.U]++
		degree[t.V]++
		uses[t.R]++
	}
	want := [3]int{0, int(ratio[1]*float64(n) + 0.5), int(ratio[2]*float64(n) + 0.5)}
	parts, part := make([]int8, n), 1
	for _, e := range order {
		for part < 3 && want[part] == 0 {
			part++
		}
		if part == 3 {
			break
		}
		t := g.Edge(e)
		if degree[t.U] < 2 || degree[t.V] < 2 || uses[t.R] < 2 || t.U == t.V && degree[t.U] < 3 {
			continue
		}
		degree[t.U]--
		degree[t.V]--
		uses[t.R]--
		parts[e] = int8(part)
		want[part]--
	}
	return parts
}
