package fact

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
	build := func(c config.Config) (train.Job, error) { return prepared(c, d, train.SeedTrials(c)[0], Options{}) }
	if e, err := train.Foresee(timed(c), build); e != nil || err != nil {
		return e, err
	}
	e, err := train.NewEstimate(ctx, timed(c), func() (train.Job, error) { return build(c) }, limit)
	if err == nil {
		e.Warnings, err = Check(c, d)
	}
	return e, err
}
