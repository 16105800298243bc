package native

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/host"
)

// Write stores d in a .bloom file. An existing file is replaced atomically, when everything has been written and has
// reached the disk; after an error it is unchanged.
func Write(path string, d *dataset.Dataset) error {
	var w nativeWriter
	for part := d; part != nil; part = part.Twin {
		if w.part == maxParts {
			return fmt.Errorf("writing %s: %s has a chain of more than %d twins", path, d.Name, maxParts-1)
		}
		if err := w.addPart(part); err != nil {
			return fmt.Errorf("writing %s: data set %s: %w", path, part.Name, err)
		}
		w.part++
	}
	return files.Replace(path, files.WriteOptions{}, w.write)
}

// nativeWriter collects sections, which share the memory of the data set.
type nativeWriter struct {
	part     uint32
	sections []section
	contents [][]byte
}

// addPart collects the sections of one data set.
func (w *nativeWriter) addPart(d *dataset.Dataset) error {
	if d.Graph == nil {
		return errors.New("there is no graph")
	}
	if wrong := check(d); wrong != nil {
		return errors.New(wrong.text)
	}
	p := d.Graph.Parts()
	text, err := json.Marshal(newMeta(d, &p))
	if err != nil {
		return err
	}
	a := arrays{w: w}
	move(&a, sectionMeta, 0, &text)
	a.dataset(d, &p)
	if len(w.sections) > maxSections {
		return fmt.Errorf("%d arrays, more than %d", len(w.sections), maxSections)
	}
	return nil
}

func (w *nativeWriter) add(kind sectionKind, item int, b []byte) {
	w.sections = append(w.sections, section{sectionKey: sectionKey{kind, w.part, uint32(item)}, length: uint64(len(b))})
	w.contents = append(w.contents, b)
}

// front lays out the sections and returns what precedes them.
func (w *nativeWriter) front() []byte {
	b := make([]byte, headerBytes+entryBytes*len(w.sections))
	end := uint64(len(b))
	host.Each(len(w.sections), func(i int) { w.sections[i].checksum = checksum(w.contents[i]) })
	for i := range w.sections {
		s := &w.sections[i]
		s.offset = aligned(end)
		end = s.offset + s.length
		s.encode(b[headerBytes+entryBytes*i:])
	}
	le := binary.LittleEndian
	copy(b, magic)
	le.PutUint32(b[8:], version)
	le.PutUint32(b[12:], uint32(len(w.sections)))
	le.PutUint64(b[16:], end)
	le.PutUint32(b[24:], uint32(realBytes))
	le.PutUint32(b[28:], frontChecksum(b))
	return b
}

func (w *nativeWriter) write(f io.Writer) error {
	out := bufio.NewWriterSize(f, blockBytes)
	front := w.front()
	_, _ = out.Write(front) // Flush returns the first error
	at := uint64(len(front))
	for i, s := range w.sections {
		_, _ = out.Write(make([]byte, s.offset-at))
		_, _ = out.Write(w.contents[i])
		at = s.offset + s.length
	}
	return out.Flush()
}
