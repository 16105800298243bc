package relational

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/importer"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/internal/files"
)

// The files of a run about questions: the questions, their rows with all columns, which rows are joined, and the data
// set of these.
const (
	AskFile   = "ask.csv"
	RowsFile  = "rows.csv"
	EdgesFile = "edges.csv"
	DataFile  = "rows.bloom"
)

// Write computes the rows of ask and writes them into a run folder, as tables to look at and as a data set to train
// on. data is where the database is, for questions at another time. It returns the name of the data set.
func (db *Database) Write(ctx context.Context, ask *Ask, data, dir string) (path string, err error) {
	r := db.Rows(ask)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	defer func() {
		if err == nil {
			return
		}
		for _, name := range []string{AskFile, RowsFile, EdgesFile, DataFile, RecordFile, dataset.SchemaFile} {
			os.Remove(filepath.Join(dir, name))
		}
		os.Remove(dir) // unless it holds something else
	}()
	err = writeCSV(filepath.Join(dir, AskFile), []string{ask.Entity, ask.At, ask.Label, "split"}, len(ask.Questions),
		func(i int) []string {
			q := ask.Questions[i]
			return []string{q.Entity, q.text(), q.Label, q.Split}
		})
	if err != nil {
		return "", err
	}
	if err := r.keep(db, dir, data); err != nil {
		return "", err
	}
	names, row := r.Texts()
	if err := writeCSV(filepath.Join(dir, RowsFile), names, len(r.Questions), row); err != nil {
		return "", err
	}
	if err := r.writeEdges(dir); err != nil {
		return "", err
	}
	d, _, err := importer.Run(ctx, r.spec(dir, ask))
	if err != nil {
		return "", err
	}
	d.Name = db.Name + "-" + ask.Label
	d.Notes = append(slices.Clone(ask.Notes), d.Notes...)
	d.Times = make([]int64, len(r.Questions))
	for i, q := range r.Questions {
		d.Times[i] = q.At.Unix()
	}
	switch {
	case d.Labels.Task == dataset.Numbers:
		d.Metric = "mae"
	case d.Labels.Task == "" && len(d.Labels.Names) == 2:
		d.Metric = "roc_auc"
	}
	if err := oneClass(d, ask.Label); err != nil {
		return "", err
	}
	path = filepath.Join(dir, DataFile)
	return path, native.Write(path, d)
}

// oneClass refuses questions of which all to train on, or all to validate on, have the same label.
func oneClass(d *dataset.Dataset, label string) error {
	if d.Metric != "roc_auc" {
		return nil
	}
	for _, s := range d.Splits {
		for part, rows := range map[string][]int32{"train": s.Train, "validate": s.Valid} {
			other := func(v int32) bool { return d.Labels.Class[v] != d.Labels.Class[rows[0]] }
			if len(rows) >= fewRows && !slices.ContainsFunc(rows, other) {
				return fmt.Errorf("all %d questions to %s on have the %s %q: ask at other times, or over a longer "+
					"window", len(rows), part, label, d.Labels.Names[d.Labels.Class[rows[0]]])
			}
		}
	}
	return nil
}

// spec says how to import the tables of rows and of edges.
func (r *Rows) spec(dir string, ask *Ask) importer.Spec {
	own := map[string]bool{}
	for _, c := range ask.table.Columns {
		own[c.Name] = true
	}
	advice := func(column string) string {
		if !own[column] {
			return "" // known at the time of the question
		}
		return fmt.Sprintf("bloom data import --time %s.%s=COLUMN says when it became known", ask.table.Name, column)
	}
	s := importer.Spec{Name: "rows", Advice: advice, ID: "row", Label: ask.Label,
		Nodes: []importer.Input{{Table: filepath.Join(dir, RowsFile)}},
		Kinds: map[string]string{ask.Entity: dataset.Skipped, ask.At: dataset.Calendar}, Columns: []string{}}
	for _, c := range r.Columns {
		if c.Levels == nil {
			s.Kinds[c.Name] = dataset.Number
		}
	}
	if len(r.Edges) > 0 {
		s.Edges = []importer.Input{{Table: filepath.Join(dir, EdgesFile)}}
		s.Relation, s.Direction = "relation", importer.Undirected
	}
	if ask.number {
		s.Task = dataset.Numbers
	}
	if slices.ContainsFunc(r.Questions, func(q Question) bool { return q.Split != "" }) {
		s.Split.Columns = []string{"split"}
	}
	return s
}

// writeCSV writes a table.
func writeCSV(path string, names []string, rows int, row func(int) []string) error {
	return files.Replace(path, files.WriteOptions{}, func(f io.Writer) error {
		w := csv.NewWriter(f)
		if err := w.Write(names); err != nil {
			return err
		}
		for i := range rows {
			if err := w.Write(row(i)); err != nil {
				return err
			}
		}
		w.Flush()
		return w.Error()
	})
}
