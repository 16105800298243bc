package pair

import (
	"context"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/train"
)

// NewEstimate says what Run would need for c on d; for limit see train.NewEstimate.
func NewEstimate(ctx context.Context, c config.Config, d *dataset.Dataset, limit time.Duration) (
	*train.Estimate, error) {
	make := func(c config.Config) (train.Job, error) { return build(c, d, train.SeedTrials(c)[0]) }
	if e, err := train.Foresee(c, make); e != nil || err != nil {
		return e, err
	}
	return train.NewEstimate(ctx, c, func() (train.Job, error) { return make(c) }, limit)
}

// Check returns the metric of a config, or why it cannot be trained on d or be chosen by validation.
func Check(c config.Config, d *dataset.Dataset) (string, error) {
	j, err := build(c, d, train.SeedTrials(c)[0])
	if err != nil {
		return "", err
	}
	if len(j.split.valid) == 0 {
		return "", &train.BadSetting{Key: "pairs.valid", Value: "0 edges",
			Want: "validation edges to choose settings by"}
	}
	return j.metric, nil
}
