package job

import (
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// Settled returns the set of the labelled rows of a linear descent that ran on features: with P x and P 1 for features
// training needs no graph, and has the loss and the derivatives that it has on all of it, see ondisk.Settle.
func Settled(dir string) (*dataset.Dataset, error) {
	w, err := Work(dir)
	if err != nil {
		return nil, err
	}
	c := w.model.Config
	c.Model.Before = min(c.Model.Before, 1)
	l, err := node.NewDisk(c, w.store.Columns, w.store.Classes)
	if err != nil {
		return nil, err
	}
	if !w.Ones {
		return nil, &train.BadSetting{Key: "recipe", Value: c.Recipe,
			Want: "one whose descent is linear, such as base: other descents depend on weights"}
	}
	o := ondisk.SettleOptions{Energy: l.Energy, Split: c.Data.Split, Seed: c.Train.Seed}
	part, rows := -1, []mat.Real(nil)
	return ondisk.GatherSettled(w.store, o, func(v int32) ([]mat.Real, error) {
		for part < 0 || int(v) >= w.Graph.Starts[part+1] {
			part++
			rows = nil
		}
		if rows == nil {
			var err error
			if rows, err = w.State(part, w.Steps); err != nil {
				return nil, err
			}
		}
		r := int(v) - w.Graph.Starts[part]
		return rows[r*w.Width : (r+1)*w.Width], nil
	})
}
