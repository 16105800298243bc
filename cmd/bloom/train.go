package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/relational"
	"github.com/bloomgml/bloom/internal/command"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/kinds"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

type trainCommand struct {
	options config.Options
	out     string
	resume  string
	epochs  string // a number, or +N for N more with resume
	json    bool
	// which recipes are compared if none is named
	budget     time.Duration
	candidates []string
	question   question
}

const trainHelp = `Train a model and keep everything about it in a run folder.

Without arguments it trains on a built-in graph, in seconds, with nothing to download. CONFIG is a file as
bloom recipe show prints it; flags win over --set, --set over BLOOM_* variables, and those over the file.
The data is a name of bloom data list, a file made by bloom data import, or a benchmark file or folder.

If no recipe is named for your own file, recipes are compared within --budget: the closed form first, then trees,
energies and networks. Without a split in the data, recipes are scored by five-fold cross-validation, and the best one
is trained on all labels; --holdout 0.2 keeps a test set. If the file has a split, it is used. Among equally good
recipes the simplest wins; if the average of the best two or three is clearly better, it is taken.

The model of the epoch with the best validation metric is kept, and its test metric reported. Ctrl-C saves the
run and prints how to resume it; a resumed run (--resume) has the same bits as one that never stopped. If recipes were
still being compared, the same command continues and skips what it has scored. --epochs +200 trains 200 epochs more.

--task links predicts which nodes of a graph are joined, with or without features: 5 % of the edges are held out for
validation and 10 % for testing, and no message passes along an edge that is to be predicted.

If the data is a file of events, a line each with source, target and time, --task links predicts which target a source
meets next: the first 70 % of the events train, the next 15 % validate and the last 15 % test, and no event is predicted
from a later one.

--ask trains on a database that bloom data import --tables made. The questions are a table with an entity, a time and a
label (columns that --entity, --at and --label name, or that are found; a column split is obeyed), or a sentence such as

` + relational.Grammar + `

asked about every entity --every 30d. Columns are what was known at the time of each question: the entity's own row,
statistics of the rows that lead to it by one key or two, of its latest parents, and earlier labels. Nothing later
enters: a status that only a later time in its row reveals is unknown until then, and a column that contains the label is not used.
Questions are divided by time; a given split without validation gives its last training questions. ask.csv in the run folder has them, and rows.csv their columns.

A folder of bloom data blocks that does not fit into --memory stays on disk. If the descent is linear (recipe base with
one layer before it), it is run once, some columns at a time, and then only rows of labelled nodes are trained on; they
are read from disk in every epoch if they do not fit. The data of the run is then settled.bloom: rows of up to 131,072
validation and 131,072 test nodes, and of all training nodes, or 131,072 if all do not fit. All other models are trained
on mini-batches (subgraphs), as is any model with train.sample.batch set; one more subgraph, part.bloom, with as many
validation and test nodes as memory allows, is the data of the run. bloom predict --data FOLDER predicts all nodes.

On a knowledge graph it learns to complete facts, with the recipes transe, distmult, complex and rotate (-bilevel:
entities follow from relations by descent), or with path, which also works for unseen entities. Embeddings are held in
memory. Recipe zero answers about any graph, new relations included, without training, with the weights that come with
bloom or others (--set model.weights=FILE); --epochs trains them further.`

