package dataset

import "sync"

// mapping is the memory of an open file. Data sets that share it share the pointer.
type mapping struct {
	bytes []byte
	once  sync.Once
	unmap func() error
	err   error
}

// close gives the memory back; only the first call does.
func (m *mapping) close() error {
	m.once.Do(func() { m.err = m.unmap() })
	return m.err
}

// Close releases the file that d was opened from. Only sets read from .bloom files hold one, and
// for others Close does nothing. Nothing of d, nor of a set made from it, may be used afterwards;
// a program that needs d until its end need not call it.
func (d *Dataset) Close() error {
	if d.mapping == nil {
		return nil
	}
	return d.mapping.close()
}
