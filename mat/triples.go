package mat

import (
	"fmt"
	"sync"
)

// Triples is a list of triples of row numbers of three matrices, for instance target, source and relation of every
// edge. RelMM combines rows of two of the matrices into rows of the third. The triples are listed by their first
// number; triple e of that list has the number e. It is immutable, except that the code that made it with
// NewBatchTriples may refill it between runs.
type Triples struct {
	refillable
	bounds [3]int
	n      int        // how many there are, or how many a batch has room for
	ids    [3][]int32 // in the order of the list by the first number

	derived sync.Mutex
	numbers *Triples
	first   *Index
}

// NewTriples returns the triples (ids[0][e], ids[1][e], ids[2][e]) on the default device, or an error
// for the first number of a list that is not below its bound. A negative bound is an error too.
func NewTriples(bounds [3]int, ids [3][]int32) (*Triples, error) {
	for r := range ids {
		if bounds[r] < 0 {
			return nil, fmt.Errorf("mat: number %d of the triples below the negative bound %d", r, bounds[r])
		}
		if len(ids[r]) != len(ids[0]) {
			return nil, fmt.Errorf("mat: triples from lists of %d and %d numbers", len(ids[0]), len(ids[r]))
		}
		if err := checkRange(ids[r], bounds[r]); err != nil {
			return nil, fmt.Errorf("mat: number %d of the triples: %w", r, err)
		}
	}
	order := byNumber(ids[0], bounds[0])
	var sorted [3][]int32
	for r := range ids {
		for _, e := range order {
			sorted[r] = append(sorted[r], ids[r][e])
		}
	}
	return newTriples(Default(), bounds, sorted), nil
}

// newTriples is NewTriples for triples that are in range and in order.
func newTriples(dev Device, bounds [3]int, ids [3][]int32) *Triples {
	at := placed{dev, dev.Triples(bounds, ids)}
	return &Triples{refillable: refillable{placed: at}, bounds: bounds, n: len(ids[0]), ids: ids}
}

// byNumber lists the positions of ids by their id, and in order where ids are equal.
func byNumber(ids []int32, bound int) []int32 {
	next := make([]int, bound+1)
	for _, id := range ids {
		next[id+1]++
	}
	for i := range bound {
		next[i+1] += next[i]
	}
	order := make([]int32, len(ids))
	for e, id := range ids {
		order[next[id]] = int32(e)
		next[id]++
	}
	return order
}

// Len returns the number of triples, or the number that a batch has room for.
func (t *Triples) Len() int { return t.n }

// Bound returns one more than the largest number allowed in place r of a triple.
func (t *Triples) Bound(r int) int { return t.bounds[r] }

// Numbered returns the list of (e, second, third) for every triple e: RelMM to place 0 of it gives one row
// per triple. Rows beyond the present number of triples of a batch have no triples.
func (t *Triples) Numbered() *Triples {
	t.derived.Lock()
	defer t.derived.Unlock()
	if t.numbers == nil {
		e := make([]int32, t.n)
		for i := range e {
			e[i] = int32(i)
		}
		bounds := [3]int{t.n, t.bounds[1], t.bounds[2]}
		if !t.batch {
			t.numbers = newTriples(t.dev, bounds, [3][]int32{e, t.ids[1], t.ids[2]})
			return t.numbers
		}
		t.numbers = newBatchTriples(t.dev, bounds, t.n)
		copy(t.numbers.ids[0][:t.n], e)
		t.number()
	}
	return t.numbers
}

// First returns the first number of every triple; 0 beyond the present triples of a batch.
func (t *Triples) First() *Index {
	t.derived.Lock()
	defer t.derived.Unlock()
	if t.first == nil {
		ids := make([]int32, t.n)
		copy(ids, t.ids[0])
		x, err := newIndex(t.dev, ids, t.bounds[0])
		if err != nil {
			panic(err) // the numbers have been checked, except for a batch with room for triples and no row to put them
		}
		x.batch, t.first = t.batch, x
	}
	return t.first
}

// others returns the two places of a triple that are not `to`, in order.
func others(to int) (p, q int) { return [3]int{1, 0, 0}[to], [3]int{2, 2, 1}[to] }

// RelMM is dst[i,:] ← β·dst[i,:] + Σ x[j,:]∘y[k,:] over the triples with i in place `to`; j and k are
// their other two numbers, in order. With β = 0 the old dst is not read. dst is neither x nor y.
func RelMM(dst *Dense, t *Triples, to int, x, y *Dense, beta Real) {
	p, q := others(to)
	mustEqual("RelMM", dst.shape, Shape{t.bounds[to], x.Cols()})
	mustEqual("RelMM", x.shape, Shape{t.bounds[p], x.Cols()})
	mustEqual("RelMM", y.shape, Shape{t.bounds[q], x.Cols()})
	mustShare("RelMM", dst.dev, x, y)
	mustBeOn("RelMM", dst.dev, t.dev)
	dst.dev.RelMM(dst, t, to, x, y, beta)
}

// RelStatistics are the statistics of the messages m = x[j,:]∘y[k,:] of the triples (i, j, k), or with Plus of
// m = x[j,:] + y[k,:], column by column and by i, each Bound(0)×cols:
//
//	Sum = Σ m   Square = Σ m²   Max = max m   Min = min m
//
// ArgMax and ArgMin tell which message of row i it was, counted from 0: the first where several are
// equal. A row without messages has zeros, and −1 in ArgMax and ArgMin.
type RelStatistics struct {
	Sum, Square, Max, Min, ArgMax, ArgMin *Dense
	Plus                                  bool
}

// RelStats fills s with the statistics of the messages between x and y.
func RelStats(s RelStatistics, t *Triples, x, y *Dense) {
	s.must("RelStats", t, x, y)
	x.dev.RelStats(s, t, x, y)
}

// RelStatsVJP is the derivative of RelStats to the messages; dm has a row for every triple. s holds
// the cotangents, and ArgMax and ArgMin as RelStats left them.
func RelStatsVJP(dm *Dense, s RelStatistics, t *Triples, x, y *Dense) {
	s.must("RelStatsVJP", t, x, y)
	mustEqual("RelStatsVJP", dm.shape, Shape{t.Len(), x.Cols()})
	mustShare("RelStatsVJP", x.dev, dm)
	x.dev.RelStatsVJP(dm, s, t, x, y)
}

func (s RelStatistics) must(op string, t *Triples, x, y *Dense) {
	mustEqual(op, x.shape, Shape{t.bounds[1], x.Cols()})
	mustEqual(op, y.shape, Shape{t.bounds[2], x.Cols()})
	for _, d := range [...]*Dense{s.Sum, s.Square, s.Max, s.Min, s.ArgMax, s.ArgMin} {
		mustEqual(op, d.shape, Shape{t.bounds[0], x.Cols()})
		mustShare(op, x.dev, d)
	}
	mustShare(op, x.dev, y)
	mustBeOn(op, x.dev, t.dev)
}
