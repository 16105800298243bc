package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/internal/report"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/fact"
	"github.com/bloomgml/bloom/task/kinds"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// source is the input of training: a config, and the data that it names, in memory or on disk.
type source struct {
	config  *config.Config
	data    *dataset.Dataset // nil for one that stays on the disk
	kind    task.Kind
	disk    onDisk // nil for data in memory
	unnamed bool   // no recipe was named
	races   bool   // no recipe was named for the user's own data: several are compared
}

// onDisk is data that stays on the disk.
type onDisk interface {
	Name() string
	Config() config.Config
	Prepare(ctx context.Context, dir string) (*dataset.Dataset, error) // the run's data, in its folder
	Estimate(context.Context) (*train.Estimate, error)
	Close() error
}

var _ onDisk = (*node.OnDisk)(nil)

// openSource loads a config and places the data that it names: in memory, or on the disk where it does not fit into
// --memory. Where recipes are to be compared, the recipe of the config is not chosen yet.
func openSource(cmd *cobra.Command, o config.Options, compare bool) (*source, error) {
	s := &source{}
	var folder string // of blocks, which may stay on the disk
	advise := advised
	if compare {
		advise = func(*cobra.Command, *dataset.Dataset) string { s.races = true; return "base" }
	}
	open := opener(cmd, &s.data, advise)
	o.Suit = func(n config.Named) (config.Choice, error) {
		s.unnamed = n.Recipe == ""
		if file := catalogue.File(n.Data); file != "" && ondisk.Is(file, true) {
			folder = file
			return suitBlocks(file, n)
		}
		return open(n)
	}
	var err error
	if s.config, err = loadConfig(cmd, o); err != nil {
		return nil, err
	}
	if folder != "" {
		x, err := node.PlaceOnDisk(cmd.Context(), *s.config, folder, diskOptions(cmd, o))
		if err != nil {
			return nil, runError(cmd, err)
		}
		if x != nil {
			s.disk, s.kind = x, node.Kind{Disk: x}
		}
	}
	if s.disk == nil && s.data == nil { // it fits, and has not been opened
		o.Suit = opener(cmd, &s.data, advise)
		if s.unnamed && folder != "" {
			o.Suit = s.fitting(cmd, folder, o)
		}
		if s.config, err = loadConfig(cmd, o); err != nil {
			return nil, err
		}
	}
	if s.disk == nil {
		s.kind = kinds.Of(s.config)
	}
	return s, nil
}

// mostKept is node.DiskOptions.Most; tests keep fewer.
var mostKept = 0

// diskOptions returns the options for a graph on disk. Memory includes the end of a run: its summary and its page.
func diskOptions(cmd *cobra.Command, o config.Options) node.DiskOptions {
	layers := slices.ContainsFunc(o.Set, func(x string) bool { return strings.HasPrefix(x, "model.before=") })
	line := show.NewProgress(cmd.ErrOrStderr(), "settling")
	progress := func(done, total int64) {
		if line.Set(done, total, ""); done >= total {
			line.End()
		}
	}
	return node.DiskOptions{Layers: layers, Most: mostKept, Notice: notice(cmd), Progress: progress, Ended: endRun}
}

// ended does all that training ends with, with a run of the source in a folder.
func (s *source) ended(c config.Config, _ *dataset.Dataset, r *train.Result) error {
	newTrainText(io.Discard, s.kind).end(&c, r)
	r.Job = nil
	return writePage(r.Run, &c)
}

// endRun does what training ends with, and keeps nothing.
func endRun(c config.Config, d *dataset.Dataset, r *train.Result) error {
	newTrainText(io.Discard, node.Kind{}).end(&c, r)
	r.Job = nil
	page, err := report.OpenAs(r.Run, c, d, node.Options{})
	if err != nil {
		return err
	}
	return page.Page(io.Discard, report.Options{})
}

