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
	worst := p.guess(m, class, rival)
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

// guess returns the worst rows against a rival: of channels, of the steepest that smooths; others are only a guess if
// they are not linear.
func (p *Problem) guess(m *Model, class, rival int32) *Worst {
	if m.Channels == nil {
		return p.values(m, difference(m.logits(m.Pi), class, rival))
	}
	best := &m.Channels[0]
	for i := range m.Channels {
		c := &m.Channels[i]
		if gain := c.steep(class, rival) - best.steep(class, rival); c.Lambda >= 0 && (best.Lambda < 0 || gain > 0) {
			best = c
		}
	}
	r := difference(best.Z, class, rival)
	if best.Lambda > 0 {
		return p.Exact(smoothed(best.Lambda), r)
	}
	return p.Steps(mean, r, r, max(len(best.Powers)-1, 1))
}

// class returns the class of v on the graph as it is.
func (p *Problem) class(m *Model, v int32) (best int32) {
	if m.Channels != nil {
		z, err := m.Held(p.Near)
		if err != nil {
			return -1
		}
		row := z[int(v)*len(m.Offset):][:len(m.Offset)]
		return int32(slices.Index(row, slices.Max(row)))
	}
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
