package safetensors

import (
	"errors"
	"os"

	"github.com/bloomgml/bloom/internal/files"
)

// Stored is a file whose tensors stay on the disk. It is for one goroutine.
type Stored struct {
	Metadata map[string]string
	Tensors  []Tensor // without Data
	file     *os.File
	starts   []int64 // of the bytes of every tensor
	room     []byte
}

// Open reads the header of the file at path, which must be as SHA256SUMS beside it says, where there is one.
func Open(path string) (*Stored, error) {
	if err := files.Unchanged(path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, files.Because(path, err)
	}
	s := &Stored{file: f}
	if err := s.header(path); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

// header reads it.
func (s *Stored) header(path string) error {
	info, err := s.file.Stat()
	if err != nil {
		return files.Because(path, err)
	}
	first := make([]byte, min(8, info.Size()))
	if _, err := s.file.ReadAt(first, 0); err != nil {
		return files.Because(path, err)
	}
	n, err := headerBytes(path, first, info.Size())
	if err != nil {
		return err
	}
	text := make([]byte, n)
	if _, err := s.file.ReadAt(text, 8); err != nil {
		return files.Because(path, err)
	}
	entries, meta, err := layout(path, text, info.Size()-8-n)
	s.Metadata = meta
	for _, e := range entries {
		s.Tensors = append(s.Tensors, Tensor{Name: e.name, Type: e.Type, Shape: e.Shape})
		s.starts = append(s.starts, 8+n+e.Offsets[0])
	}
	return err
}

// Load fills Data of tensor i.
func (s *Stored) Load(i int) error {
	t := &s.Tensors[i]
	n, _ := count(t.Shape)
	t.Data = make([]byte, n*t.Type.size())
	return s.read(i, t.Data, 0)
}

// ReadAt fills dst with the numbers of tensor i of s from number first on.
func ReadAt[T Real](s *Stored, i int, dst []T, first int) error {
	size := s.Tensors[i].Type.size()
	if n := len(dst) * size; cap(s.room) < n {
		s.room = make([]byte, n)
	}
	b := s.room[:len(dst)*size]
	if err := s.read(i, b, int64(first)*int64(size)); err != nil {
		return err
	}
	fill(dst, s.Tensors[i].Type, b)
	return nil
}

// read fills b with bytes of tensor i.
func (s *Stored) read(i int, b []byte, from int64) error {
	at := s.starts[i] + from
	if n, err := s.file.ReadAt(b, at); n < len(b) {
		return files.ErrorAtByte(s.file.Name(), at, "%d of %d bytes of %q are there: %v", n, len(b), s.Tensors[i].Name,
			err)
	}
	return nil
}

// Close closes the file.
func (s *Stored) Close() error { return s.file.Close() }
