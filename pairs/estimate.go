package pairs

import (
	"context"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/run"
)

// NewEstimate says what Run would need for c on d; for limit see run.NewEstimate.
func NewEstimate(ctx context.Context, c config.Config, d *dataset.Dataset, limit time.Duration) (*run.Estimate, error) {
	make := func(c config.Config) (run.Job, error) { return build(c, d, trials(c)[0]) }
	if e, err := run.Foresee(c, make); e != nil || err != nil {
		return e, err
	}
	return run.NewEstimate(ctx, c, func() (run.Job, error) { return make(c) }, limit)
}

// Check is the metric of a config, or why it cannot be trained on d or be chosen by validation.
func Check(c config.Config, d *dataset.Dataset) (string, error) {
	j, err := build(c, d, trials(c)[0])
	if err != nil {
		return "", err
	}
	if len(j.split.valid) == 0 {
		return "", &run.BadSetting{Key: "pairs.valid", Value: "0 edges", Want: "edges to choose settings by"}
	}
	return j.metric, nil
}
