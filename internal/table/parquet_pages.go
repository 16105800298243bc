package table

import (
	"fmt"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/bloomgml/bloom/internal/fileerr"
)

// admitPages looks at the heads of all pages, which say how many bytes and values a page unpacks to: the library
// allocates by them. Of a column one page is in memory at a time, and its dictionary.
func (p *parquetFile) admitPages(file *parquet.File) error {
	need := map[int]int64{} // by column
	for _, group := range file.Metadata().RowGroups {
		for i := range group.Columns {
			m := &group.Columns[i].MetaData
			begin := m.DataPageOffset
			if m.DictionaryPageOffset != 0 {
				begin = m.DictionaryPageOffset
			}
			end := begin + m.TotalCompressedSize
			if begin < 0 || m.DataPageOffset < begin || m.TotalCompressedSize < 0 || end > p.size || end < begin {
				return fileerr.In(p.name, "column %d lies from byte %d to %d of %d", i, begin, end, p.size)
			}
			for _, from := range []int64{begin, m.DataPageOffset} { // it is read either way
				bytes, err := p.largestPage(from, end)
				if err != nil {
					return err
				}
				need[i] = max(need[i], bytes)
			}
		}
	}
	total := int64(0)
	for _, bytes := range need {
		total += bytes
	}
	return p.header.budget.Take(total, fmt.Sprintf("pages of %s", plural(len(need), "column")))
}

// maxList is how many values a row has in a list, on average.
const maxList = 1 << 16

// rowValues is about how many values a row has, lists included, and refuses longer lists than a table has.
func (p *parquetFile) rowValues(file *parquet.File) (int, error) {
	values, rows := int64(0), max(1, file.NumRows())
	for _, group := range file.Metadata().RowGroups {
		for i := range group.Columns {
			n := group.Columns[i].MetaData.NumValues
			if values += n; n < 0 || n/max(1, group.NumRows) > maxList {
				return 0, fileerr.In(p.name, "column %d has %d values in %d rows, more than %d a row", i+1, n,
					group.NumRows, maxList)
			}
		}
	}
	return int(max(1, values/rows, int64(len(p.columns)))), nil
}

// Of a page, besides its bytes.
const (
	valueBytes = 16       // a value, its levels and its index at most
	maxHead    = 64 << 10 // bytes of its head, statistics included
)

// largestPage is what the largest page between two offsets takes, with the dictionary before it.
func (p *parquetFile) largestPage(at, end int64) (most int64, err error) {
	dictionary, head := int64(0), make([]byte, maxHead)
	for at < end {
		b := head[:min(maxHead, end-at)]
		if _, err := p.f.ReadAt(b, at); err != nil {
			return 0, fileerr.Because(p.name, err)
		}
		n, err := walkThrift(b, nil)
		var h format.PageHeader
		if err == nil {
			err = thrift.Unmarshal(new(thrift.CompactProtocol), b[:n], &h)
		}
		values, isDictionary := pageValues(&h)
		if err == nil && (h.CompressedPageSize < 0 || h.UncompressedPageSize < 0 || values < 0 ||
			int64(h.CompressedPageSize) > end-at-int64(n)) {
			err = fmt.Errorf("a page of %d bytes, %d unpacked, and %d values", h.CompressedPageSize,
				h.UncompressedPageSize, values)
		}
		if err != nil {
			return 0, fileerr.AtByte(p.name, at, "the file is damaged: %v", err)
		}
		bytes := int64(h.CompressedPageSize) + 2*int64(h.UncompressedPageSize) + valueBytes*values
		if isDictionary {
			dictionary = bytes
		}
		most = max(most, dictionary+bytes)
		at += int64(n) + int64(h.CompressedPageSize)
	}
	return most, nil
}

// pageValues is the number of values of a page, and whether it is a dictionary.
func pageValues(h *format.PageHeader) (n int64, dictionary bool) {
	switch {
	case h.DictionaryPageHeader != nil:
		return int64(h.DictionaryPageHeader.NumValues), true
	case h.DataPageHeaderV2 != nil:
		return int64(h.DataPageHeaderV2.NumValues), false
	case h.DataPageHeader != nil:
		return int64(h.DataPageHeader.NumValues), false
	}
	return 0, false
}
