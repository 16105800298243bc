package job

import (
	"github.com/bloomgml/bloom/beam/internal/parts"
	"github.com/bloomgml/bloom/beam/internal/record"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/blocks"
	"github.com/bloomgml/bloom/internal/prepare"
	"github.com/bloomgml/bloom/mat"
)

// Project writes the rows π of part i: those of a run's weights, or features.
func (w *Worker) Project(i int) error {
	pi := make([]mat.Real, 0, (w.Graph.Starts[i+1]-w.Graph.Starts[i])*w.Width)
	var room []mat.Real
	err := eachBlock(w.Graph, w.store, i, func(b, first, end int) (err error) {
		if room, err = w.store.Features(b, room); err != nil {
			return err
		}
		pi, err = w.project(pi, room[first*w.store.Columns:end*w.store.Columns])
		return err
	})
	if err != nil {
		return err
	}
	return record.Write(w.piPath(i), pi)
}

// project puts π of rows of features after others.
func (w *Worker) project(pi, x []mat.Real) ([]mat.Real, error) {
	m := dataset.Matrix{Rows: len(x) / w.store.Columns, Cols: w.store.Columns, Values: x}
	if w.Run != "" {
		w.model.Lock()
		defer w.model.Unlock()
		y, err := w.model.Project(0, m)
		if err != nil {
			return nil, err
		}
		return append(pi, y.Slice()...), nil
	}
	m, err := prepare.ScaleLike(m, m, w.model.Config.Data.Scale, 0)
	if err != nil {
		return nil, err
	}
	for r := range m.Rows {
		pi = append(pi, m.Values[r*m.Cols:(r+1)*m.Cols]...)
		if w.Ones {
			pi = append(pi, 1)
		}
	}
	return pi, nil
}

// eachBlock yields the blocks that part i has rows of, with the first and the end of these in the block.
func eachBlock(f *parts.Folder, s *blocks.Store, i int, yield func(b, first, end int) error) error {
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
