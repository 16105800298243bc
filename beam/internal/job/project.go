package job

import (
	"github.com/bloomgml/bloom/beam/internal/parts"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
)

// Project writes the rows of part i before the first round.
func (w *Worker) Project(i int) error {
	if g, ok := w.model.method.(*general); ok && g.kinds != nil {
		return w.projectTyped(i, g)
	}
	var all Rows
	var room []mat.Real
	err := eachBlock(w.Graph, w.store, i, func(b, first, end int) (err error) {
		if room, err = w.store.Features(b, room); err != nil {
			return err
		}
		x := dataset.Matrix{Rows: end - first, Cols: w.store.Columns,
			Values: room[first*w.store.Columns : end*w.store.Columns]}
		if x, err = build.ScaleLike(x, x, w.model.Config.Data.Scale, 0); err != nil {
			return err
		}
		rows, err := w.model.firstRows(x)
		all.Told, all.Kept = append(all.Told, rows.Told...), append(all.Kept, rows.Kept...)
		return err
	})
	if err != nil {
		return err
	}
	return w.Keep(i, 0, all, false)
}

// eachBlock yields the blocks that part i has rows of, with the first and the end of these in the block.
func eachBlock(f *parts.Folder, s *ondisk.Store, i int, yield func(b, first, end int) error) error {
	from, to := f.Starts[i], f.Starts[i+1]
	for b := range s.Blocks() {
		first, end := s.Rows(b)
		if end <= from || first >= to {
			continue
		}
		if err := yield(b, max(first, from)-first, min(end, to)-first); err != nil {
			return err
		}
	}
	return nil
}
