package table

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
)

// Database is a set of tables. Tables are read one after another: each is closed before the next is opened.
type Database interface {
	Name() string
	Tables() []Described // sorted by name
	Open(name string) (Source, error)
	Close() error
}

// Described is a table and what the database declares about it.
type Described struct {
	Name string
	Key  string // the primary key; of several columns with plus signs between them: order_no+line_no
	Keys []Key  // foreign keys, likewise
}

// Key is a column that names rows of another table by a column of it; an empty Target is its primary key.
type Key struct{ Column, Table, Target string }

// OpenDatabase opens all tables of a folder, an SQLite file or PostgreSQL. A database is read in one transaction.
func OpenDatabase(name string, o Options) (Database, error) {
	var d interface {
		Database
		describe() error
	}
	if IsPostgres(name) {
		p, err := connectPostgres(name, o.Budget)
		if err != nil {
			return nil, err
		}
		d = &postgresTables{postgres: p}
	} else {
		if info, err := os.Stat(name); err != nil {
			return nil, files.Because(name, err)
		} else if info.IsDir() {
			return openFolder(name, o)
		}
		s, err := connectSQLite(name, o.Budget)
		if err != nil {
			return nil, err
		}
		d = &sqliteTables{sqlite: s}
	}
	if err := d.describe(); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// folder is a database of files: one table a file, named after it, or a folder of parts.
type folder struct {
	name    string
	options Options
	tables  []Described
	paths   map[string]string
}

// openFolder lists the tables of a folder. Folders inside it that have only other folders are no tables.
func openFolder(name string, o Options) (Database, error) {
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, files.Because(name, err)
	}
	f := &folder{name: name, options: o, paths: map[string]string{}}
	for _, e := range entries {
		base := e.Name()
		if strings.ContainsAny(base[:1], "._") || e.IsDir() || !isTableFile(base) {
			continue
		}
		table, _, _ := strings.Cut(base, ".")
		if other, twice := f.paths[table]; twice {
			return nil, files.Errorf(filepath.Join(name, base), "is the table %s, as %s is; keep one of them", table,
				filepath.Base(other))
		}
		f.paths[table] = filepath.Join(name, base)
		f.tables = append(f.tables, Described{Name: table})
	}
	if len(f.tables) == 0 {
		return nil, files.Errorf(name, "there is no table: no file ends in %s", strings.Join(tableEnds, ", "))
	}
	return f, nil
}

// tableEnds are the endings of files that are tables.
var tableEnds = []string{".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet", ".xlsx"}

func isTableFile(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	return slices.ContainsFunc(tableEnds, func(end string) bool { return strings.HasSuffix(name, end) })
}

func (f *folder) Name() string                     { return f.name }
func (f *folder) Tables() []Described              { return f.tables }
func (f *folder) Open(name string) (Source, error) { return Open(f.paths[name], f.options) }
func (f *folder) Close() error                     { return nil }

// sqliteTables is an SQLite file in one transaction.
type sqliteTables struct {
	*sqlite
	tables []Described
}

// describe begins the transaction and reads the declarations.
func (d *sqliteTables) describe() error {
	if _, err := d.conn.ExecContext(context.Background(), "BEGIN"); err != nil {
		return files.Because(d.name, err)
	}
	names, err := d.texts("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' " +
		"ORDER BY name")
	if err != nil {
		return err
	}
	for _, name := range names {
		t := Described{Name: name}
		key, err := d.texts("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", name)
		if err != nil {
			return err
		}
		t.Key = strings.Join(key, "+")
		// char(31) does not occur in names
		list, err := d.texts(`SELECT group_concat("from", '+') || char(31) || "table" || char(31) || `+
			`coalesce(group_concat("to", '+'), '') FROM (SELECT * FROM pragma_foreign_key_list(?) ORDER BY id, seq) `+
			`GROUP BY id ORDER BY id`, name)
		if err != nil {
			return err
		}
		for _, text := range list {
			p := strings.Split(text, "\x1f")
			t.Keys = append(t.Keys, Key{p[0], p[1], p[2]})
		}
		d.tables = append(d.tables, t)
	}
	return nil
}

func (d *sqliteTables) Tables() []Described { return d.tables }

// Open opens a table on the connection of the transaction.
func (d *sqliteTables) Open(name string) (Source, error) {
	s := &sqlite{header: header{name: d.name, budget: d.budget}, conn: d.conn, row: 1}
	if err := s.start(name); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// postgresTables is PostgreSQL in one transaction: the tables of the schemas that names are looked up in.
type postgresTables struct {
	*postgres
	tables []Described
}

// declared lists tables, their primary key and their foreign keys, from the catalogue.
const declared = `SELECT c.relname, coalesce((SELECT (SELECT string_agg(a.attname, '+'
   ORDER BY array_position(k.conkey, a.attnum)) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = ANY (k.conkey))
  FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'p'), ''),
 coalesce((SELECT string_agg((SELECT string_agg(a.attname, '+' ORDER BY array_position(k.conkey, a.attnum))
    FROM pg_attribute a WHERE a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)) || chr(31) || f.relname || chr(31)
   || (SELECT string_agg(b.attname, '+' ORDER BY array_position(k.confkey, b.attnum))
    FROM pg_attribute b WHERE b.attrelid = k.confrelid AND b.attnum = ANY (k.confkey)), chr(30) ORDER BY k.conkey)
  FROM pg_constraint k JOIN pg_class f ON f.oid = k.confrelid
  WHERE k.conrelid = c.oid AND k.contype = 'f'), '')
FROM pg_class c WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND pg_table_is_visible(c.oid)
 AND c.relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`

func (d *postgresTables) describe() error {
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	r := d.conn.ExecParams(ctx, declared, nil, nil, nil, nil).Read()
	if r.Err != nil {
		return files.Because(d.name, r.Err)
	}
	for _, row := range r.Rows {
		t := Described{Name: string(row[0]), Key: string(row[1])}
		for _, text := range strings.Split(string(row[2]), "\x1e") {
			if p := strings.Split(text, "\x1f"); len(p) == 3 {
				t.Keys = append(t.Keys, Key{p[0], p[1], p[2]})
			}
		}
		d.tables = append(d.tables, t)
	}
	if len(d.tables) == 0 {
		return files.Errorf(d.name, "there is no table that may be read")
	}
	return nil
}

func (d *postgresTables) Tables() []Described { return d.tables }

// Open opens a table on the connection of the transaction.
func (d *postgresTables) Open(name string) (Source, error) {
	p := &postgres{header: header{name: d.name + " " + name, budget: d.budget}, conn: d.conn, row: 1}
	if err := p.start("SELECT * FROM " + tableName(name)); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}
