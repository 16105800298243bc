package path

import "sync"

// pool holds things that a thread takes, works with and gives back; if none is free, a new one is made.
type pool[T any] struct {
	mu   sync.Mutex
	free []T
	make func() T
}

func (s *pool[T]) get() T {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.free)
	if n == 0 {
		return s.make()
	}
	x := s.free[n-1]
	s.free = s.free[:n-1]
	return x
}

func (s *pool[T]) put(x T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, x)
}
