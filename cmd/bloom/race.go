package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// race compares recipes on the data of s, and trains the best one.
func (c *trainCommand) race(cmd *cobra.Command, s *source) error {
	kept := racing(c.out, s.data.Name)
	raced, err := compare(cmd, c.options, s, node.RaceOptions{Budget: c.budget, Names: c.candidates, Dir: kept})
	if err != nil {
		return err
	}
	err = c.train(cmd, node.Kind{Raced: raced}, &raced.Config, s.data,
		train.Options{Dir: c.folder(&raced.Config, s.data.Name)})
	if err != nil {
		return err
	}
	return os.RemoveAll(kept)
}

// racing returns the folder of what a race has trained: in the folder of the run, or below runs if that has no name.
func racing(run, data string) string {
	if run != "" {
		return filepath.Join(run, "race")
	}
	return filepath.Join("runs", strings.ToLower(filepath.Base(data))+"-race")
}

// compare compares recipes on the data of s with what the command line sets, and shows how they did.
func compare(cmd *cobra.Command, with config.Options, s *source, o node.RaceOptions) (*node.Raced, error) {
	w := cmd.ErrOrStderr()
	line := show.NewProgress(w, "comparing")
	done := int64(0)
	o.Configure = func(recipe string, set []string) (*config.Config, error) {
		one := with
		one.Recipe, one.Set = recipe, append(set, with.Set...)
		one.Suited = config.Choice{Catalogue: catalogueName(s.data.Name, s.config.Data.Name)}
		return config.Load(one)
	}
	o.Report = func(name string, x train.Candidate) {
		if x.Name == "closed" && x.Why == "" {
			line.End()
			fmt.Fprintf(w, "closed form: %s %s after %s; now others, for about %s (--budget)\n", name, scored(x),
				show.Seconds(x.Seconds), show.Seconds(o.Budget.Seconds()))
		}
		done++
		line.Set(done, max(done+1, int64(len(node.CandidateNames()))), x.Name+" "+scored(x))
	}
	raced, err := node.Race(cmd.Context(), s.data, o)
	line.End()
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(w, "The comparison so far is kept; the same command continues it.")
	}
	if err != nil {
		return nil, runError(cmd, err)
	}
	writeRace(w, raced)
	return raced, nil
}

func writeRace(w io.Writer, r *node.Raced) {
	of := "validation nodes"
	if r.Folds > 0 {
		of = fmt.Sprintf("%d folds", r.Folds)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "  candidate\t%s (%s)\tseconds\t\n", r.Metric, of)
	for _, c := range r.Candidates {
		mark, note := " ", ""
		switch {
		case c.Name == r.Name:
			mark = "*"
		case c.Why != "":
			note = show.Safe(c.Why)
		case r.Folds > 0 && c.Folds < r.Folds:
			note = fmt.Sprintf("%d folds", c.Folds)
		}
		fmt.Fprintf(table, "%s %s\t%s\t%.1f\t%s\n", mark, c.Name, scored(c), c.Seconds, note)
	}
	table.Flush()
}

// scored returns the score of a candidate with its error.
func scored(c train.Candidate) string {
	m, e := float64(c.Score), float64(c.Error)
	switch {
	case math.IsNaN(m):
		return "–"
	case math.IsNaN(e):
		return plainNumber(m, 4)
	case e <= 0 || m >= 1000:
		return plainNumber(m, 4) + " ± " + plainNumber(e, 2)
	}
	places := max(0, 1-int(math.Floor(math.Log10(e)))) // of two significant digits of the error
	return fmt.Sprintf("%.*f ± %.*f", places, m, places, e)
}

// plainNumber returns x with the given number of significant digits, and without an exponent if it is large.
func plainNumber(x float64, digits int) string {
	if x >= min(1000, math.Pow10(digits)) {
		return show.Thousands(int(math.Round(x)))
	}
	return strconv.FormatFloat(x, 'g', digits, 64)
}
