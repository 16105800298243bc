package ondisk

import (
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/internal/files"
)

// Scratch is a file without a name, if the system allows that. The user of a Scratch keeps the checksums with which Get
// verifies that data is what was written. Numbers have the byte order of this machine.
type Scratch struct{ *os.File }

// NewScratch creates a file in dir; errors call it name.
func NewScratch(dir, name string) (*Scratch, error) {
	f, err := os.CreateTemp(dir, "."+name+".*"+files.Temporary) // a killed process leaves what durable.Sweep removes
	if err != nil {
		return nil, files.Because(filepath.Join(dir, name), err)
	}
	_ = os.Remove(f.Name()) // Close tries once more
	return &Scratch{f}, nil
}

// Close removes the file.
func (s *Scratch) Close() error {
	err := s.File.Close()
	if gone := os.Remove(s.Name()); gone != nil && !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

// Put writes b and returns its checksum.
func (s *Scratch) Put(at int64, b []byte) (uint32, error) {
	if _, err := s.WriteAt(b, at); err != nil {
		return 0, files.Because(s.Name(), err)
	}
	return crc32.Checksum(b, castagnoli), nil
}

// Get fills b, whose checksum must be sum; errors call the data what.
func (s *Scratch) Get(at int64, b []byte, sum uint32, what string) error {
	if n, err := s.ReadAt(b, at); n < len(b) {
		return files.ErrorAtByte(s.Name(), at, "%s has %d of its %d bytes: %v", what, n, len(b), err)
	}
	if got := crc32.Checksum(b, castagnoli); got != sum {
		return files.ErrorAtByte(s.Name(), at, "the checksum of %s is %08x, not %08x: the file was changed", what, got,
			sum)
	}
	return nil
}
