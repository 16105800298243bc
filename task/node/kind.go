package node

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/recipe"
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
func (Kind) Try(ctx context.Context, c config.Config, d *dataset.Dataset, progress func(train.Event)) (float64, error) {
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
func (Kind) Epoch(ctx context.Context, c config.Config, d *dataset.Dataset, limit time.Duration) (float64, error) {
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
	return train.Foresee(c, func(c config.Config) (train.Job, error) { return jobOf(Build(c, d, Trials(c, d)[0], o)) })
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

// Options are the options of train.Run, and what is trained instead of the config's energy.
type Options struct {
	train.Options
	Energies bool // take ℓ_low at the start and the end of the descent with every evaluation
	// Model makes a custom model for a task whose data is in place: t.On is what it runs on, t.Classes() the width of
	// its predictions, t.Trial.Seed the seed of its parameters and t.Up its ℓ_up. Alone makes a stack of one model.
	// The rest of the config applies: data, training and the name of the recipe. nil means the model of the config.
	Model func(t *Task) (*bloom.Stack, error)
	// Raced is an earlier comparison with the config; nil if there was none. If data.folds is set and Raced is nil,
	// the config is cross-validated first.
	Raced *Raced
	// Closed is the metric of the closed form on the same split, for the result; nil if it is not known.
	Closed *train.Closed
	// Disk is the graph that d was kept of by OnDisk.Prepare, to train on, or that predictions are of; nil if d is
	// all there is, and where only d is asked about.
	Disk *OnDisk

	// Start sets the weights of every trial, which are then not trained; nil to train.
	Start func(*Task) error

	others []*Trained // the other members of an average
}

// parts returns the graph on the disk that is trained on in subgraphs; nil for others.
func (o Options) parts() *ondisk.Excerpt {
	if o.Disk == nil {
		return nil
	}
	return o.Disk.parts
}

// Train trains on the data that c names. A folder of blocks that does not fit into the memory of disk stays on the
// disk, and o needs a folder then. For errors see train.Run.
func Train(ctx context.Context, c config.Config, o Options, disk DiskOptions) (_ *train.Result, err error) {
	if file := catalogue.File(c.Data.Name); file != "" && ondisk.Is(file, true) {
		x, err := PlaceOnDisk(ctx, c, file, disk)
		if err != nil {
			return nil, err
		}
		if x != nil {
			defer func() { err = errors.Join(err, x.Close()) }()
			if o.Dir == "" {
				return nil, errors.New("node: training on a graph that stays on the disk needs Options.Dir")
			}
			d, err := x.Prepare(ctx, o.Dir)
			if err != nil {
				return nil, err
			}
			o.Disk = x
			return Run(ctx, x.Config(), d, o)
		}
	}
	d, err := catalogue.Open(c.Data.Name)
	if err != nil {
		return nil, err
	}
	return Run(ctx, c, d, o)
}

// Run trains the network that c describes on d, as often as c says. For errors see train.Run.
func Run(ctx context.Context, c config.Config, d *dataset.Dataset, o Options) (*train.Result, error) {
	c, err := filled(c)
	if err != nil {
		return nil, err
	}
	o.Data = d
	if c.Data.Folds > 1 && o.Raced == nil {
		if o.Raced, err = prepared(ctx, c, d, o); err != nil {
			return nil, err
		}
		c = o.Raced.Config
	}
	if o.others, err = o.Raced.members(ctx, d, o); err != nil {
		return nil, err
	}
	build := func(trial train.Trial) (train.Job, error) {
		if o.Raced != nil && o.Dir != "" && !o.Resume {
			if err := o.Raced.write(o.Dir, d); err != nil {
				return nil, err
			}
		}
		t, err := Build(c, d, trial, o)
		if err == nil && o.Start != nil {
			t.done, err = true, o.Start(t)
		}
		return jobOf(t, err)
	}
	return train.Run(ctx, c, Trials(c, d), build, o.Options)
}

// prepared returns what a run with folds knows before it trains on all labels: read from its folder, or from a
// cross-validation.
func prepared(ctx context.Context, c config.Config, d *dataset.Dataset, o Options) (*Raced, error) {
	if o.Resume {
		r, err := readRaced(o.Dir, d)
		if err != nil {
			return nil, err
		}
		r.Config = c
		return r, nil
	}
	return CrossValidate(ctx, c, d, o.Progress)
}

// own installs a custom model. If there is one relation, edges are undirected, without loops and duplicates.
func (t *Task) own(model func(*Task) (*bloom.Stack, error)) error {
	kind := recipe.Relations
	if t.Data.Graph.NumRelations() == 1 {
		kind = recipe.Undirected
	}
	g, err := graphFor(kind, t.Data.Graph)
	if err != nil {
		return err
	}
	if err := t.place(g); err != nil {
		return err
	}
	if t.Stack, err = model(t); err != nil {
		return err
	}
	t.made = model
	if t.Stack.Up == nil {
		return errors.New("node: the model has no ℓ_up; Task.Up makes one from a head")
	}
	t.network = bilevel{t.Stack, t.On}
	return nil
}
