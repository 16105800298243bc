package node

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

// Kind is the kind of runs about classes, sets of classes and numbers of nodes. Disk holds the graph if it stays on
// the disk, otherwise nil. Raced holds the comparison that chose what is trained; nil if there was none.
type Kind struct {
	Disk  *OnDisk
	Raced *Raced
}

var (
	_ task.Kind   = Kind{}
	_ task.OnDisk = Kind{}
)

// Name returns node.
func (Kind) Name() string { return "node" }

// Task returns auto.
func (Kind) Task() string { return "auto" }

// Has reports whether c is about nodes.
func (Kind) Has(c *config.Config) bool {
	return c.Family() == config.NodeFamily && (c.Task == "" || c.Task == "auto")
}

// About says what is predicted.
func (Kind) About() string { return "classes of nodes" }

// Takes returns false: the flags that all kinds have are enough.
func (Kind) Takes(string) bool { return false }

// Open calls Load.
func (k Kind) Open(dir string, c config.Config, d *dataset.Dataset) (task.Run, error) {
	t, err := Load(dir, c, d, Options{Disk: k.Disk})
	return asked{t, k.Disk}, err
}

// Train calls Run, with what companion returns if nothing was compared.
func (k Kind) Train(ctx context.Context, c config.Config, d *dataset.Dataset, o train.Options) (
	*train.Result, error) {
	with := Options{Options: o, Energies: true, Disk: k.Disk, Raced: k.Raced}
	if k.Disk == nil && k.Raced == nil {
		with.Closed = companion(ctx, c, d)
	}
	return Run(ctx, c, d, with)
}

// Try calls Run without a folder.
func (Kind) Try(ctx context.Context, c config.Config, d *dataset.Dataset,
	progress func(train.Event)) (float64, error) {
	r, err := Run(ctx, c, d, Options{Options: train.Options{Progress: progress}})
	if err != nil {
		return 0, err
	}
	return r.Valid.Mean, nil
}

// Check builds the first network.
func (Kind) Check(c config.Config, d *dataset.Dataset) (string, error) {
	t, err := Build(c, d, Trials(c, d)[0], Options{})
	if err != nil {
		return "", err
	}
	if len(t.Split.Valid) == 0 {
		return "", &train.BadData{Data: d.Name, Text: "the split has no validation nodes to choose settings by"}
	}
	return t.Metric(), nil
}

// Epoch returns the seconds per epoch that NewEstimate finds.
func (Kind) Epoch(ctx context.Context, c config.Config, d *dataset.Dataset, limit time.Duration) (float64,
	error) {
	e, err := NewEstimate(ctx, c, d, Options{Energies: true}, limit)
	if err != nil {
		return 0, err
	}
	return e.Epoch, nil
}

// Estimate rehearses first: what is read, compiled and written around the epochs needs memory too.
func (Kind) Estimate(ctx context.Context, c config.Config, d *dataset.Dataset, ended task.Ended) (
	*train.Estimate, int, error) {
	o := Options{Energies: true}
	if large, err := foresee(c, d, o); large != nil || err != nil {
		return large, 0, err
	}
	process, err := rehearse(ctx, c, d, ended)
	if err != nil {
		return nil, 0, err
	}
	if d, err = catalogue.Open(c.Data.Name); err != nil { // again: its graph keeps what the rehearsal made
		return nil, 0, err
	}
	e, err := NewEstimate(ctx, c, d, o, 0)
	if err == nil {
		err = e.Others(ctx)
	}
	if err != nil {
		return nil, 0, err
	}
	return &e.Estimate, process, nil
}

// foresee calls train.Foresee; no closure of estimate captures d, which would keep it alive while the page reads the
// data again.
func foresee(c config.Config, d *dataset.Dataset, o Options) (*train.Estimate, error) {
	return train.Foresee(c, func(c config.Config) (train.Job, error) {
		t, err := Build(c, d, Trials(c, d)[0], o)
		if err != nil {
			return nil, err
		}
		return t.Job(), nil
	})
}

// rehearse does all that bloom train does with very few epochs, in a folder that it removes, and returns the size
// that the process had at most. It is 0 if that is not known, or where an implicit derivative fails, about which the
// estimate says more.
func rehearse(ctx context.Context, c config.Config, d *dataset.Dataset, ended task.Ended) (int, error) {
	c.Train.Epochs = min(c.Train.Epochs, 3)
	err := Rehearse(ctx, c, d, ended)
	var far *adjoint.NotConverged
	if errors.As(err, &far) {
		return 0, nil
	}
	return int(host.Peak() / 16 * 17), err // the collector may begin a little later another time
}

// Reopen returns the kind with the graph of the run in dir, if that stayed on the disk.
func (k Kind) Reopen(ctx context.Context, dir string, c config.Config, d *dataset.Dataset, o task.DiskOptions) (
	task.Kind, io.Closer, error) {
	x, err := Reopen(ctx, dir, c, d, o)
	return Kind{Disk: x}, x, err
}
