package ondisk

import (
	"slices"

	"github.com/bloomgml/bloom/dataset"
)

// mostLike is the maximum number of blocks that Like reads.
const mostLike = 16

// Like returns a set of about n nodes, for estimating what the whole set would take. The nodes are spread over some
// blocks, with their types, features and ids, and keep their number of edges. An edge goes to the last chosen node up
// to its end. In every split a third of them trains, a third validates and a third tests, with classes in turn.
func (s *Store) Like(n int) (*dataset.Dataset, error) {
	k := min(mostLike, s.Blocks())
	of, all := make([]int, k), 0
	for j := range of {
		of[j] = j * s.Blocks() / k
		first, end := s.Rows(of[j])
		all += end - first
	}
	g := s.gather()
	var nodes []int32   // chosen, ascending
	var labelled []bool // of them; those that may be, where there is one type
	for _, i := range of {
		first, end := s.Rows(i)
		count, next := min(max(1, n*(end-first)/max(1, all)), end-first), 0
		from := len(nodes)
		l, err := g.block(i, func(r int) bool {
			if next == count || r != next*(end-first)/count {
				return false
			}
			next++
			nodes = append(nodes, int32(first+r))
			return true
		})
		if err != nil {
			return nil, err
		}
		for _, v := range nodes[from:] {
			labelled = append(labelled, l.Class[int(v)-first] >= 0 || s.Typed == nil)
		}
	}
	for e, v := range g.spec.Targets {
		at, found := slices.BinarySearch(nodes, v)
		if !found {
			at = max(0, at-1)
		}
		g.spec.Targets[e] = int32(at)
	}
	labelAlike(g.d, labelled)
	return g.dataset()
}

// labelAlike gives classes and parts of splits to the nodes that may have some.
func labelAlike(d *dataset.Dataset, labelled []bool) {
	k := len(d.Labels.Names)
	if k == 0 {
		return
	}
	d.Labels.Class = make([]int32, len(labelled))
	count := 0
	for v := range labelled {
		d.Labels.Class[v] = -1
		if !labelled[v] {
			continue
		}
		d.Labels.Class[v] = int32(count % k)
		for i := range d.Splits {
			[]Part{Train, Valid, Test}[count/k%3].AddTo(&d.Splits[i], int32(v))
		}
		count++
	}
}
