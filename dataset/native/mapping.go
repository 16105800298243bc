package native

import "sync"

// mapping is the memory of an open file. Data sets that share it share the pointer.
type mapping struct {
	bytes []byte
	once  sync.Once
	unmap func() error
	err   error
}

// Close releases the memory; only the first call does.
func (m *mapping) Close() error {
	m.once.Do(func() { m.err = m.unmap() })
	return m.err
}