func newTrain() *cobra.Command {
	c := &trainCommand{}
	cmd := &cobra.Command{
		Use:   "train [CONFIG]",
		Short: "Train a model and keep everything about it in a run folder",
		Long:  trainHelp,
		Example: `  bloom train
  bloom train --data karate --recipe base --repeat 10
  bloom train --data csbm --corrupt rows=0.2 --recipe robust --set train.epochs=100
  bloom train --data karate --task links --set train.epochs=50
  seq 300 | awk '{print "user" $1 % 7, "page" $1 % 5, $1}' > edits.txt && bloom train --data edits.txt --task links
  bloom recipe show base --data karate > my.yaml && bloom train my.yaml
  bloom train --data family:families=4 --recipe path --set train.epochs=4
  bloom train --data family:families=1,twin=0 --recipe zero`,
		Args: command.Args(0, 1, "one config, got %d arguments"),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	trainFlags(cmd, &c.options)
	f := cmd.Flags()
	f.StringVar(&c.out, "out", "", "the run folder (default: runs/DATA-RECIPE)")
	f.StringVar(&c.resume, "resume", "", "resume the run in this `folder`")
	f.StringVar(&c.epochs, "epochs", "", "number of epochs; with --resume, `+N` adds N to those of the run")
	f.BoolVar(&c.json, "json", false, "print the result as one JSON object")
	f.DurationVar(&c.budget, "budget", time.Minute, "approximate time to compare recipes and train the best one, "+
		"if no recipe is named")
	f.StringSliceVar(&c.candidates, "candidates", nil, "compare these recipes whatever the budget; the result is "+
		"then reproducible")
	c.question.flags(cmd)
	f.Float64("holdout", 0, "share of the labelled nodes for the test set, if the data has no split")
	return cmd
}

func (c *trainCommand) run(cmd *cobra.Command, args []string) error {
	c.options.File = strings.Join(args, "")
	c.options.Flags = shortcuts(cmd)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	if c.resume != "" {
		return c.goOn(cmd)
	}
	c.options.Env = os.Environ()
	if strings.HasPrefix(c.epochs, "+") {
		return usage(cmd, "--epochs %s extends a run: name the run with --resume", c.epochs)
	}
	if c.epochs != "" {
		c.options.Flags = append(c.options.Flags,
			config.Setting{Flag: "--epochs", Key: "train.epochs", Value: c.epochs})
	}
	if err := c.askFirst(cmd); err != nil {
		return err
	}
	s, err := openSource(cmd, c.options, true)
	if err != nil {
		return err
	}
	asked := cmd.Flags().Changed("budget") || c.candidates != nil
	if s.disk == nil && s.kind == (node.Kind{}) && (s.races || asked && s.unnamed) {
		return c.race(cmd, s)
	}
	if asked {
		return usage(cmd, "--budget and --candidates are for comparing recipes for nodes: leave out --recipe")
	}
	if s.disk == nil {
		return c.train(cmd, s.kind, s.config, s.data, train.Options{Dir: c.folder(s.config, s.data.Name)})
	}
	defer s.disk.Close()
	dir := c.folder(s.config, s.disk.Name())
	d, err := s.disk.Prepare(cmd.Context(), dir)
	if err != nil {
		return runError(cmd, err)
	}
	cfg := s.disk.Config()
	return c.train(cmd, s.kind, &cfg, d, train.Options{Dir: dir})
}

// askFirst replaces a database by the rows of the question about it.
func (c *trainCommand) askFirst(cmd *cobra.Command) error {
	if err := c.question.check(cmd); err != nil || c.question.ask == "" {
		return err
	}
	if c.options.Data == "" {
		return usage(cmd, "--ask is about a database: name it with --data, as bloom data import --tables made it")
	}
	if c.out == "" {
		c.out = newFolder(&config.Config{Recipe: "ask", Task: "auto"}, strings.TrimSuffix(c.options.Data, ".bloom"), "")
	}
	path, err := c.question.write(cmd, c.options.Data, c.out)
	c.options.Data = path
	return err
}

// goOn resumes a run, with more epochs if requested.
func (c *trainCommand) goOn(cmd *cobra.Command) error {
	if o := c.options; o.File != "" || c.out != "" || len(o.Set) > 0 || len(o.Flags) > 0 || o.Recipe != "" ||
		o.Task != "" {
		return usage(cmd, "--resume uses the config of the run: leave out other settings")
	}
	more, err := c.more(cmd)
	if err != nil {
		return err
	}
	cfg, err := runConfig(cmd, c.resume)
	if err != nil {
		return err
	}
	files.KeepTo(files.FixedMemory())
	d, err := openRun(cmd, c.resume, cfg, c.options.Data)
	if err != nil {
		return runError(cmd, err)
	}
	k := kinds.Of(cfg)
	if x, ok := k.(task.OnDisk); ok {
		var disk io.Closer
		k, disk, err = x.Reopen(cmd.Context(), c.resume, *cfg, d, diskOptions(cmd, config.Options{}))
		if err != nil {
			return runError(cmd, err)
		}
		defer disk.Close()
	}
	cfg.Train.Epochs += more
	return c.train(cmd, k, cfg, d, train.Options{Dir: c.resume, Resume: true})
}

// more returns the number of epochs that --epochs +N adds.
func (c *trainCommand) more(cmd *cobra.Command) (int, error) {
	if c.epochs == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(c.epochs, "+"), 10, 31)
	if err != nil || !strings.HasPrefix(c.epochs, "+") {
		return 0, usage(cmd, "--epochs is %q, want +N with --resume, as +200 for 200 more", c.epochs)
	}
	return int(n), nil
}

