package importer

import (
	"io"
	"runtime"
	"sync"

	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/host"
)

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
