package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/ranking"
	"github.com/bloomgml/bloom/task/fact"
	"github.com/bloomgml/bloom/train"
)

// heldShare is the share of the entities that is held out, and heldSeed says which.
const (
	heldShare = 0.05
	heldSeed  = 99
)

// settleSteps are the numbers of steps that are tried.
var settleSteps = []int{1, 2, 5, 10, 20, 50}

// The numbers of new entities, all MRRs being those of test facts about them.
const (
	retrained = "retrained" // MRR of a model that was trained with their facts
	kept      = "kept"      // MRR after ten steps, as a share of that
	timeShare = "time"      // ten steps, as a share of the time of that training
)

// measureNewcomers trains without some of the entities, places them by steps of descent on their facts, and trains
// again with them.
//
// Chosen: both trainings take their last epoch, as validation facts about new entities would choose for one of them
// alone.
func measureNewcomers(ctx context.Context, j job) (Outcome, error) {
	c := j.config
	c.Train.Repeat = 1
	h, err := holdOut(j.data, heldShare, heldSeed)
	if err != nil {
		return Outcome{}, err
	}
	n := newcomers{h, ranking.NewKnown(h.Whole.Graph.Triples(), h.Whole.Valid, h.Whole.Test, h.Old.Valid)}
	base, _, err := n.train(ctx, c, h.Old)
	if err != nil {
		return Outcome{}, err
	}
	full, again, err := n.train(ctx, c, h.Whole)
	if err != nil {
		return Outcome{}, err
	}
	best, err := n.mrr(full)
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Numbers: map[string]float64{retrained: 100 * best}}
	placed := Curve{Panel: j.cell.String(), Name: "placed by steps"}
	limit := Curve{Panel: j.cell.String(), Name: "trained again"}
	for _, steps := range settleSteps {
		begin := time.Now()
		m, _, err := base.Add(h.Names, h.Facts, kg.Settle{L: steps})
		if err != nil {
			return Outcome{}, err
		}
		seconds := time.Since(begin).Seconds()
		mrr, err := n.mrr(m)
		if err != nil {
			return Outcome{}, err
		}
		o.Numbers[fmt.Sprintf("L=%d", steps)] = 100 * mrr
		if steps == 10 {
			o.Valid, o.Numbers[kept], o.Numbers[timeShare] = 100*mrr, 100*mrr/best, 100*seconds/again
		}
		placed.X, placed.Y = append(placed.X, float64(steps)), append(placed.Y, 100*mrr)
		limit.X, limit.Y = append(limit.X, float64(steps)), append(limit.Y, 100*best)
	}
	o.Curves = []Curve{placed, limit}
	return o, nil
}

// newcomers are entities that were held out, with all facts that are known about them.
type newcomers struct {
	*heldOut
	known *ranking.Known
}

// train returns a model and the seconds that it took.
func (newcomers) train(ctx context.Context, c config.Config, d *dataset.Dataset) (*kg.Model, float64, error) {
	facts := *d
	facts.Valid = nil
	dir, err := os.MkdirTemp("", "bloom-newcomers-")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	r, err := fact.Run(ctx, c, &facts, fact.Options{Untested: true, Options: train.Options{Dir: dir}})
	if err != nil {
		return nil, 0, err
	}
	m, err := kg.Load(train.ModelFile(r.Run))
	return m, r.Seconds, err
}

// mrr is the filtered mean reciprocal rank of the test facts about new entities, from 0 to 1.
func (n newcomers) mrr(m *kg.Model) (float64, error) {
	r, err := m.Evaluate(n.Whole, n.Whole.Test, ranking.Candidates{Known: n.known})
	if err != nil {
		return 0, err
	}
	return r.MRR, nil
}
