package importer

import (
	"errors"
	"io"
	"testing"

	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/host"
)

// brokenTable gives out some batches without a row and then panics.
type brokenTable struct {
	table.Source
	left int
}

func (b *brokenTable) Next(*table.Batch) error {
	if b.left--; b.left < 0 {
		panic("broken table")
	}
	return nil
}

func (b *brokenTable) Progress() (done, total int64) { return 0, 0 }

// endless has no last batch.
type endless struct{ brokenTable }

func (endless) Next(*table.Batch) error { return nil }

// TestStreamPanics: what reads a table and what works on its blocks may panic; whoever takes the blocks sees it, and
// stop returns.
func TestStreamPanics(t *testing.T) {
	for name, x := range map[string]struct {
		source table.Source
		work   func(*chunk) error
	}{
		"broken table": {&brokenTable{left: 3}, func(*chunk) error { return nil }},
		"broken work":  {&endless{}, func(*chunk) error { panic("broken work") }},
	} {
		func() {
			defer func() {
				if p, ok := recover().(*host.Panic); !ok || p.Cause != name {
					t.Errorf("%s: recovered %v", name, p)
				}
			}()
			s := newChunkStream(x.source, x.work)
			defer s.stop()
			for k := s.next(); k != nil; k = s.next() {
				s.recycle(k)
			}
		}()
	}
	s := newChunkStream(&endless{}, func(*chunk) error { return io.ErrUnexpectedEOF })
	defer s.stop()
	if k := s.next(); !errors.Is(k.err, io.ErrUnexpectedEOF) {
		t.Errorf("an error becomes %v", k.err)
	}
}