func (c *trainCommand) train(cmd *cobra.Command, k task.Kind, cfg *config.Config, d *dataset.Dataset,
	o train.Options) error {
	text := newTrainText(cmd.ErrOrStderr(), k)
	text.printHeader(cfg, d)
	o.Progress = text.progress
	o.Notice = notice(cmd)
	if len(command.Rivals) > 0 && k == kinds.Of(cfg) { // states on the disk are the processor's
		var err error
		if o.Tried, err = faster(cmd.Context(), *cfg, command.Rivals); err != nil {
			return runError(cmd, err)
		}
		o.Notice(chosen(o.Tried, command.Rivals))
	}
	result, err := k.Train(cmd.Context(), *cfg, d, o)
	text.line.End()
	if err != nil {
		return runError(cmd, err)
	}
	text.end(cfg, result)
	headline := k.Headline(result)
	result.Job = nil // the page reads the run again: of what was trained nothing is held meanwhile
	page := writePage(o.Dir, &result.Config)
	return cmp.Or(printLine(cmd, c.json, result, headline), page)
}

// trainFlags adds the flags that say what to train, and on what.
func trainFlags(cmd *cobra.Command, o *config.Options) {
	configFlags(cmd, o)
	f := cmd.Flags()
	f.Uint64("seed", 0, "random seed")
	f.Int("repeat", 1, "number of runs, each with the next seed")
	f.Int("split", 0, "index of the split to use, if the data has several")
	f.Bool("all-splits", false, "with --repeat: every run uses the next split")
	f.String("cost", "", "costs of errors with two classes, as miss=50,alarm=1 (a false negative and a "+
		"false positive of the rarer class): they choose the threshold")
	f.String("corrupt", "", "corrupt features first, as rows=0.2,kind=replace,noise=gaussian,scale=1,norm=none")
}

// shortcuts returns the flags that stand for keys.
func shortcuts(cmd *cobra.Command) []config.Setting {
	var list []config.Setting
	for _, s := range []config.Setting{
		{Flag: "seed", Key: "train.seed"}, {Flag: "repeat", Key: "train.repeat"},
		{Flag: "split", Key: "data.split"}, {Flag: "corrupt", Key: "data.corrupt"},
		{Flag: "cost", Key: "train.cost"}, {Flag: "holdout", Key: "data.holdout"},
	} {
		if f := cmd.Flags().Lookup(s.Flag); f != nil && f.Changed {
			list = append(list, config.Setting{Flag: "--" + s.Flag, Key: s.Key, Value: f.Value.String()})
		}
	}
	if all, _ := cmd.Flags().GetBool("all-splits"); all {
		list = append(list, config.Setting{Flag: "--all-splits", Key: "data.splits", Value: "all"})
	}
	return list
}

// folder returns the run folder: what --out says, or a new one below runs.
func (c *trainCommand) folder(cfg *config.Config, data string) string {
	if c.out != "" {
		return c.out
	}
	return newFolder(cfg, data, "")
}

// newFolder returns a folder below runs, named after data and recipe, that is not there yet.
func newFolder(cfg *config.Config, data, suffix string) string {
	of := ""
	if cfg.Task != "auto" {
		of = "-" + string(cfg.Task)
	}
	first := filepath.Join("runs", strings.ToLower(filepath.Base(data))+"-"+cfg.Recipe+of+suffix)
	for i, dir := 2, first; ; i++ {
		if _, err := os.Stat(dir); err != nil {
			return dir
		}
		dir = first + "-" + strconv.Itoa(i)
	}
}

// trying is how long --device auto times epochs on a device, and again evaluations.
const trying = 200 * time.Millisecond

// faster makes the device on which an epoch of c takes less time the default, and returns the seconds of an epoch on
// each. A device without enough memory for c loses.
func faster(ctx context.Context, c config.Config, devices []mat.Device) (map[string]float64, error) {
	tried, best, least := map[string]float64{}, mat.Default(), math.Inf(1)
	for _, dev := range devices {
		mat.Use(dev)
		d, err := train.OpenNamed(&c, c.Data.Name) // again: a graph keeps what was made of it
		if err != nil {
			return nil, badData(err)
		}
		seconds, err := kinds.Of(&c).Epoch(ctx, c, d, trying)
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

// chosen says which device was the faster.
func chosen(tried map[string]float64, devices []mat.Device) string {
	var said []string
	for _, dev := range devices {
		if s, ok := tried[dev.Name()]; ok {
			said = append(said, fmt.Sprintf("an epoch takes %s on %s", show.Seconds(s), dev.Name()))
		} else {
			said = append(said, "none was timed on "+dev.Name())
		}
	}
	return mat.Default().Name() + " it is: " + strings.Join(said, ", ")
}
