package relational

import (
	"context"
	"errors"
	"fmt"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/importer"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
)

// Options say how to read a database; the zero value finds everything by itself.
type Options struct {
	Keys []string // orders.customer=customers.id; orders.customer=none for a column that is no key
	// orders.created: the column that says when rows became known; orders=none; orders.status=closed: a column that
	// became known with another one
	Times    []string
	Progress func(done, total int64) // called now and then with the tables read; may be nil
}

// Read reads all tables of a database: a folder of tables, an SQLite file, or PostgreSQL. A database is read in one
// transaction.
func Read(ctx context.Context, name string, o Options) (*Database, error) {
	budget := files.NewBudget()
	source, err := table.OpenDatabase(name, table.Options{Ragged: true, Budget: budget})
	if err != nil {
		return nil, err
	}
	defer source.Close()
	db := &Database{Name: source.Name()}
	list := source.Tables()
	for i, in := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, err := source.Open(in.Name)
		if err != nil {
			return nil, err
		}
		t, err := readTable(in.Name, s, budget)
		if err = errors.Join(err, s.Close()); err != nil {
			return nil, err
		}
		db.Tables = append(db.Tables, t)
		if o.Progress != nil {
			o.Progress(int64(i+1), int64(len(list)))
		}
	}
	if len(db.Tables) == 0 {
		return nil, files.Errorf(name, "there is no table")
	}
	if err := db.findKeys(list, o.Keys); err != nil {
		return nil, err
	}
	if err := db.findTimes(o.Times); err != nil {
		return nil, err
	}
	if err := db.link(); err != nil {
		return nil, err
	}
	db.noteKeys()
	db.noteTimes()
	return db, nil
}

// readTable reads a table and finds out what its columns hold.
func readTable(name string, s table.Source, budget *files.Budget) (*Table, error) {
	t := &Table{TableKeys: dataset.TableKeys{Name: name}}
	for _, c := range s.Columns() {
		t.Raw = append(t.Raw, dataset.RawColumn{Name: c})
	}
	err := table.Each(s, func(b *table.Batch) error {
		t.Rows += b.Rows()
		for i := range b.Rows() {
			for j := range t.Raw {
				t.Raw[j].Values.Append(b.Cell(i, j))
			}
		}
		return budget.Take(int64(b.Rows())*int64(len(t.Raw))*16+2*int64(b.Size()),
			fmt.Sprintf("%d rows of table %s", b.Rows(), name))
	})
	if err != nil {
		return nil, err
	}
	for j := range t.Raw {
		c, err := importer.Fit(&t.Raw[j])
		if err != nil {
			return nil, err
		}
		t.Columns = append(t.Columns, c)
	}
	return t, nil
}

// noteKeys says which keys lead nowhere, and which tables stand alone.
func (db *Database) noteKeys() {
	led := map[string]bool{}
	for _, t := range db.Tables {
		for _, k := range t.Keys {
			led[t.Name], led[k.Table] = true, true
		}
	}
	for _, t := range db.Tables {
		if !led[t.Name] && len(db.Tables) > 1 {
			db.Notes = append(db.Notes, fmt.Sprintf("no key joins %s to another table: its rows cannot be used for "+
				"questions about other tables; --key %s.COLUMN=TABLE.COLUMN joins it", t.Name, t.Name))
		}
		if t.index != nil && t.index.repeated > 0 {
			db.Notes = append(db.Notes, fmt.Sprintf("%s.%s: %d of %d rows repeat the key of an earlier row, such as "+
				"%q; keys lead to the first", t.Name, t.Key, t.index.repeated, t.Rows, t.index.example))
		}
		for _, k := range t.Keys {
			if k.Broken > 0 {
				db.Notes = append(db.Notes, fmt.Sprintf("%s.%s: %d of %d rows name no row of %s, such as %q; these "+
					"rows are kept without that key", t.Name, k.Column, k.Broken, t.Rows, k.Table, k.Example))
			}
		}
	}
}
