package link

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/run"
)

// Result is what came out of all runs. The keys stay.
type Result struct {
	run.Result                // Task is nil
	Graph      Graph          `json:"graph"`   // that was trained on
	Tested     Graph          `json:"tested"`  // that test facts are about
	Ranking    *metric.Report `json:"ranking"` // of test facts by the run with the best validation metric

	Trained *Trained `json:"-"` // that run
}

// Graph is the size of a knowledge graph.
type Graph struct {
	Name      string `json:"name"`
	Entities  int    `json:"entities"`
	Relations int    `json:"relations"`
	Facts     int    `json:"facts"`
	Valid     int    `json:"valid"` // validation facts
	Test      int    `json:"test"`
}

func graphOf(d *dataset.Dataset) Graph {
	return Graph{d.Name, d.Graph.NumNodes(), d.Graph.NumRelations(), d.Graph.NumEdges(), len(d.Valid), len(d.Test)}
}

// summary is the Result of all runs.
func summary(c config.Config, d *dataset.Dataset, all []outcome, best *outcome) *Result {
	on := Tested(c, d)
	r := &Result{Graph: graphOf(d), Tested: graphOf(on), Ranking: best.ranking, Trained: best.trained}
	r.Data, r.Recipe, r.Metric, r.Weights = d.Name, c.Recipe, Metric(c), best.trained.model.weights()
	var test, valid []float64
	for _, x := range all {
		test, valid = append(test, x.test), append(valid, x.valid)
		r.Epochs, r.Seconds, r.Best = max(r.Epochs, x.epochs), r.Seconds+x.seconds, append(r.Best, x.best.Epoch)
	}
	r.Test, r.Valid = scoreOf(test), scoreOf(valid)
	if len(on.Test) == 0 {
		r.Warnings = append(r.Warnings, "there are no test facts, so nothing is known about how good the model is")
	}
	if n := best.ranking.Unseen; n > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d of %d test facts name an entity that no known fact is about; they are ranked like the others", n, len(on.Test)))
	}
	if d.Twin != nil && on == d {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the entities of the twin are others, which %s does not know: the test facts are those of the training graph", c.Recipe))
	}
	return r
}

// scoreOf sums up runs; NaNs, where there are no facts, are left out.
func scoreOf(runs []float64) run.Score {
	s := run.Score{Runs: []float64{}}
	for _, v := range runs {
		if !math.IsNaN(v) {
			s.Runs = append(s.Runs, v)
		}
	}
	if len(s.Runs) > 0 {
		s.Mean, s.SD = metric.Mean(s.Runs), metric.SD(s.Runs)
	}
	return s
}
