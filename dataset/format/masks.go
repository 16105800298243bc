package format

import (
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/internal/files"
)

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
