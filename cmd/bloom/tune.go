package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/command"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/keys/nearest"
	"github.com/bloomgml/bloom/internal/tune"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/task/kinds"
	"github.com/bloomgml/bloom/train"
)

// The files of a study's folder: the study, and the config of the best trial.
const (
	studyFile = "study.jsonl"
	bestFile  = "best.yaml"
)

// tuneCommand is the command that searches.
type tuneCommand struct {
	options         config.Options
	space           string
	out             output
	sampler, pruner string
	trials, jobs    int
	json            bool
}

func newTune() *cobra.Command {
	c := &tuneCommand{}
	cmd := &cobra.Command{
		Use:   "tune [CONFIG]",
		Short: "Search for settings with a good validation metric",
		Long: `Search for settings with a good validation metric. What is fixed is told as to bloom train; what is searched
stands in a space: a file, or one of ` + strings.Join(tune.Spaces(), ", ") + `
(the paper's; the last one also searches rate, weight decay, dropout, norm and head, which it leaves open).

  train.rate:      {float: [1e-4, 0.1], log: true}
  model.dropout:   {float: [0, 0.8], step: 0.1}
  energy.steps:    {int: [2, 16]}
  energy.f.lambda: {choice: [0.1, 1, 5, 10]}

Samplers are tpe (Bayesian), random and grid. A trial whose validation metric is below the median of the
others' at the same epoch is ended, after five complete trials and a tenth of the epochs. The test metric is
never looked at.

The study is study.jsonl in its folder, a trial a line. The same command with --out goes on with a study that was
stopped or killed, or adds trials to it. best.yaml there is the best config. With --jobs, threads are divided among
trials.`,
		Example: `  echo 'train.rate: {float: [0.001, 0.1], log: true}' > space.yaml
  bloom tune --data karate --recipe base --space space.yaml --trials 5 --out study
  bloom tune --data karate --recipe base --space space.yaml --trials 8 --out study
  bloom train study/best.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	trainFlags(cmd, &c.options)
	f := cmd.Flags()
	f.StringVar(&c.space, "space", "", "what is searched: a `file` or a name (default: that of the recipe, where "+
		"there is one)")
	f.IntVar(&c.trials, "trials", 50, "trials in all, with those before the study was continued")
	f.StringVar(&c.sampler, "sampler", "tpe", "tpe, random or grid")
	f.StringVar(&c.pruner, "pruner", "median", "median, or none to end no trial early")
	f.IntVar(&c.jobs, "jobs", 1, "trials at the same time")
	c.out.flags(cmd, "the `folder` of the study (default: runs/DATA-RECIPE-tune)")
	f.BoolVar(&c.json, "json", false, "print the result as one JSON object")
	return cmd
}

func (c *tuneCommand) run(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage(cmd, "want one config, got %d arguments", len(args))
	}
	c.options.File, c.options.Env, c.options.Flags = strings.Join(args, ""), os.Environ(), shortcuts(cmd)
	if text, err := readFile(cmd, c.options.File); err == nil && c.options.File != "" {
		c.options.Text = text // every trial loads the config as it is now
	}
	var d *dataset.Dataset
	cfg, err := openConfigured(cmd, c.options, &d)
	if err != nil {
		return err
	}
	c.options.Suited = config.Choice{Catalogue: catalogueName(d.Name, cfg.Data.Name), Task: string(cfg.Task),
		Recipe: cfg.Recipe}
	s := &search{cmd: cmd, options: c.options, base: cfg, data: d}
	if s.study, err = c.study(cmd, s); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	if s.dir = c.out.path; s.dir == "" {
		s.dir = newFolder(cfg, d.Name, "-tune")
	}
	s.study.File = filepath.Join(s.dir, studyFile)
	_, absent := os.Stat(s.study.File)
	ours := func([]byte) bool { return absent == nil } // it is of the study there
	s.best = c.out.rules(ours, c.options.File, c.space)
	if err := s.best.Allow(filepath.Join(s.dir, bestFile)); err != nil {
		return err
	}
	release, err := files.Lock(s.dir, notice(cmd))
	if err != nil {
		return err
	}
	defer release()
	if err := files.Sweep(s.dir); err != nil {
		return err
	}
	return s.run(c.json)
}

// study is what the flags ask for.
func (c *tuneCommand) study(cmd *cobra.Command, s *search) (study tune.Study, err error) {
	if c.trials < 1 || c.jobs < 1 {
		return study, usage(cmd, "%d trials and %d jobs, want 1 or more", c.trials, c.jobs)
	}
	if err := command.EnoughThreads(cmd, c.jobs); err != nil {
		return study, err
	}
	study = tune.Study{Name: s.base.Recipe + " on " + s.data.Name, Trials: c.trials, Jobs: c.jobs,
		Seed:  s.base.Train.Seed,
		About: map[string]string{"config": bare(s.base.YAML())}}
	var ok bool
	if study.Sampler, ok = map[string]tune.Sampler{"tpe": tune.TPE{}, "random": tune.Random{},
		"grid": tune.Grid{}}[c.sampler]; !ok {
		return study, usage(cmd, "--sampler is %q, want tpe, random or grid", c.sampler)
	}
	switch c.pruner {
	case "median":
		study.Pruner = tune.Median{Warmup: s.base.Train.Epochs / 10}
	case "none":
	default:
		return study, usage(cmd, "--pruner is %q, want median or none", c.pruner)
	}
	s.name, study.Space, err = c.findSpace(cmd, s.base.Recipe)
	return study, err
}

// bare is a config without comments, which may change while it stays the same.
func bare(text []byte) string {
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if line, _, _ = strings.Cut(line, "# "); strings.TrimSpace(line) != "" {
			b.WriteString(strings.TrimRight(line, " \n") + "\n")
		}
	}
	return b.String()
}

// findSpace is the space that --space names, or that of a recipe.
func (c *tuneCommand) findSpace(cmd *cobra.Command, recipe string) (name string, s tune.Space, err error) {
	name = c.space
	if name == "" {
		for family, space := range map[string]string{"heterophily": "heterophily", "halo": "halo", "robust": "robust",
			"base": "robust"} {
			if strings.HasPrefix(recipe, family) {
				name = space
			}
		}
	}
	if name == "" {
		return name, nil, usage(cmd, "there is no space for %s: name a file with --space, or one of %s", recipe,
			strings.Join(tune.Spaces(), ", "))
	}
	text, err := readFile(cmd, name)
	if err == nil {
		s, err = tune.ReadSpace(name, text)
		return name, s, err
	}
	if s, found := tune.FindSpace(name); found == nil {
		return name, s, nil
	}
	if errors.Is(err, os.ErrNotExist) {
		return name, nil, usage(cmd, "%s is neither a file nor a space; there are %s%s", name,
			strings.Join(tune.Spaces(), ", "),
			nearest.Suggest(name, tune.Spaces(), ""))
	}
	return name, nil, badData(err)
}

// search is a study of training runs.
type search struct {
	cmd     *cobra.Command
	study   tune.Study
	name    string // of the space
	options config.Options
	base    *config.Config
	data    *dataset.Dataset
	dir     string
	best    files.WriteOptions // of best.yaml
	metric  string
}

// load is the config with the keys of a point, which are stronger than everything else.
func (s *search) load(settings []string) (*config.Config, error) {
	o := s.options
	o.Flags = append([]config.Setting{}, o.Flags...)
	for _, text := range settings {
		key, value, _ := strings.Cut(text, "=")
		o.Flags = append(o.Flags, config.Setting{Flag: s.name, Key: key, Value: value})
	}
	return loadConfig(s.cmd, o)
}

// read is the config at a point, with those of its settings that something reads there: in a grid, some keys make
// others idle, and these are left out.
func (s *search) read(settings []string) (*config.Config, []string, error) {
	for {
		cfg, err := s.load(settings)
		if err != nil {
			return nil, nil, err
		}
		var bad *train.BadSetting
		_, err = kinds.Of(cfg).Check(*cfg, s.data)
		i := -1
		if errors.As(err, &bad) && bad.Idle {
			i = slices.IndexFunc(settings, func(t string) bool { return strings.HasPrefix(t, bad.Key+"=") })
		}
		if i < 0 {
			return cfg, settings, nil // whoever trains it says what else is wrong
		}
		settings = slices.Delete(slices.Clone(settings), i, i+1)
	}
}

// fixed are keys that mean other values, not better ones.
var fixed = map[string]string{"data.name": "other data", "train.metric": "another metric",
	"data.split": "another split", "train.seed": "other luck"}

// check looks for mistakes before hours are spent: every value of the space by itself, and the data.
func (s *search) check() error {
	flags := s.options.Flags
	if s.options.Recipe != "" {
		flags = append([]config.Setting{{Flag: "--recipe", Key: "recipe"}}, flags...)
	}
	for _, p := range s.study.Space {
		if what := fixed[p.Key]; what != "" {
			return badData(files.Errorf(s.name, "%s cannot be searched: %s is no better setting", p.Key, what))
		}
		for _, f := range flags {
			if f.Key == p.Key {
				return usage(s.cmd, "%s sets %s, which %s searches", f.Flag, p.Key, s.name)
			}
		}
		for _, value := range p.Domain.Extremes() {
			if _, err := s.load([]string{p.Key + "=" + tune.Text(value)}); err != nil {
				return badData(errors.Unwrap(err))
			}
		}
	}
	var err error
	s.metric, err = kinds.Of(s.base).Check(*s.base, s.data)
	if m, _ := metric.ByName(s.metric); m.Lower {
		s.study.Direction = tune.Minimize
	}
	return runError(s.cmd, err)
}

// objective trains at a point. Its value is the validation metric, the mean over runs where there are several.
func (s *search) objective(ctx context.Context, t *tune.Trial) (float64, error) {
	cfg, _, err := s.read(t.Settings())
	if err != nil {
		return 0, err
	}
	cfg.Train.Together = 1 // trials are what is done at the same time
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w := watch{trial: t, epochs: s.base.Train.Epochs}
	value, err := kinds.Of(cfg).Try(ctx, *cfg, s.data, func(e train.Event) {
		if err := w.see(e); err != nil {
			stop(err)
		}
	})
	if errors.Is(context.Cause(ctx), tune.ErrPruned) {
		return 0, tune.ErrPruned
	}
	return value, err
}

// watch reports how a training run goes.
type watch struct {
	trial  *tune.Trial
	epochs int       // of the config without the space
	best   []float64 // of the runs so far
	last   int       // the epoch of the last report of this run
}

// reports is how many there are of a run, about: more would make files long and say no more.
const reports = 50

// see reports the validation metric that the trial would have if this epoch were its last: the best so far, as the mean
// over runs. The step is the number of epochs, rounded down so that different trials report at the same steps.
func (w *watch) see(e train.Event) error {
	if e.Run == len(w.best) {
		w.best, w.last = append(w.best, 0), 0
	}
	w.best[e.Run] = e.Best.Valid
	every := max(1, w.epochs/reports)
	if e.Epoch/every <= w.last/every {
		return nil
	}
	w.last = e.Epoch
	sum := 0.0
	for _, v := range w.best {
		sum += v
	}
	return w.trial.Report(e.Run*w.epochs+e.Epoch/every*every, sum/float64(len(w.best)))
}
