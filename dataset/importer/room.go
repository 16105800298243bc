package importer

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/mat"
)

// room makes room for the edges of a block, begins the columns that earlier tables did not have, and refuses more edges
// than can be numbered.
func (e *edgeImport) room(k *chunk, c *edgeColumns) error {
	n := k.batch.Rows()
	if len(e.src)+n > math.MaxInt32 {
		return fmt.Errorf("more than %d edges", math.MaxInt32)
	}
	if cap(e.src)-len(e.src) < n {
		more, err := e.takeEdges(k, n)
		if err != nil {
			return err
		}
		e.src, e.dst = host.GrowHuge(e.src, more), host.GrowHuge(e.dst, more)
		if e.rel != nil {
			e.rel = host.GrowHuge(e.rel, more)
		}
		if e.weight != nil {
			e.weight = host.GrowHuge(e.weight, more)
		}
	}
	if e.rel == nil && (c.relation >= 0 || c.fixed > 0) {
		e.rel = make([]int32, len(e.src), cap(e.src)) // all of the first relation
	}
	if e.weight == nil && c.weight >= 0 {
		e.weight = make([]mat.Real, len(e.src), cap(e.src))
		for i := range e.weight {
			e.weight[i] = 1
		}
	}
	return nil
}

// sure is how many bytes of a file tell how long its rows are.
const sure = 4 << 20

// more returns for how many more edges to allocate when a block of n needs room: the number that the part of the table
// read so far predicts for the rest, so arrays grow once; half the present number if that is unknown.
func (e *edgeImport) more(k *chunk, n int) int {
	grown := max(n, len(e.src)/2)
	if k.done < sure || k.done >= k.total {
		return grown
	}
	read := len(e.src) - e.first + n
	promised := float64(read)*(float64(k.total)/float64(k.done))*1.03 - float64(len(e.src)-e.first)
	if promised > 1<<30 { // the prediction may be wrong
		return grown
	}
	return max(n, int(promised))
}

// edgeBytes is the memory of an edge here: ends, relation and weight.
const edgeBytes = 16

// takeEdges takes memory for more edges from the budget: the number that more returns, or n if that is beyond the
// budget. It gives back the memory of the outgrown arrays.
func (e *edgeImport) takeEdges(k *chunk, n int) (more int, err error) {
	what := func() string { return fmt.Sprintf("%d edges", len(e.src)+more) }
	more = e.more(k, n)
	if err = e.budget.Take(int64(len(e.src)+more)*edgeBytes, what()); err != nil {
		more = n
		err = e.budget.Take(int64(len(e.src)+more)*edgeBytes, what())
	}
	e.budget.Release(int64(cap(e.src)) * edgeBytes)
	return more, err
}
