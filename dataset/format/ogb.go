package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/part"
)

// ogb is the format of the node property sets of the Open Graph Benchmark with one label a node
// (ogbn-arxiv, ogbn-products): text without headers, packed or not, in
//
//	raw/num-node-list.csv.gz, raw/num-edge-list.csv.gz   one number each
//	raw/edge.csv.gz                                      source,target a line, nodes from 0
//	raw/node-feat.csv.gz                                 numbers of a node a line
//	raw/node-label.csv.gz                                class of a node a line, nan where it is not known
//	raw/node_year.csv.gz                                 year of a node a line; may be missing
//	split/NAME/{train,valid,test}.csv.gz                 a node a line
//	mapping/labelidx2*.csv.gz, mapping/nodeidx2*.csv.gz  number,name after a header; may be missing
//
// The graph is undirected, and a citation in both directions is one edge.
var ogb = part.Part[Reader]{Name: "an OGB folder", Text: "OGB folders", New: ogbFolder{}}

type ogbFolder struct{}

// Match looks for the two files that every set has.
func (ogbFolder) Match(path string, dir bool) bool {
	if !dir {
		return false
	}
	_, count := files.Find(path, "raw/num-node-list.csv")
	_, label := files.Find(path, "raw/node-label.csv")
	return count && label
}

func (ogbFolder) Read(dir string) (*dataset.Dataset, error) {
	dir, err := files.Named(dir)
	if err != nil {
		return nil, err
	}
	edges, okEdges := files.Find(dir, "raw/edge.csv")
	features, okFeatures := files.Find(dir, "raw/node-feat.csv")
	var missing []string
	if !okEdges {
		missing = append(missing, "raw/edge.csv.gz")
	}
	if !okFeatures {
		missing = append(missing, "raw/node-feat.csv.gz")
	}
	if missing != nil {
		return nil, files.Errorf(dir, "incomplete: %s missing", strings.Join(missing, " and "))
	}
	b, size, err := readOGBNodes(dir)
	if err != nil {
		return nil, err
	}
	if err := readOGBEdges(b, edges, size); err != nil {
		return nil, err
	}
	x, err := readDense(features, size.nodes, b.Budget)
	b.Features = []dataset.Matrix{x}
	return b.Dataset, err
}

// ogbSize is the size that a folder states.
type ogbSize struct{ nodes, edges int }

// readOGBNodes reads everything except edges and features.
func readOGBNodes(dir string) (b *build.Builder, size ogbSize, err error) {
	b = build.New(dir, filepath.Base(dir))
	if size.nodes, err = readCount(dir, "raw/num-node-list.csv", b.Budget); err != nil {
		return nil, size, err
	}
	if size.edges, err = readCount(dir, "raw/num-edge-list.csv", b.Budget); err != nil {
		return nil, size, err
	}
	if err := readOGBLabels(b, dir, size.nodes); err != nil {
		return nil, size, err
	}
	if path, ok := files.Find(dir, "raw/node_year.csv"); ok {
		b.Times, err = readAll(path, size.nodes, b.Budget, func(text []byte) (int64, error) {
			year, err := strconv.ParseInt(string(text), 10, 64)
			if err != nil {
				err = fmt.Errorf("%s is not an integer", files.Excerpt(text))
			}
			return year, err
		})
		if err != nil {
			return nil, size, err
		}
	}
	if err := readOGBSplits(b, dir, size.nodes); err != nil {
		return nil, size, err
	}
	if paths := files.Glob(dir, "mapping/nodeidx2*.csv*"); len(paths) > 0 {
		names, err := readMapping(paths[0], size.nodes, b.Budget)
		if err != nil {
			return nil, size, err
		}
		b.IDs = dataset.NewIDs(names)
	}
	return b, size, nil
}

// needed returns the path of a file that every folder has.
func needed(dir, name string) (string, error) {
	path, ok := files.Find(dir, name)
	if !ok {
		return "", files.Errorf(dir, "%s.gz is missing", name)
	}
	return path, nil
}

func readCount(dir, name string, b *files.Budget) (int, error) {
	path, err := needed(dir, name)
	if err != nil {
		return 0, err
	}
	x, err := readAll(path, 1, b, func(text []byte) (int, error) {
		n, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil || n < 0 || n >= 1<<31 {
			return 0, fmt.Errorf("%s is not between 0 and 2³¹−1", text)
		}
		return int(n), nil
	})
	if err != nil {
		return 0, err
	}
	return x[0], nil
}

// readOGBLabels reads the classes of n nodes and their names.
func readOGBLabels(b *build.Builder, dir string, n int) error {
	path, err := needed(dir, "raw/node-label.csv")
	if err != nil {
		return err
	}
	unknown := 0
	class, err := readAll(path, n, b.Budget, func(text []byte) (int32, error) {
		if bytes.EqualFold(text, []byte("nan")) {
			unknown++
			return -1, nil
		}
		c, err := strconv.ParseUint(string(text), 10, 16)
		if err != nil {
			return 0, fmt.Errorf("%s is not a class, a number from 0", files.Excerpt(text))
		}
		return int32(c), nil
	})
	if err != nil {
		return err
	}
	if unknown > 0 {
		b.Note("%d of %d nodes have no class.", unknown, n)
	}
	var names []string
	if paths := files.Glob(dir, "mapping/labelidx2*.csv*"); len(paths) > 0 {
		if names, err = readMapping(paths[0], -1, b.Budget); err != nil {
			return err
		}
	}
	b.Classes(class, names)
	return nil
}

// readOGBSplits reads every folder in split.
func readOGBSplits(b *build.Builder, dir string, n int) error {
	for _, folder := range files.Glob(dir, "split/*") {
		if _, ok := files.Find(folder, "train.csv"); !ok {
			continue
		}
		var parts [3][]int32
		for i, name := range []string{"train.csv", "valid.csv", "test.csv"} {
			path, err := needed(folder, name)
			if err != nil {
				return err
			}
			parts[i], err = readAll(path, -1, b.Budget, func(text []byte) (int32, error) { return parseNode(text, n) })
			if err != nil {
				return err
			}
		}
		if err := b.SplitOnce(folder, parts[0], parts[1], parts[2]); err != nil {
			return err
		}
	}
	if b.Splits == nil {
		return files.Errorf(filepath.Join(dir, "split"), "there is no split: no folder in it has train.csv.gz")
	}
	return nil
}

func readOGBEdges(b *build.Builder, path string, size ogbSize) error {
	edges, err := readAll(path, size.edges, b.Budget, func(text []byte) (t graph.Triple, err error) {
		source, target, ok := bytes.Cut(text, []byte{','})
		if !ok || bytes.IndexByte(target, ',') >= 0 {
			return t, fmt.Errorf("%d columns, want 2 (source, target): %s", bytes.Count(text, []byte{','})+1,
				files.Excerpt(text))
		}
		if t.U, err = parseNode(source, size.nodes); err == nil {
			t.V, err = parseNode(target, size.nodes)
		}
		return t, err
	})
	if err != nil {
		return err
	}
	err = b.Connect(graph.Spec{Nodes: size.nodes, Triples: edges, Undirected: true, DropDuplicates: true})
	if err != nil {
		return err
	}
	if n := b.Repeats(); n > 0 {
		b.Note("%d of %d edges repeat an earlier one in either direction and were dropped.", n, size.edges)
	}
	return nil
}

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
