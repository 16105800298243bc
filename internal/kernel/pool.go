package kernel

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bloomgml/bloom/internal/join"
)

// Overview. A parallel region is a task cut into numbered chunks. The caller publishes the
// region, works on chunks itself and so do the workers that are awake; chunks are claimed one
// at a time from a shared counter. Which goroutine runs a chunk never changes what the chunk
// computes, so results are the same bits for any number of threads.
//
// Waking a parked thread costs about 60 µs and a descent step may last less, so a worker spins
// for spinFor after its last chunk before it parks. The caller waits only for workers that
// entered: a region that ends before a parked worker wakes up is not held up by it. A panic of a worker, which no
// caller could recover, is the caller's after the region has ended.

// spinFor is how long an idle worker looks for new work before it parks.
const spinFor = 100 * time.Microsecond

// task is a piece of work that was cut into chunks. Chunks may run at the same time and in any
// order: do(i) may write only what belongs to chunk i.
type task interface{ do(chunk int) }

// region states, in the low bits of pool.state; the rest counts the workers that entered.
const (
	closed = 0
	open   = 1
	enter  = 2
)

// pool runs one region at a time on a set of workers that live as long as the pool.
type pool struct {
	busy     sync.Mutex // held while a region is open
	task     task
	chunks   atomic.Int32
	next     atomic.Int32               // first chunk nobody has claimed
	state    atomic.Int32               // open or closed, plus enter for every worker inside
	finished atomic.Int32               // workers that left the region
	broken   atomic.Pointer[join.Panic] // of the first worker that panicked in the region
	workers  []*worker
}

// worker is one helper goroutine of a pool.
type worker struct {
	parked atomic.Bool
	quit   atomic.Bool
	wake   chan struct{}
}

var (
	poolMu sync.Mutex
	shared atomic.Pointer[pool]
)

// Threads is how many goroutines a parallel region may use, the caller included.
func Threads() int { return len(activePool().workers) + 1 }

// SetThreads makes regions use n goroutines; n < 1 means GOMAXPROCS. Results do not depend on it.
func SetThreads(n int) {
	poolMu.Lock()
	defer poolMu.Unlock()
	setThreads(n)
}

func setThreads(n int) *pool {
	if n < 1 {
		n = runtime.GOMAXPROCS(0)
	}
	p := newPool(n - 1)
	if old := shared.Swap(p); old != nil {
		old.stop()
	}
	return p
}

func activePool() *pool {
	if p := shared.Load(); p != nil {
		return p
	}
	poolMu.Lock()
	defer poolMu.Unlock()
	if p := shared.Load(); p != nil {
		return p
	}
	return setThreads(0)
}

func newPool(workers int) *pool {
	p := &pool{workers: make([]*worker, workers)}
	for i := range p.workers {
		p.workers[i] = &worker{wake: make(chan struct{}, 1)}
		go p.serve(p.workers[i])
	}
	return p
}

// stop ends the workers once the region in progress, if any, is over.
func (p *pool) stop() {
	p.busy.Lock()
	defer p.busy.Unlock()
	for _, w := range p.workers {
		w.quit.Store(true)
	}
	p.wakeParked()
}

// parallel runs every chunk of t and returns when all are done. A region opened while another
// one is in progress (from a second goroutine, or from inside a chunk) runs on the caller alone.
func parallel(chunks int, t task) {
	p := activePool()
	if chunks <= 1 || len(p.workers) == 0 || !p.busy.TryLock() {
		for i := range chunks {
			t.do(i)
		}
		return
	}
	defer p.end()
	p.task = t
	p.chunks.Store(int32(chunks))
	p.next.Store(0)
	p.finished.Store(0)
	p.state.Store(open)
	p.wakeParked()
	p.claim()
}

// end closes the region, also where the caller panics: workers that are in it then finish what they have begun. It
// panics with the *join.Panic of a worker.
func (p *pool) end() {
	p.next.Store(p.chunks.Load())
	p.close()
	p.task = nil
	broken := p.broken.Swap(nil)
	p.busy.Unlock()
	if broken != nil {
		panic(broken)
	}
}

// claim runs chunks until none is left.
func (p *pool) claim() {
	for i := p.next.Add(1) - 1; i < p.chunks.Load(); i = p.next.Add(1) - 1 {
		p.task.do(int(i))
	}
}

// close shuts the region and waits for the workers inside it.
func (p *pool) close() {
	entered := (p.state.Swap(closed) - open) / enter
	for spins := 0; p.finished.Load() != entered; spins++ {
		if spins < 1000 {
			pause()
		} else {
			runtime.Gosched()
		}
	}
}

func (p *pool) wakeParked() {
	for _, w := range p.workers {
		if w.parked.Load() {
			select {
			case w.wake <- struct{}{}:
			default:
			}
		}
	}
}

// serve is the life of a worker: enter open regions, spin between them, park when idle.
func (p *pool) serve(w *worker) {
	for !w.quit.Load() {
		if p.tryJoin() {
			continue
		}
		if p.spin(w) {
			continue
		}
		w.parked.Store(true)
		if p.state.Load() == closed && !w.quit.Load() {
			<-w.wake
		}
		w.parked.Store(false)
	}
}

// tryJoin takes part in the region if one is open with chunks left.
func (p *pool) tryJoin() bool {
	s := p.state.Load()
	if s&open == 0 || p.next.Load() >= p.chunks.Load() || !p.state.CompareAndSwap(s, s+enter) {
		return false
	}
	defer p.leave()
	p.claim()
	return true
}

// leave is how a worker ends its part of a region, deferred: a panic is kept for the caller, and no chunk is begun any
// more.
func (p *pool) leave() {
	if cause := recover(); cause != nil {
		p.broken.CompareAndSwap(nil, &join.Panic{Cause: cause, Stack: debug.Stack()})
		p.next.Store(p.chunks.Load())
	}
	p.finished.Add(1)
}

// spin waits up to spinFor for a region to join and reports whether one may be there.
func (p *pool) spin(w *worker) bool {
	start := time.Now()
	for i := 1; ; i++ {
		if s := p.state.Load(); s&open != 0 && p.next.Load() < p.chunks.Load() || w.quit.Load() {
			return true
		}
		pause()
		if i%64 == 0 && time.Since(start) > spinFor {
			return false
		}
	}
}
