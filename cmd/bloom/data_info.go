package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/audit"
	"github.com/bloomgml/bloom/internal/command"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/internal/show"
)

func newDataInfo() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info NAME|PATH",
		Short: "Describe a data set: contents, homophily, label leaks",
		Long: `Describe a data set: contents, homophily, label leaks.

Edges are counted once and without self loops. For knowledge graphs edges are the training facts, while
nodes are the entities of all files; for an inductive pair the training graph is shown. Adjusted homophily
is 0 if edges ignore classes and 1 if they only join equal ones; label informativeness is the share of the
entropy of the class of a node that the class of a neighbour removes.
For a folder of blocks that does not fit into memory, only what can be counted block by block is shown.
See "bloom data --help" for what can be named.`,
		Example: `  bloom data info karate
  bloom data info csbm:homophily=0.1,seed=2
  bloom data info family --json`,
		Args: command.Args(1, 1, "one data set, got %d"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if done, err := describeBlocks(cmd, args[0], asJSON); done {
				return err
			}
			if done, err := describeTables(cmd, args[0], asJSON); done {
				return err
			}
			found, err := describeData(args[0])
			if err != nil {
				return badRef(cmd, err)
			}
			return printFound(cmd, asJSON, found, found.write)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// dataInfo is the output of info; its keys, and the keys of the description, are stable.
type dataInfo struct {
	audit.Description
	Adjusted        *float64 `json:"adjusted_homophily,omitempty"`
	Informativeness *float64 `json:"label_informativeness,omitempty"`
	Title           string   `json:"title,omitempty"`
	License         string   `json:"license,omitempty"`
	Cite            string   `json:"cite,omitempty"`
}

// describeData opens a data set, describes it and closes it.
func describeData(ref string) (*dataInfo, error) {
	d, err := catalogue.Open(ref)
	if err != nil {
		return nil, err
	}
	found := &dataInfo{Description: audit.Describe(d)}
	if h := found.Homophily; h != nil {
		found.Adjusted, found.Informativeness = &h.Adjusted, &h.Informativeness
	}
	if e := catalogue.Find(ref); e != nil && d.Name == e.Name {
		found.Title, found.License, found.Cite = e.Title, e.License, e.Cite
	}
	return found, d.Close()
}

// write writes a description for people.
func (f *dataInfo) write(w io.Writer, p show.Paint) {
	fmt.Fprintln(w, strings.TrimSpace(p.Strong(f.Name)+"  "+f.Title))
	counts := countsOf(&f.Description)
	counts.Write(w, p)
	if f.Homophily != nil {
		s := show.Section{Title: "Classes along edges"}
		s.Add("homophily", fmt.Sprintf("%.3f adjusted; %.3f of %s between labelled nodes join equal classes",
			f.Homophily.Adjusted, f.Homophily.Edge, show.Plural(f.Homophily.Edges, "edge")))
		s.Add("labels", fmt.Sprintf("%.3f informativeness", f.Homophily.Informativeness))
		s.Write(w, p)
	}
	degrees := degreesOf(&f.Description, p)
	degrees.Write(w, p)
	f.writeRemarks(w, p)
}

func edgesOf(d *audit.Description) (lines []string) {
	if d.Weighted {
		lines = append(lines, "with weights")
	}
	if d.EdgeFeatures > 0 {
		lines = append(lines, fmt.Sprintf("%s, of %s; --set data.edge_features=use weighs edges by them",
			show.Plural(d.EdgeFeatures, "feature"), show.Safe(strings.Join(d.EdgeColumns, ", "))))
	}
	return lines
}

func countsOf(d *audit.Description) show.Section {
	s := show.Section{Title: "Counts"}
	s.Add("nodes", fmt.Sprintf("%s  in %s, %s without a neighbour", show.Thousands(d.Nodes),
		show.Plural(d.Components, "component"), show.Thousands(d.Isolated)))
	for _, t := range d.Types {
		s.Add("", fmt.Sprintf("%s %s, %s", show.Thousands(t.Nodes), t.Name, show.Plural(t.Features, "feature")))
	}
	s.Add("edges", show.Thousands(d.Edges)+extra(d.Loops, "self loop")+extra(d.Repeats, "duplicate"))
	s.Add("", edgesOf(d)...)
	if d.Relations > 1 {
		s.Add("relations", show.Thousands(d.Relations))
	}
	if d.Features > 0 {
		s.Add("features", fmt.Sprintf("%s  %s stored values", show.Thousands(d.Features), show.Thousands(d.Nonzeros)))
	}
	if d.Classes > 0 {
		var sizes []string
		for _, c := range d.ClassSizes[:min(len(d.ClassSizes), 12)] {
			sizes = append(sizes, show.Thousands(c.Nodes))
		}
		if len(d.ClassSizes) > len(sizes) {
			sizes = append(sizes, "…")
		}
		s.Add("classes", fmt.Sprintf("%s  of %s labelled nodes: %s", show.Thousands(d.Classes),
			show.Thousands(d.Labelled), strings.Join(sizes, " ")))
	}
	s.Add("splits", splitLines(d.Splits)...)
	if d.Corrupted > 0 {
		s.Add("corrupted", show.Plural(d.Corrupted, "node"))
	}
	if d.Twin != nil {
		s.Add("twin", fmt.Sprintf("%s nodes, %s edges, %d / %d test", show.Thousands(d.Twin.Nodes),
			show.Thousands(d.Twin.Edges), d.Twin.Splits[0].Valid, d.Twin.Splits[0].Test))
	}
	if d.Metric != "" {
		s.Add("metric", d.Metric)
	}
	return s
}

// extra returns ", 3 self loops", or "" if n is 0.
func extra(n int, noun string) string {
	if n == 0 {
		return ""
	}
	return ", " + show.Plural(n, noun)
}

// splitLines lists splits, equal sizes together.
func splitLines(splits []audit.SplitSizes) []string {
	if len(splits) == 0 {
		return []string{"none"}
	}
	var kinds []audit.SplitSizes
	count := map[audit.SplitSizes]int{}
	for _, s := range splits {
		if !slices.Contains(kinds, s) {
			kinds = append(kinds, s)
		}
		count[s]++
	}
	var lines []string
	for _, s := range kinds {
		lines = append(lines, fmt.Sprintf("%d × %s", count[s], sizes(s)))
	}
	return lines
}

func sizes(s audit.SplitSizes) string {
	return fmt.Sprintf("%s train, %s valid, %s test", show.Thousands(s.Train), show.Thousands(s.Valid),
		show.Thousands(s.Test))
}

// degreesOf returns the distribution of degrees, with a bar for every bin.
func degreesOf(about *audit.Description, p show.Paint) show.Section {
	d := about.Degrees
	s := show.Section{Title: "Degrees"}
	s.Add("", fmt.Sprintf("mean %.2f, median %d, 90 %% up to %d, 99 %% up to %d, largest %s", d.Mean, d.Median, d.P90,
		d.P99, show.Thousands(d.Max)))
	most := 1
	for _, b := range d.Histogram {
		most = max(most, b.Nodes)
	}
	for _, b := range d.Histogram {
		name := fmt.Sprint(b.From)
		if b.To > b.From+1 {
			name = fmt.Sprintf("%d–%d", b.From, b.To-1)
		}
		filled := strings.TrimRight(show.Bar(float64(b.Nodes)/float64(most), 40), "░")
		s.Add(name, strings.TrimLeft(p.Line(filled)+" "+show.Thousands(b.Nodes), " "))
	}
	return s
}

// writeRemarks writes warnings, notes and where the data come from.
func (f *dataInfo) writeRemarks(w io.Writer, p show.Paint) {
	if len(f.Warnings) > 0 {
		s := show.Section{Title: "Warnings"}
		for _, x := range f.Warnings {
			s.Add("", p.Warn(x.Text))
		}
		s.Write(w, p)
	}
	if len(f.Notes) > 0 {
		s := show.Section{Title: "Notes"}
		s.Add("", painted(f.Notes, p)...)
		s.Write(w, p)
	}
	if f.License != "" {
		s := show.Section{Title: "Source"}
		s.Add("license", f.License)
		s.Add("cite", f.Cite)
		s.Write(w, p)
	}
}

// beyondMemory opens the folder of blocks that a ref names if reading it would take more memory than allowed;
// otherwise it returns nil.
func beyondMemory(ref string) (*ondisk.Store, error) {
	file := catalogue.File(ref)
	if file == "" || !ondisk.Is(file, true) {
		return nil, nil
	}
	s, err := ondisk.Open(file)
	if err != nil {
		return nil, err
	}
	if s.Whole() <= files.MemoryLimit() {
		return nil, s.Close()
	}
	return s, nil
}

// blocksLine is the output of info for a set in blocks; values that other sets have too use the same key.
type blocksLine struct {
	Name      string             `json:"name"`
	Metric    string             `json:"metric,omitempty"`
	Nodes     int                `json:"nodes"`
	Edges     int64              `json:"edges"`
	Features  int                `json:"features"`
	Classes   int                `json:"classes"`
	Relations int                `json:"relations"`
	Labelled  int                `json:"labelled"`
	Isolated  int                `json:"isolated"`
	Splits    []audit.SplitSizes `json:"splits"`
	Blocks    int                `json:"blocks"`
	Bytes     int64              `json:"bytes"`
	Order     string             `json:"order"`

	largest int // degree
}

// describeBlocks shows a set that does not fit into memory; done is false if ref is not one.
func describeBlocks(cmd *cobra.Command, ref string, asJSON bool) (done bool, err error) {
	s, err := beyondMemory(ref)
	if s == nil {
		return err != nil, err
	}
	defer s.Close()
	x := &blocksLine{Name: s.Name, Metric: s.Metric, Nodes: s.Nodes, Edges: s.Edges, Features: s.Columns,
		Classes: len(s.Classes), Relations: 1, Splits: make([]audit.SplitSizes, s.Splits), Blocks: s.Blocks(),
		Bytes: s.Bytes(), Order: s.Order}
	if s.Typed != nil {
		x.Relations = s.Typed.Relations
	}
	var a ondisk.Adjacency
	for i := range s.Blocks() {
		if err := x.count(s, i, &a); err != nil {
			return true, err
		}
	}
	return true, printFound(cmd, asJSON, x, x.write)
}

// write writes what was counted for people.
func (x *blocksLine) write(w io.Writer, p show.Paint) {
	fmt.Fprintln(w, p.Strong(show.Safe(x.Name)))
	counts := show.Section{Title: "Counts"}
	counts.Add("nodes", fmt.Sprintf("%s, %s without a neighbour", show.Thousands(x.Nodes), show.Thousands(x.Isolated)))
	counts.Add("edges", fmt.Sprintf("%s, up to %s at a node", show.Thousands(int(x.Edges)), show.Thousands(x.largest)))
	counts.Add("features", show.Thousands(x.Features))
	counts.Add("classes", fmt.Sprintf("%d, of %s nodes", x.Classes, show.Thousands(x.Labelled)))
	counts.Add("splits", splitLines(x.Splits)...)
	counts.Add("blocks", fmt.Sprintf("%d, %s, nodes in the order %s", x.Blocks, show.Size(int(x.Bytes)), x.Order))
	counts.Write(w, p)
}

func (x *blocksLine) count(s *ondisk.Store, i int, a *ondisk.Adjacency) error {
	if err := s.Adjacency(i, a); err != nil {
		return err
	}
	for r := range len(a.Ptr) - 1 {
		d := int(a.Ptr[r+1] - a.Ptr[r])
		x.largest = max(x.largest, d)
		if d == 0 {
			x.Isolated++
		}
	}
	l, err := s.Labels(i)
	if err != nil {
		return err
	}
	for _, c := range l.Class {
		if c >= 0 {
			x.Labelled++
		}
	}
	for k, parts := range l.Parts {
		for _, p := range parts {
			switch p {
			case ondisk.Train:
				x.Splits[k].Train++
			case ondisk.Valid:
				x.Splits[k].Valid++
			case ondisk.Test:
				x.Splits[k].Test++
			}
		}
	}
	return nil
}
