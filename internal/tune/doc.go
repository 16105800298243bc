// Package tune searches for good settings: of the keys of a config, or of anything else that has a number to say how
// good it is.
//
//	space, err := tune.ReadSpace("space.yaml", text)
//	study := tune.Study{Space: space, Trials: 50, Pruner: tune.Median{}, Journal: "journal.log"}
//	result, err := study.Run(ctx, func(ctx context.Context, t *tune.Trial) (float64, error) {
//		return score(t.Value("train.rate").(float64)), nil
//	})
//
// A Study is a number of places, one a trial. A Sampler chooses the point of the space that is tried at a place, from
// its seed and from how earlier trials went: Random, Grid, or TPE, which is Bayesian. A Pruner ends trials that go
// badly.
//
// The study is its journal, a file that only grows. A study that was killed goes on from it: trials that were running
// are marked as failed and their places are tried again, with the same random numbers. With one job at a time, a study
// that was stopped and continued tries the same points as one that was not.
//
// The journal has the format of Optuna's journal storage, one JSON object a line, so that optuna-dashboard opens it.
package tune
