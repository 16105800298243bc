package pairs

import (
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/run"
)

// Simple measures a method that is not ours on the pairs that c holds out, for models to be compared with:
//
//	adamic   Σ_w 1/log(1 + d_w) over the common neighbours w, of degree d_w (Adamic and Adar)
//	cosine   of the features, scaled as by pairs.alike
//	logistic a logistic regression on the columns of pairs.common and, where nodes have features, of pairs.alike
//	gae      a graph auto-encoder (Kipf and Welling 2016)
//
// The error is a *run.BadSetting for another name, or a *run.BadData.
func Simple(method string, c config.Config, d *dataset.Dataset) ([]run.Measure, error) {
	seed := c.Train.Seed
	s, err := newSplit(c.Pairs, d, c.Data.ScaleRows, seed)
	if err != nil {
		return nil, err
	}
	near := newNeighbours(s.nodes, s.train)
	var score func(p pair) float64
	switch {
	case method == "adamic":
		score = func(p pair) float64 { return near.adamic(p.u, p.v) }
	case method == "cosine" && featured(d):
		x := newAlike(d.Features[0], s.old, near)
		score = func(p pair) float64 { return x.cosine(p.u, p.v) }
	case method == "logistic":
		score = regression(s, near, d, seed)
	case method == "gae":
		if score, err = encoded(s, c, d, seed); err != nil {
			return nil, err
		}
	default:
		return nil, &run.BadSetting{Key: "method", Value: method,
			Want: "adamic, logistic, gae, or cosine where nodes have features"}
	}
	return judgeBy(s, score).all(seed)
}

// judgeBy scores pairs one by one.
func judgeBy(s *split, score func(pair) float64) judge {
	return judge{s, func(list []pair) ([]mat.Real, error) {
		z := make([]mat.Real, len(list))
		for i, p := range list {
			z[i] = mat.Real(score(p))
		}
		return z, nil
	}}
}

// regression is the score of a logistic regression.
func regression(s *split, near *neighbours, d *dataset.Dataset, seed uint64) func(pair) float64 {
	c := &columns{near: near, common: true}
	if featured(d) {
		c.alike = newAlike(d.Features[0], s.old, near)
	}
	w, row := newLogistic(s, c, seed).fit(), make([]mat.Real, c.width())
	return func(p pair) (z float64) {
		c.row(row, 0, p)
		for j, x := range row {
			z += w[j] * float64(x)
		}
		return z
	}
}
