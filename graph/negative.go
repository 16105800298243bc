package graph

// Negatives describes a sampler of false triples: a true one with an end replaced. The zero value
// replaces the head or the tail, by a fair coin, by any other node, once per positive.
type Negatives struct {
	Seed        uint64
	PerPositive int     // negatives per positive; 0 means 1
	Corrupt     Corrupt // the end to replace; default corruptEither

	// Bernoulli loads the coin of corruptEither by the relation (Wang et al. 2014): the head is
	// replaced with probability tph/(tph+hpt), where tph is the mean number of tails per head and
	// hpt of heads per tail. A false negative becomes less likely: of "born in", which has many
	// heads for a tail, mostly the tail is replaced.
	Bernoulli bool

	// Constrained draws a replacement among the nodes seen at that end of that relation.
	Constrained bool

	// Known are triples that must not come out, usually g.Set(valid, test); nil filters nothing.
	Known *Set

	// Retries is how often a refused draw is repeated; 0 means 32. See Sampler.
	Retries int
}

// Corrupt says which end of a positive is replaced.
type Corrupt uint8

const (
	corruptEither Corrupt = iota // the head or the tail, by a coin for each negative
	CorruptHead                  // the source
	CorruptTail                  // the target
	corruptBoth                  // both at once
)

// Sampler draws negatives. Its numbers are a function of (seed, epoch, position of the positive,
// number of the negative) and of nothing else, so that batches may come in any order or at once.
//
// A draw is refused when it is the positive itself or in Known. After Retries refusals a
// constrained sampler gives up the constraint and tries as often again among all nodes; after
// that the nodes following the last draw are tried in turn, which finds one if there is one.
// When every candidate is known the last draw is returned nonetheless and counted as missed. With
// corruptBoth the turn is the tail's alone, under the last head drawn.
//
// Negatives are drawn with replacement: two of one positive may be equal.
type Sampler struct {
	g            *Graph
	opt          Negatives
	heads, tails groups // nodes seen at either end, by relation
}

// Sampler returns a sampler of negatives for the triples of g.
func (g *Graph) Sampler(opt Negatives) (*Sampler, error) {
	switch {
	case g.nodes == 0:
		return nil, &Error{"nodes", -1, "", 0, "leave nothing to draw from"}
	case opt.PerPositive < 0:
		return nil, &Error{"negatives per positive", -1, "", opt.PerPositive, "is negative"}
	case opt.Retries < 0:
		return nil, &Error{"retries", -1, "", opt.Retries, "is negative"}
	case opt.Corrupt > corruptBoth:
		return nil, &Error{"corrupt", -1, "", opt.Corrupt, "is not one of the four ways"}
	case opt.Bernoulli && opt.Corrupt != corruptEither:
		return nil, &Error{"corrupt", -1, "", opt.Corrupt, "leaves Bernoulli nothing to choose"}
	}
	if opt.PerPositive == 0 {
		opt.PerPositive = 1
	}
	if opt.Retries == 0 {
		opt.Retries = 32
	}
	s := &Sampler{g: g, opt: opt}
	if opt.Bernoulli || opt.Constrained {
		s.heads, s.tails = g.seen()
	}
	return s, nil
}

// seen returns the distinct sources and targets of every relation, ascending. The ends of an
// undirected graph are not told apart.
func (g *Graph) seen() (heads, tails groups) {
	if g.undirected {
		both := distinct(joined(g.rel, g.rel), joined(g.src, g.dst), g)
		return both, both
	}
	return distinct(g.rel, g.src, g), distinct(g.rel, g.dst, g)
}

func distinct(rel, node []int32, g *Graph) groups {
	p := newPattern(rel, node, nil, g.relations, g.nodes)
	s := groups{ptr: make([]int64, g.relations+1)}
	for r := range g.relations {
		idx, _ := p.Row(r)
		for i, v := range idx {
			if i == 0 || v != idx[i-1] {
				s.ids = append(s.ids, v)
			}
		}
		s.ptr[r+1] = int64(len(s.ids))
	}
	return s
}

// Sample writes the negatives of positives, the first of which is at position first of its
// epoch, into dst when that has room for them, and returns them: those of positive i are
// neg[i*k:(i+1)*k]. missed counts those that are known triples after all.
func (s *Sampler) Sample(dst, positives []Triple, epoch, first uint64) (neg []Triple, missed int, err error) {
	if err := checkTriples("positive", positives, s.g.nodes, s.g.relations); err != nil {
		return nil, 0, err
	}
	key := place(place(mix(s.opt.Seed), 0), epoch)
	neg = s.room(dst, len(positives))
	for i, p := range positives {
		missed += s.fill(neg, i, p, place(key, first+uint64(i)))
	}
	return neg, missed, nil
}

// SampleEdges is Sample for edges of the graph, each at the position of its id: the negatives of
// an edge in an epoch do not depend on its batch.
func (s *Sampler) SampleEdges(dst []Triple, edges []int32, epoch uint64) (neg []Triple, missed int, err error) {
	for i, e := range edges {
		if err := below("positive", i, "edge", e, s.g.NumEdges(), "edges"); err != nil {
			return nil, 0, err
		}
	}
	key := place(place(mix(s.opt.Seed), 0), epoch)
	neg = s.room(dst, len(edges))
	for i, e := range edges {
		missed += s.fill(neg, i, s.g.Edge(e), place(key, uint64(e)))
	}
	return neg, missed, nil
}

func (s *Sampler) room(dst []Triple, positives int) []Triple {
	n := positives * s.opt.PerPositive
	if cap(dst) < n {
		return make([]Triple, n)
	}
	return dst[:n]
}
