package table

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// booleanColumn reads the pages of a column of booleans. The library cannot: it decodes run-length encoded ones, which
// pages of version 2 have, to wrong values.
type booleanColumn struct {
	parquet.ColumnChunk
	p    *parquetFile
	leaf *parquetLeaf
}

// parquetPage is a data page in the file.
type parquetPage struct {
	at    int64 // after its head
	head  format.PageHeader
	codec format.CompressionCodec
}

func (c booleanColumn) Pages() parquet.Pages { return &booleanPages{booleanColumn: c} }

type booleanPages struct {
	booleanColumn
	next int
}

// SeekToRow goes back to the first page: no other row is requested.
func (b *booleanPages) SeekToRow(int64) error { b.next = 0; return nil }

func (b *booleanPages) Close() error { return nil }

func (b *booleanPages) ReadPage() (parquet.Page, error) {
	if b.next == len(b.leaf.pages) {
		return nil, io.EOF
	}
	page := b.leaf.pages[b.next]
	b.next++
	if err := b.p.checkPage(page.at, &page.head); err != nil {
		return nil, err
	}
	data := make([]byte, page.head.CompressedPageSize)
	if _, err := b.p.f.ReadAt(data, page.at); err != nil {
		return nil, err
	}
	out := &booleanPage{column: b.leaf.column}
	if err := out.decode(data, &page); err != nil {
		return nil, b.p.spoilt(page.at, "%v", err)
	}
	return out, nil
}

// booleanPage is a page; only its values are requested.
type booleanPage struct {
	parquet.Page
	column *parquet.Column
	levels [2][]byte // repetition and definition; nil if all are 0
	flags  []byte    // 0 or 1, for the values that are not null
	n      int       // including nulls
}

// decode splits a page into repetition levels, definition levels and values. In version 1 all of it is compressed, with
// the lengths of the levels before them; in version 2 only the values are.
func (b *booleanPage) decode(data []byte, page *parquetPage) (err error) {
	var encoding format.Encoding
	size := int(page.head.UncompressedPageSize)
	cut := func(data []byte, _ int) ([]byte, []byte, error) { return prefixed(data) }
	if v := page.head.DataPageHeaderV2; page.head.Type == format.DataPageV2 {
		b.n, encoding = int(v.NumValues), v.Encoding
		lengths := [2]int{int(v.RepetitionLevelsByteLength), int(v.DefinitionLevelsByteLength)}
		levels := lengths[0] + lengths[1] // within the page, see checkLevels
		if v.IsCompressed == nil || *v.IsCompressed {
			rest, err := unpacked(data[levels:], size-levels, page.codec)
			if err != nil {
				return err
			}
			data = append(data[:levels:levels], rest...)
		}
		cut = func(data []byte, i int) ([]byte, []byte, error) { return data[:lengths[i]], data[lengths[i]:], nil }
	} else {
		b.n, encoding = int(page.head.DataPageHeader.NumValues), page.head.DataPageHeader.Encoding
		if data, err = unpacked(data, size, page.codec); err != nil {
			return err
		}
	}
	values := b.n
	for i, highest := range [2]int{b.column.MaxRepetitionLevel(), b.column.MaxDefinitionLevel()} {
		if highest == 0 {
			continue
		}
		var levels []byte
		if levels, data, err = cut(data, i); err != nil {
			return err
		}
		values = 0
		err = eachLevel(bytes.NewReader(levels), highest, b.n, func(level, times int) {
			b.levels[i] = append(b.levels[i], bytes.Repeat([]byte{byte(level)}, times)...)
			if level == highest {
				values += times
			}
		})
		if err != nil {
			return err
		}
	}
	return b.values(data, encoding, values)
}

// unpacked returns data uncompressed, which must have size bytes.
func unpacked(data []byte, size int, codec format.CompressionCodec) ([]byte, error) {
	if codec == format.Uncompressed {
		return data, nil
	}
	out, err := parquet.LookupCompressionCodec(codec).Decode(make([]byte, 0, max(0, size)), data)
	if err == nil && len(out) != size {
		err = fmt.Errorf("a page unpacks to %d bytes, its head says %d", len(out), size)
	}
	return out, err
}

// prefixed returns data that is preceded by its length, and what follows.
func prefixed(data []byte) (found, rest []byte, err error) {
	if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
		return nil, nil, io.ErrUnexpectedEOF
	}
	end := 4 + int(binary.LittleEndian.Uint32(data))
	return data[4:end], data[end:], nil
}

// values reads n values: bits, or runs of them.
func (b *booleanPage) values(data []byte, encoding format.Encoding, n int) (err error) {
	switch encoding {
	case format.Plain:
		if (n+7)/8 > len(data) {
			return io.ErrUnexpectedEOF
		}
		for i := range n {
			b.flags = append(b.flags, data[i/8]>>(i%8)&1)
		}
		return nil
	case format.RLE:
		if data, _, err = prefixed(data); err != nil {
			return err
		}
		return eachLevel(bytes.NewReader(data), 1, n, func(flag, times int) {
			b.flags = append(b.flags, bytes.Repeat([]byte{byte(flag)}, times)...)
		})
	}
	return fmt.Errorf("booleans in the encoding %v", encoding)
}

func (b *booleanPage) Values() parquet.ValueReader { return &booleanValues{booleanPage: b} }

type booleanValues struct {
	*booleanPage
	at, taken int // positions among all values, and among those that are not null
}

func (b *booleanValues) ReadValues(values []parquet.Value) (n int, err error) {
	for ; n < len(values) && b.at < b.n; n++ {
		var levels [2]int
		for i, l := range b.levels {
			if l != nil {
				levels[i] = int(l[b.at])
			}
		}
		var v parquet.Value
		if levels[1] == b.column.MaxDefinitionLevel() {
			v = parquet.BooleanValue(b.flags[b.taken] != 0)
			b.taken++
		}
		values[n] = v.Level(levels[0], levels[1], b.column.Index())
		b.at++
	}
	if n < len(values) {
		err = io.EOF
	}
	return n, err
}
