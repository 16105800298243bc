package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/importer"
	"github.com/bloomgml/bloom/internal/audit"
	"github.com/bloomgml/bloom/internal/show"
)

// printImport says what an import understood.
func printImport(w io.Writer, out string, d *dataset.Dataset, r *importer.Report) {
	p := show.Painter(w)
	var text strings.Builder
	for _, t := range r.Nodes {
		printTable(&text, p, "Nodes", t)
	}
	for _, t := range r.Edges {
		printTable(&text, p, "Edges", t)
	}
	direction := "directed"
	if d.Graph.Undirected() {
		direction = "undirected"
	}
	s := show.Section{Title: "Graph"}
	s.Add("size", fmt.Sprintf("%s nodes, %s edges, %s, %s features", show.Thousands(d.Graph.NumNodes()),
		show.Thousands(d.Graph.NumEdges()), direction, show.Thousands(d.NumFeatures())))
	switch {
	case d.Labels.Task == dataset.Numbers:
		s.Add("numbers", d.Labels.Names[0])
	case len(d.Labels.Names) > 0:
		s.Add("classes", listed(d.Labels.Names))
	}
	if len(d.Relations) > 0 {
		s.Add("relations", listed(d.Relations))
	}
	switch {
	case d.DrawnSplit:
		s.Add("split", "none is given: bloom train compares models and measures them by cross-validation",
			"one model by name (--recipe) takes "+r.Split, "  "+splitSizes(d))
	case r.Split != "":
		s.Add("split", r.Split, splitSizes(d))
	}
	if len(d.Labels.Names) == 2 && d.Metric != "accuracy" {
		s.Add("metric", d.Metric+", as one class is rare; --set train.metric=accuracy changes it")
	}
	s.Add("otherwise", overrules(d, r)...)
	s.Add("notes", painted(d.Notes, p)...)
	if r.Rejected > 0 {
		s.Add("rejects", append([]string{p.Warn(rejectedText(r))}, reasonsOf(r)...)...)
	}
	s.Add("next", show.ShellCommand("bloom", "data", "info", out), show.ShellCommand("bloom", "train", "--data", out))
	s.Write(&text, p)
	fmt.Fprint(w, strings.TrimPrefix(text.String(), "\n"))
}

// overrules returns the flags by which what was guessed becomes something else.
func overrules(d *dataset.Dataset, r *importer.Report) (lines []string) {
	if len(r.Nodes) > 0 {
		lines = append(lines, "--id COLUMN, --kind COLUMN="+strings.Join(dataset.Kinds, "|"))
	}
	if d.Labels.Class != nil {
		lines = append(lines, "--task class|multilabel|regression")
	}
	direction := "--directed"
	if !d.Graph.Undirected() {
		direction = "--undirected"
	}
	return append(lines, "--source, --target, --relation or --weight COLUMN, --no-header, "+direction+", --split")
}

// rejectedText says how many rows could not be used.
func rejectedText(r *importer.Report) string {
	return fmt.Sprintf("%s rows, with reasons in %s", show.Thousands(r.Rejected), show.Safe(r.Rejects))
}

// reasonsOf returns the reasons why rows could not be used, the most frequent first.
func reasonsOf(r *importer.Report) (lines []string) {
	reasons := slices.SortedFunc(maps.Keys(r.Reasons), func(a, b string) int {
		return cmp.Or(r.Reasons[b]-r.Reasons[a], strings.Compare(a, b))
	})
	for _, reason := range reasons {
		lines = append(lines, fmt.Sprintf("%s: %s", show.Thousands(r.Reasons[reason]), reason))
	}
	return lines
}

func splitSizes(d *dataset.Dataset) string {
	train, valid, test := d.Graph.NumEdges(), len(d.Valid), len(d.Test)
	if len(d.Splits) > 0 {
		train, valid, test = len(d.Splits[0].Train), len(d.Splits[0].Valid), len(d.Splits[0].Test)
	}
	return sizes(audit.SplitSizes{Train: train, Valid: valid, Test: test})
}

