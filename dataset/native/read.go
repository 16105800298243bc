// Package native is the .bloom file: a data set as arrays that are mapped into memory, verified to the last byte.
//
//	err := native.Write("team.bloom", d)
//	d, err := native.Read("team.bloom")       // d.Close releases the file
package native

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/host"
)

// Is reports whether a file is in the native format, or says so by its name.
func Is(path string, dir bool) bool {
	if dir {
		return false
	}
	if strings.EqualFold(filepath.Ext(path), ".bloom") {
		return true
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(magic))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == magic
}

// Read maps a .bloom file and verifies all of it. The arrays of the set lie in the file: they must not be written to,
// and are invalid after the set is closed.
func Read(path string) (*dataset.Dataset, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, files.Because(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, files.Because(path, err)
	}
	m, err := mapFile(f, info.Size())
	if err != nil {
		return nil, files.Because(path, err)
	}
	d, err := decodeNative(path, m)
	if err != nil {
		_ = m.Close() // err is the error that matters
		return nil, err
	}
	return d, nil
}

// decodeNative returns the data set in m. It keeps m and allocates in proportion to it.
func decodeNative(path string, m *mapping) (*dataset.Dataset, error) {
	r := &nativeReader{path: path, b: m.bytes, sections: map[sectionKey]section{}}
	order, err := r.readFront()
	if err != nil {
		return nil, err
	}
	if err := r.verify(order); err != nil {
		return nil, err
	}
	parts := uint32(0)
	for _, s := range order {
		parts = max(parts, s.part+1)
	}
	var d *dataset.Dataset
	for part := parts; part > 0; part-- {
		r.part = part - 1
		twin := d
		if d, err = r.dataset(); err != nil {
			return nil, err
		}
		d.Twin, d.File = twin, m
	}
	for _, s := range order {
		if _, left := r.sections[s.sectionKey]; left {
			return nil, r.at(s.offset, "unexpected section of kind %d, item %d of part %d", s.kind, s.item, s.part)
		}
	}
	return d, nil
}

// nativeReader takes a file apart. What it reads leaves sections.
type nativeReader struct {
	path     string
	b        []byte
	width    int // bytes of a real number
	part     uint32
	sections map[sectionKey]section
}

func (r *nativeReader) at(offset uint64, format string, args ...any) error {
	return files.ErrorAtByte(r.path, int64(offset), format, args...)
}

// readFront reads the header and the table and returns the sections in their order.
func (r *nativeReader) readFront() ([]section, error) {
	b, le := r.b, binary.LittleEndian
	if len(b) < headerBytes || string(b[:len(magic)]) != magic {
		return nil, r.at(0, "not a .bloom file, it does not begin with a header of %d bytes", headerBytes)
	}
	if v := le.Uint32(b[8:]); v != version {
		return nil, r.at(8, "version %d; this bloom knows version %d only", v, version)
	}
	count, length := le.Uint32(b[12:]), le.Uint64(b[16:])
	if length != uint64(len(b)) {
		return nil, r.at(16, "the file has %d bytes, its header says %d", len(b), length)
	}
	if count == 0 || count > maxSections || headerBytes+entryBytes*uint64(count) > length {
		return nil, r.at(12, "%d sections in a file of %d bytes", count, length)
	}
	front := b[:headerBytes+entryBytes*count]
	if got, want := frontChecksum(front), le.Uint32(b[28:]); got != want {
		return nil, r.at(28, "the checksum of header and section table is %08x, not %08x: the file is damaged", got,
			want)
	}
	r.width = int(le.Uint32(b[24:]))
	if r.width != 4 && r.width != 8 {
		return nil, r.at(24, "real numbers of %d bytes, want 4 or 8", r.width)
	}
	return r.readTable(front[headerBytes:])
}

// readTable reads the entries and checks that sections follow one another to the end of the file.
func (r *nativeReader) readTable(table []byte) ([]section, error) {
	var order []section
	end := uint64(headerBytes + len(table))
	for i := 0; i < len(table); i += entryBytes {
		s, at := sectionAt(table[i:]), uint64(headerBytes+i)
		if _, twice := r.sections[s.sectionKey]; twice || s.kind == 0 || s.kind > lastSection || s.part >= maxParts {
			return nil, r.at(at, "a section of kind %d, item %d of part %d is unknown or a duplicate", s.kind,
				s.item, s.part)
		}
		if s.offset != aligned(end) || s.offset > uint64(len(r.b)) || s.length > uint64(len(r.b))-s.offset {
			return nil, r.at(at+16, "a section of %d bytes at %d, want it at %d and within %d bytes", s.length,
				s.offset, aligned(end), len(r.b))
		}
		for k, c := range r.b[end:s.offset] {
			if c != 0 {
				return nil, r.at(end+uint64(k), "byte %#x between sections, want 0: the file is damaged", c)
			}
		}
		end = s.offset + s.length
		order = append(order, s)
		r.sections[s.sectionKey] = s
	}
	if end != uint64(len(r.b)) {
		return nil, r.at(end, "%d bytes after the last section", uint64(len(r.b))-end)
	}
	return order, nil
}

// verify compares the checksums of all sections, block by block on all cores.
func (r *nativeReader) verify(order []section) error {
	var blocks [][]byte
	for _, s := range order {
		b := r.content(s)
		for ; len(b) > 0; b = b[min(len(b), blockBytes):] {
			blocks = append(blocks, b[:min(len(b), blockBytes)])
		}
	}
	sums := make([]byte, 4*len(blocks))
	host.Each(len(blocks), func(i int) {
		binary.LittleEndian.PutUint32(sums[4*i:], crc32.Checksum(blocks[i], castagnoli))
	})
	for _, s := range order {
		n := 4 * int((s.length+blockBytes-1)/blockBytes)
		if got := crc32.Checksum(sums[:n], castagnoli); got != s.checksum {
			return r.at(s.offset, "the checksum of %d bytes is %08x, not %08x: the file is damaged", s.length,
				got, s.checksum)
		}
		sums = sums[n:]
	}
	return nil
}

// content returns the bytes of a section, with no spare capacity.
func (r *nativeReader) content(s section) []byte {
	return r.b[s.offset : s.offset+s.length : s.offset+s.length]
}
