package format

import (
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/internal/build"
	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/npy"
)

// ReadMasks reads splits of d from .npz files that hold a flag for every node: train_mask, val_mask
// and test_mask, or train_masks, val_masks and test_masks with a row for every split. Flags are bool
// or 0 and 1. Nodes without a label are left out of the splits, whatever the flags say; a node in
// two parts of a split is an error.
//
// The ten splits of Geom-GCN for the Planetoid graphs are such files; MaskFiles finds them.
func ReadMasks(d *dataset.Dataset, paths ...string) ([]dataset.Split, error) {
	var splits []dataset.Split
	for _, path := range paths {
		z, err := npy.Open(path, npy.Options{})
		if err != nil {
			return nil, err
		}
		some, err := masksOf(z, path, d.Labels.Class)
		z.Close()
		if err != nil {
			return nil, err
		}
		splits = append(splits, some...)
	}
	return splits, nil
}

// masksOf reads the splits in an archive.
func masksOf(z *npy.Archive, path string, class []int32) ([]dataset.Split, error) {
	ending := "_mask"
	if z.Has("train_masks") {
		ending = "_masks"
	}
	var parts [3][][]int32 // of train, valid and test: the nodes of every split
	for i, name := range []string{"train", "val", "test"} {
		a, err := z.Read(name + ending)
		if err != nil {
			return nil, err
		}
		if parts[i], err = flagged(a, class); err != nil {
			return nil, err
		}
	}
	if len(parts[1]) != len(parts[0]) || len(parts[2]) != len(parts[0]) {
		return nil, fileerr.In(path, "masks for %d, %d and %d splits", len(parts[0]), len(parts[1]), len(parts[2]))
	}
	splits := make([]dataset.Split, len(parts[0]))
	for i := range splits {
		splits[i] = dataset.Split{Train: parts[0][i], Valid: parts[1][i], Test: parts[2][i]}
		if err := build.CheckDisjoint(splits[i], path, len(class)); err != nil {
			return nil, err
		}
	}
	return splits, nil
}

// flagged lists the labelled nodes whose flag is set, for every row of flags.
func flagged(a *npy.Array, class []int32) ([][]int32, error) {
	n := len(class)
	if !a.Is(n) && !a.Is(-1, n) || n == 0 {
		return nil, a.Errorf(0, "flags of shape %v for %d nodes", a.Shape, n)
	}
	flags, err := a.Bools()
	if err != nil {
		return nil, err
	}
	rows := make([][]int32, len(flags)/n)
	for i := range rows {
		rows[i] = []int32{}
		for v, set := range flags[i*n : (i+1)*n] {
			if set && class[v] >= 0 {
				rows[i] = append(rows[i], int32(v))
			}
		}
	}
	return rows, nil
}
