package pair

import (
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// Held holds the pairs of a data set that Run learns from and the pairs that it holds out, to measure another method
// on exactly the pairs of a model.
//
//	h, err := pair.HoldOut(cfg, data)
//	list, err := h.Measure(func(u, v int32) float64 { return float64(h.Row(u, v)[1]) }) // Adamic and Adar
type Held struct {
	data    *dataset.Dataset
	split   *split
	columns *columns
	row     []mat.Real
	seed    uint64
}

// HoldOut holds pairs of d out as c says. The error is a *train.BadData.
func HoldOut(c config.Config, d *dataset.Dataset) (*Held, error) {
	s, err := newSplit(c.Pairs, d, c.Data.ScaleRows, c.Train.Seed)
	if err != nil {
		return nil, err
	}
	cols := &columns{near: newNeighbours(s.nodes, s.train), common: true}
	if featured(d) {
		cols.alike = newAlike(d.Features[0], s.old, cols.near)
	}
	return &Held{d, s, cols, make([]mat.Real, cols.width()), c.Train.Seed}, nil
}

// Seen returns the data set without the edges of pairs that are held out.
func (h *Held) Seen() (*dataset.Dataset, error) { return h.split.seen(h.data) }

// Train returns the pairs to learn from, in ascending order.
func (h *Held) Train() [][2]int32 {
	list := make([][2]int32, len(h.split.train))
	for i, p := range h.split.train {
		list[i] = [2]int32{p.u, p.v}
	}
	return list
}

// Row returns the numbers that describe a pair: what its neighbours have in common, as by pairs.common, and where
// nodes have features how alike they are, as by pairs.alike. The next call overwrites them.
func (h *Held) Row(u, v int32) []mat.Real {
	h.columns.row(h.row, 0, pair{u, v})
	return h.row
}

// Examples returns a Row for every training pair, each followed by one for a pair that is not joined. Parts of the
// training pairs are hidden while they are described, so no edge describes itself.
func (h *Held) Examples() (rows []mat.Real) {
	s, c := h.split, h.columns
	order := make([]int32, len(s.train))
	for i := range order {
		order[i] = int32(i)
	}
	shuffle(order, mat.Mix(h.seed, hashOrder))
	others := s.sampleUnjoined(len(s.train), mat.Mix(h.seed, hashFalse))
	for f := range folds {
		part := order[f*len(order)/folds : (f+1)*len(order)/folds]
		c.near.hide(part, s.train)
		c.renew()
		for _, i := range part {
			for _, p := range []pair{s.train[i], others[i]} {
				rows = append(rows, h.Row(p.u, p.v)...)
			}
		}
	}
	c.near.hide(nil, s.train)
	c.renew()
	return rows
}

// Measure computes metrics of a score on the held-out pairs, all if none are named: of validation and test pairs, but
// ranks only of test pairs.
func (h *Held) Measure(score func(u, v int32) float64, metrics ...string) ([]train.Measure, error) {
	by := judge{h.split, func(list []pair) ([]mat.Real, error) {
		z := make([]mat.Real, len(list))
		for i, p := range list {
			z[i] = mat.Real(score(p.u, p.v))
		}
		return z, nil
	}}
	return by.measureAll(h.seed, metrics...)
}
