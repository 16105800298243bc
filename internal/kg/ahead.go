package kg

import (
	"runtime"
	"sync"

	"github.com/bloomgml/bloom/internal/host"
)

// ahead draws the next batch of an epoch on threads of the host while a GPU computes the current one. What is drawn is
// a function of the epoch and the batch: a batch that was not prefetched is drawn on request.
type ahead struct {
	draw  *batchDraw
	next  int      // the batch that is being drawn, or was; 0 for none: batch 0 is never prefetched
	parts []func() // draw a part of it each
	errs  []error  // panics of the parts
	work  sync.WaitGroup
}

// drawers is the maximum number of threads that draw.
const drawers = 16

func newAhead(d *drawnFalse) *ahead {
	n := min(drawers, runtime.GOMAXPROCS(0))
	a := &ahead{draw: d.newBatchDraw(), errs: make([]error, n)}
	for k := range n {
		part := func() error {
			d.fill(a.draw, a.next, k*d.size/n, (k+1)*d.size/n)
			return nil
		}
		a.parts = append(a.parts, func() {
			defer a.work.Done()
			a.errs[k] = host.Catch(part)
		})
	}
	return a
}

// nextBatch returns batch i of an epoch, provides room for the next one, and begins to draw that.
func (a *ahead) nextBatch(i, batches int, room *batchDraw) (*batchDraw, error) {
	if a.next != i || i == 0 {
		a.work.Wait()
		a.start(i)
	}
	a.work.Wait()
	for _, err := range a.errs {
		if host.Rethrow(err) != nil {
			return nil, err
		}
	}
	taken := a.draw
	a.draw, a.next = room, 0
	if i+1 < batches {
		a.start(i + 1)
	}
	return taken, nil
}

// start begins to draw batch i.
func (a *ahead) start(i int) {
	a.next = i
	a.work.Add(len(a.parts))
	for _, part := range a.parts {
		go part()
	}
}

// forget waits for what is being drawn and drops it.
func (a *ahead) forget() {
	a.work.Wait()
	a.next = 0
}
