package main

import (
	"context"
	"errors"

	"github.com/bloomgml/bloom/task/fact"
	"github.com/bloomgml/bloom/train"
)

// of50 is the expected Hits@10 among the right answer and 49 others, with ties against the model, as NBFNet reports it.
const of50 = "hits@10_50"

// measureRanks trains once on a knowledge graph and ranks the test facts. Where of50 is what the model is judged by,
// ties count against it in the full rankings too.
func measureRanks(ctx context.Context, j job) (Outcome, error) {
	c := j.config
	c.Train.Repeat = 1
	r, err := fact.Run(ctx, c, j.data, fact.Options{})
	if err != nil {
		var bad *train.NotFinite
		if errors.As(err, &bad) {
			return Outcome{Diverged: err.Error()}, nil
		}
		return Outcome{}, err
	}
	s := r.Ranking.Scores
	if r.Metric == of50 {
		s = r.Ranking.Pessimistic
	}
	return Outcome{Valid: 100 * r.Valid.Mean, Numbers: map[string]float64{
		of50: 100 * r.Ranking.Pessimistic.Hits10of50, "mrr": 100 * s.MRR, "hits@1": 100 * s.Hits1,
		"hits@3": 100 * s.Hits3, "hits@10": 100 * s.Hits10,
	}}, nil
}
