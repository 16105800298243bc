package importer

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/mat"
)

// chunk is a block of rows with what is known about them.
type chunk struct {
	batch   table.Batch
	u, v, r []int32 // nodes and relations; negative if they need a second look
	w       []mat.Real
	clean   bool // no row needs a second look
	err     error
	done    int64 // how much of the table was read with this block, as table.Source.Progress says
	total   int64
	ready   chan struct{} // receives a value when all this is known
}

// Marks in chunk.u in addition to those of nodeIndex.find.
const (
	badWeight   int32 = -4
	rejectedRow int32 = -5
)

// resolve parses a block and looks up what it can without adding anything.
func (k *chunk) resolve(e *edgeImport, c *edgeColumns) error {
	if err := k.batch.Parse(); err != nil {
		return err
	}
	n := k.batch.Rows()
	k.u, k.v = resized(k.u, n), resized(k.v, n)
	k.ends(e, k.u, c.source, c.fixedSource, c.sourceType)
	k.ends(e, k.v, c.target, c.fixedTarget, c.targetType)
	if c.relation >= 0 {
		k.r = resized(k.r, n)
		for i := range n {
			id, ok := e.relations.Find(k.batch.Cell(i, c.relation))
			if !ok {
				id = unknownNode
			}
			k.r[i] = id
		}
	}
	if c.weight >= 0 {
		k.w = resized(k.w, n)
		for i := range n {
			w, ok := edgeWeight(k.batch.Cell(i, c.weight))
			k.w[i] = w
			if !ok {
				k.u[i] = badWeight
			}
		}
	}
	k.clean = true
	for i := range n {
		k.clean = k.clean && k.fine(e, c, i)
	}
	return nil
}

// fine reports whether row i needs no second look.
func (k *chunk) fine(e *edgeImport, c *edgeColumns, i int) bool {
	return k.u[i]|k.v[i] >= 0 && (c.relation < 0 || k.r[i] >= 0) && !e.isOld(k.u[i], k.v[i])
}

// isOld reports whether both ends of an edge were there before the tables were read: it is not one of newcomers.
func (e *edgeImport) isOld(u, v int32) bool { return u|v >= 0 && int(max(u, v)) < e.nodes.known }

// ends looks up the sources or the targets of all rows: of a fixed type, −1 for any, or of that in the column types.
func (k *chunk) ends(e *edgeImport, dst []int32, column, fixed, types int) {
	if e.nodes.grows() {
		e.several.RLock()
		defer e.several.RUnlock()
		for i := range dst {
			t := fixed
			if types >= 0 {
				t = e.nodes.typeOf(string(k.batch.Cell(i, types)))
			}
			dst[i] = e.nodes.find(t, k.batch.Cell(i, column))
		}
		return
	}
	var names [build.BatchSize][]byte
	otherwise := 0
	for begin := 0; begin < len(dst); begin += len(names) {
		part := dst[begin:min(begin+len(names), len(dst))]
		for i := range part {
			names[i] = e.nodes.key(k.batch.Cell(begin+i, column))
		}
		e.nodes.tables[0].FindAll(part, names[:len(part)])
		for i := range part {
			if len(names[i]) == 0 {
				part[i] = missingNode
			} else if part[i] >= 0 && e.nodes.otherwise(0, part[i], k.batch.Cell(begin+i, column)) {
				otherwise++
			}
		}
	}
	e.nodes.folded.Add(int64(otherwise))
}

// resized returns a slice of length n, x itself if it is large enough.
func resized[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}

// edgeWeight reads a finite weight that is not negative; a missing one is 1.
func edgeWeight(text []byte) (mat.Real, bool) {
	trimmed := strings.TrimSpace(string(text))
	x, ok := parseNumber(trimmed)
	if !ok {
		return 1, IsMissing(trimmed)
	}
	return mat.Real(x), x >= 0 && !math.IsInf(float64(mat.Real(x)), 0)
}

