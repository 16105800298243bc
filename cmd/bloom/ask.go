package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/dataset/importer"
	"github.com/bloomgml/bloom/dataset/relational"
	"github.com/bloomgml/bloom/internal/files"
)

type question struct {
	ask, entity, at, label, every, horizon string
	join                                   bool
}

func (q *question) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&q.ask, "ask", "", "a question about a database: a table with an entity, a time and a label, or a "+
		"sentence")
	f.StringVar(&q.entity, "entity", "", "with --ask FILE: the column that names rows of a table (default: found)")
	f.StringVar(&q.at, "at", "", "with --ask FILE: the column of times (default: found)")
	f.StringVar(&q.label, "label", "", "with --ask FILE: the column of labels (default: label, or the only one left)")
	f.StringVar(&q.every, "every", "", "with --ask SENTENCE: the time between questions, as 30d (default: the window)")
	f.StringVar(&q.horizon, "horizon", "", "with --ask FILE: how long after a question its label is known, as 30d "+
		"(default: the usual time between questions)")
	f.BoolVar(&q.join, "join", false, "with --ask: join questions of the same time whose entities belong together, as "+
		"team mates do, and compare energies of that graph too")
}

// check refuses flags that have no effect.
func (q *question) check(cmd *cobra.Command) error {
	for _, name := range []string{"entity", "at", "label", "every", "horizon", "join"} {
		if q.ask == "" && cmd.Flags().Changed(name) {
			return usage(cmd, "--%s is about --ask, which is missing", name)
		}
	}
	return nil
}

// write computes what the database of --data knew about every question, and writes it into the run folder. It returns
// the name of the data set.
func (q *question) write(cmd *cobra.Command, data, dir string) (string, error) {
	if _, err := os.Stat(filepath.Join(dir, "config.yaml")); err == nil {
		return "", fmt.Errorf("%s holds a run already: choose another folder with --out", dir)
	}
	d, err := catalogue.Open(data)
	if err != nil {
		return "", badRef(cmd, err)
	}
	defer d.Close()
	db, err := relational.FromDataset(d)
	if err != nil {
		return "", usage(cmd, "--ask: %w", err)
	}
	ask, err := q.read(cmd, db)
	if err != nil {
		return "", err
	}
	ask.Joined = q.join
	began := time.Now()
	path, err := db.Write(cmd.Context(), ask, data, dir)
	if err != nil {
		return "", badData(err)
	}
	notice(cmd)(fmt.Sprintf("%d questions about %s, with what was known at their time: %s (%.1f s)", len(ask.Questions),
		ask.Entity, filepath.Join(dir, relational.RowsFile), time.Since(began).Seconds()))
	for _, note := range ask.Notes {
		notice(cmd)(note)
	}
	return path, nil
}

// askAgain prepares the question of a run at the time of --at: its rows become the table of new nodes, with edges; done
// removes both.
func (c *runCommand) askAgain(cmd *cobra.Command, dir string) (done func(), err error) {
	if _, err := os.Stat(filepath.Join(dir, relational.RecordFile)); c.At == "" || err != nil {
		return func() {}, nil
	}
	at, ok := importer.Moment(&dataset.Column{Kind: dataset.Time}, c.At)
	if !ok {
		return nil, usage(cmd, "--at is %q, want a time such as 2024-06-01", c.At)
	}
	record, err := relational.OpenRecord(dir)
	if err != nil {
		return nil, badData(err)
	}
	d, err := catalogue.Open(cmp.Or(c.data, record.Data))
	if err != nil {
		return nil, badRef(cmd, err)
	}
	defer d.Close()
	db, err := relational.FromDataset(d)
	if err != nil {
		return nil, usage(cmd, "--at: %w", err)
	}
	temp, err := os.MkdirTemp("", "bloom-ask-*")
	if err != nil {
		return nil, err
	}
	if _, err = db.AskAgain(dir, record, at, temp); err != nil {
		os.RemoveAll(temp)
		return nil, badData(err)
	}
	c.table, c.data, c.At = filepath.Join(temp, relational.RowsFile), "", ""
	if edges := filepath.Join(temp, relational.EdgesFile); files.Exists(edges) {
		c.edges = edges
	}
	return func() { os.RemoveAll(temp) }, nil
}

func (q *question) read(cmd *cobra.Command, db *relational.Database) (*relational.Ask, error) {
	o := relational.AskOptions{Entity: q.entity, At: q.at, Label: q.label}
	var every time.Duration
	for _, x := range []struct {
		flag, text string
		to         *time.Duration
	}{{"every", q.every, &every}, {"horizon", q.horizon, &o.Horizon}} {
		if x.text == "" {
			continue
		}
		d, err := relational.ParseWindow(x.text)
		if err != nil {
			return nil, usage(cmd, "--%s: %w", x.flag, err)
		}
		*x.to = d
	}
	if _, err := os.Stat(q.ask); errors.Is(err, fs.ErrNotExist) && strings.Contains(q.ask, ":") {
		ask, err := db.ParseAsk(q.ask, every)
		if err != nil {
			return nil, usage(cmd, "--ask: %w", err)
		}
		return ask, nil
	}
	ask, err := db.ReadAsk(q.ask, o)
	if err != nil {
		return nil, badData(err)
	}
	return ask, nil
}
