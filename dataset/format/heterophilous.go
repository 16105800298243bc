package format

import (
	"path/filepath"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/part"
)

// heterophilous are the graphs of Platonov et al. (2023), and others saved like them: an .npz file
// with node_features N×F, node_labels N, edges E×2 in one direction, and train_masks, val_masks
// and test_masks S×N, a row for every split. Two classes are reported as ROC-AUC, more as accuracy.
var heterophilous = part.Part[Reader]{Name: "heterophilous npz", Text: "heterophilous .npz", New: heterophilousFile{}}

type heterophilousFile struct{}

// Match looks for the three arrays that every set has.
func (heterophilousFile) Match(path string, dir bool) bool {
	if dir || filepath.Ext(path) != ".npz" {
		return false
	}
	z, err := codec.OpenNPZ(path, nil)
	if err != nil {
		return true // reading reports what is wrong with it
	}
	defer z.Close()
	return z.Has("node_features", "node_labels", "edges")
}

func (heterophilousFile) Read(path string) (*dataset.Dataset, error) {
	b := build.New(path, strings.TrimSuffix(filepath.Base(path), ".npz"))
	z, err := codec.OpenNPZ(path, b.Budget)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	labels, err := z.Read("node_labels")
	if err != nil {
		return nil, err
	}
	if err := b.ClassArray(labels); err != nil {
		return nil, err
	}
	if len(b.Labels.Names) == 2 {
		b.Metric = "roc_auc"
	}
	nodes := len(b.Labels.Class)
	x, err := z.Read("node_features")
	if err != nil {
		return nil, err
	}
	if !x.Is(nodes, -1) {
		return nil, x.Errorf(0, "features of shape %v for %d nodes", x.Shape, nodes)
	}
	features, err := featuresOf(x, nodes)
	if err != nil {
		return nil, err
	}
	b.Features = []dataset.Matrix{features}
	if err := heterophilousEdges(b, z, nodes); err != nil {
		return nil, err
	}
	return b.Dataset, readMasks(b, z, path)
}

// heterophilousEdges reads the edges between n nodes.
func heterophilousEdges(b *build.Builder, z *codec.Archive, n int) error {
	a, err := z.Read("edges")
	if err != nil {
		return err
	}
	if !a.Is(-1, 2) {
		return a.Errorf(0, "edges of shape %v are not pairs", a.Shape)
	}
	ends, err := a.Ints()
	if err != nil {
		return err
	}
	if err := b.Budget.Take(6*int64(len(ends)), "edges"); err != nil {
		return err
	}
	triples := make([]graph.Triple, len(ends)/2)
	for i, v := range ends {
		if v < 0 || v >= int64(n) {
			return a.Errorf(i, "edge %d has an end %d, there are %d nodes", i/2, v, n)
		}
		if i%2 == 0 {
			triples[i/2].U = int32(v)
		} else {
			triples[i/2].V = int32(v)
		}
	}
	err = b.Connect(graph.Spec{
		Nodes: n, Triples: triples, Undirected: true, DropDuplicates: true, Loops: graph.DropLoops,
	})
	if err != nil {
		return err
	}
	if r := b.Graph.Report(); r.Duplicates > 0 || r.Loops > 0 {
		b.Note("Dropped %d duplicate edges and %d self loops.", r.Duplicates, r.Loops)
	}
	return nil
}

// readMasks reads splits from an archive that holds a flag for every node: train_mask, val_mask and test_mask, or
// train_masks, val_masks and test_masks with a row for every split. Flags are bool or 0 and 1. A node in two parts of a
// split is an error.
func readMasks(b *build.Builder, z *codec.Archive, path string) error {
	ending := "_mask"
	if z.Has("train_masks") {
		ending = "_masks"
	}
	var parts [3][][]int32 // of train, valid and test: the nodes of every split
	for i, name := range []string{"train", "val", "test"} {
		a, err := z.Read(name + ending)
		if err != nil {
			return err
		}
		if parts[i], err = flagged(a, len(b.Labels.Class)); err != nil {
			return err
		}
	}
	if len(parts[1]) != len(parts[0]) || len(parts[2]) != len(parts[0]) {
		return files.Errorf(path, "masks for %d, %d and %d splits", len(parts[0]), len(parts[1]), len(parts[2]))
	}
	for i := range parts[0] {
		if err := b.SplitOnce(path, parts[0][i], parts[1][i], parts[2][i]); err != nil {
			return err
		}
	}
	return nil
}

// flagged lists the nodes whose flag is set, for every row of flags of n nodes.
func flagged(a *codec.Array, n int) ([][]int32, error) {
	if !a.Is(n) && !a.Is(-1, n) || n == 0 {
		return nil, a.Errorf(0, "flags of shape %v for %d nodes", a.Shape, n)
	}
	flags, err := a.Bools()
	if err != nil {
		return nil, err
	}
	rows := make([][]int32, len(flags)/n)
	for i := range rows {
		rows[i] = build.Flagged(flags[i*n : (i+1)*n])
	}
	return rows, nil
}
