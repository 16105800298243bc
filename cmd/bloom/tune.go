package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/command"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/internal/tune"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/task/kinds"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// The files of a study's folder: the study, the config of the best trial, and what a race gave it to start from.
const (
	beginFile = "begin.json"
	studyFile = "study.jsonl"
	bestFile  = "best.yaml"
)

// search is a study of training runs, and the flags that say which.
type search struct {
	cmd             *cobra.Command
	options         config.Options
	space           string // a file or a name
	sampler, pruner string
	out             output
	json            bool

	study  tune.Study
	base   *config.Config
	data   *dataset.Dataset
	best   files.WriteOptions // of best.yaml
	metric string
	begin  beginning
}

func newTune() *cobra.Command {
	s := &search{}
	cmd := &cobra.Command{
		Use:   "tune [CONFIG]",
		Short: "Search for settings with a good validation metric",
		Long: `Search for settings with a good validation metric.

Fixed settings are given as to bloom train. If no recipe is named for your own file, recipes are compared first, as by
bloom train, and the search starts from the best one that has something to search. The search space is a file as below,
or one of ` + strings.Join(tune.Spaces(), ", ") + `: halo and heterophily are the paper's,
heterophily-training adds what it does not search (rate, weight decay, dropout, norm and head), and robust is for
recipes it does not cover.

  train.rate:      {float: [1e-4, 0.1], log: true}
  model.dropout:   {float: [0, 0.8], step: 0.1}
  energy.steps:    {int: [2, 16]}
  energy.f.lambda: {choice: [0.1, 1, 5, 10]}

Samplers are tpe (Bayesian) and random. A trial is pruned if its validation metric is worse than the median of
the others at the same epoch, after five complete trials and a tenth of the epochs. The test metric is never used.

The folder gets study.jsonl, one trial per line, and best.yaml, the best config. The same command with --out continues
an interrupted study, or adds trials to it. With --jobs, threads are divided among trials.`,
		Example: `  echo 'train.rate: {float: [0.001, 0.1], log: true}' > space.yaml
  bloom tune --data karate --recipe base --space space.yaml --trials 5 --out study
  bloom tune --data karate --recipe base --space space.yaml --trials 8 --out study
  bloom train study/best.yaml`,
		Args: command.Args(0, 1, "one config, got %d arguments"),
		RunE: func(_ *cobra.Command, args []string) error { return s.start(args) },
	}
	s.cmd = cmd
	trainFlags(cmd, &s.options)
	f := cmd.Flags()
	f.StringVar(&s.space, "space", "",
		"the search space: a `file` or a name (default: the one of the recipe, if it has one)")
	f.IntVar(&s.study.Trials, "trials", 50, "total number of trials, including those of a continued study")
	f.StringVar(&s.sampler, "sampler", "tpe", "tpe or random")
	f.StringVar(&s.pruner, "pruner", "median", "median, or none for no pruning")
	f.IntVar(&s.study.Jobs, "jobs", 1, "number of trials run in parallel")
	s.out.flags(cmd, "the `folder` of the study (default: runs/DATA-RECIPE-tune)")
	f.BoolVar(&s.json, "json", false, "print the result as one JSON object")
	return cmd
}

// start opens the data, checks everything and searches.
func (s *search) start(args []string) error {
	o := &s.options
	o.File, o.Env, o.Flags = strings.Join(args, ""), os.Environ(), shortcuts(s.cmd)
	if text, err := readFile(s.cmd, o.File); err == nil && o.File != "" {
		o.Text = text // every trial loads the config as it is now
	}
	from, err := openSource(s.cmd, *o, true)
	if err != nil {
		return err
	}
	if from.disk != nil {
		from.disk.Close()
		return usage(s.cmd, "%s does not fit into --memory, and settings are searched in memory", from.config.Data.Name)
	}
	s.base, s.data = from.config, from.data
	o.Suited = config.Choice{Catalogue: catalogueName(s.data.Name, s.base.Data.Name), Task: string(s.base.Task),
		Recipe: s.base.Recipe}
	if from.races && from.kind == (node.Kind{}) {
		if err := s.race(from); err != nil {
			return err
		}
	}
	if err := s.plan(); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	if s.out.path == "" {
		s.out.path = newFolder(s.base, s.data.Name, "-tune")
	}
	dir := s.out.path
	s.study.File = filepath.Join(dir, studyFile)
	_, absent := os.Stat(s.study.File)
	ours := func([]byte) bool { return absent == nil } // it is of the study there
	s.best = s.out.rules(ours, o.File, s.space)
	if err := s.best.Allow(filepath.Join(dir, bestFile)); err != nil {
		return err
	}
	release, err := files.Lock(dir, notice(s.cmd))
	if err != nil {
		return err
	}
	defer release()
	if err := files.Sweep(dir); err != nil {
		return err
	}
	if s.begin.Recipe != "" {
		if err := files.Replace(filepath.Join(dir, beginFile), files.WriteOptions{}, func(w io.Writer) error {
			return json.NewEncoder(w).Encode(s.begin)
		}); err != nil {
			return err
		}
	}
	return s.run()
}

// beginning is the recipe with its settings that won a race, and that a search starts from.
type beginning struct {
	Recipe string   `json:"recipe"`
	Set    []string `json:"set"`
}

