package main

import (
	"context"

	"github.com/bloomgml/bloom/internal/audit"
)

// measureAudit plants the fault that the row is named after in a tenth of the data set, by the seed of the run: the
// share of planted ones among the first as many, of the audit and of simple methods, and how well the audit knows how
// many there are and which.
func measureAudit(_ context.Context, j job) (Outcome, error) {
	d := audit.Data{Graph: j.data.Graph, Rows: j.data.Features[0], Class: j.data.Labels.Class,
		Classes: len(j.data.Labels.Names)}
	fault, seed := j.cell.Row, j.config.Train.Seed
	got, err := audit.Trial(d, fault, seed)
	if err != nil {
		return Outcome{}, err
	}
	d, bad, err := audit.Plant(d, fault, audit.Planted, seed)
	if err != nil {
		return Outcome{}, err
	}
	others, err := suspicions(d, fault == audit.RandomEdges, seed)
	for method, score := range others {
		got[method] = audit.Precision(score, bad)
	}
	o := Outcome{Numbers: map[string]float64{}}
	for name, x := range got {
		o.Numbers[name] = 100 * x
	}
	return o, err
}
