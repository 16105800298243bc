// Package task is what the program, the server and pages ask of whatever can be learnt of a graph. Each kind of run is
// a package below this one, node, pair, event or fact, and a line in the table of package kinds.
//
//	k := kinds.Of(c)                                        // a Kind
//	result, err := k.Train(ctx, *c, d, train.Options{Dir: dir})
//	run, err := k.Open(dir, *c, d)                          // a Run
//	err = run.Predict(&task.Request{Out: os.Stdout, Say: os.Stderr, Write: to(os.Stdout)})
package task

import (
	"context"
	"io"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/train"
)

// Kind is a kind of training: classes, sets and numbers of nodes, pairs of nodes, facts of a knowledge graph, or a
// custom kind. Kinds are comparable.
type Kind interface {
	Name() string              // one word
	Task() string              // what key task of a config says; auto where the recipe decides
	Has(c *config.Config) bool // whether it trains c
	About() string             // what it predicts, as "classes of nodes"
	Takes(flag string) bool    // whether commands about its runs accept a flag that only some kinds have

	Train(ctx context.Context, c config.Config, d *dataset.Dataset, o train.Options) (*train.Result, error)
	// Try returns the validation metric of a config, for a search of settings: test data is not looked at.
	Try(ctx context.Context, c config.Config, d *dataset.Dataset, progress func(train.Event)) (float64, error)
	// Check returns the metric of a config, or an error if it cannot be searched by validation.
	Check(c config.Config, d *dataset.Dataset) (metric string, err error)
	// Estimate returns what training needs; process is the peak size of the process, 0 if unknown. ended is what is
	// done with a finished run, which needs memory too.
	Estimate(ctx context.Context, c config.Config, d *dataset.Dataset, ended Ended) (e *train.Estimate, process int,
		err error)
	// Epoch returns the seconds per epoch on the default device; 0 if none is timed.
	Epoch(ctx context.Context, c config.Config, d *dataset.Dataset, limit time.Duration) (float64, error)
	// Open loads the run folder of c on d.
	Open(dir string, c config.Config, d *dataset.Dataset) (Run, error)

	// Size describes the data, a sentence each.
	Size(c *config.Config, d *dataset.Dataset) []string
	// Note describes an epoch, for the progress line.
	Note(train.Event) string
	// Meaning describes the result in sentences; good marks figures that are as they should be.
	Meaning(r *train.Result, good func(string) string) string
	// Details returns more about the result, in lines that are not wrapped; Evidence says how far the descent went,
	// in a sentence. Both may be empty.
	Details(*train.Result) string
	Evidence(*train.Result) string
	// Headline returns one line for standard output, and Next the command to type next.
	Headline(*train.Result) string
	Next(c *config.Config, r *train.Result) string
}

// Ended is called with a finished run, for example to write the page about it.
type Ended = func(c config.Config, d *dataset.Dataset, r *train.Result) error

// Run is a run folder that is open.
type Run interface {
	Predict(*Request) error
	Embed(*Request) error
	Explain(*Request) error
	Audit(*Request) error
	Add(*Request) error
}

// Certifying is a Run that can prove which of its answers no change of a few edges overturns.
type Certifying interface{ Certify(*Request) error }

// OnDisk is a Kind whose data may stay on the disk while it is trained.
type OnDisk interface {
	// Reopen returns the kind with the data of the run in dir if that stayed on the disk, otherwise the kind itself.
	Reopen(ctx context.Context, dir string, c config.Config, d *dataset.Dataset, o DiskOptions) (Kind, io.Closer, error)
}

// DiskOptions says how to train on data that may not fit into memory.
type DiskOptions struct {
	Memory   int64                   // bytes; 0 means what --memory says, or most of what the machine has
	Layers   bool                    // keep model.before, also where one layer would let a descent be run once
	Most     int                     // nodes whose rows are kept to validate, and again to test; 0 means 131,072
	Notice   func(string)            // called with messages for the user, a sentence each; may be nil
	Progress func(done, total int64) // of what is computed before training begins; may be nil
	Ended    Ended                   // counts in the memory that training in memory takes; nil for nothing
}
