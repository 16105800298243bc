package relational

import (
	"fmt"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
)

// Dataset returns the database as a data set, for a .bloom file: tables are node types, rows are nodes, and the values
// are kept as they came.
func (db *Database) Dataset(name string) (*dataset.Dataset, error) {
	d := &dataset.Dataset{Name: name, Schema: &dataset.Schema{}, Raw: &dataset.Raw{}, Notes: db.Notes}
	var types []int32
	for i, t := range db.Tables {
		d.Types = append(d.Types, t.Name)
		d.Schema.Database = append(d.Schema.Database, t.TableKeys)
		d.Raw.Nodes = append(d.Raw.Nodes, t.Raw)
		for range t.Rows {
			types = append(types, int32(i))
		}
	}
	g, err := graph.Build(graph.Spec{Nodes: len(types), NodeTypes: types})
	d.Graph = g
	return d, err
}

// FromDataset returns the database in a data set.
func FromDataset(d *dataset.Dataset) (*Database, error) {
	if d.Schema == nil || len(d.Schema.Database) == 0 {
		return nil, fmt.Errorf("%s is not a database: import one with bloom data import --tables", d.Name)
	}
	if len(d.Raw.Nodes) != len(d.Schema.Database) {
		return nil, fmt.Errorf("%s has %d tables, and values of %d", d.Name, len(d.Schema.Database), len(d.Raw.Nodes))
	}
	db := &Database{Name: d.Name, Notes: d.Notes}
	for i, keys := range d.Schema.Database {
		t := &Table{TableKeys: keys, Raw: d.Raw.Nodes[i]}
		if len(t.Raw) != len(t.Columns) {
			return nil, fmt.Errorf("%s has %d columns, and values of %d", t.Name, len(t.Columns), len(t.Raw))
		}
		for _, c := range t.Raw {
			if c.Values.Len() != t.Rows {
				return nil, fmt.Errorf("%s.%s has %d values, want %d", t.Name, c.Name, c.Values.Len(), t.Rows)
			}
		}
		db.Tables = append(db.Tables, t)
	}
	return db, db.link()
}
