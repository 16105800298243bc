package importer

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// ExportOptions say how tables are written.
type ExportOptions struct {
	Format string   // csv, tsv or jsonl; empty means csv
	Force  bool     // replace existing files; without it they are an error
	Inputs []string // files that d was read from, which are never replaced
}

// Export writes d as tables into a folder, which it creates: nodes.csv, or one table nodes-TYPE.csv per node type, and
// edges.csv. Imported tables keep their original values, texts unchanged; other sets have features f0, f1 and so on and
// a column label. How nodes or links are divided is in the columns split, or split0, split1 and so on. The twin of an
// inductive set goes to the folder twin. It returns the import that makes the same data set again.
func Export(d *dataset.Dataset, dir string, o ExportOptions) (Spec, error) {
	o.Format = cmp.Or(o.Format, string(table.CSV))
	x := &exporter{d: d, dir: dir, ExportOptions: o}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return x.spec, files.Because(dir, err)
	}
	x.spec.Name, x.spec.Columns = d.Name, []string{} // they are among the others
	x.spec.Direction = Directed
	if d.Graph.Undirected() {
		x.spec.Direction = Undirected
	}
	if err := x.nodes(); err != nil {
		return x.spec, err
	}
	if err := x.edges(); err != nil {
		return x.spec, err
	}
	if len(d.Splits) == 0 && len(d.Valid) == 0 && len(d.Test) == 0 {
		x.spec.Split.None = true
	}
	if d.Twin == nil {
		return x.spec, nil
	}
	_, err := Export(d.Twin, filepath.Join(dir, "twin"), o)
	return x.spec, err
}

// exporter is an export in progress.
type exporter struct {
	ExportOptions
	d    *dataset.Dataset
	dir  string
	spec Spec
}

// path returns the path of a table of the folder.
func (x *exporter) path(name string) string {
	return filepath.Join(x.dir, name+"."+x.Format)
}

func (x *exporter) nodes() error {
	parts := make([][]int8, len(x.d.Splits)) // of every node
	for k, s := range x.d.Splits {
		parts[k] = slices.Repeat([]int8{-1}, x.d.Graph.NumNodes())
		for part, nodes := range [][]int32{s.Train, s.Valid, s.Test} {
			for _, v := range nodes {
				parts[k][v] = int8(part)
			}
		}
	}
	for t := range x.d.Graph.NumTypes() {
		in := Input{Table: x.path("nodes")}
		if x.d.Schema != nil {
			in.Name = x.d.Schema.Types[t].Name
		}
		if x.d.Graph.NumTypes() > 1 {
			in = Input{Name: x.d.TypeName(int32(t)), Table: x.path("nodes-" + x.d.TypeName(int32(t)))}
		}
		n := x.nodeTable(int32(t), parts)
		if err := x.write(in.Table, n); err != nil {
			return err
		}
		x.spec.Nodes = append(x.spec.Nodes, in)
		x.kinds(t)
		x.spec.ID = n.columns[0]
	}
	if x.d.Graph.NumTypes() > 1 {
		x.spec.ID = "" // found for every table
	}
	return nil
}

// kinds notes the kinds that an import of the table would not guess: those that the user set, and times that split
// rows, which a column does now.
func (x *exporter) kinds(t int) {
	if x.d.Schema == nil {
		return
	}
	for _, c := range x.d.Schema.Types[t].Columns {
		if c.Kind == dataset.Calendar || c.Why == saidSo {
			if x.spec.Kinds == nil {
				x.spec.Kinds = map[string]string{}
			}
			x.spec.Kinds[c.Name] = c.Kind
		}
	}
}

// partNames are the words of a split column; the first is for nodes without a part.
var partNames = [4]string{"", "train", "valid", "test"}

// outTable is a table being written: names, and the cells of a row.
type outTable struct {
	columns []string
	rows    int
	cell    []func(dst []byte, i int) []byte // one per column
}

func (o *outTable) add(name string, cell func(dst []byte, i int) []byte) {
	o.columns, o.cell = append(o.columns, name), append(o.cell, cell)
}

func (o *outTable) has(name string) bool { return slices.Contains(o.columns, name) }

func (x *exporter) write(path string, o *outTable) error {
	w, err := table.Create(path, table.Format(x.Format), o.columns, files.WriteOptions{
		Ours: func([]byte) bool { return false }, Force: x.Force, Inputs: x.Inputs})
	if err != nil {
		return err
	}
	row := make([][]byte, len(o.columns))
	for i := range o.rows {
		for j, cell := range o.cell {
			row[j] = cell(row[j][:0], i)
		}
		w.Write(row) // errors are kept until Close
	}
	return w.Close()
}