// addChunk appends the edges of a block.
func (e *edgeImport) addChunk(k *chunk, c *edgeColumns, file string, report *TableReport) error {
	if k.err != nil {
		return k.err
	}
	ragged, err := e.reject.ragged(&k.batch, file, report)
	if err != nil {
		return err
	}
	report.Rows += k.batch.Rows() + ragged
	if err := e.room(k, c); err != nil {
		return err
	}
	if len(c.extra) > 0 {
		if err := e.takeTexts(&k.batch, len(c.extra)); err != nil {
			return err
		}
	}
	rejected, err := e.settle(k, c, file)
	if err != nil {
		return err
	}
	if rejected || len(c.extra) > 0 {
		e.appendRows(k, c)
	} else {
		e.src, e.dst = append(e.src, k.u...), append(e.dst, k.v...)
		if c.relation >= 0 {
			e.rel = append(e.rel, k.r...)
		}
		if c.weight >= 0 {
			e.weight = append(e.weight, k.w...)
		}
	}
	e.fill(c)
	return nil
}

// settle looks again at the rows that need it, adds what is new, and marks and reports unusable rows.
func (e *edgeImport) settle(k *chunk, c *edgeColumns, file string) (rejected bool, err error) {
	if k.clean {
		return false, nil
	}
	if slices.Contains(e.nodes.open, true) {
		if err := e.takeIDs(-1, 2*k.batch.Rows(), k.batch.Size()); err != nil {
			return false, err
		}
	}
	if e.nodes.grows() {
		e.several.Lock()
		defer e.several.Unlock()
	}
	for i := range k.batch.Rows() {
		if k.fine(e, c, i) {
			continue
		}
		reason := e.second(k, c, i)
		if e.refold {
			return true, errFold
		}
		if reason == "" {
			continue
		}
		k.u[i], rejected = rejectedRow, true
		if err := e.reject.add(&k.batch, file, i, reason); err != nil {
			return true, err
		}
	}
	e.nodes.flush()
	return rejected, nil
}

// appendRows appends the edges of a block one by one, except those that are marked.
func (e *edgeImport) appendRows(k *chunk, c *edgeColumns) {
	for i, u := range k.u {
		if u == rejectedRow {
			continue
		}
		e.src, e.dst = append(e.src, u), append(e.dst, k.v[i])
		if c.relation >= 0 {
			e.rel = append(e.rel, k.r[i])
		}
		if c.weight >= 0 {
			e.weight = append(e.weight, k.w[i])
		}
		for j, column := range c.extra {
			x := &e.extra[c.into[j]].Values
			pad(x, len(e.src)-1)
			x.Append(k.batch.Cell(i, column))
		}
	}
}

// pad appends empty texts until there are n.
func pad(t *dataset.Texts, n int) {
	for t.Len() < n {
		t.Append(nil)
	}
}

// fill completes the columns that this table lacks.
func (e *edgeImport) fill(c *edgeColumns) {
	for e.rel != nil && len(e.rel) < len(e.src) {
		e.rel = append(e.rel, c.fixed)
	}
	for e.weight != nil && len(e.weight) < len(e.src) {
		e.weight = append(e.weight, 1)
	}
}

