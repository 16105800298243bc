package kernel

import "sync"

// jobs is a free list of task arguments: a kernel fills one, runs it and hands it back, so that
// a call in steady state allocates nothing.
//
//	var scaleJobs jobs[scaleJob, *scaleJob]
//	scaleJobs.run(chunks, scaleJob{dst, x, alpha})
type jobs[T any, P interface {
	*T
	task
}] struct {
	mu   sync.Mutex
	free []P
}

// run executes all chunks of v, in parallel where the pool is free.
func (j *jobs[T, P]) run(chunks int, v T) {
	p := j.take()
	*p = v
	parallel(chunks, p)
	var none T
	*p = none
	j.mu.Lock()
	j.free = append(j.free, p)
	j.mu.Unlock()
}

func (j *jobs[T, P]) take() P {
	j.mu.Lock()
	defer j.mu.Unlock()
	if n := len(j.free); n > 0 {
		p := j.free[n-1]
		j.free = j.free[:n-1]
		return p
	}
	return P(new(T))
}

// scratch is a free list of buffers for packing and panels. Contents are not cleared.
type scratch struct {
	mu   sync.Mutex
	free [][]Real
}

// take returns a buffer of n numbers, the smallest free one that is large enough.
func (s *scratch) take(n int) []Real {
	s.mu.Lock()
	defer s.mu.Unlock()
	best := -1
	for i, b := range s.free {
		if cap(b) >= n && (best < 0 || cap(b) < cap(s.free[best])) {
			best = i
		}
	}
	if best < 0 {
		return Alloc(n)
	}
	b := s.free[best]
	last := len(s.free) - 1
	s.free[best] = s.free[last]
	s.free = s.free[:last]
	return b[:n]
}

// give hands a buffer back.
func (s *scratch) give(b []Real) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, b)
}
