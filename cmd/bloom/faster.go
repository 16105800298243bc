package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/bloomgml/bloom/config"

	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/kinds"
	"github.com/bloomgml/bloom/train"
)

// trying is how long --device auto times epochs on a device, and again evaluations.
const trying = 200 * time.Millisecond

// faster makes the device on which an epoch of c takes less time the default, and returns the seconds of an epoch on
// each. A device without enough memory for c loses.
func faster(ctx context.Context, c config.Config, devices []mat.Device) (map[string]float64, error) {
	tried, best, least := map[string]float64{}, mat.Default(), math.Inf(1)
	for _, dev := range devices {
		seconds, err := timed(ctx, c, dev)
		if err != nil {
			return nil, err
		}
		if seconds > 0 {
			tried[dev.Name()] = seconds
		}
		if seconds > 0 && seconds < least {
			best, least = dev, seconds
		}
	}
	mat.Use(best)
	return tried, nil
}

// timed returns the seconds of an epoch of c on dev. The data is opened for it: a graph keeps what was made of it.
func timed(ctx context.Context, c config.Config, dev mat.Device) (float64, error) {
	mat.Use(dev)
	d, err := train.OpenNamed(&c, c.Data.Name)
	if err != nil {
		return 0, badData(err)
	}
	return kinds.Of(&c).Epoch(ctx, c, d, trying)
}

// chosen says which device was the faster.
func chosen(tried map[string]float64, devices []mat.Device) string {
	text := mat.Default().Name() + " it is:"
	for i, dev := range devices {
		if i > 0 {
			text += ","
		}
		if s, ok := tried[dev.Name()]; ok {
			text += fmt.Sprintf(" an epoch takes %s on %s", show.Seconds(s), dev.Name())
		} else {
			text += fmt.Sprintf(" none was timed on %s", dev.Name())
		}
	}
	return text
}
