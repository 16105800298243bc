package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/jobs"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/internal/tune"
)

// tuneResult is the result of bloom tune for programs.
type tuneResult struct {
	Data     string   `json:"data"`
	Recipe   string   `json:"recipe"`
	Metric   string   `json:"metric"` // of the validation nodes
	Trials   int      `json:"trials"`
	Complete int      `json:"complete"`
	Pruned   int      `json:"pruned"`
	Failed   int      `json:"failed"`
	Best     bestLine `json:"best"`
	Study    string   `json:"study"` // its folder
}

// bestLine is the best trial.
type bestLine struct {
	Trial int      `json:"trial"`
	Valid float64  `json:"valid"`
	Set   []string `json:"set"` // key=value
}

// run runs the study and shows what it found.
func (s *search) run() error {
	w := s.cmd.ErrOrStderr()
	defer jobs.Divide(s.study.Jobs)()
	fmt.Fprintf(w, "searching %s for %s, by the validation %s\n", strings.Join(keysOf(s.study.Space), ", "),
		s.study.Name, s.metric)
	line := show.NewProgress(w, "tuning")
	done, best := 0, math.NaN()
	s.study.Notice = notice(s.cmd)
	s.study.Progress = func(r tune.Record) {
		line.End()
		fmt.Fprintln(w, s.describe(r))
		if done = max(done, r.Number+1); r.State == tune.Complete {
			if math.IsNaN(best) || (r.Value > best) == (s.study.Direction == tune.Maximize) {
				best = r.Value
			}
		}
		line.Set(int64(done), int64(s.study.Trials), fmt.Sprintf("best %.4f", best))
	}
	result, err := s.study.Run(s.cmd.Context(), s.objective)
	line.End()
	if result == nil {
		return err
	}
	if saved := s.save(result); err == nil {
		err = saved
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(w, "The study is in %s; the same command with --out %s continues it.\n", s.out.path,
			show.ShellCommand(s.out.path))
	}
	if err != nil {
		return err
	}
	return s.show(result)
}

func keysOf(space tune.Space) (keys []string) {
	for _, p := range space {
		keys = append(keys, p.Key)
	}
	return keys
}

func (s *search) describe(r tune.Record) string {
	what := fmt.Sprintf("%.4f", r.Value)
	switch r.State {
	case tune.Pruned:
		what += " when it was pruned"
	case tune.Failed:
		what = "failed: " + r.Error
	}
	return fmt.Sprintf("trial %d  %s  %s  %s", r.Number, strings.Join(s.study.Space.Settings(r.Point), " "),
		show.Duration(r.End.Sub(r.Start).Round(time.Millisecond)), what)
}

// save writes best.yaml if there is a best trial.
func (s *search) save(result *tune.Result) error {
	best := result.Best()
	if best == nil {
		return nil
	}
	cfg, _, err := s.read(s.study.Space.Settings(best.Point))
	if err != nil {
		return err
	}
	if err := files.Unseal(s.out.path); err != nil {
		return err
	}
	err = files.Replace(filepath.Join(s.out.path, bestFile), s.best, func(w io.Writer) error {
		_, err := w.Write(cfg.YAML())
		return err
	})
	if err != nil {
		return err
	}
	return files.Seal(s.out.path, bestFile)
}

func (s *search) show(r *tune.Result) error {
	best := r.Best()
	if best == nil {
		last := "none was started"
		for _, t := range r.Trials {
			last = t.Error
		}
		return fmt.Errorf("no trial is complete: %s", last)
	}
	_, set, err := s.read(r.Space.Settings(best.Point))
	if err != nil {
		return err
	}
	if s.json {
		return json.NewEncoder(s.cmd.OutOrStdout()).Encode(tuneResult{Data: s.data.Name, Recipe: s.base.Recipe,
			Metric: s.metric, Trials: len(r.Trials), Complete: r.Count(tune.Complete),
			Pruned: r.Count(tune.Pruned), Failed: r.Count(tune.Failed),
			Best: bestLine{best.Number, best.Value, set}, Study: s.out.path})
	}
	if err := s.table(s.cmd.OutOrStdout(), r); err != nil {
		return err
	}
	fmt.Fprintf(s.cmd.OutOrStdout(), "\n%s\n", s.repeat(set))
	w := s.cmd.ErrOrStderr()
	fmt.Fprintf(w, "%d trials complete, %d pruned, %d failed; %s has %s\n", r.Count(tune.Complete),
		r.Count(tune.Pruned), r.Count(tune.Failed), s.out.path, studyFile+" and "+bestFile)
	return nil
}

// shown is the number of trials in the table.
const shown = 10

// table writes the best trials.
func (s *search) table(w io.Writer, r *tune.Result) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "valid %s\ttrial\t%s\n", s.metric, strings.Join(keysOf(r.Space), "\t"))
	for i, t := range r.Ranked() {
		if i == shown {
			break
		}
		fmt.Fprintf(table, "%.4f\t%d", t.Value, t.Number)
		for k, p := range r.Space {
			fmt.Fprintf(table, "\t%s", tune.Text(p.Domain.Value(t.Point[k])))
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}

// repeat returns the command that trains the best trial again.
func (s *search) repeat(set []string) string {
	o := s.options
	words := []string{"bloom", "train"}
	if o.File != "" {
		words = append(words, o.File)
	}
	for _, f := range [][2]string{{"--recipe", o.Recipe}, {"--data", o.Data}} {
		if f[1] != "" {
			words = append(words, f[0], f[1])
		}
	}
	keys := slices.Clone(o.Set)
	for _, f := range o.Flags {
		keys = append(keys, f.Key+"="+f.Value)
	}
	for _, text := range append(keys, set...) {
		words = append(words, "--set", text)
	}
	return show.ShellCommand(words...)
}
