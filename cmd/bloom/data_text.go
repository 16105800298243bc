package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset/analysis"
)

// printDataInfo writes a description for people.
func printDataInfo(w io.Writer, p paint, f *dataInfo) error {
	var text strings.Builder
	text.WriteString(p.strong(f.Name))
	if f.Title != "" {
		text.WriteString("  " + f.Title)
	}
	text.WriteString("\n")
	counts := countsOf(&f.Description)
	counts.write(&text, p)
	if f.Homophily != nil {
		s := section{title: "Classes along edges"}
		s.add("homophily", fmt.Sprintf("%.3f adjusted; %.3f of %s between labelled nodes join equal classes",
			f.Homophily.Adjusted, f.Homophily.Edge, plural(f.Homophily.Edges, "edge")))
		s.add("labels", fmt.Sprintf("%.3f informativeness", f.Homophily.Informativeness))
		s.write(&text, p)
	}
	degrees := degreesOf(&f.Description, p)
	degrees.write(&text, p)
	writeRemarks(&text, p, f)
	_, err := io.WriteString(w, text.String())
	return err
}

// countsOf is how many of everything there are.
func countsOf(d *analysis.Description) section {
	s := section{title: "Counts"}
	s.add("nodes", fmt.Sprintf("%s  in %s, %s without a neighbour", thousands(d.Nodes),
		plural(d.Components, "component"), thousands(d.Isolated)))
	for _, t := range d.Types {
		s.add("", fmt.Sprintf("%s %s, %s", thousands(t.Nodes), t.Name, plural(t.Features, "feature")))
	}
	s.add("edges", thousands(d.Edges)+extra(d.Loops, "self loop")+extra(d.Repeats, "duplicate"))
	if d.Relations > 1 {
		s.add("relations", thousands(d.Relations))
	}
	if d.Features > 0 {
		s.add("features", fmt.Sprintf("%s  %s stored values", thousands(d.Features), thousands(d.Nonzeros)))
	}
	if d.Classes > 0 {
		s.add("classes", fmt.Sprintf("%s  of %s labelled nodes: %s", thousands(d.Classes), thousands(d.Labelled),
			classSizes(d)))
	}
	s.add("splits", splitLines(d.Splits)...)
	if d.Corrupted > 0 {
		s.add("corrupted", plural(d.Corrupted, "node"))
	}
	if d.Twin != nil {
		s.add("twin", fmt.Sprintf("%s nodes, %s edges, %d / %d test", thousands(d.Twin.Nodes), thousands(d.Twin.Edges),
			d.Twin.Splits[0].Valid, d.Twin.Splits[0].Test))
	}
	if d.Metric != "" {
		s.add("metric", d.Metric)
	}
	return s
}

// plural is a count with its noun.
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return thousands(n) + " " + noun
}

// extra is ", 3 self loops", or nothing where there are none.
func extra(n int, noun string) string {
	if n == 0 {
		return ""
	}
	return ", " + plural(n, noun)
}

// classSizes are the sizes of up to twelve classes.
func classSizes(d *analysis.Description) string {
	classes := d.ClassSizes
	var sizes []string
	for _, c := range classes[:min(len(classes), 12)] {
		sizes = append(sizes, thousands(c.Nodes))
	}
	if len(classes) > len(sizes) {
		sizes = append(sizes, "…")
	}
	return strings.Join(sizes, " ")
}

// splitLines lists splits, equal sizes together.
func splitLines(splits []analysis.SplitSizes) []string {
	if len(splits) == 0 {
		return []string{"none"}
	}
	var kinds []analysis.SplitSizes
	count := map[analysis.SplitSizes]int{}
	for _, s := range splits {
		if !slices.Contains(kinds, s) {
			kinds = append(kinds, s)
		}
		count[s]++
	}
	var lines []string
	for _, s := range kinds {
		lines = append(lines, fmt.Sprintf("%d × %s train, %s valid, %s test", count[s], thousands(s.Train),
			thousands(s.Valid), thousands(s.Test)))
	}
	return lines
}

// degreesOf is the distribution of degrees, with a bar for every bin.
func degreesOf(about *analysis.Description, p paint) section {
	d := about.Degrees
	s := section{title: "Degrees"}
	s.add("", fmt.Sprintf("mean %.2f, median %d, 90 %% up to %d, 99 %% up to %d, largest %s", d.Mean, d.Median, d.P90,
		d.P99, thousands(d.Max)))
	most := 1
	for _, b := range d.Histogram {
		most = max(most, b.Nodes)
	}
	for _, b := range d.Histogram {
		name := fmt.Sprint(b.From)
		if b.To > b.From+1 {
			name = fmt.Sprintf("%d–%d", b.From, b.To-1)
		}
		filled := strings.TrimRight(bar(float64(b.Nodes)/float64(most), 40), "░")
		s.add(name, strings.TrimLeft(p.line(filled)+" "+thousands(b.Nodes), " "))
	}
	return s
}

// writeRemarks writes warnings, notes and where the data come from.
func writeRemarks(text *strings.Builder, p paint, f *dataInfo) {
	if len(f.Warnings) > 0 {
		s := section{title: "Warnings"}
		for _, w := range f.Warnings {
			s.add("", p.warn(w.Text))
		}
		s.write(text, p)
	}
	if len(f.Notes) > 0 {
		s := section{title: "Notes"}
		s.add("", f.Notes...)
		s.write(text, p)
	}
	if f.License != "" {
		s := section{title: "Source"}
		s.add("license", f.License)
		s.add("cite", f.Cite)
		s.write(text, p)
	}
}
