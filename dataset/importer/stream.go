package importer

import (
	"io"
	"runtime"
	"sync"

	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/host"
)

// chunkStream reads a table block by block, works on the blocks on all cores and gives them out in order.
type chunkStream struct {
	free  chan *chunk // used up
	work  chan *chunk // read, to be worked on
	order chan *chunk // the same, in the order of the table
	quit  chan struct{}
	group sync.WaitGroup
}

// newChunkStream begins to read s and to call f for its blocks.
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

// next is the next block, nil after the last. It must be given back. It panics where reading or working on it did.
func (x *chunkStream) next() *chunk {
	k := <-x.order
	if k != nil {
		<-k.ready
		k.err = host.Rethrow(k.err)
	}
	return k
}

// recycle gives a block back.
func (x *chunkStream) recycle(k *chunk) { x.free <- k }

// stop ends the stream, wherever it is, and returns when nobody reads the table any more.
func (x *chunkStream) stop() {
	close(x.quit)
	x.group.Wait()
}
