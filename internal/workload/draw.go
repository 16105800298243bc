package workload

import "github.com/bloomgml/bloom/mat"

// below is a number of [0, n): a function of seed and counter alone.
func below(seed, counter uint64, n int) int32 {
	return int32((mat.Mix(seed, counter) >> 32) * uint64(n) >> 32)
}

// drawn are count numbers of [0, n).
func drawn(count, n int, seed uint64) []int32 {
	ids := make([]int32, count)
	drawInto(ids, n, seed)
	return ids
}

// drawInto fills ids with numbers of [0, n).
func drawInto(ids []int32, n int, seed uint64) {
	for i := range ids {
		ids[i] = below(seed, uint64(i), n)
	}
}

// triples are random facts (head, relation, tail).
type triples struct{ head, relation, tail []int32 }

func newTriples(k *KG) triples {
	return triples{
		head:     drawn(k.Edges, k.Nodes, mat.Mix(seed, 10)),
		relation: drawn(k.Edges, k.Relations, mat.Mix(seed, 11)),
		tail:     drawn(k.Edges, k.Nodes, mat.Mix(seed, 12)),
	}
}
