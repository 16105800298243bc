package importer

import (
	"errors"
	"io"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/budget"
	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/table"
	"github.com/bloomgml/bloom/mat"
)

// Newcomers reads new nodes and their edges from tables, as table.Open names them. Columns are found as by Run.
// Features are made by the Schema of d; where it has none, because d is no import, the columns besides the id are the
// features, in their order. Edges join two newcomers, or a newcomer and an old node.
func Newcomers(d *dataset.Dataset, nodes, edges string) (*dataset.Newcomers, error) {
	n, b := &dataset.Newcomers{}, budget.New()
	defer budget.Relax()
	if err := readNewNodes(n, d, nodes, b); err != nil {
		return nil, err
	}
	if edges == "" {
		return n, nil
	}
	return n, readNewEdges(n, d, edges, b)
}

// newcomerBytes is what a new node takes besides its name and its features, and a new edge at most.
const newcomerBytes = 128

// eachTableRow calls f with every row of a table.
func eachTableRow(s table.Source, f func(b *table.Batch, i int) error) error {
	var b table.Batch
	for {
		err := s.Next(&b)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = b.Parse()
		}
		for i := 0; err == nil && i < b.Rows(); i++ {
			err = f(&b, i)
		}
		if err != nil {
			return err
		}
	}
}

func readNewNodes(n *dataset.Newcomers, d *dataset.Dataset, name string, memory *budget.Budget) error {
	s, err := table.Open(name, table.Options{Budget: memory})
	if err != nil {
		return err
	}
	defer s.Close()
	encode, id, err := encoder(d, s)
	if err != nil {
		return err
	}
	n.Features = dataset.Matrix{Cols: d.Features[0].Cols}
	known := map[string]bool{}
	return eachTableRow(s, func(b *table.Batch, i int) error {
		name := string(b.Cell(i, id))
		switch {
		case name == "":
			return b.Errorf(i, id, "the id is missing")
		case known[name] || len(d.IDs.Find(name, d.Graph.NumNodes())) > 0:
			return b.Errorf(i, id, "the id %q was there before", name)
		}
		if err := memory.Take(int64(newcomerBytes+2*len(name)+8*n.Features.Cols), "new nodes"); err != nil {
			return err
		}
		row := make([]mat.Real, n.Features.Cols)
		filled, err := encode(row, b, i)
		if err != nil {
			return err
		}
		known[name] = true
		n.IDs, n.Filled = append(n.IDs, name), n.Filled+filled
		n.Features.AppendRow(row)
		return nil
	})
}

// rowEncoder writes the features of row i of a batch, and says how many values were missing and filled.
type rowEncoder func(dst []mat.Real, b *table.Batch, i int) (filled int, err error)

// encoder is what makes features of a row of s, and the column of its ids.
func encoder(d *dataset.Dataset, s table.Source) (encode rowEncoder, id int, err error) {
	columns := s.Columns()
	if len(d.Features) != 1 || d.Features[0].Cols == 0 {
		return nil, 0, fileerr.In(s.Name(), "%s has no features that new nodes could have too", d.Name)
	}
	wish := ""
	if d.Schema != nil {
		wish = d.Schema.Types[0].ID
	}
	if id, _, err = findColumn(s, wish, "id", "node_id", "nodeid", "node", "key", "uuid", "name"); err != nil {
		return nil, 0, err
	}
	id = max(id, 0)
	if d.Schema == nil {
		if len(columns) != d.Features[0].Cols+1 {
			return nil, 0, fileerr.In(s.Name(), "%d columns besides the id, want the %d features of %s", len(columns)-1,
				d.Features[0].Cols, d.Name)
		}
		return func(dst []mat.Real, b *table.Batch, i int) (int, error) { return plainRow(dst, b, i, id) }, id, nil
	}
	at := map[string]int{}
	for j, c := range columns {
		at[c] = j
	}
	schema := &d.Schema.Types[0]
	for _, c := range schema.Columns {
		if _, ok := at[c.Name]; !ok && c.Width() > 0 {
			return nil, 0, fileerr.In(s.Name(), "there is no column %q, which nodes of %s have", c.Name, d.Name)
		}
	}
	return func(dst []mat.Real, b *table.Batch, i int) (int, error) {
		filled, err := encodeRow(schema, dst, func(c string) (string, bool) {
			j, ok := at[c]
			if !ok {
				return "", false
			}
			return string(b.Cell(i, j)), true
		})
		if err != nil {
			return 0, b.Errorf(i, -1, "%v", err)
		}
		return filled, nil
	}, id, nil
}

// plainRow reads all columns but the id as numbers.
func plainRow(dst []mat.Real, b *table.Batch, i, id int) (filled int, err error) {
	j := 0
	for k := range dst {
		if j == id {
			j++
		}
		text := string(b.Cell(i, j))
		if isMissing(text) {
			filled++
		} else {
			x, ok := parseNumber(text)
			if !ok {
				return 0, b.Errorf(i, j, "%.40q is not a number", text)
			}
			dst[k] = mat.Real(x)
		}
		j++
	}
	return filled, nil
}

func readNewEdges(n *dataset.Newcomers, d *dataset.Dataset, name string, memory *budget.Budget) error {
	s, err := table.Open(name, table.Options{Budget: memory})
	if err != nil {
		return err
	}
	defer s.Close()
	f := newColumnFinder(s, new(TableReport))
	source, target, err := f.ends("", "")
	if err != nil {
		return err
	}
	weight, err := f.weight("")
	if err != nil {
		return err
	}
	late := map[string]int32{}
	for i, id := range n.IDs {
		late[id] = int32(d.Graph.NumNodes() + i)
	}
	return eachTableRow(s, func(b *table.Batch, i int) error {
		u, err := newEnd(d, late, b, i, source)
		if err != nil {
			return err
		}
		v, err := newEnd(d, late, b, i, target)
		if err != nil {
			return err
		}
		if int(max(u, v)) < d.Graph.NumNodes() {
			return b.Errorf(i, -1, "neither %q nor %q is new", b.Cell(i, source), b.Cell(i, target))
		}
		if err := memory.Take(newcomerBytes, "new edges"); err != nil {
			return err
		}
		n.Edges = append(n.Edges, graph.Triple{U: u, V: v})
		if weight < 0 {
			return nil
		}
		w, ok := edgeWeight(b.Cell(i, weight))
		if !ok {
			return b.Errorf(i, weight, "the weight %q is not a number ≥ 0", b.Cell(i, weight))
		}
		n.Weights = append(n.Weights, w)
		return nil
	})
}

// newEnd is the node in a column of an edge.
func newEnd(d *dataset.Dataset, late map[string]int32, b *table.Batch, i, column int) (int32, error) {
	id := string(b.Cell(i, column))
	if v, ok := late[id]; ok {
		return v, nil
	}
	v, err := d.Node(id)
	if err != nil {
		return 0, b.Errorf(i, column, "%v", err)
	}
	return v, nil
}
