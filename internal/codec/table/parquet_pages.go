package table

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/bloomgml/bloom/internal/files"
)

// admitPages reads the headers of all pages, which say how many bytes and values a page unpacks to: the library
// allocates by them. One page per column is in memory at a time, and its dictionary. What the footer says twice, or the
// page headers repeat, must agree.
func (p *parquetFile) admitPages(file *parquet.File) error {
	need := make([]int64, len(p.leaves)) // by column
	for _, group := range file.Metadata().RowGroups {
		if len(group.Columns) != len(p.leaves) {
			return files.Errorf(p.name, "a group of rows has %d columns, the file %d", len(group.Columns),
				len(p.leaves))
		}
		for i := range group.Columns {
			bytes, err := p.admitColumn(i, &group.Columns[i].MetaData)
			if err != nil {
				return err
			}
			need[i] = max(need[i], bytes)
		}
	}
	total := int64(0)
	for _, bytes := range need {
		total += bytes
	}
	return p.header.budget.Take(total, fmt.Sprintf("pages of %s", plural(len(need), "column")))
}

// admitColumn reads the page headers of column i in a group of rows, and returns the memory of a page with the
// dictionary.
func (p *parquetFile) admitColumn(i int, m *format.ColumnMetaData) (bytes int64, err error) {
	begin := m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		begin = m.DictionaryPageOffset
	}
	end := begin + m.TotalCompressedSize
	if begin < 0 || m.DataPageOffset < begin || m.TotalCompressedSize < 0 || end > p.size || end < begin {
		return 0, files.Errorf(p.name, "column %d lies from byte %d to %d of %d", i, begin, end, p.size)
	}
	leaf := &p.leaves[i]
	path := leaf.column.Path()
	if e := leaf.element; e.Type == nil || *e.Type != m.Type || !slices.Equal(path, m.PathInSchema) {
		return 0, files.Errorf(p.name, "the footer is damaged: column %d is %q and %q, of type %v and %v", i+1,
			strings.Join(path, "."), strings.Join(m.PathInSchema, "."), e.Type, m.Type)
	}
	largest, dictionary, values := int64(0), int64(0), int64(0)
	found := m.DataPageOffset == end // where the library starts reading
	err = p.eachPage(begin, end, func(from, at int64, h *format.PageHeader) error {
		n := pageValues(h)
		bytes := int64(h.CompressedPageSize) + 2*int64(h.UncompressedPageSize) + valueBytes*n
		if found = found || from == m.DataPageOffset; !found && h.Type != format.DictionaryPage {
			return p.spoilt(from, "a page before the first of its column, which is at %d", m.DataPageOffset)
		}
		if h.Type == format.DictionaryPage {
			dictionary = max(dictionary, bytes)
			return p.checkPage(at, h) // the library does not check
		}
		largest, values = max(largest, bytes), values+n
		if m.Type == format.Boolean {
			leaf.pages = append(leaf.pages, parquetPage{at, *h, m.Codec})
		}
		if h.Type == format.DataPageV2 {
			return p.checkLevels(at, h, leaf.column)
		}
		return nil
	})
	if err == nil && (values != m.NumValues || !found) {
		err = files.Errorf(p.name, "the file is damaged: column %q has %d values, its footer says %d",
			strings.Join(path, "."), values, m.NumValues)
	}
	return largest + dictionary, err
}

// maxList is the maximum number of values per row in a list, on average.
const maxList = 1 << 16

// rowValues returns about how many values a row has, including lists; lists above maxList are an error.
func (p *parquetFile) rowValues(file *parquet.File) (int, error) {
	values, rows := int64(0), max(1, file.NumRows())
	for _, group := range file.Metadata().RowGroups {
		for i := range group.Columns {
			n := group.Columns[i].MetaData.NumValues
			if values += n; n < 0 || n/max(1, group.NumRows) > maxList {
				return 0, files.Errorf(p.name, "column %d has %d values in %d rows, more than %d a row", i+1, n,
					group.NumRows, maxList)
			}
		}
	}
	return int(max(1, values/rows, int64(len(p.columns)))), nil
}

