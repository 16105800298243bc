package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/importer"
)

// printImport says what an import understood.
func printImport(w io.Writer, p paint, out string, d *dataset.Dataset, r *importer.Report) error {
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
	s := section{title: "Graph"}
	s.add("size", fmt.Sprintf("%s nodes, %s edges, %s, %s features", thousands(d.Graph.NumNodes()),
		thousands(d.Graph.NumEdges()), direction, thousands(d.NumFeatures())))
	if len(d.Labels.Names) > 0 {
		s.add("classes", fmt.Sprintf("%d: %s", len(d.Labels.Names), shorten(strings.Join(d.Labels.Names, ", "), 80)))
	}
	if len(d.Relations) > 0 {
		s.add("relations", fmt.Sprintf("%d: %s", len(d.Relations), shorten(strings.Join(d.Relations, ", "), 80)))
	}
	if r.Split != "" {
		s.add("split", r.Split, splitSizes(d))
	}
	s.add("notes", d.Notes...)
	if r.Rejected > 0 {
		s.add("rejects", p.warn(fmt.Sprintf("%s rows, with reasons in %s", thousands(r.Rejected), r.Rejects)))
	}
	s.add("next", "bloom data info "+out, "bloom train --data "+out)
	s.write(&text, p)
	_, err := io.WriteString(w, strings.TrimPrefix(text.String(), "\n"))
	return err
}

// splitSizes are the sizes of the parts.
func splitSizes(d *dataset.Dataset) string {
	train, valid, test := d.Graph.NumEdges(), len(d.Valid), len(d.Test)
	if len(d.Splits) > 0 {
		train, valid, test = len(d.Splits[0].Train), len(d.Splits[0].Valid), len(d.Splits[0].Test)
	}
	return fmt.Sprintf("%s train, %s valid, %s test", thousands(train), thousands(valid), thousands(test))
}

// printTable shows the columns of a table.
func printTable(text *strings.Builder, p paint, title string, t importer.TableReport) {
	name := ""
	if t.Name != "" {
		name = " " + t.Name
	}
	fmt.Fprintf(text, "\n%s  %s, %s rows\n", p.strong(title+name), t.Table, thousands(t.Rows))
	rows := [][4]string{{"column", "is", "missing", "because"}}
	for _, r := range t.Roles {
		rows = append(rows, [4]string{r.Column, r.Role, "", r.Why})
	}
	for _, c := range t.Columns {
		kind, missing := string(c.Kind), ""
		if c.Kind == dataset.Category {
			kind = fmt.Sprintf("category of %d", len(c.Levels))
		}
		if c.Missing > 0 {
			missing = thousands(c.Missing)
		}
		rows = append(rows, [4]string{c.Name, kind, missing, c.Why})
	}
	var width [3]int
	for i := range rows {
		rows[i][0] = shorten(rows[i][0], 30)
		for j := range width {
			width[j] = max(width[j], len([]rune(rows[i][j])))
		}
	}
	for i, r := range rows {
		line := fmt.Sprintf("  %-*s  %-*s  %*s  %s", width[0], r[0], width[1], r[1], width[2], r[2], r[3])
		if i == 0 {
			line = p.dim(line)
		}
		fmt.Fprintln(text, strings.TrimRight(line, " "))
	}
}

// shorten cuts text to n letters.
func shorten(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}
