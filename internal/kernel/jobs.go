package kernel

import (
	"runtime"
	"slices"
	"sync/atomic"
)

// brief is a lock that is held for some nanoseconds. Waiters spin: sleeping would take thousands of times as long, and
// would allocate (park.go).
type brief struct{ held atomic.Bool }

func (l *brief) lock() {
	for spins := 1; !l.held.CompareAndSwap(false, true); spins++ {
		if pause(); spins%1000 == 0 {
			runtime.Gosched() // who holds it has been interrupted
		}
	}
}

func (l *brief) unlock() { l.held.Store(false) }

// jobs is a free list of task arguments: a kernel fills one, runs it and returns it to the list, so a call in steady
// state allocates nothing.
//
//	var scaleJobs jobs[scaleJob, *scaleJob]
//	scaleJobs.run(chunks, scaleJob{dst, x, alpha})
type jobs[T any, P interface {
	*T
	task
}] struct{ tasks }

// tasks is the part that jobs of all types share. Chunks call kernels too, so when the free list is empty it grows by
// one task per thread and one for the caller, as in scratch.
type tasks struct {
	mu   brief
	free []task // with room for all that were made
	made int
}

// acquireTask returns a free task, calling make for new ones if none is free.
func (l *tasks) acquireTask(make func() task) task {
	l.mu.lock()
	defer l.mu.unlock()
	if len(l.free) == 0 {
		more := Threads() + 1
		l.made += more
		l.free = slices.Grow(l.free, l.made)
		for range more {
			l.free = append(l.free, make())
		}
	}
	n := len(l.free) - 1
	t := l.free[n]
	l.free = l.free[:n]
	return t
}

// releaseTask returns a task to the free list.
func (l *tasks) releaseTask(t task) {
	l.mu.lock()
	l.free = append(l.free, t)
	l.mu.unlock()
}

// run executes all chunks of v, in parallel where the pool is free.
func (j *jobs[T, P]) run(chunks int, v T) { j.runIn(parallel, chunks, v) }

// multiply is run for products of matrices.
func (j *jobs[T, P]) multiply(chunks int, v T) { j.runIn(multiply, chunks, v) }

func (j *jobs[T, P]) runIn(region func(int, task), chunks int, v T) {
	p := j.acquire()
	*p = v
	region(chunks, p)
	j.release(p)
}

func (j *jobs[T, P]) acquire() P { return j.acquireTask(func() task { return P(new(T)) }).(P) }

func (j *jobs[T, P]) release(p P) {
	var none T
	*p = none
	j.releaseTask(p)
}

// seers are jobs of tasks that are told what their thread does next.
type seers[T any, P interface {
	*T
	seer
}] struct{ jobs[T, P] }

func (j *seers[T, P]) multiply(chunks int, v T) {
	p := j.acquire()
	*p = v
	multiplyAhead(chunks, p, p)
	j.release(p)
}

// scratch is a free list of buffers for packing and panels. Contents are not cleared.
//
// Chunks take buffers too. So where a small one is missing there will be one for every thread: otherwise an epoch in
// which more chunks meet than ever before would allocate.
type scratch struct {
	mu   brief
	free [][]Real
}

// acquire returns a buffer of n numbers, the smallest free one that is large enough.
func (s *scratch) acquire(n int) []Real {
	s.mu.lock()
	defer s.mu.unlock()
	best := -1
	for i, b := range s.free {
		if cap(b) >= n && (best < 0 || cap(b) < cap(s.free[best])) {
			best = i
		}
	}
	if best < 0 {
		return s.make(n)
	}
	b := s.free[best]
	last := len(s.free) - 1
	s.free[best] = s.free[last]
	s.free = s.free[:last]
	return b[:n]
}

// scratchSmall is up to how many numbers a buffer is small.
const scratchSmall = 1 << 16

// make returns a buffer of n numbers, and keeps others of a small one.
func (s *scratch) make(n int) []Real {
	if n > scratchSmall {
		return Alloc(n)
	}
	size := ceilTo(n, align/RealBytes)
	all := Alloc(size * Threads())
	for ; len(all) > size; all = all[size:] {
		s.free = append(s.free, all[:size:size])
	}
	return all[:n]
}

// release returns a buffer to the free list.
func (s *scratch) release(b []Real) {
	s.mu.lock()
	defer s.mu.unlock()
	s.free = append(s.free, b)
}

// Task is work in numbered pieces that may be done at the same time and in any order.
type Task = interface{ Do(i int) }

// Each does the pieces 0, …, n−1 of t, in parallel where the pool is free. What a piece calls of this package runs on
// the goroutine of the piece alone.
func Each(n int, t Task) { eachJobs.run(n, eachJob{t}) }

// eachJob is Each with a chunk a piece.
type eachJob struct{ Task }

var eachJobs jobs[eachJob, *eachJob]

func (j *eachJob) do(i int) { j.Do(i) }
