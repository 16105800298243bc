package ondisk

// Partition is a streaming partition, linear deterministic greedy: node v joins the part p with the largest
//
//	|N(v) ∩ p| · (1 − |p| / capacity)
//
// of equal ones the smaller. A node none of whose neighbours has a part joins the first that has room (Stanton and
// Kliot 2012).
type Partition struct {
	capacity int
	size     []int
	open     int     // the first part that has room
	near     []int32 // number of neighbours of the current node, by part
}

// NewPartition returns k parts of n nodes, one part if k is 0.
func NewPartition(n, k int) *Partition {
	k = max(1, k)
	return &Partition{capacity: (n+k-1)/k + 1, size: make([]int, k), near: make([]int32, k)}
}

// Join assigns nodes to parts and writes the numbers of the parts to rank. The caller must call the returned function
// with every node, in order.
func (p *Partition) Join(rank []int32) func(u int32, near []int32) {
	for v := range rank {
		rank[v] = -1
	}
	return p.Rejoin(rank)
}

// Rejoin is Join for nodes that already have parts, so that neighbours which are yet to come count as well (Nishimura
// and Ugander 2013, "Restreaming graph partitioning").
func (p *Partition) Rejoin(rank []int32) func(u int32, near []int32) {
	clear(p.size)
	p.open = 0
	var seen []int32
	return func(u int32, near []int32) {
		seen = seen[:0]
		for _, v := range near {
			if at := rank[v]; at >= 0 {
				if p.near[at] == 0 {
					seen = append(seen, at)
				}
				p.near[at]++
			}
		}
		rank[u] = p.best(seen)
		p.size[rank[u]]++
		for _, at := range seen {
			p.near[at] = 0
		}
	}
}

// best returns the part that a node joins whose neighbours are in the parts seen.
func (p *Partition) best(seen []int32) int32 {
	best, most := int32(-1), 0.0
	for _, at := range seen {
		score := float64(p.near[at]) * (1 - float64(p.size[at])/float64(p.capacity))
		if score > most || score == most && best >= 0 && p.size[at] < p.size[best] {
			best, most = at, score
		}
	}
	if best >= 0 {
		return best
	}
	for p.size[p.open] >= p.capacity {
		p.open++
	}
	return int32(p.open)
}
