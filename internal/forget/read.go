package forget

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
)

// Lists are the tables of what to forget; empty for none. The first columns count, unless a header names others.
type Lists struct {
	Nodes  string // ids
	Edges  string // ids of both ends; every edge between them goes, or of the relation in the third column
	Labels string // ids of nodes that stay, without their labels
}

// read returns what the tables name in d, and the SHA-256 of each by its flag. The error names the line.
func (l Lists) read(d *dataset.Dataset) (gone dataset.Gone, sums map[string]string, err error) {
	sums = map[string]string{}
	for _, x := range []struct {
		flag, file string
		take       func(*reader) error
	}{
		{"nodes", l.Nodes, func(r *reader) error { return r.node(&gone.Nodes) }},
		{"edges", l.Edges, func(r *reader) error { return r.edge(&gone.Edges) }},
		{"labels", l.Labels, func(r *reader) error { return r.label(&gone.Labels) }},
	} {
		if x.file == "" {
			continue
		}
		if err := each(x.file, d, x.flag, x.take); err != nil {
			return gone, nil, err
		}
		if sums[x.flag], err = sumOf(x.file); err != nil {
			return gone, nil, err
		}
	}
	for _, list := range []*[]int32{&gone.Nodes, &gone.Edges, &gone.Labels} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return gone, sums, nil
}

// reader is a row of a table of what to forget.
type reader struct {
	*dataset.Dataset
	cells []string
	pairs map[[2]int32][]int32 // edges by their ends, the smaller first
}

// headers are names of first columns, besides those of the tables that the data came from.
var headers = []string{"id", "node", "node_id", "name", "source", "src", "from", "u"}

// each calls take with every row of a table. Its first row is a header if it begins with the name of a column and not
// with an id.
func each(file string, d *dataset.Dataset, flag string, take func(*reader) error) error {
	s, err := table.Open(table.File(file), table.Options{NoHeader: true, Budget: files.NewBudget()})
	if err != nil {
		return err
	}
	defer s.Close()
	r, seen, named := &reader{Dataset: d}, 0, 0
	names := headers
	if d.Schema != nil {
		for _, t := range d.Schema.Types {
			names = append(names, t.ID)
		}
		for _, t := range d.Schema.Tables {
			names = append(names, t.Source)
		}
	}
	err = table.Each(s, func(b *table.Batch) error {
		for i := range b.Rows() {
			r.cells = b.Row(r.cells[:0], i)
			for j, c := range r.cells {
				r.cells[j] = strings.TrimSpace(c)
			}
			is := func(x string) bool { return strings.EqualFold(x, r.cells[0]) }
			if seen++; seen == 1 && slices.ContainsFunc(names, is) && d.Find(r.cells[0]) == nil {
				continue
			}
			if err := take(r); err != nil {
				return files.ErrorAt(file, b.Line(i), "%v", err)
			}
			named++
		}
		return nil
	})
	if err == nil && named == 0 {
		err = files.Errorf(file, "it names nothing to forget; --%s takes a table with %s in a row", flag,
			map[string]string{"nodes": "an id", "edges": "the ids of two nodes", "labels": "an id"}[flag])
	}
	return err
}

// node adds the node of the first cell.
func (r *reader) node(list *[]int32) error {
	v, err := r.Node(r.cells[0])
	*list = append(*list, v)
	return err
}

// label adds the node of the first cell, which must have a label.
func (r *reader) label(list *[]int32) error {
	v, err := r.Node(r.cells[0])
	if err == nil && (r.Labels.Class == nil || r.Labels.Class[v] < 0) {
		err = fmt.Errorf("node %q has no label", r.cells[0])
	}
	*list = append(*list, v)
	return err
}

// edge adds the edges between the nodes of the first two cells.
func (r *reader) edge(list *[]int32) error {
	if len(r.cells) < 2 || r.cells[1] == "" {
		return fmt.Errorf("%q is one id, want those of two nodes", r.cells[0])
	}
	u, err := r.Node(r.cells[0])
	if err != nil {
		return err
	}
	v, err := r.Node(r.cells[1])
	if err != nil {
		return err
	}
	if r.pairs == nil {
		r.pairs = make(map[[2]int32][]int32, r.Graph.NumEdges())
		for e, u := range r.Graph.Sources() {
			key := ends(u, r.Graph.Targets()[e])
			r.pairs[key] = append(r.pairs[key], int32(e))
		}
	}
	found := 0
	for _, e := range r.pairs[ends(u, v)] {
		x := r.Graph.Edge(e)
		if !r.Graph.Undirected() && x.U != u ||
			len(r.cells) > 2 && len(r.Relations) > 0 && r.cells[2] != "" && r.RelationName(x.R) != r.cells[2] {
			continue
		}
		*list = append(*list, e)
		found++
	}
	if found == 0 {
		return fmt.Errorf("there is no edge %q", strings.Join(r.cells[:min(3, len(r.cells))], " → "))
	}
	return nil
}

func ends(u, v int32) [2]int32 { return [2]int32{min(u, v), max(u, v)} }

// sumOf returns the SHA-256 of a file.
func sumOf(file string) (string, error) {
	b, err := os.ReadFile(table.File(file))
	if err != nil {
		return "", files.Because(file, err)
	}
	x := sha256.Sum256(b)
	return hex.EncodeToString(x[:]), nil
}
