package kernel

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bloomgml/bloom/internal/host"
)

// Overview. A parallel region is a task cut into numbered chunks. The caller publishes the
// region, works on chunks itself and so do the workers that are awake; chunks are claimed one
// at a time from a shared counter. Which goroutine runs a chunk never changes what the chunk
// computes, so results are the same bits for any number of threads.
//
// Waking a parked thread costs about 60 µs and a descent step may last less, so a worker spins for spinFor after its
// last chunk before it parks. The caller waits only for workers that entered: a region that ends before a parked worker
// wakes up is not held up by it. A region of n chunks asks for at most n−1 workers, and workers that take part wake
// others, so no single thread has to wake them all. Whatever many threads write, the chunk counter and a flag per
// worker, is kept apart in memory. A panic in a worker, which no caller could recover, is raised again in the caller
// once the region has ended.

// spinFor is how long an idle worker looks for new work before it parks.
const spinFor = 100 * time.Microsecond

// task is a piece of work that was cut into chunks. Chunks may run at the same time and in any
// order: do(i) may write only what belongs to chunk i.
type task interface{ do(chunk int) }

// seer is a task that is told which chunk the same thread does next, so it can prefetch what that chunk needs.
// before(i, next) does what do(i) does; next is not a valid chunk if the next one is unknown.
type seer interface {
	task
	before(chunk, next int)
}

// cacheLines is padding that puts data written by different threads in separate cache lines, even if lines are fetched
// in pairs.
type cacheLines [128]byte

// pool runs one region at a time on a set of workers that live as long as the pool.
type pool struct {
	busy    sync.Mutex // held while a region is open
	task    task
	seer    seer // the task, where it is one
	chunks  atomic.Int32
	helpers atomic.Int32               // how many workers the region wants at most
	broken  atomic.Pointer[host.Panic] // of the first worker that panicked in the region
	workers []*worker
	cores   int // threads that multiply matrices
	_       cacheLines
	open    atomic.Bool // what idle workers look at
	_       cacheLines
	next    atomic.Int32 // first chunk nobody has claimed
	_       cacheLines
}

// worker is one helper goroutine of a pool.
type worker struct {
	number int // from 0 on
	park   *park
	quit   atomic.Bool
	parked atomic.Bool
	_      cacheLines
	inside atomic.Bool // it may be at work on a region
	_      cacheLines
}

var (
	poolMu sync.Mutex
	shared atomic.Pointer[pool]
)

// Threads returns how many goroutines a parallel region may use, the caller included.
func Threads() int { return len(activePool().workers) + 1 }

// SetThreads makes regions use n goroutines; n < 1 means GOMAXPROCS, and one thread per core for matrix products: a
// hyperthread has no multiply-add units of its own, but may wait for memory while its twin computes. Results do not
// depend on it.
func SetThreads(n int) {
	poolMu.Lock()
	defer poolMu.Unlock()
	setThreads(n)
}

