package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/family"
	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/run"
)

// kind is what a config trains: classes of nodes, links between them, or facts of a knowledge graph. Commands are
// written once; what they say about a model, and what they ask it, is here.
type kind interface {
	train(ctx context.Context, c config.Config, d *dataset.Dataset, o run.Options) (*run.Result, error)
	// tried is the validation metric of a config, for a search of settings: test data is not looked at.
	tried(ctx context.Context, c config.Config, d *dataset.Dataset, progress func(run.Event)) (float64, error)
	// check is the metric of a config, or an error where it cannot be searched by validation.
	check(c config.Config, d *dataset.Dataset) (metric string, err error)
	// estimate is what training needs; process is the largest size of the process, 0 where it is not known.
	estimate(ctx context.Context, c config.Config, d *dataset.Dataset) (e *run.Estimate, process int, err error)
	// epoch is the seconds of an epoch on the default device; 0 where none is timed.
	epoch(ctx context.Context, c config.Config, d *dataset.Dataset, limit time.Duration) (float64, error)
	open(dir string, c *config.Config, d *dataset.Dataset) (opened, error)

	size(c *config.Config, d *dataset.Dataset) []string               // the data, a sentence each
	note(e run.Event) string                                          // an epoch, for the line of progress
	meaning(p terminal.Paint, c *config.Config, r *run.Result) string // what came out, in sentences
	details(r *run.Result) string                                     // more about it, lines that are not wrapped
	headline(r *run.Result) string                                    // for standard output
	next(c *config.Config, r *run.Result) string                      // the command to type next
}

// opened is a run folder that is open.
type opened interface {
	predict(*cobra.Command, *runCommand) error
	embed(*cobra.Command, *runCommand) error
	explain(*cobra.Command, *runCommand) error
	audit(*cobra.Command, *runCommand) error
	add(*cobra.Command, *runCommand) error
}

// kindOf is the kind of a config.
func kindOf(c *config.Config) kind {
	switch f := c.Family(); {
	case f.Links():
		return facts{}
	case f == family.Joined:
		return joined{}
	}
	return classes{}
}
