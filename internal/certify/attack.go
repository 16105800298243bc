package certify

import (
	"slices"

	"github.com/bloomgml/bloom/internal/kernel"
)

// hops is how far from a node the edges are that Attack changes.
const hops = 2

// Attack looks for changes of undirected edges, at most b_u at every node u and total in all (0 for any number), that
// change the class of v: those of the worst rows against the rival, first of v itself, then of its neighbours and of
// theirs. It returns those it made and the class that v then has, which is a fact and no bound.
func (p *Problem) Attack(m *Model, v, class, rival int32, total int) (made []Change, becomes int32) {
	left, changed := slices.Clone(p.Budget), p.clone()
	worst := p.values(m, difference(m.logits(m.Pi), class, rival)) // only a guess if not linear
	reached, front := map[int32]bool{v: true}, []int32{v}
	for range hops + 1 {
		var next []int32
		for _, u := range front {
			for _, c := range worst.Row(u) {
				if left[c.From] == 0 || left[c.To] == 0 || total > 0 && len(made) == total ||
					slices.Contains(made, Change{c.To, c.From, c.Added}) {
					continue
				}
				left[c.From]--
				left[c.To]--
				made = append(made, c)
				changed.change(c)
				changed.change(Change{c.To, c.From, c.Added})
			}
			for _, w := range changed.Near[u] {
				if !reached[w] {
					reached[w] = true
					next = append(next, w)
				}
			}
		}
		if becomes = changed.class(m, v); becomes != class {
			break
		}
		front = next
	}
	return made, becomes
}

// class returns the class of v on the graph as it is.
func (p *Problem) class(m *Model, v int32) (best int32) {
	z := p.outputs(m)
	for k := range int32(len(z)) {
		if z[k][v] > z[best][v] {
			best = k
		}
	}
	return best
}

// outputs returns the outputs for all nodes on the graph as it is, by classes.
func (p *Problem) outputs(m *Model) [][]float64 {
	q := Problem{Near: p.Near, Weight: p.Weight, Budget: make([]int, len(p.Near))}
	columns := make([][]float64, len(m.Pi))
	kernel.Each(len(columns), doing(func(j int) { columns[j] = q.values(m, m.Pi[j]).Value }))
	z := m.logits(columns)
	for k := range z {
		for v := range z[k] {
			z[k][v] += m.offset(int32(k))
		}
	}
	return z
}
