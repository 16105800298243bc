package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Data is the data to audit. Rows, classes or both may be missing.
type Data struct {
	Graph *graph.Graph
	Rows  dataset.Matrix // features, one row per node; the zero value if there are none
	// Place holds columns that were computed from a node's edges, such as sums of payments: they say where a node is,
	// and are not part of its row. The zero value if there are none.
	Place   dataset.Matrix
	Count   []float64 // rows of a table that every edge was made of; nil if that is not known
	Class   []int32   // of nodes, −1 if it is not known; nil if there are none
	Classes int
}

// Options say what to judge; the zero value judges everything.
type Options struct {
	Seed                      uint64
	NoRows, NoLabels, NoEdges bool
	Columns                   int // number of columns to blame in a row; 0 means 5
	Explained                 int // number of leading rows whose columns are blamed; 0 means 200
}

// Report lists what is probably wrong. Rankings begin with the most suspicious thing; each thing is in its ranking
// once.
type Report struct {
	Rows   []Row   // of nodes that have features; nil without features
	Labels []Label // of nodes that have a class; nil if there are fewer than two classes
	Edges  []Edge

	RowShare, LabelShare, EdgeShare Share
}

// Share is an estimate of how many things are wrong. Where wrong things look like right ones their share has no lower
// bound, and Wrong is small; Most is an upper estimate, which is close to Wrong elsewhere.
type Share struct{ Wrong, Most float64 }

// Verdict is the judgement of one thing.
type Verdict struct {
	Probability float64 // of being wrong
	Odds        float64 // log(p / (1 − p)), by which things are ranked
}

// Run audits.
func Run(d Data, o Options) (*Report, error) {
	w, err := judged(d, o)
	if err != nil {
		return nil, err
	}
	return w.report()
}

// judged returns the evidence of all folds.
func judged(d Data, o Options) (*world, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	w, err := newWorld(d, o)
	if err != nil {
		return nil, err
	}
	for f := range int32(w.folds) {
		if err := w.judge(f); err != nil {
			return nil, err
		}
	}
	if !w.NoEdges && w.Graph.NumEdges() > 0 {
		w.judgeEdges()
	}
	return w, nil
}

// check compares the sizes of what is given.
func (d Data) check() error {
	n := d.Graph.NumNodes()
	switch {
	case d.Rows.Cols > 0 && d.Rows.Rows != n:
		return fmt.Errorf("audit: %d rows of features for %d nodes", d.Rows.Rows, n)
	case d.Place.Cols > 0 && d.Place.Rows != n:
		return fmt.Errorf("audit: edge statistics of %d rows for %d nodes", d.Place.Rows, n)
	case d.Count != nil && len(d.Count) != d.Graph.NumEdges():
		return fmt.Errorf("audit: %d counts for %d edges", len(d.Count), d.Graph.NumEdges())
	case d.Class != nil && len(d.Class) != n:
		return fmt.Errorf("audit: %d classes for %d nodes", len(d.Class), n)
	}
	for v, c := range d.Class {
		if int(c) >= d.Classes {
			return fmt.Errorf("audit: node %d has class %d of %d", v, c, d.Classes)
		}
	}
	return nil
}

// judge collects the evidence of one fold.
func (w *world) judge(f int32) error {
	v, err := w.view(f)
	if err != nil {
		return err
	}
	if w.columns != nil {
		w.bases[f] = v.code.basis
		v.keep(f)
		if !w.NoRows {
			if err := v.judgeRows(f); err != nil {
				return err
			}
		}
	}
	if w.k > 1 {
		v.judgeLabels(f)
	}
	if f == 0 {
		w.first = v
	}
	return nil
}

// report puts the verdicts together.
func (w *world) report() (r *Report, err error) {
	r = &Report{}
	if len(w.rows.asIs) > 0 {
		if r.RowShare, err = w.rankRows(r); err != nil {
			return nil, err
		}
	}
	if len(w.labels.asIs) > 0 {
		if r.LabelShare, err = w.rankLabels(r); err != nil {
			return nil, err
		}
	}
	if len(w.edges.asIs) > 0 {
		if r.EdgeShare, err = w.rankEdges(r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// fewestThings is the number of things needed to tell what is usual: if there are fewer, all have probability 0, in
// their order.
const fewestThings = 16

// rounds is the maximum number of times that networks learn again, and more is the growth, as a share of all things,
// in things that are not examples of what is right that another round takes.
const rounds, more = 5, 0.02

// verdicts judges things, first against all of them as they are, then against the ones that seem right, for as long as
// these become clearly fewer: if a fifth is wrong, the first network takes some of it for usual.
func (e *evidence) verdicts(seed uint64) (*verdict, error) {
	if len(e.asIs) < fewestThings {
		return &verdict{evidence: e, odds: make([]float64, len(e.asIs))}, nil
	}
	weight := slices.Repeat([]float64{1}, len(e.asIs))
	for i, odd := range e.odd {
		if odd {
			weight[i] = 0
		}
	}
	v, err := e.train(weight, mat.Mix(seed, 0))
	if err != nil {
		return nil, err
	}
	first, bounds := v, v.bounds()
	weight, stood := v.right(bounds), v.stood()
	v.emphasise()
	for round := uint64(1); ; round++ {
		if v, err = e.train(weight, mat.Mix(seed, round)); err != nil {
			return nil, err
		}
		next := v.bounds()
		if now := v.stood(); round < rounds && now > stood+more {
			_, odds := v.shares(next)
			bounds, weight, stood = next, v.rightBy(odds), now
			v.emphasise()
			continue
		}
		for k, stands := range v.stands {
			if stands {
				bounds[k] = max(bounds[k], next[k])
			}
		}
		v.pi, v.odds = v.shares(bounds)
		switch {
		case v.undone > 0:
			v.mirrored(first, bounds[0])
		case v.simplest > 0:
			v.simplify()
		}
		return v, nil
	}
}

// judgement returns the verdict on thing i; if there are too few things to tell what is usual, the probability is 0.
func (v *verdict) judgement(i int) Verdict {
	if v.pi == nil {
		return Verdict{}
	}
	return Verdict{1 / (1 + math.Exp(-v.odds[i])), v.odds[i]}
}

// ranked sorts things, the most suspicious first, equal ones as they came.
func ranked[T any](things []T, of func(T) Verdict) {
	slices.SortStableFunc(things, func(a, b T) int { return cmp.Compare(of(b).Odds, of(a).Odds) })
}
