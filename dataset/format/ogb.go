package format

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/files"
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

// Read opens a folder.
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
