package kg

import (
	"errors"

	"github.com/bloomgml/bloom/internal/codec/safetensors"
	"github.com/bloomgml/bloom/mat"
)

// Stored is a model whose entities stay in its file.
type Stored struct {
	*Model     // without entities
	Rows   int // of a piece
	file   *safetensors.Stored
	at     int        // of the entities among the tensors
	host   []mat.Real // Rows×d
}

var _ Pieces = (*Stored)(nil)

// OpenStored is Load for a model whose entities are read in pieces, each of as many rows as a Stream can ask within so
// many bytes.
func OpenStored(path string, bytes int64) (*Stored, error) {
	f, err := safetensors.Open(path)
	if err != nil {
		return nil, err
	}
	s := &Stored{file: f}
	for i, t := range f.Tensors {
		if t.Name == "entities" {
			s.at = i
		} else if err := f.Load(i); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	s.Model, err = decode(path, &safetensors.File{Metadata: f.Metadata, Tensors: f.Tensors})
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	s.Rows = max(1, min(len(s.Seen), int(bytes/int64(16*s.Config.Dim+8))))
	return s, nil
}

// Pieces is how many there are.
func (s *Stored) Pieces() int { return (len(s.Seen) + s.Rows - 1) / s.Rows }

// Piece reads piece i.
func (s *Stored) Piece(i int, to *mat.Dense) (first, n int, err error) {
	d := s.Config.Dim
	if s.host == nil {
		s.host = make([]mat.Real, s.Rows*d)
	}
	first = i * s.Rows
	n = min(s.Rows, len(s.Seen)-first)
	if err := safetensors.ReadAt(s.file, s.at, s.host[:n*d], first*d); err != nil {
		return 0, 0, err
	}
	to.Write(s.host)
	return first, n, nil
}

// Close closes the file.
func (s *Stored) Close() error { return s.file.Close() }
