package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/audit"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/internal/show"
)

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
	if asJSON {
		return true, json.NewEncoder(cmd.OutOrStdout()).Encode(x)
	}
	w := cmd.OutOrStdout()
	p := show.Painter(w)
	var text strings.Builder
	text.WriteString(p.Strong(show.Safe(x.Name)) + "\n")
	counts := show.Section{Title: "Counts"}
	counts.Add("nodes", fmt.Sprintf("%s, %s without a neighbour", show.Thousands(x.Nodes),
		show.Thousands(x.Isolated)))
	counts.Add("edges", fmt.Sprintf("%s, up to %s at a node", show.Thousands(int(x.Edges)),
		show.Thousands(x.largest)))
	counts.Add("features", show.Thousands(x.Features))
	counts.Add("classes", fmt.Sprintf("%d, of %s nodes", x.Classes, show.Thousands(x.Labelled)))
	counts.Add("splits", splitLines(x.Splits)...)
	counts.Add("blocks", fmt.Sprintf("%d, %s, nodes in the order %s", x.Blocks, show.Size(int(x.Bytes)), x.Order))
	counts.Write(&text, p)
	_, err = io.WriteString(w, text.String())
	return true, err
}

// count adds what is in block i.
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
