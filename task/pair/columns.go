package pair

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// columns computes the description of a pair besides its embeddings.
type columns struct {
	near     *neighbours
	alike    *alike     // nil if not requested
	common   bool       // what neighbours say
	mean, sd []mat.Real // nil if columns are taken as they are
}

// newColumns returns the columns that c asks for, scaled by the first nodes; the error is a *train.BadSetting.
func newColumns(c config.Config, d *dataset.Dataset, first int, near *neighbours) (*columns, error) {
	cols := &columns{near: near, common: c.Pairs.Common}
	if !c.Pairs.Alike {
		return cols, nil
	}
	if !featured(d) {
		return nil, &train.BadSetting{Key: "pairs.alike", Value: "true", Want: "false: it compares features of nodes " +
			"of one type"}
	}
	cols.alike = newAlike(d.Features[0], first, near)
	return cols, nil
}

// featured reports whether nodes are of one type and have features.
func featured(d *dataset.Dataset) bool { return len(d.Features) == 1 && d.Features[0].Cols > 0 }

// width returns the number of columns.
func (c *columns) width() int {
	n := 0
	if c.common {
		n += commons
	}
	if c.alike != nil {
		n += likenesses
	}
	return n
}

// input returns room for the numbers of some pairs on the device, and the expression of it; nil and none without
// columns.
func (c *columns) input(rows int) (*mat.Dense, ad.Var) {
	if c.width() == 0 {
		return nil, ad.Var{}
	}
	x := mat.New(rows, c.width())
	return x, ad.Input(x)
}

// renew tells that other pairs are hidden.
func (c *columns) renew() {
	if c.alike != nil {
		c.alike.time++
	}
}

// row writes the numbers of a pair into row i of rows.
func (c *columns) row(rows []mat.Real, i int, p pair) {
	all := rows[i*c.width() : (i+1)*c.width()]
	dst := all
	if c.common {
		c.near.describe(dst, p.u, p.v)
		dst = dst[commons:]
	}
	if c.alike != nil {
		c.alike.describe(dst, p.u, p.v)
	}
	for i := range c.mean {
		all[i] = (all[i] - c.mean[i]) / c.sd[i]
	}
}

// standardise takes mean and deviation of pairs, a row of numbers each.
func (c *columns) standardise(rows []mat.Real) {
	k := c.width()
	mean, square := make([]float64, k), make([]float64, k)
	n := float64(len(rows) / k)
	for i, x := range rows {
		mean[i%k] += float64(x) / n
		square[i%k] += float64(x) * float64(x) / n
	}
	c.mean, c.sd = make([]mat.Real, k), slices.Repeat([]mat.Real{1}, k)
	for i := range k {
		c.mean[i] = mat.Real(mean[i])
		if v := square[i] - mean[i]*mean[i]; v > 1e-12 {
			c.sd[i] = mat.Real(math.Sqrt(v))
		}
	}
}

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
