package pair

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// neighbours holds the training pairs by node; some pairs may be hidden.
type neighbours struct {
	start  []int32 // neighbours of v are list[start[v]:start[v+1]], ascending
	list   []int32
	of     []int32 // the training pair of every entry of list
	hidden []bool  // by training pair
	degree []int32 // not counting hidden pairs
}

func newNeighbours(n int, train []pair) *neighbours {
	a := &neighbours{start: make([]int32, n+1), list: make([]int32, 2*len(train)), of: make([]int32, 2*len(train)),
		hidden: make([]bool, len(train)), degree: make([]int32, n)}
	for _, p := range train {
		a.degree[p.u]++
		a.degree[p.v]++
	}
	for v, d := range a.degree {
		a.start[v+1] = a.start[v] + d
	}
	next := slices.Clone(a.start)
	put := func(v, w int32, i int) {
		a.list[next[v]], a.of[next[v]] = w, int32(i)
		next[v]++
	}
	for i, p := range train { // ascending: smaller neighbours come first
		put(p.v, p.u, i)
	}
	for i, p := range train {
		put(p.u, p.v, i)
	}
	return a
}

// hide hides some training pairs, and shows all others.
func (a *neighbours) hide(ids []int32, train []pair) {
	for i, h := range a.hidden {
		if h {
			a.degree[train[i].u]++
			a.degree[train[i].v]++
		}
	}
	clear(a.hidden)
	for _, i := range ids {
		a.hidden[i] = true
		a.degree[train[i].u]--
		a.degree[train[i].v]--
	}
}

// common calls f for the neighbours that u and v share.
func (a *neighbours) common(u, v int32, f func(w int32)) {
	i, j := a.start[u], a.start[v]
	for i < a.start[u+1] && j < a.start[v+1] {
		switch x, y := a.list[i], a.list[j]; {
		case x < y:
			i++
		case x > y:
			j++
		default:
			if !a.hidden[a.of[i]] && !a.hidden[a.of[j]] {
				f(x)
			}
			i++
			j++
		}
	}
}

// commons is how many numbers describe what a pair has in common.
const commons = 4

// describe writes what u and v have in common: log(1 + the number of common neighbours), the sums over these of
// 1/log(1 + d) (Adamic and Adar) and of 1/d (resource allocation), and log(1 + the sum of 1/√(d d′) over the paths of
// length three, d and d′ being the degrees along it).
func (a *neighbours) describe(dst []mat.Real, u, v int32) {
	count, adar, shared, long := 0.0, 0.0, 0.0, 0.0
	a.common(u, v, func(w int32) {
		d := float64(a.degree[w])
		count++
		adar += 1 / math.Log1p(d)
		shared += 1 / d
	})
	for i := a.start[u]; i < a.start[u+1]; i++ {
		if x := a.list[i]; !a.hidden[a.of[i]] && x != v {
			a.common(x, v, func(w int32) {
				if w != u {
					long += 1 / math.Sqrt(float64(a.degree[x])*float64(a.degree[w]))
				}
			})
		}
	}
	dst[0], dst[1], dst[2], dst[3] = mat.Real(math.Log1p(count)), mat.Real(adar), mat.Real(shared),
		mat.Real(math.Log1p(long))
}

// randomNeighbour returns a random neighbour of v that is not hidden; ok is false if a few tries find none.
func (a *neighbours) randomNeighbour(v int32, random uint64) (w int32, ok bool) {
	n := int(a.start[v+1] - a.start[v])
	for try := range uint64(4) {
		if n == 0 {
			break
		}
		if i := a.start[v] + int32(below(n, mat.Mix(random, try))); !a.hidden[a.of[i]] {
			return a.list[i], true
		}
	}
	return 0, false
}