func (x *exporter) nodeTable(t int32, parts [][]int8) *outTable {
	nodes := x.d.Graph.NodesOfType(t)
	o := &outTable{rows: len(nodes)}
	id := "id"
	if x.d.Schema != nil {
		id = x.d.Schema.Types[t].ID
	}
	o.add(id, func(dst []byte, i int) []byte { return append(dst, x.d.IDs.At(nodes[i])...) })
	if x.d.Raw != nil && int(t) < len(x.d.Raw.Nodes) {
		x.rawColumns(o, x.d.Raw.Nodes[t])
		if label := x.d.Schema.Types[t].Label; label != "" {
			x.spec.Label = label
		}
	} else {
		x.featureColumns(o, t)
		if x.d.Labels.Class != nil {
			o.add("label", func(dst []byte, i int) []byte { return append(dst, x.className(nodes[i])...) })
			x.spec.Label = "label"
		}
	}
	for k, part := range parts {
		name := splitColumn
		if len(parts) > 1 {
			name += strconv.Itoa(k)
		}
		divided := slices.ContainsFunc(nodes, func(v int32) bool { return part[v] >= 0 })
		if !divided || o.has(name) { // or it came with the table
			continue
		}
		o.add(name, func(dst []byte, i int) []byte { return append(dst, partNames[part[nodes[i]]+1]...) })
	}
	return o
}

// rawColumns adds the columns that came with a table.
func (x *exporter) rawColumns(o *outTable, columns []dataset.RawColumn) {
	for k := range columns {
		values := &columns[k].Values
		o.add(columns[k].Name, func(dst []byte, i int) []byte { return append(dst, values.Get(i)...) })
	}
}

// featureColumns adds the features of a set that has no tables.
func (x *exporter) featureColumns(o *outTable, t int32) {
	if int(t) >= len(x.d.Features) || x.d.Features[t].Cols == 0 {
		return
	}
	m := x.d.Features[t]
	row, at := make([]mat.Real, m.Cols), -1
	for j := range m.Cols {
		o.add("f"+strconv.Itoa(j), func(dst []byte, i int) []byte {
			if at != i {
				m.Row(row, i)
				at = i
			}
			return strconv.AppendFloat(dst, float64(row[j]), 'g', -1, 32)
		})
	}
}

// className returns the label of a node as a text, empty if it has none.
func (x *exporter) className(v int32) string {
	l := x.d.Labels
	class := l.Class[v]
	switch {
	case class < 0:
		return ""
	case l.Task == dataset.Numbers:
		return strconv.FormatFloat(float64(l.Values[v]), 'g', -1, 32)
	case l.Task == dataset.Sets:
		return strings.Join(l.Set(v), dataset.SetSeparator)
	case int(class) < len(x.d.Labels.Names):
		return x.d.Labels.Names[class]
	}
	return fmt.Sprint(class)
}

// edges writes the table of edges: the graph first, then Valid and Test.
func (x *exporter) edges() error {
	g := x.d.Graph
	n, valid := g.NumEdges(), g.NumEdges()+len(x.d.Valid)
	edge := func(i int) graph.Triple {
		switch {
		case i < n:
			return g.Edge(int32(i))
		case i < valid:
			return x.d.Valid[i-n]
		}
		return x.d.Test[i-valid]
	}
	o := &outTable{rows: valid + len(x.d.Test)}
	o.add("source", func(dst []byte, i int) []byte { return append(dst, x.d.IDs.At(edge(i).U)...) })
	o.add("target", func(dst []byte, i int) []byte { return append(dst, x.d.IDs.At(edge(i).V)...) })
	if types := g.NodeTypes(); types != nil {
		o.add("source_type", func(dst []byte, i int) []byte { return append(dst, x.d.TypeName(types[edge(i).U])...) })
		o.add("target_type", func(dst []byte, i int) []byte { return append(dst, x.d.TypeName(types[edge(i).V])...) })
	}
	if g.NumRelations() > 1 || len(x.d.Relations) > 0 {
		o.add("relation", func(dst []byte, i int) []byte { return append(dst, x.d.RelationName(edge(i).R)...) })
	}
	var raw []dataset.RawColumn
	if x.d.Raw != nil {
		raw = x.d.Raw.Edges
	}
	x.rawColumns(o, raw)
	if w := g.Weights(); w != nil && !o.has("weight") {
		o.add("weight", func(dst []byte, i int) []byte {
			if i >= n {
				return dst
			}
			return strconv.AppendFloat(dst, float64(w[i]), 'g', -1, 32)
		})
	}
	if (len(x.d.Valid) > 0 || len(x.d.Test) > 0) && !o.has(splitColumn) {
		o.add(splitColumn, func(dst []byte, i int) []byte {
			switch {
			case i < n:
				return append(dst, "train"...)
			case i < valid:
				return append(dst, "valid"...)
			}
			return append(dst, "test"...)
		})
	}
	x.spec.Edges = []Input{{Table: x.path("edges")}}
	return x.write(x.spec.Edges[0].Table, o)
}