func setThreads(n int) *pool {
	cores := n
	if n < 1 {
		n = runtime.GOMAXPROCS(0)
		cores = min(n, host.Cores())
	}
	p := newPool(n-1, cores)
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

func newPool(workers, cores int) *pool {
	p := &pool{workers: make([]*worker, workers), cores: cores}
	for i := range p.workers {
		p.workers[i] = &worker{number: i, park: newPark()}
	}
	for _, w := range p.workers {
		go p.serve(w)
	}
	return p
}

// stop ends the workers once the region in progress, if any, is over.
func (p *pool) stop() {
	p.busy.Lock()
	defer p.busy.Unlock()
	for _, w := range p.workers {
		w.quit.Store(true)
		w.rouse()
	}
}

// parallel runs every chunk of t and returns when all are done. A region opened while another
// one is in progress (from a second goroutine, or from inside a chunk) runs on the caller alone.
func parallel(chunks int, t task) {
	p := activePool()
	p.region(chunks, len(p.workers), t, nil)
}

// multiply is parallel on p.cores threads, the number that matrix products use.
func multiply(chunks int, t task) {
	p := activePool()
	p.region(chunks, p.cores-1, t, nil)
}

// multiplyAhead is multiply for a task that is told its next chunk; s is the same task as t.
func multiplyAhead(chunks int, t task, s seer) {
	p := activePool()
	p.region(chunks, p.cores-1, t, s)
}

// region is parallel with at most helpers workers. s is t if t is a seer, nil otherwise; a type assertion or conversion
// here would sometimes allocate.
func (p *pool) region(chunks, helpers int, t task, s seer) {
	if chunks <= 1 || helpers == 0 || !p.busy.TryLock() {
		for i := range chunks {
			t.do(i)
		}
		return
	}
	defer p.end()
	p.task, p.seer = t, s
	p.chunks.Store(int32(chunks))
	p.helpers.Store(int32(min(helpers, chunks-1)))
	p.next.Store(0)
	p.open.Store(true)
	p.rouseAfter(0)
	p.claim()
}

// end closes the region, even if the caller panics: workers inside it then finish their current chunks. If a worker
// panicked, end panics with its *host.Panic.
func (p *pool) end() {
	p.next.Store(p.chunks.Load())
	p.close()
	p.task, p.seer = nil, nil
	broken := p.broken.Load()
	if broken != nil {
		p.broken.Store(nil)
	}
	p.busy.Unlock()
	if broken != nil {
		panic(broken)
	}
}

// claim runs chunks until none is left.
func (p *pool) claim() {
	if p.seer != nil {
		p.claimAhead()
		return
	}
	for i := p.next.Add(1) - 1; i < p.chunks.Load(); i = p.next.Add(1) - 1 {
		p.task.do(int(i))
	}
}

// claimAhead is claim, but claims the next chunk before doing the current one. The last chunks are left to whichever
// thread is free.
func (p *pool) claimAhead() {
	s, chunks := p.seer, p.chunks.Load()
	late := chunks - int32(len(p.workers)) - 1
	for i := p.next.Add(1) - 1; i < chunks; {
		if i >= late {
			s.do(int(i))
			i = p.next.Add(1) - 1
			continue
		}
		next := p.next.Add(1) - 1
		s.before(int(i), int(next))
		i = next
	}
}

// close shuts the region and waits for the workers inside it. A worker marks itself as inside and then checks that the
// region is open; close first shuts the region and then checks which workers are inside. So either the worker sees that
// it is too late, or close waits for it.
func (p *pool) close() {
	p.open.Store(false)
	for _, w := range p.workers {
		for spins := 0; w.inside.Load(); spins++ {
			if spins < 1000 {
				pause()
			} else {
				runtime.Gosched()
			}
		}
	}
}

// rouseAfter wakes parked workers that the region has chunks for. Every participant wakes two: the caller, place 0, the
// workers 0 and 1; worker i, place i+1, the workers 2i+2 and 2i+3.
func (p *pool) rouseAfter(place int) {
	most := int(p.helpers.Load())
	for i := 2 * place; i < min(2*place+2, most); i++ {
		p.workers[i].rouse()
	}
}

// rouse wakes a worker if it is parked.
func (w *worker) rouse() {
	if w.parked.Load() {
		w.park.rouse()
	}
}

// serve is the main loop of a worker: it enters open regions, spins between them, and parks when idle.
func (p *pool) serve(w *worker) {
	defer w.park.close()
	for !w.quit.Load() {
		if p.tryJoin(w) {
			continue
		}
		if p.spin(w) {
			continue
		}
		w.park.arm()
		w.parked.Store(true)
		if !p.wants(w) && !w.quit.Load() {
			w.park.wait()
		}
		w.parked.Store(false)
	}
}

// wants reports whether a region is open that has chunks left, and wants this worker.
func (p *pool) wants(w *worker) bool {
	if !p.open.Load() {
		return false
	}
	return w.number < int(p.helpers.Load()) && p.next.Load() < p.chunks.Load()
}

// tryJoin takes part in the region if it wants the worker.
func (p *pool) tryJoin(w *worker) bool {
	if !p.wants(w) {
		return false
	}
	w.inside.Store(true)
	defer p.leave(w)
	if p.open.Load() {
		p.rouseAfter(w.number + 1)
		p.claim()
	}
	return true
}

// leave is deferred by a worker to end its part of a region. If the worker panicked, leave keeps the panic for the
// caller, and no further chunk is started.
func (p *pool) leave(w *worker) {
	if cause := recover(); cause != nil {
		p.broken.CompareAndSwap(nil, &host.Panic{Cause: cause, Stack: debug.Stack()})
		p.next.Store(p.chunks.Load())
	}
	w.inside.Store(false)
}

// spin waits up to spinFor for a region to join and reports whether one may be there.
func (p *pool) spin(w *worker) bool {
	start := time.Now()
	for i := 1; ; i++ {
		if p.wants(w) || w.quit.Load() {
			return true
		}
		pause()
		if i%64 == 0 && time.Since(start) > spinFor {
			return false
		}
	}
}