// listed returns the number of names, and the first of them.
func listed(names []string) string {
	return fmt.Sprintf("%d: %s", len(names), show.Shorten(strings.Join(names, ", "), 80))
}

func printTable(text *strings.Builder, p show.Paint, title string, t importer.TableReport) {
	name := ""
	if t.Name != "" {
		name = " " + t.Name
	}
	fmt.Fprintf(text, "\n%s  %s, %s rows\n", p.Strong(title+name), t.Table, show.Thousands(t.Rows))
	rows := [][4]string{{"column", "is", "missing", "because"}}
	for _, r := range t.Roles {
		rows = append(rows, [4]string{r.Column, r.Role, "", r.Why})
	}
	for _, c := range t.Columns {
		kind, missing := string(c.Kind), ""
		switch c.Kind {
		case dataset.Category:
			kind = fmt.Sprintf("category of %d", len(c.Levels))
		case dataset.Time, dataset.Calendar:
			kind += ": " + strings.Join(c.Parts, ", ")
		case dataset.Vector:
			kind = fmt.Sprintf("vector of %d", len(c.Means))
		case dataset.Text:
			kind = fmt.Sprintf("text of %d words", len(c.Levels))
		}
		if c.Missing > 0 {
			missing = show.Thousands(c.Missing)
		}
		rows = append(rows, [4]string{c.Name, kind, missing, c.Why})
	}
	if len(rows) > shownColumns {
		defer fmt.Fprintf(text, "  and %s; --json lists all\n", moreColumns(rows[shownColumns:]))
		rows = rows[:shownColumns]
	}
	var width [3]int
	for i := range rows {
		rows[i][0] = show.Shorten(rows[i][0], 30)
		for j := range width {
			width[j] = max(width[j], len([]rune(rows[i][j])))
		}
	}
	if len(t.Joined) > 0 {
		defer fmt.Fprintf(text, "  duplicate edges are merged: %s\n", strings.Join(t.Joined, ", "))
	}
	if len(t.Made) > 0 {
		defer fmt.Fprintf(text, "  columns of nodes made of these rows (--edge-columns): %s\n", braced(t.Made))
	}
	for i, r := range rows {
		line := fmt.Sprintf("  %-*s  %-*s  %*s  %s", width[0], r[0], width[1], r[1], width[2], r[2], r[3])
		if i == 0 {
			line = p.Dim(line)
		}
		fmt.Fprintln(text, strings.TrimRight(line, " "))
	}
}

// shownColumns is how many columns of a table are listed.
const shownColumns = 200

// moreColumns counts columns that are not listed, by their kinds.
func moreColumns(rows [][4]string) string {
	counts := map[string]int{}
	for _, r := range rows {
		kind, _, _ := strings.Cut(r[1], " ")
		counts[strings.TrimSuffix(kind, ":")]++
	}
	var list []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, show.Thousands(counts[kind])+" "+kind)
	}
	return fmt.Sprintf("%s more columns: %s", show.Thousands(len(rows)), strings.Join(list, ", "))
}

// braced lists names that differ in their last two parts by their beginnings: transfers.amount.{max.in,max.out}.
func braced(names []string) string {
	var starts []string
	ends := map[string][]string{}
	for _, name := range names {
		parts := strings.Split(name, ".")
		cut := max(1, len(parts)-2)
		start := strings.Join(parts[:cut], ".")
		if ends[start] == nil {
			starts = append(starts, start)
		}
		ends[start] = append(ends[start], strings.Join(parts[cut:], "."))
	}
	for i, start := range starts {
		starts[i] = start + ".{" + strings.Join(ends[start], ",") + "}"
	}
	return strings.Join(starts, " ")
}

// painted returns notes, warnings in another colour.
func painted(notes []string, p show.Paint) (lines []string) {
	for _, note := range notes {
		if strings.HasPrefix(note, importer.Warning) {
			note = p.Warn(note)
		}
		lines = append(lines, note)
	}
	return lines
}