// second looks again at row i, adds what may be added, some of it only when nodes.flush is called, and returns the
// reason if the row is unusable.
func (e *edgeImport) second(k *chunk, c *edgeColumns, i int) (reason string) {
	if c.weight >= 0 {
		text := k.batch.Cell(i, c.weight)
		if _, ok := edgeWeight(text); !ok {
			return fmt.Sprintf("the weight %.80q is not a number ≥ 0", text)
		}
	}
	if c.relation >= 0 && k.r[i] < 0 {
		text := k.batch.Cell(i, c.relation)
		switch {
		case len(text) == 0:
			return "the relation is missing"
		case e.old != nil:
			return fmt.Sprintf("the relation %.80q is not known", text)
		}
	}
	e.refold = k.u[i] == unknownNode && e.foldable(c.fixedSource, k.batch.Cell(i, c.source)) ||
		k.v[i] == unknownNode && e.foldable(c.fixedTarget, k.batch.Cell(i, c.target))
	if reason := e.endReason("source", c.fixedSource, k.u[i], k.batch.Cell(i, c.source)); reason != "" {
		return reason
	}
	if reason := e.endReason("target", c.fixedTarget, k.v[i], k.batch.Cell(i, c.target)); reason != "" {
		return reason
	}
	if e.isOld(k.u[i], k.v[i]) {
		return "neither end is new"
	}
	if k.u[i] < 0 {
		e.nodes.addLater(c.fixedSource, k.batch.Cell(i, c.source), &k.u[i])
	}
	if k.v[i] < 0 {
		e.nodes.addLater(c.fixedTarget, k.batch.Cell(i, c.target), &k.v[i])
	}
	if c.relation >= 0 && k.r[i] < 0 {
		k.r[i] = e.relations.ID(k.batch.Cell(i, c.relation))
	}
	return ""
}

// endReason returns what is wrong with an end of an edge, of type t, that was looked up; empty if nothing is.
func (e *edgeImport) endReason(name string, t int, node int32, id []byte) string {
	switch {
	case node >= 0:
		return ""
	case node == missingNode:
		return fmt.Sprintf("the %s is missing", name)
	case node == ambiguousNode:
		return fmt.Sprintf("the %s %.80q is a node of several types; say which: --edges type:relation:type=FILE", name,
			id)
	case len(id) > maxID:
		return tooLong(name, id)
	case !e.nodes.isOpen(t):
		return fmt.Sprintf("the %s %.80q is not among the nodes", name, id)
	}
	return ""
}

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

// chunkStream reads a table block by block, processes the blocks on all cores and returns them in order.
type chunkStream struct {
	free  chan *chunk // used up
	work  chan *chunk // read, to be worked on
	order chan *chunk // the same, in the order of the table
	quit  chan struct{}
	group sync.WaitGroup
}

// newChunkStream starts reading s and calling f for its blocks.
func newChunkStream(s table.Source, f func(*chunk) error) *chunkStream {
	cores := runtime.GOMAXPROCS(0)
	n := 3*cores + 2
	x := &chunkStream{make(chan *chunk, n), make(chan *chunk, n), make(chan *chunk, n), make(chan struct{}),
		sync.WaitGroup{}}
	for range n {
		x.free <- &chunk{ready: make(chan struct{}, 1)}
	}
	x.group.Go(func() { x.read(s) })
	for range cores {
		x.group.Go(func() {
			for k := range x.work {
				if k.err == nil {
					k.err = host.Catch(func() error { return f(k) })
				}
				k.ready <- struct{}{}
			}
		})
	}
	return x
}

// read reads until the table ends or cannot be read.
func (x *chunkStream) read(s table.Source) {
	defer close(x.work)
	defer close(x.order)
	for {
		select {
		case <-x.quit:
			return
		case k := <-x.free:
			err := host.Catch(func() error { return s.Next(&k.batch) })
			if err == io.EOF {
				return
			}
			k.err = err
			k.done, k.total = s.Progress()
			x.work <- k // neither waits: there is room for all
			x.order <- k
			if err != nil {
				return
			}
		}
	}
}

// next returns the next block, nil after the last. The caller must recycle it. It panics if reading or processing did.
func (x *chunkStream) next() *chunk {
	k := <-x.order
	if k != nil {
		<-k.ready
		k.err = host.Rethrow(k.err)
	}
	return k
}

// recycle returns a block for reuse.
func (x *chunkStream) recycle(k *chunk) { x.free <- k }

// stop ends the stream at any point, and returns when nobody reads the table any more.
func (x *chunkStream) stop() {
	close(x.quit)
	x.group.Wait()
}