// race compares recipes, unless the study has a beginning already, and starts from the best one that can be searched.
func (s *search) race(from *source) error {
	if text, err := files.Read(filepath.Join(s.out.path, beginFile)); s.out.path != "" && err == nil {
		if err := json.Unmarshal(text, &s.begin); err != nil {
			return badData(files.Errorf(filepath.Join(s.out.path, beginFile), "%v", err))
		}
	}
	if s.begin.Recipe == "" {
		kept := racing("", s.data.Name)
		raced, err := compare(s.cmd, s.options, from, node.RaceOptions{Budget: time.Minute, Dir: kept})
		if err != nil {
			return err
		}
		s.begin.Recipe, s.begin.Set = raced.Best(func(recipe string) bool {
			return recipe != "closed" && (s.space != "" || spaceOf(recipe) != "")
		})
		if err := os.RemoveAll(kept); err != nil {
			return err
		}
	}
	if s.begin.Recipe == "" {
		return usage(s.cmd, "there is no space for any of the recipes that were compared: name a recipe and a space")
	}
	s.options.Recipe, s.options.Set = s.begin.Recipe, append(slices.Clone(s.begin.Set), s.options.Set...)
	var err error
	s.base, err = s.load(nil)
	return err
}

// spaceOf returns the name of the space for a recipe; empty if there is none.
func spaceOf(recipe string) string {
	for _, family := range []string{"heterophily", "halo", "robust"} {
		if strings.HasPrefix(recipe, family) {
			return family
		}
	}
	if strings.HasPrefix(recipe, "base") {
		return "robust"
	}
	return ""
}

// plan completes the study by what the flags ask for.
func (s *search) plan() (err error) {
	t := &s.study
	if t.Trials < 1 || t.Jobs < 1 {
		return usage(s.cmd, "%d trials and %d jobs, want 1 or more", t.Trials, t.Jobs)
	}
	if err := command.EnoughThreads(s.cmd, t.Jobs); err != nil {
		return err
	}
	t.Name, t.Seed = s.base.Recipe+" on "+s.data.Name, s.base.Train.Seed
	t.About = map[string]string{"config": bare(s.base.YAML())}
	var ok bool
	if t.Sampler, ok = map[string]tune.Sampler{"tpe": tune.TPE{}, "random": tune.Random{}}[s.sampler]; !ok {
		return usage(s.cmd, "--sampler is %q, want tpe or random", s.sampler)
	}
	switch s.pruner {
	case "median":
		t.Pruner = tune.Median{Warmup: s.base.Train.Epochs / 10}
	case "none":
	default:
		return usage(s.cmd, "--pruner is %q, want median or none", s.pruner)
	}
	t.Space, err = s.findSpace()
	return err
}

// bare returns a config without comments, which may change while it stays the same.
func bare(text []byte) string {
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if line, _, _ = strings.Cut(line, "# "); strings.TrimSpace(line) != "" {
			b.WriteString(strings.TrimRight(line, " \n") + "\n")
		}
	}
	return b.String()
}

// findSpace returns the space that --space names, or the space of the recipe.
func (s *search) findSpace() (tune.Space, error) {
	known := strings.Join(tune.Spaces(), ", ")
	if s.space = cmp.Or(s.space, spaceOf(s.base.Recipe)); s.space == "" {
		return nil, usage(s.cmd, "there is no space for %s: name a file with --space, or one of %s", s.base.Recipe,
			known)
	}
	text, err := readFile(s.cmd, s.space)
	if err == nil {
		return tune.ReadSpace(s.space, text)
	}
	if space, found := tune.FindSpace(s.space); found == nil {
		return space, nil
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil, usage(s.cmd, "%s is neither a file nor a space; there are %s%s", s.space, known,
			keys.Suggest(s.space, tune.Spaces(), ""))
	}
	return nil, badData(err)
}

// load returns the config with the keys of a point, which are stronger than everything else.
func (s *search) load(settings []string) (*config.Config, error) {
	o := s.options
	o.Flags = append([]config.Setting{}, o.Flags...)
	for _, text := range settings {
		key, value, _ := strings.Cut(text, "=")
		o.Flags = append(o.Flags, config.Setting{Flag: s.space, Key: key, Value: value})
	}
	return loadConfig(s.cmd, o)
}

// read returns the config at a point, with the settings that are used there: in a grid, some keys make others unused,
// and these are left out.
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
			return cfg, settings, nil // training reports other mistakes
		}
		settings = slices.Delete(slices.Clone(settings), i, i+1)
	}
}

// fixed are keys that mean other values, not better ones.
var fixed = map[string]string{"data.name": "other data", "train.metric": "another metric",
	"data.split": "another split", "train.seed": "another seed"}

// check looks for mistakes before hours are spent: every value of the space by itself, and the data.
func (s *search) check() error {
	flags := s.options.Flags
	if s.options.Recipe != "" {
		flags = append([]config.Setting{{Flag: "--recipe", Key: "recipe"}}, flags...)
	}
	for _, p := range s.study.Space {
		if what := fixed[p.Key]; what != "" {
			return badData(files.Errorf(s.space, "%s cannot be searched: %s is not a better setting", p.Key, what))
		}
		for _, f := range flags {
			if f.Key == p.Key {
				return usage(s.cmd, "%s sets %s, which %s searches", f.Flag, p.Key, s.space)
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

// objective trains at a point. Its value is the validation metric, the mean over runs if there are several.
func (s *search) objective(ctx context.Context, t *tune.Trial) (float64, error) {
	cfg, _, err := s.read(t.Settings())
	if err != nil {
		return 0, err
	}
	cfg.Train.Together = 1 // trials run in parallel instead
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w := watch{trial: t, epochs: s.base.Train.Epochs}
	value, err := kinds.Of(cfg).Try(ctx, *cfg, s.data, func(e train.Event) {
		if err := w.report(e); err != nil {
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

// reports is the approximate number of reports of a run: more would make files long without saying more.
const reports = 50

// report reports the validation metric that the trial would have if this epoch were its last: the best so far, as the
// mean over runs. The step is the number of epochs, rounded down so that different trials report at the same steps.
func (w *watch) report(e train.Event) error {
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
