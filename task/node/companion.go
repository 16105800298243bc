package node

import (
	"context"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/train"
)

// Chosen: the closed form is computed along with a run if that takes a few seconds: up to mostCompanionNodes nodes, and
// up to mostCompanionWork features times nodes and edges.
const (
	mostCompanionNodes = 100_000
	mostCompanionWork  = 100_000_000
)

// companion returns the metric of the closed form on the data and the split of c, to compare what c trains with: nil if
// c is the closed form, has several runs, or needs more than a few seconds for it, or if the data has no closed form.
// There is none either where memory is counted, with --memory and for folders of blocks: it takes several times the
// memory of the features, which may be more than training takes.
func companion(ctx context.Context, c config.Config, d *dataset.Dataset) *train.Closed {
	if file := catalogue.File(c.Data.Name); files.FixedMemory() > 0 || file != "" && ondisk.Is(file, true) {
		return nil
	}
	size := d.Graph.NumNodes() + d.Graph.NumEdges()
	if c.Recipe == "closed" || c.Train.Repeat > 1 || d.Labels.Class == nil || d.Settled.Energy != "" || d.Of > 0 ||
		d.Graph.NumNodes() > mostCompanionNodes || max(1, d.NumFeatures())*size > mostCompanionWork {
		return nil
	}
	own, err := (&config.Config{Recipe: "closed"}).Shipped("-")
	if err != nil {
		return nil
	}
	one := *own
	one.Train.Metric, one.Train.Seed, one.Train.Cost = c.Train.Metric, c.Train.Seed, c.Train.Cost
	one.Data = c.Data
	one.Data.Scale, one.Data.EdgeFeatures = own.Data.Scale, own.Data.EdgeFeatures
	r, err := CrossValidate(ctx, one, d, nil)
	if err != nil {
		return nil
	}
	return r.Closed
}
