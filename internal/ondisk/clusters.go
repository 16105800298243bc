package ondisk

import (
	"math/rand/v2"
	"slices"
)

// Cluster divides n nodes into clusters, most of whose edges stay inside: the number of the cluster of every node.
// Nodes stream by in order, ten times; clusters are ranges of them before that.
//
// Chosen: ten times, after which clusters of about 100 nodes keep 55 % of the edges of Pubmed, 14 % of tolokers and 17
// % of a planted graph; clusters of METIS keep 64, 13 and 23 %.
func Cluster(rows NeighbourRows, n int, o SampleOptions) ([]int32, error) {
	cluster, parts := make([]int32, n), NewPartition(n, o.Clusters)
	for v := range cluster {
		cluster[v] = int32(v * o.Clusters / n)
	}
	for range 10 {
		join := parts.Rejoin(cluster)
		err := rows(func(int, int) bool { return true }, func(first int, ptr []int64, idx []int32) error {
			for r := range len(ptr) - 1 {
				join(int32(first+r), idx[ptr[r]:ptr[r+1]])
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return cluster, nil
}

// Deal deals clusters to batches at random. Parts are then whole clusters, enough of them to have Batch seeds, without
// other nodes (Chiang et al. 2019, "Cluster-GCN"). Deal distributes clusters with seeds and clusters without seeds
// separately, so every batch has nearly the same number of each. There are at most as many batches as clusters with
// seeds.
func Deal(seeds, cluster []int32, o SampleOptions, seed uint64) *Batches {
	b := newBatches(len(seeds), o, seed)
	taught := make([]bool, o.Clusters)
	for _, v := range seeds {
		taught[cluster[v]] = true
	}
	var with, without []int32
	for c, t := range taught {
		if t {
			with = append(with, int32(c))
		} else {
			without = append(without, int32(c))
		}
	}
	b.count = min(b.count, len(with))
	b.anew = o.Clusters > b.count
	batch, rng := make([]int32, o.Clusters), rand.New(rand.NewPCG(seed, uint64(len(seeds))))
	for _, some := range [][]int32{with, without} {
		for i, at := range rng.Perm(len(some)) {
			batch[some[i]] = int32(at * b.count / len(some))
		}
	}
	b.all = make([]member, len(cluster))
	for v, c := range cluster {
		b.all[v] = memberOf(int32(v), batch[c])
	}
	for i, v := range seeds {
		b.list[i] = b.all[v]
	}
	slices.Sort(b.list)
	return b
}

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
