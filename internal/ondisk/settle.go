package ondisk

import (
	"context"
	"fmt"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
)

// SettleOptions say what is settled, and with how much memory.
type SettleOptions struct {
	Local  descent.Local // the descent; its π is ignored
	Steps  int           // L
	Energy string        // the energy that the set records, see dataset.Dataset.Settled
	Scale  string        // of features, see prepare.Scale
	Split  int           // whose nodes are kept
	Most   int           // maximum number of validation nodes, and of test nodes, to keep, drawn by Seed; 0 means 2¹⁷
	Thin   bool          // Most also limits the training nodes
	Train  *Rows         // receives the rows of all training nodes if they are thinned; may be nil
	Seed   uint64
	Memory int64 // bytes
	// Spread adds the columns P (X ∘ S) after P 1, S being signs drawn by Seed. The mean of their squares over S is
	//
	//	Σ_v P_uv² x_vj²
	//
	// the variance of P (X ∘ M) for a mask M whose entries have variance 1: what dropout of features comes to.
	Spread bool
	// Progress is told how many neighbours were processed, out of how many in all; may be nil.
	Progress func(done, total int64)
}

// Settled returns dataset.Dataset.Settled of the set.
func (o SettleOptions) Settled() dataset.Settled {
	return dataset.Settled{Energy: o.Energy, Spread: o.Spread}
}

// Columns returns how many columns settle.
func (o SettleOptions) Columns(s *Store) int {
	if o.Spread {
		return 2*s.Columns + 1
	}
	return s.Columns + 1
}

// Settle returns the data set of the kept rows: features P x, in the column after them P 1, then the spread if
// requested;
// classes, one split and ids; no edges. It fills Options.Train.
func Settle(ctx context.Context, s *Store, o SettleOptions) (*dataset.Dataset, error) {
	if !solve.NewForm(o.Local).Linear() {
		return nil, fmt.Errorf("settle: the descent is not linear")
	}
	k, err := Choose(s, o)
	if err != nil {
		return nil, err
	}
	plan, err := NewSettlePlan(s, k, o)
	if err != nil {
		return nil, err
	}
	x, err := NewSettleColumns(s, o.Scale)
	if err != nil {
		return nil, err
	}
	w, err := newSweep(ctx, s, o, plan)
	if err != nil {
		return nil, err
	}
	all := o.Columns(s)
	out := make([]mat.Real, len(k.Place)*all)
	for i := range plan.Panels {
		first, width := plan.cut[i], plan.cut[i+1]-plan.cut[i]
		err := w.panel(width, func(dst []mat.Real) error { return x.fill(ctx, dst, first, width, o.Seed) })
		if err != nil {
			return nil, err
		}
		for i, v := range k.Place {
			copy(out[i*all+first:], w.h[int(v)*width:(int(v)+1)*width])
		}
		if o.Train != nil {
			if err := w.rows(k, first, width); err != nil {
				return nil, err
			}
		}
	}
	return k.Dataset(s, out, o.Settled())
}

// GatherSettled returns the data set of Run from rows that were settled elsewhere: row returns the Columns+1 numbers
// of node
// v, and is called with ascending nodes. Of o it uses which rows are kept, and by which energy they settled.
func GatherSettled(s *Store, o SettleOptions, row func(v int32) ([]mat.Real, error)) (*dataset.Dataset, error) {
	k, err := Choose(s, o)
	if err != nil {
		return nil, err
	}
	out := make([]mat.Real, 0, len(k.Place)*(s.Columns+1))
	for _, v := range k.Place {
		x, err := row(v)
		if err != nil {
			return nil, err
		}
		out = append(out, x...)
	}
	return k.Dataset(s, out, o.Settled())
}
