package ondisk

import (
	"context"
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/host"
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

// Kept are the nodes whose rows are kept: the training nodes, and at most about Most validation and Most test nodes.
type Kept struct {
	Place []int32 // ascending
	Class []int32
	Part  []Part
	all   [4]int // number of nodes of every part
}

const defaultMost = 1 << 17

// Trains returns the number of training nodes, kept or not.
func (k *Kept) Trains() int { return k.all[Train] }

// count returns how many rows are kept, with the training nodes thinned or not.
func (k *Kept) count(thin bool) (n int) {
	for _, p := range k.Part {
		if thin || p != Train {
			n++
		}
	}
	if !thin {
		n += k.Trains()
	}
	return n
}

// Choose reads the labels twice: to count, and to choose. A part that is too large is thinned by a hash of the node,
// which is the same for every run with the same seed.
func Choose(s *Store, o SettleOptions) (*Kept, error) {
	if o.Split >= s.Splits {
		return nil, files.Errorf(s.Dir(), "split %d of %d", o.Split, s.Splits)
	}
	k, most := new(Kept), o.Most
	if most == 0 {
		most = defaultMost
	}
	err := k.each(s, o.Split, func(_ int32, _ int32, p Part) { k.all[p]++ })
	if err != nil {
		return nil, err
	}
	return k, k.each(s, o.Split, func(v, class int32, p Part) {
		share := float64(most) / float64(k.all[p])
		if p == Train && !o.Thin || float64(mat.Mix(o.Seed, uint64(v))>>11)/(1<<53) < share {
			k.Place, k.Class, k.Part = append(k.Place, v), append(k.Class, class), append(k.Part, p)
		}
	})
}

// each yields the nodes of a split.
func (k *Kept) each(s *Store, split int, yield func(v, class int32, p Part)) error {
	for i := range s.Blocks() {
		l, err := s.Labels(i)
		if err != nil {
			return err
		}
		first, _ := s.Rows(i)
		for r, p := range l.Parts[split] {
			if p != None {
				yield(int32(first+r), l.Class[r], p)
			}
		}
	}
	return nil
}

// Dataset returns the data set of the kept rows, with features x, which the descent of by has settled.
func (k *Kept) Dataset(s *Store, x []mat.Real, by dataset.Settled) (*dataset.Dataset, error) {
	g, err := graph.Build(graph.Spec{Nodes: len(k.Place), Undirected: true})
	if err != nil {
		return nil, err
	}
	d := &dataset.Dataset{Name: s.Name, Metric: s.Metric, Graph: g, Settled: by,
		Labels:   dataset.Labels{Class: k.Class, Names: slices.Clone(s.Classes)},
		Features: []dataset.Matrix{{Rows: len(k.Place), Cols: len(x) / max(1, len(k.Place)), Values: x}},
		Splits:   make([]dataset.Split, 1)}
	for i, p := range k.Part {
		p.AddTo(&d.Splits[0], int32(i))
	}
	if len(k.Place) < s.Nodes {
		d.Of = s.Nodes
	}
	names, err := s.Names(k.Place)
	d.IDs = dataset.NewIDs(names)
	return d, err
}

// sweep iterates over the blocks of a graph repeatedly.
type sweep struct {
	*Store
	SettleOptions
	SettlePlan
	ctx  context.Context
	step *solve.Stepper

	p, h, next []mat.Real // nodes × width of the panel: π, and the states before and after a step
	scale      []mat.Real // s of every node; nil if all are 1
	walk       Walk
	done       int64 // neighbours processed
}

func newSweep(ctx context.Context, s *Store, o SettleOptions, p SettlePlan) (*sweep, error) {
	step, err := solve.NewStepper(o.Local)
	return &sweep{Store: s, SettleOptions: o, SettlePlan: p, ctx: ctx, step: step, walk: Walk{Store: s}}, err
}

// panel settles width columns; fill writes their π, a row for every node. The result is in h.
func (w *sweep) panel(width int, fill func(dst []mat.Real) error) error {
	n := w.Nodes * width
	if w.p == nil {
		for _, x := range []*[]mat.Real{&w.p, &w.h, &w.next} {
			*x = make([]mat.Real, w.Nodes*w.Width)
			host.AdviseHuge(*x)
		}
		var err error
		if w.scale, err = w.walk.Scales(w.ctx, w.step); err != nil {
			return err
		}
	}
	w.p, w.h, w.next = w.p[:n], w.h[:n], w.next[:n]
	if err := fill(w.p); err != nil {
		return err
	}
	copy(w.h, w.p)
	for range w.Steps {
		err := w.walk.Each(w.ctx, w.step, w.scale, func(_ int, b solve.Block) error { return w.block(b, width) })
		w.h, w.next = w.next, w.h
		if err != nil {
			return err
		}
	}
	return nil
}

// block does one step of the nodes of a block.
func (w *sweep) block(b solve.Block, width int) error {
	from, to := b.First*width, (b.First+b.Rows())*width
	err := w.step.Step(w.next[from:to], w.h, w.p[from:to], w.scale, width, b)
	if w.done += int64(len(b.Idx)); err == nil && w.Progress != nil {
		w.Progress(w.done, 2*w.Edges*int64(w.Steps)*int64(w.Panels))
	}
	return err
}
