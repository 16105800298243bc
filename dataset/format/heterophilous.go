package format

import (
	"path/filepath"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/mat"
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

// Read reads the arrays.
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
	features, err := heterophilousFeatures(z, nodes)
	if err != nil {
		return nil, err
	}
	b.Features = []dataset.Matrix{features}
	if err := heterophilousEdges(b, z, nodes); err != nil {
		return nil, err
	}
	return b.Dataset, readMasks(b, z, path)
}

// heterophilousFeatures reads the features of n nodes.
func heterophilousFeatures(z *codec.Archive, n int) (dataset.Matrix, error) {
	a, err := z.Read("node_features")
	if err != nil {
		return dataset.Matrix{}, err
	}
	if !a.Is(n, -1) {
		return dataset.Matrix{}, a.Errorf(0, "features of shape %v for %d nodes", a.Shape, n)
	}
	values, err := codec.Floats[mat.Real](a)
	if err != nil {
		return dataset.Matrix{}, err
	}
	if err := checkFinite(a, values); err != nil {
		return dataset.Matrix{}, err
	}
	return newMatrix(n, a.Shape[1], values), nil
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
