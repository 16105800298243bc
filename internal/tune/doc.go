// Package tune searches for good settings: of the keys of a config, or of anything else with a numeric objective.
//
//	space, err := tune.ReadSpace("space.yaml", text)
//	study := tune.Study{Space: space, Trials: 50, Pruner: tune.Median{}, File: "study.jsonl"}
//	result, err := study.Run(ctx, func(ctx context.Context, t *tune.Trial) (float64, error) {
//		return score(t.Value("train.rate").(float64)), nil
//	})
//
// A Sampler chooses the point of the space that each trial tries, from the study's seed, the trial's number and how
// earlier trials went: Random, or TPE, which is Bayesian. A Pruner ends trials that go badly.
//
// The study is its file, which only grows: one JSON object a line, first what the study is and then every trial that
// has ended. A killed study resumes from it. Trials that had not ended are run again, with the same random
// numbers; with one job at a time, a study that was stopped and continued tries the same points as one that was not.
package tune
