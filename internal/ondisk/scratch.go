package ondisk

import (
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"

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

// prefix begins the names of folders in the temporary folder; inside is the subfolder that is written to.
const (
	prefix = "bloom-scratch-"
	inside = "files"
)

// Folder creates a temporary folder, which remove removes. If the process is killed first, Sweep of a later process
// removes it.
func Folder() (dir string, remove func(), err error) {
	for range 100 {
		outer, err := os.MkdirTemp("", prefix)
		if err != nil {
			return "", nil, err
		}
		release, err := files.Lock(outer, nil)
		if held := (*files.Held)(nil); errors.As(err, &held) { // Sweep was faster
			continue
		}
		if err != nil {
			_ = os.Remove(outer)
			return "", nil, err
		}
		dir := filepath.Join(outer, inside)
		remove := func() { clean(outer, release) }
		if err := os.Mkdir(dir, 0o700); err != nil {
			remove()
			return "", nil, err
		}
		return dir, remove, nil
	}
	return "", nil, errors.New("folders for temporary files are removed as soon as they are made")
}

// clean removes a folder that this process has locked; what cannot be removed is left to Sweep.
func clean(outer string, release func()) {
	_ = os.RemoveAll(filepath.Join(outer, inside))
	release()
	_ = os.Remove(outer)
}

// Sweep removes the folders of killed processes. On a file system without locks they stay.
func Sweep() {
	entries, _ := os.ReadDir(os.TempDir())
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		outer, locked := filepath.Join(os.TempDir(), e.Name()), true
		release, err := files.Lock(outer, func(string) { locked = false })
		switch {
		case err != nil: // a process works there, or it belongs to another user
		case locked:
			clean(outer, release)
		default:
			release()
		}
	}
}