// For a page, besides its bytes.
const (
	valueBytes = 16       // a value, its levels and its index at most
	maxHead    = 64 << 10 // bytes of its header, including statistics
)

// spoilt returns the error for impossible data at an offset.
func (p *parquetFile) spoilt(at int64, format string, args ...any) error {
	return files.ErrorAtByte(p.name, at, "the file is damaged: "+format, args...)
}

// eachPage calls f with every page between two offsets: where its header begins, where its bytes begin, and its header.
func (p *parquetFile) eachPage(from, end int64, f func(from, at int64, h *format.PageHeader) error) error {
	head := make([]byte, maxHead)
	for from < end {
		b := head[:min(maxHead, end-from)]
		if _, err := p.f.ReadAt(b, from); err != nil {
			return files.Because(p.name, err)
		}
		n, err := walkThrift(b, nil)
		var h format.PageHeader
		if err == nil {
			err = thrift.Unmarshal(new(thrift.CompactProtocol), b[:n], &h)
		}
		at := from + int64(n)
		if values := pageValues(&h); err == nil && (h.CompressedPageSize < 0 || h.UncompressedPageSize < 0 ||
			values < 0 || int64(h.CompressedPageSize) > end-at) {
			err = fmt.Errorf("a page of %d bytes, %d unpacked, and %d values", h.CompressedPageSize,
				h.UncompressedPageSize, values)
		}
		if err != nil {
			return p.spoilt(from, "%v", err)
		}
		if err := f(from, at, &h); err != nil {
			return err
		}
		from = at + int64(h.CompressedPageSize)
	}
	return nil
}

// plainDictionary is PLAIN_DICTIONARY of the format, which old writers give dictionary pages for PLAIN.
const plainDictionary format.Encoding = 2

// pageValues returns the number of values of a page, −1 if its header does not match its type, or if it is a dictionary
// that is not plain.
func pageValues(h *format.PageHeader) int64 {
	switch d := h.DictionaryPageHeader; {
	case h.Type == format.DictionaryPage && d != nil && (d.Encoding == format.Plain || d.Encoding == plainDictionary):
		return int64(d.NumValues)
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2 != nil:
		return int64(h.DataPageHeaderV2.NumValues)
	case h.Type == format.DataPage && h.DataPageHeader != nil:
		return int64(h.DataPageHeader.NumValues)
	}
	return -1
}

// checkPage compares the bytes of a page with the checksum in its header, if it has one.
func (p *parquetFile) checkPage(at int64, h *format.PageHeader) error {
	if h.CRC == 0 {
		return nil
	}
	sum := crc32.NewIEEE()
	if _, err := io.Copy(sum, io.NewSectionReader(p.f, at, int64(h.CompressedPageSize))); err != nil {
		return files.Because(p.name, err)
	}
	if sum.Sum32() != uint32(h.CRC) {
		return p.spoilt(at, "a page has the checksum %08x, its head says %08x", sum.Sum32(), uint32(h.CRC))
	}
	return nil
}

// checkLevels checks the levels of a data page of version 2: its header gives their lengths, and from its number of
// nulls the library infers how many values follow.
func (p *parquetFile) checkLevels(at int64, h *format.PageHeader, c *parquet.Column) error {
	v := h.DataPageHeaderV2
	lengths := [2]int64{int64(v.RepetitionLevelsByteLength), int64(v.DefinitionLevelsByteLength)}
	if min(lengths[0], lengths[1]) < 0 || lengths[0]+lengths[1] > int64(h.CompressedPageSize) {
		return p.spoilt(at, "%d and %d bytes of levels in a page of %d", lengths[0], lengths[1], h.CompressedPageSize)
	}
	for i, highest := range [2]int{c.MaxRepetitionLevel(), c.MaxDefinitionLevel()} {
		if highest > 0 {
			full := 0
			err := eachLevel(bufio.NewReader(io.NewSectionReader(p.f, at, lengths[i])), highest, int(v.NumValues),
				func(level, times int) {
					if level == highest {
						full += times
					}
				})
			if err != nil || i == 1 && full != int(v.NumValues-v.NumNulls) {
				return p.spoilt(at, "these are not the levels of %d values, %d of them null", v.NumValues, v.NumNulls)
			}
		}
		at += lengths[i]
	}
	return nil
}

