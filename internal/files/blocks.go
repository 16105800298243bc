package files

import (
	"errors"
	"io"
	"runtime"
	"sync"

	"github.com/bloomgml/bloom/internal/host"
)

// Each calls do with the remaining blocks, on all cores at once and in any order, while the next blocks are read and
// unpacked. A block is valid during its call. Of several errors the one with the first line wins, so the same file
// always fails in the same way.
func (b *LineBlocks) Each(do func(block []byte, line int) error) error {
	type job struct {
		block []byte
		line  int
	}
	workers := runtime.GOMAXPROCS(0)
	jobs := make(chan job)
	free := make(chan []byte, workers+1)
	for range cap(free) {
		free <- make([]byte, 0, blockSize)
	}
	var first firstError
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for j := range jobs {
				first.keep(j.line, host.Catch(func() error { return do(j.block, j.line) }))
				free <- j.block
			}
		})
	}
	for !first.any() {
		block, line, err := b.Next(<-free)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			first.keep(b.line, err)
			break
		}
		jobs <- job{block, line}
	}
	close(jobs)
	group.Wait()
	return host.Rethrow(first.err)
}

// firstError is the error with the smallest line. Blocks are handed out in order, so all blocks before the failed one
// have been processed when the workers are done.
type firstError struct {
	mu   sync.Mutex
	line int
	err  error
}

// keep remembers err, unless it is nil or an earlier line failed.
func (f *firstError) keep(line int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil && (f.err == nil || line < f.line) {
		f.line, f.err = line, err
	}
}

// any reports whether something failed.
func (f *firstError) any() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err != nil
}
