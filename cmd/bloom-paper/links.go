package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/pair"
	"github.com/bloomgml/bloom/train"
)

// measureLinks holds edges out by the seed of the run, learns links from the others, and measures the held-out ones:
// roc_auc and average_precision against the same number of unconnected pairs, mrr and hits@10 among all nodes.
func measureLinks(ctx context.Context, j job) (Outcome, error) {
	c := j.config
	c.Train.Repeat = 1
	o := Outcome{Numbers: map[string]float64{}}
	if slices.Contains(plainLinks, j.cell.Row) {
		list, err := measurePlain(j.cell.Row, c, j.data)
		for _, m := range list {
			o.addMetric(m.Metric, m.Valid, m.Test)
		}
		return o, err
	}
	r, err := pair.Run(ctx, c, j.data, train.Options{})
	if err != nil {
		return diverged(err)
	}
	for _, m := range r.Metrics {
		valid := 0.0
		if len(m.Valid.Runs) > 0 {
			valid = m.Valid.Mean
		}
		o.addMetric(m.Metric, valid, m.Test.Mean)
	}
	return o, nil
}

// addMetric keeps a metric of links; roc_auc of the validation edges chooses.
func (o *Outcome) addMetric(metric string, valid, test float64) {
	o.Numbers[metric] = 100 * test
	if metric == "roc_auc" {
		o.Valid = 100 * valid
	}
}

// plainLinks are the rows of links for other methods:
//
//	adamic   Σ_w 1/log(1 + d_w) over the common neighbours w, of degree d_w (Adamic and Adar)
//	cosine   of the features, scaled as by pairs.alike
//	logistic a logistic regression on the columns of pairs.common and, where nodes have features, of pairs.alike
//	gae      a graph auto-encoder (Kipf and Welling 2016)
var plainLinks = []string{"adamic", "cosine", "logistic", "gae"}

// linkScore is larger for pairs that are more likely to be joined.
type linkScore func(u, v int32) float64

// Places of columns in a row of pair.Held.
const adamicColumn, cosineColumn = 1, 4

// measurePlain measures one of plainLinks on the pairs that c holds out.
func measurePlain(method string, c config.Config, d *dataset.Dataset) ([]train.Measure, error) {
	h, err := pair.HoldOut(c, d)
	if err != nil {
		return nil, err
	}
	column := func(k int) linkScore { return func(u, v int32) float64 { return float64(h.Row(u, v)[k]) } }
	var score linkScore
	switch method {
	case "adamic":
		score = column(adamicColumn)
	case "cosine":
		if len(d.Features) != 1 || d.Features[0].Cols == 0 {
			return nil, fmt.Errorf("%s: nodes have no features to compare", d.Name)
		}
		score = column(cosineColumn)
	case "logistic":
		score, err = regression(h)
	case "gae":
		var a *autoencoder
		if a, err = newAutoencoder(h, c); err == nil {
			score, err = a.fit(c.Train.Seed)
		}
	}
	if err != nil {
		return nil, err
	}
	return h.Measure(score)
}

// regression returns the score of a logistic regression on what describes pairs, and 1.
func regression(h *pair.Held) (linkScore, error) {
	k, rows := len(h.Row(0, 1)), h.Examples()
	var x []mat.Real
	for row := range slices.Chunk(rows, k) {
		x = append(append(x, row...), 1)
	}
	labels, teach := make([]int32, len(rows)/k), make([]int32, len(rows)/k)
	for i := range labels {
		labels[i], teach[i] = int32(i+1)%2, int32(i)
	}
	// of two classes W has w/2 and −w/2: twice ½‖W‖² is ½‖w‖²
	w, err := logistic(input.Dense(mat.FromSlice(len(labels), k+1, x)), labels, teach, 2, 2)
	if err != nil {
		return nil, err
	}
	of := w.Slice()
	return func(u, v int32) (z float64) {
		for j, x := range h.Row(u, v) {
			z += float64(of[2*j+1]-of[2*j]) * float64(x)
		}
		return z
	}, nil
}
