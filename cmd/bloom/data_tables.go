package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/dataset/relational"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/show"
)

func (c *importCommand) importTables(cmd *cobra.Command) error {
	switch {
	case len(c.nodes)+len(c.edges)+len(c.spec.Connect) > 0:
		return usage(cmd, "--tables imports a whole database: leave out --nodes, --edges and --connect")
	case c.spec.Label != "":
		return usage(cmd, "--tables imports a whole database; its labels come with a question: bloom train --ask")
	case c.out.path == "":
		return usage(cmd, "--out is missing")
	}
	var inputs []string
	if !table.IsPostgres(c.tables) {
		inputs = []string{c.tables}
	}
	if err := c.out.allow(c.out.rules(isData, inputs...)); err != nil {
		return err
	}
	line := show.NewProgress(cmd.ErrOrStderr(), "reading")
	db, err := relational.Read(cmd.Context(), c.tables, relational.Options{Keys: c.keys, Times: c.times,
		Progress: func(done, total int64) { line.Set(done, total, "") }})
	line.End()
	if err != nil {
		return importError(cmd, err)
	}
	d, err := db.Dataset(strings.TrimSuffix(filepath.Base(c.out.path), ".bloom"))
	if err == nil {
		err = native.Write(c.out.path, d)
	}
	if err != nil {
		return err
	}
	w := cmd.ErrOrStderr()
	printTables(w, show.Painter(w), d)
	fmt.Fprintf(w, "\nAsk it with: bloom train --data %s --ask QUESTIONS.csv%s\n", c.out.path, example(d))
	return printLine(cmd, c.json, databaseLine{Out: c.out.path, Tables: d.Schema.Database, Notes: d.Notes}, c.out.path)
}

// databaseLine is a database as JSON.
type databaseLine struct {
	Name   string              `json:"name,omitempty"` // when it is described
	Out    string              `json:"out,omitempty"`  // when it is imported
	Tables []dataset.TableKeys `json:"tables"`
	Notes  []string            `json:"notes,omitempty"`
}

// example returns a question about the database in words, about its largest table with a time and a key; nothing if it
// has none.
func example(d *dataset.Dataset) string {
	text, rows := "", 0
	for _, t := range d.Schema.Database {
		for _, k := range t.Keys {
			if t.Time != "" && t.Rows > rows {
				text, rows = fmt.Sprintf(", or --ask %q", k.Table+": no row in "+t.Name+" within 30 days"), t.Rows
			}
		}
	}
	return text
}

// printTables draws the tables of a database with the keys between them.
func printTables(w io.Writer, p show.Paint, d *dataset.Dataset) {
	rows := 0
	for _, t := range d.Schema.Database {
		rows += t.Rows
	}
	fmt.Fprintf(w, "%s  a database of %s with %s\n", p.Strong(d.Name),
		show.Plural(len(d.Schema.Database), "table"), show.Plural(rows, "row"))
	for _, t := range d.Schema.Database {
		s := show.Section{Title: t.Name}
		s.Add("rows", show.Thousands(t.Rows))
		if t.Key != "" {
			s.Add("key", fmt.Sprintf("%s (%s)", t.Key, t.KeyWhy))
		}
		if t.Time != "" {
			s.Add("time", fmt.Sprintf("%s (%s)", t.Time, t.TimeWhy))
		}
		if through := timeThrough(d.Schema.Database, &t); through != "" {
			s.Add("time", "with "+through)
		}
		for _, c := range t.Columns {
			if late := t.Later[c.Name]; late != "" {
				s.Add("later", fmt.Sprintf("%s is known with %s", c.Name, late))
			}
		}
		for _, k := range t.Keys {
			line := fmt.Sprintf("%s → %s.%s (%s)", k.Column, k.Table, k.Target, k.Why)
			if k.Broken > 0 {
				line += fmt.Sprintf("; %s name no row, such as %q", show.Thousands(k.Broken), k.Example)
			}
			s.Add("leads to", line)
		}
		for _, other := range d.Schema.Database {
			for _, k := range other.Keys {
				if k.Table == t.Name {
					s.Add("led to by", other.Name+"."+k.Column)
				}
			}
		}
		s.Add("columns", columnKinds(&t))
		s.Write(w, p)
	}
	for _, note := range d.Notes {
		fmt.Fprintf(w, "\n%s %s\n", p.Strong("note:"), note)
	}
}

// timeThrough returns the column of another table by which rows of a table without a time become known; empty if there
// is none.
func timeThrough(tables []dataset.TableKeys, t *dataset.TableKeys) string {
	if t.Time != "" {
		return ""
	}
	for _, k := range t.Keys {
		for _, other := range tables {
			if other.Name == k.Table && other.Time != "" {
				return other.Name + "." + other.Time
			}
		}
	}
	return ""
}

// columnKinds lists the columns of a table by what they hold.
func columnKinds(t *dataset.TableKeys) string {
	var parts []string
	for _, kind := range dataset.Kinds {
		var names []string
		for _, c := range t.Columns {
			key := c.Name == t.Key || c.Name == t.Time
			for _, k := range t.Keys {
				key = key || k.Column == c.Name
			}
			if c.Kind == kind && !key {
				names = append(names, c.Name)
			}
		}
		if names != nil {
			parts = append(parts, kind+" "+strings.Join(names, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// describeTables describes a data set that is a database; done is false for any other.
func describeTables(cmd *cobra.Command, ref string, asJSON bool) (done bool, err error) {
	if info, err := os.Stat(ref); err != nil || info.IsDir() || !native.Is(ref, false) {
		return false, nil
	}
	d, err := native.Read(ref)
	if err != nil {
		return true, badRef(cmd, err)
	}
	defer d.Close()
	if d.Schema == nil || d.Schema.Database == nil {
		return false, nil
	}
	found := databaseLine{Name: d.Name, Tables: d.Schema.Database, Notes: d.Notes}
	return true, printFound(cmd, asJSON, found, func(w io.Writer, p show.Paint) { printTables(w, p, d) })
}
