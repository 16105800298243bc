package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"sync/atomic"
	"unsafe"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// readAll reads a file of n values, one per line; −1 is any number of them.
func readAll[T any](path string, n int, b *files.Budget, parse func(text []byte) (T, error)) ([]T, error) {
	var list []T
	err := files.Scan(path, b, func(line int, text []byte) error {
		x, err := parse(text)
		if err != nil {
			return files.ErrorAt(path, line, "%v", err)
		}
		list, err = files.Append(b, list, "lines of numbers", x)
		return err
	})
	if err == nil && n >= 0 && len(list) != n {
		err = files.Errorf(path, "%d lines, want %d", len(list), n)
	}
	return list, err
}

// parseNode reads the number of a node below n.
func parseNode(text []byte, n int) (int32, error) {
	v := 0
	for _, c := range text {
		if c < '0' || c > '9' || v >= n {
			return 0, fmt.Errorf("%s is not the number of a node; there are %d", files.Excerpt(text), n)
		}
		v = 10*v + int(c-'0')
	}
	if len(text) == 0 || v >= n {
		return 0, fmt.Errorf("%s is not the number of a node; there are %d", files.Excerpt(text), n)
	}
	return int32(v), nil
}

// readDense reads a matrix of n rows, one per line with commas between the numbers. The first line sets the number of
// columns.
func readDense(path string, n int, memory *files.Budget) (dataset.Matrix, error) {
	t, err := files.OpenText(path, memory)
	if err != nil {
		return dataset.Matrix{}, err
	}
	defer t.Close()
	b := files.NewLineBlocks(path, t)
	block, line, err := b.Next(nil)
	if err != nil && !errors.Is(err, io.EOF) {
		return dataset.Matrix{}, err
	}
	first, _, _ := bytes.Cut(block, []byte{'\n'})
	x := dataset.Matrix{Rows: n, Cols: bytes.Count(first, []byte{','}) + 1}
	if int64(n) > (t.Most+1)/2/int64(x.Cols) { // a number and what follows it take two bytes
		return dataset.Matrix{}, files.Errorf(path, "too short for %d rows of %d numbers", n, x.Cols)
	}
	if err := memory.Take(int64(n)*int64(x.Cols)*int64(unsafe.Sizeof(mat.Real(0))),
		fmt.Sprintf("features of %d nodes in %d columns", n, x.Cols)); err != nil {
		return dataset.Matrix{}, err
	}
	x.Values = make([]mat.Real, n*x.Cols)
	var rows atomic.Int64
	parse := func(block []byte, line int) error {
		return files.EachLine(block, line, func(line int, text []byte) error {
			rows.Add(1)
			if line > n {
				return files.ErrorAt(path, line, "more rows than the %d nodes", n)
			}
			if err := parseRow(x.Values[(line-1)*x.Cols:line*x.Cols], text); err != nil {
				return files.ErrorAt(path, line, "%v", err)
			}
			return nil
		})
	}
	if err := parse(block, line); err != nil {
		return dataset.Matrix{}, err
	}
	if err := b.Each(parse); err != nil {
		return dataset.Matrix{}, err
	}
	if rows.Load() != int64(n) {
		return dataset.Matrix{}, files.Errorf(path, "%d rows, want one for each of %d nodes", rows.Load(), n)
	}
	return x, nil
}

// parseRow reads the len(dst) numbers of a row into dst.
func parseRow(dst []mat.Real, text []byte) error {
	if columns := bytes.Count(text, []byte{','}) + 1; columns != len(dst) {
		return fmt.Errorf("%d columns, want %d as in the first line", columns, len(dst))
	}
	for i := range dst {
		field := text
		if end := bytes.IndexByte(text, ','); end >= 0 {
			field, text = text[:end], text[end+1:]
		}
		v, err := strconv.ParseFloat(string(field), 32)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("column %d: %s is not a finite number", i+1, files.Excerpt(field))
		}
		dst[i] = mat.Real(v)
	}
	return nil
}

// nameBytes is the memory of a name besides its text: here, and in the list of ids.
const nameBytes = 48

// readMapping reads a table with a header whose first column counts from 0, and returns the second:
// n names, or any number of them for n = −1.
func readMapping(path string, n int, b *files.Budget) ([]string, error) {
	t, err := table.Open(path, table.Options{Budget: b})
	if err != nil {
		return nil, err
	}
	defer t.Close()
	var names []string
	err = table.Each(t, func(rows *table.Batch) error {
		for i := range rows.Rows() {
			row := rows.Row(nil, i)
			if len(row) < 2 || row[0] != strconv.Itoa(len(names)) {
				return rows.Errorf(i, -1, "the row %q is not the number %d and a name", row, len(names))
			}
			if err := b.Take(int64(nameBytes+2*len(row[1])), "names"); err != nil {
				return err
			}
			names = append(names, row[1])
		}
		return nil
	})
	if err == nil && n >= 0 && len(names) != n {
		err = files.Errorf(path, "%d names, want one for each of %d nodes", len(names), n)
	}
	return names, err
}