// suitBlocks returns the choices that a folder of blocks implies before it is known whether it fits into memory.
func suitBlocks(folder string, n config.Named) (config.Choice, error) {
	s, err := ondisk.Open(folder)
	if err != nil {
		return config.Choice{}, badData(err)
	}
	return config.Choice{Catalogue: catalogueName(s.Name, n.Data), Recipe: "base"}, s.Close()
}

// catalogueName returns the data set whose settings apply to data with this name; empty if it is named the same.
func catalogueName(called, named string) string {
	if strings.EqualFold(called, named) {
		return ""
	}
	return strings.ToLower(called)
}

// opener opens the data that is named. If it is a file of a set that recipes have settings for, those settings apply;
// if it is the user's own and no recipe is named, advise chooses one. For data with edges only, links are learnt.
func opener(cmd *cobra.Command, to **dataset.Dataset, advise func(*cobra.Command, *dataset.Dataset) string) func(
	config.Named) (config.Choice, error) {
	return func(n config.Named) (c config.Choice, err error) {
		inTime := n.Recipe == "decay" || n.Recipe == "" && n.Task == "links"
		open := catalogue.Open
		if inTime {
			open = catalogue.OpenEvents
		}
		if *to, err = open(n.Data); err != nil {
			return c, badRef(cmd, err)
		}
		d := *to
		if d.Events != nil {
			c.Recipe = "decay"
		}
		if d.Schema != nil && d.Schema.Database != nil {
			return c, usage(cmd, "%s is a database: say what to predict, as --ask %q", n.Data, example(d))
		}
		c.Catalogue = catalogueName(d.Name, n.Data)
		if n.Recipe != "" || d.Events != nil {
			return c, nil
		}
		onlyEdges := d.Labels.Class == nil && len(d.Relations) == 0 && len(d.Valid)+len(d.Test) == 0 && d.Twin == nil
		if (n.Task == "" || n.Task == "auto") && onlyEdges {
			c.Task = "links"
			fmt.Fprintln(cmd.ErrOrStderr(), "Task links, unless --recipe says another: nodes have no classes, and "+
				"edges no relations.")
		}
		links := n.Task == "links" || c.Task == "links"
		facts := config.FamilyOf(config.DefaultRecipe(n.Data)).IsFacts()
		switch own := catalogue.File(n.Data) != "" && catalogue.Find(d.Name) == nil; {
		case links && fact.IsKnowledge(d):
			c.Recipe = "base"
		case fact.IsKnowledge(d) && !facts:
			c.Recipe = fact.DefaultRecipe(d)
		case own && !links && !facts:
			c.Recipe = advise(cmd, d)
		}
		return c, nil
	}
}

// fitting is opener for a folder of blocks that fits into memory with recipe base, which replaces a suggested recipe
// that does not fit.
func (s *source) fitting(cmd *cobra.Command, folder string,
	o config.Options) func(config.Named) (config.Choice, error) {
	open := opener(cmd, &s.data, advised)
	return func(n config.Named) (config.Choice, error) {
		c, err := open(n)
		if err != nil || c.Recipe == "" || c.Recipe == "base" || files.FixedMemory() == 0 {
			return c, err
		}
		with := o
		with.Suit, with.Suited = nil, c
		cfg, err := loadConfig(cmd, with)
		if err != nil {
			return c, err
		}
		x, err := node.PlaceOnDisk(cmd.Context(), *cfg, folder, diskOptions(cmd, o))
		if err != nil || x == nil {
			return c, err
		}
		notice(cmd)(fmt.Sprintf("recipe base, as %s would take about %s in memory (--memory %s allows it)", c.Recipe,
			files.BytesText(x.Needs()), files.BytesText(x.Needs()+x.Needs()/8)))
		c.Recipe = "base"
		return c, x.Close()
	}
}

// advised returns the recipe that the user's own data suggests; empty if it suggests none.
func advised(cmd *cobra.Command, d *dataset.Dataset) string {
	a, err := node.Advise(d)
	if err != nil || a.Recipe == "" {
		return "" // training says what is wrong with the data
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "Recipe %s, unless --recipe says another: %s.\n", a.Recipe, a.Reason())
	return a.Recipe
}