// eachLevel calls f with n levels, after which nothing may follow, and how many times each occurs. They are in runs of
// one level, and in groups of 8 with the number of bits that the highest level needs.
func eachLevel(r io.ByteReader, highest, n int, f func(level, times int)) error {
	width := bits.Len(uint(highest))
	for n > 0 {
		head, err := binary.ReadUvarint(r)
		if err != nil {
			return err
		}
		if head&1 == 0 {
			level, err := r.ReadByte()
			if err != nil {
				return err
			}
			run := int(min(head>>1, uint64(n)))
			f(int(level), run)
			n -= run
			continue
		}
		for range head >> 1 {
			levels, some := uint64(0), min(8, n)
			for j := range width {
				b, err := r.ReadByte()
				if err != nil && (some == 0 || 8*j < some*width) { // the last group may be cut
					return err
				}
				levels |= uint64(b) << (8 * j)
			}
			for i := range some {
				f(int(levels>>(i*width))&(1<<width-1), 1)
			}
			n -= some
		}
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return errors.New("more than the levels")
	}
	return nil
}

// The types of the compact protocol of Thrift, in which Parquet describes itself.
const (
	thriftTrue, thriftFalse, thriftByte = 1, 2, 3
	thriftI16, thriftI64, thriftDouble  = 4, 6, 7
	thriftBinary, thriftList, thriftSet = 8, 9, 10
	thriftStruct                        = 12
)

// The maximum memory of an element of a list.
const (
	structBytes = 640
	scalarBytes = 24
)

var errThrift = errors.New("a length that goes beyond the file")

// walkThrift returns the size in bytes of the structure that b begins with. It rejects lengths beyond b, by which the
// library allocates.
func walkThrift(b []byte, memory *files.Budget) (int, error) {
	rest, err := skipThrift(b, thriftStruct, 0, memory)
	return len(b) - len(rest), err
}

// skipThrift skips a value; elements of a list have at least a byte each.
func skipThrift(b []byte, kind byte, depth int, memory *files.Budget) (rest []byte, err error) {
	if depth > 32 {
		return b, errors.New("structures nested more than 32 deep")
	}
	n := uint64(0)
	switch {
	case kind >= thriftTrue && kind <= thriftByte:
		n = 1
	case kind == thriftDouble:
		n = 8
	case kind >= thriftI16 && kind <= thriftI64:
		_, b, err = cutVarint(b)
	case kind == thriftBinary:
		n, b, err = cutVarint(b)
	case kind == thriftList || kind == thriftSet:
		return skipThriftList(b, depth, memory)
	case kind == thriftStruct:
		for err == nil && len(b) > 0 {
			field := b[0]
			if b = b[1:]; field == 0 {
				return b, nil
			}
			if field>>4 == 0 { // the number of the field follows
				_, b, err = cutVarint(b)
			}
			if k := field & 15; err == nil && k != thriftTrue && k != thriftFalse {
				b, err = skipThrift(b, k, depth+1, memory)
			}
		}
		n = 1 // there is no end
	default:
		err = fmt.Errorf("a value of type %d", kind)
	}
	if err == nil && n > uint64(len(b)) {
		err = errThrift
	}
	if err != nil {
		return b, err
	}
	return b[n:], nil
}

func skipThriftList(b []byte, depth int, memory *files.Budget) (rest []byte, err error) {
	if len(b) == 0 {
		return b, errThrift
	}
	n, kind, each := uint64(b[0]>>4), b[0]&15, int64(scalarBytes)
	if b = b[1:]; n == 15 {
		n, b, err = cutVarint(b)
	}
	if err != nil || n > uint64(len(b)) {
		return b, errThrift
	}
	if kind == thriftStruct {
		each = structBytes
	}
	err = memory.Take(int64(n)*each, fmt.Sprintf("a list of %d in the description of columns", n))
	for ; n > 0 && err == nil; n-- {
		b, err = skipThrift(b, kind, depth+1, memory)
	}
	return b, err
}

func cutVarint(b []byte) (x uint64, rest []byte, err error) {
	x, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, b, errThrift
	}
	return x, b[n:], nil
}
