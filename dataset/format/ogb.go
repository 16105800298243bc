package format

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/internal/build"
	"github.com/bloomgml/bloom/dataset/internal/textfile"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/fileerr"
)

// ogbFolder is the format of the node property sets of the Open Graph Benchmark with one label a node
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
var ogbFolder = format{"an OGB folder", matchOGB, readOGB}

// matchOGB looks for the two files that every set has.
func matchOGB(path string, dir bool) bool {
	if !dir {
		return false
	}
	_, count := textfile.Find(path, "raw/num-node-list.csv")
	_, label := textfile.Find(path, "raw/node-label.csv")
	return count && label
}

// readOGB opens a folder.
func readOGB(dir string) (*dataset.Dataset, error) {
	dir, err := textfile.Named(dir)
	if err != nil {
		return nil, err
	}
	edges, okEdges := textfile.Find(dir, "raw/edge.csv")
	features, okFeatures := textfile.Find(dir, "raw/node-feat.csv")
	var missing []string
	if !okEdges {
		missing = append(missing, "raw/edge.csv.gz")
	}
	if !okFeatures {
		missing = append(missing, "raw/node-feat.csv.gz")
	}
	if missing != nil {
		return nil, fileerr.In(dir, "incomplete: %s missing", strings.Join(missing, " and "))
	}
	d, size, err := readOGBNodes(dir)
	if err != nil {
		return nil, err
	}
	if err := readOGBEdges(d, edges, size); err != nil {
		return nil, err
	}
	x, err := readDense(features, size.nodes)
	d.Features = []dataset.Matrix{x}
	return d, err
}

// ogbSize is what a folder says of itself.
type ogbSize struct{ nodes, edges int }

// readOGBNodes reads all but edges and features.
func readOGBNodes(dir string) (*dataset.Dataset, ogbSize, error) {
	d := &dataset.Dataset{Name: filepath.Base(dir), Metric: "accuracy"}
	var size ogbSize
	var err error
	if size.nodes, err = readCount(dir, "raw/num-node-list.csv"); err != nil {
		return nil, size, err
	}
	if size.edges, err = readCount(dir, "raw/num-edge-list.csv"); err != nil {
		return nil, size, err
	}
	if err := readOGBLabels(d, dir, size.nodes); err != nil {
		return nil, size, err
	}
	if path, ok := textfile.Find(dir, "raw/node_year.csv"); ok {
		if d.Times, err = readIntegers(path, size.nodes); err != nil {
			return nil, size, err
		}
	}
	if err := readOGBSplits(d, dir, size.nodes); err != nil {
		return nil, size, err
	}
	if paths := textfile.Glob(dir, "mapping/nodeidx2*.csv*"); len(paths) > 0 {
		names, err := readMapping(paths[0], size.nodes)
		if err != nil {
			return nil, size, err
		}
		d.IDs = dataset.NewIDs(names)
	}
	return d, size, nil
}

// readCount reads a file of one number.
func readCount(dir, name string) (int, error) {
	path, ok := textfile.Find(dir, name)
	if !ok {
		return 0, fileerr.In(dir, "%s.gz is missing", name)
	}
	x, err := readIntegers(path, 1)
	if err != nil {
		return 0, err
	}
	const most = 1 << 31
	if x[0] < 0 || x[0] >= most {
		return 0, fileerr.At(path, 1, "%d is not between 0 and 2³¹−1", x[0])
	}
	return int(x[0]), nil
}

// readOGBLabels reads the classes of n nodes and their names.
func readOGBLabels(d *dataset.Dataset, dir string, n int) error {
	path, _ := textfile.Find(dir, "raw/node-label.csv")
	var class []int32
	most, known := int32(-1), 0
	err := textfile.Scan(path, func(line int, text []byte) error {
		c, err := parseClass(text)
		if err != nil {
			return fileerr.At(path, line, "%v", err)
		}
		if c >= 0 {
			known++
		}
		class, most = append(class, c), max(most, c)
		return nil
	})
	if err != nil {
		return err
	}
	if len(class) != n {
		return fileerr.In(path, "%d lines, want one for each of %d nodes", len(class), n)
	}
	d.Labels.Class = class
	if known < n {
		build.Note(d, "%d of %d nodes have no class.", n-known, n)
	}
	classes := int(most) + 1
	if paths := textfile.Glob(dir, "mapping/labelidx2*.csv*"); len(paths) > 0 {
		if d.Labels.Names, err = readMapping(paths[0], -1); err != nil {
			return err
		}
	}
	for i := len(d.Labels.Names); i < classes; i++ {
		d.Labels.Names = append(d.Labels.Names, fmt.Sprint(i))
	}
	return nil
}

// readOGBSplits reads every folder in split.
func readOGBSplits(d *dataset.Dataset, dir string, n int) error {
	for _, folder := range textfile.Glob(dir, "split/*") {
		if _, ok := textfile.Find(folder, "train.csv"); !ok {
			continue
		}
		s, err := readOGBSplit(folder, n)
		if err != nil {
			return err
		}
		d.Splits = append(d.Splits, s)
	}
	if d.Splits == nil {
		return fileerr.In(filepath.Join(dir, "split"), "there is no split: no folder in it has train.csv.gz")
	}
	return nil
}

// readOGBSplit reads the three parts of a split of n nodes.
func readOGBSplit(folder string, n int) (dataset.Split, error) {
	var parts [3][]int32
	for i, name := range []string{"train.csv", "valid.csv", "test.csv"} {
		path, ok := textfile.Find(folder, name)
		if !ok {
			return dataset.Split{}, fileerr.In(folder, "%s.gz is missing", name)
		}
		var err error
		if parts[i], err = readNodes(path, n); err != nil {
			return dataset.Split{}, err
		}
	}
	if v, twice := build.Repeated(n, parts[:]...); twice {
		return dataset.Split{}, fileerr.In(folder, "node %d is twice in the split", v)
	}
	return dataset.Split{Train: parts[0], Valid: parts[1], Test: parts[2]}, nil
}

// readOGBEdges builds the graph.
func readOGBEdges(d *dataset.Dataset, path string, size ogbSize) error {
	edges, err := readEdges(path, size)
	if err != nil {
		return err
	}
	d.Graph, err = graph.Build(graph.Spec{
		Nodes: size.nodes, Triples: edges, Undirected: true, Duplicates: graph.DropDuplicates,
	})
	if err != nil {
		return fileerr.Because(path, err)
	}
	if n := d.Graph.Report().Duplicates; n > 0 {
		build.Note(d, "%d of %d edges repeat an earlier one, in this or the other direction, and were dropped.", n, size.edges)
	}
	return nil
}
