package link

import (
	"context"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/run"
)

// NewEstimate says what Run would need for c on d; for limit see run.NewEstimate.
func NewEstimate(ctx context.Context, c config.Config, d *dataset.Dataset, limit time.Duration) (*run.Estimate, error) {
	build := func(c config.Config) (run.Job, error) { return prepared(c, d, trials(c)[0], Options{}) }
	if e, err := run.Foresee(timed(c), build); e != nil || err != nil {
		return e, err
	}
	e, err := run.NewEstimate(ctx, timed(c), func() (run.Job, error) { return build(c) }, limit)
	if err == nil {
		e.Warnings, err = Check(c, d)
	}
	return e, err
}
