package table

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
)

// databaseTable splits file.db:table.
var databaseTable = regexp.MustCompile(`(?i)^(.*\.(?:db|sqlite|sqlite3)):([^:/\\]+)$`)

// Open opens a table. Files are recognised by their content, plain or compressed by gzip if they are text. name is one
// of
//
//	people.csv  people.tsv.gz  people.jsonl  people.parquet
//	people.xlsx#staff                     a sheet of an Excel file; people.xlsx if it has only one
//	graph.csv#Person                      the nodes of a label, or edges of a type, of Neo4j's apoc.export.csv
//	people  people/part-*.parquet         a folder, or the files that match: parts of one table
//	team.db:people                        a table or view of an SQLite file; team.db if it has only one
//	sqlite:team.db SELECT id, age FROM people
//	postgres://user@host/db people        a table or view
//	postgres://user@host/db SELECT …      a query, run in a transaction that only reads
func Open(name string, o Options) (Source, error) {
	switch {
	case IsPostgres(name):
		return openPostgres(name, o.Budget)
	case strings.HasPrefix(name, "sqlite:"):
		path, query, _ := strings.Cut(strings.TrimPrefix(name, "sqlite:"), " ")
		if m := databaseTable.FindStringSubmatch(path); m != nil && query == "" {
			path, query = m[1], m[2]
		}
		return openSQLite(path, strings.TrimSpace(query), o.Budget)
	}
	if m := databaseTable.FindStringSubmatch(name); m != nil {
		return openSQLite(m[1], m[2], o.Budget)
	}
	if isParts(name) {
		return openParts(name, o)
	}
	return openPath(name, o)
}

// IsPostgres reports whether name is a table of PostgreSQL rather than a file.
func IsPostgres(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// formats are what names of files say.
var formats = map[string]string{".csv": "text", ".tsv": "text", ".json": "JSON", ".jsonl": "JSON", ".ndjson": "JSON",
	".parquet": "Parquet", ".xlsx": "Excel", ".xls": "Excel", ".db": "SQLite", ".sqlite": "SQLite",
	".sqlite3": "SQLite"}

// Misnamed says that a file is in another format than its name says; empty if it is not.
func Misnamed(s Source) string {
	is := ""
	switch s := s.(type) {
	case *parts:
		if len(s.left) > 0 {
			return fmt.Sprintf("%s: %s was left out: it is no table by its name, as others are", s.name,
				strings.Join(s.left, ", "))
		}
		return ""
	case *csv:
		is = "text"
	case *jsonl:
		is = "JSON"
	case *parquetFile:
		is = "Parquet"
	case *sheet:
		is = "Excel"
	case *sqlite:
		is = "SQLite"
	}
	path, _ := cutSheet(File(s.Name()))
	if says := formats[extension(path)]; says != "" && is != "" && says != is {
		return fmt.Sprintf("%s is %s and not %s, as its name says; it was read as what it is", path, is, says)
	}
	return ""
}

// openPath opens a file by its first bytes.
func openPath(path string, o Options) (Source, error) {
	path, sheet := cutSheet(path)
	f, err := openFile(path, o.Budget)
	if err != nil {
		return nil, err
	}
	s, err := f.table(sheet, o)
	if err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// table returns the table in the file, which closes it; after an error it is open.
func (t *file) table(sheet string, o Options) (Source, error) {
	head, err := t.head()
	if err != nil {
		return nil, err
	}
	isParquet, isSQLite := bytes.HasPrefix(head, []byte("PAR1")), bytes.HasPrefix(head, []byte("SQLite format 3\x00"))
	switch {
	case t.zip != nil && (isParquet || isSQLite):
		return nil, files.Errorf(t.path, "a compressed database; decompress it first")
	case isParquet:
		return openParquet(t)
	case isSQLite:
		t.Close()
		return openSQLite(t.path, "", o.Budget)
	case t.zip == nil && isWorkbook(t):
		return openSheet(t, sheet)
	}
	if err := refuseForeign(t.path, head); err != nil {
		return nil, err
	}
	if text := bytes.TrimLeft(trimBOM(head), " \t\r\n"); len(text) > 0 && text[0] == '{' || isArray(text) {
		return openJSONL(t, o)
	}
	s, err := openCSV(t, o)
	if err != nil {
		return nil, err
	}
	return openApoc(s, t.path, sheet, o.Budget)
}

// extension returns the extension of a path in lower case, ignoring .gz.
func extension(path string) string {
	path = strings.TrimSuffix(strings.ToLower(path), ".gz")
	return filepath.Ext(path)
}

// trimBOM removes the byte order mark that some programs write before UTF-8.
func trimBOM(b []byte) []byte { return bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")) }

// foreign lists files that are not tables, or not of a supported kind, by their first bytes, and what to do.
var foreign = []struct {
	at    int
	magic string
	text  string
}{
	{8, "DUCK", "a DuckDB file, for which there is no reader without C; in DuckDB, COPY name TO 'name.parquet' makes " +
		"a table that can be read"},
	{0, "\xd0\xcf\x11\xe0", "an Excel file from before 2007 (.xls); save it as .xlsx or CSV"},
	{0, "PK\x03\x04", "a zip archive, and not an Excel file; unpack it first"},
	{0, "%PDF", "a PDF file, not a table"},
	{0, "<!DOCTYPE", "a web page, not a table; the address that it came from may want a login"},
	{0, "<!doctype", "a web page, not a table; the address that it came from may want a login"},
	{0, "<html", "a web page, not a table; the address that it came from may want a login"},
	{0, "<?xml", "an XML file; save it as CSV or JSON lines"},
	{0, "ARROW1", "an Arrow file; save it as Parquet"},
	{0, "ORC", "an ORC file; save it as Parquet"},
	{0, "Obj\x01", "an Avro file; save it as Parquet"},
	{0, "\x28\xb5\x2f\xfd", "compressed by zstd; decompress it first, or use gzip"},
	{0, "BZh", "compressed by bzip2; decompress it first, or use gzip"},
	{0, "\xfd7zXZ", "compressed by xz; decompress it first, or use gzip"},
	{0, "\x93NUMPY", "an array of NumPy; --embeddings reads it"},
	{0, "\x89PNG", "a picture, not a table"},
}

// refuseForeign returns an error if a file is of an unsupported kind.
func refuseForeign(path string, head []byte) error {
	for _, f := range foreign {
		if len(head) > f.at && bytes.HasPrefix(head[f.at:], []byte(f.magic)) {
			if f.magic == "ORC" && len(head) > 3 && head[3] >= ' ' { // a table whose first column begins like this
				continue
			}
			return files.Errorf(path, "%s", f.text)
		}
	}
	return nil
}

// File returns the file that a name of a table means; for a table on a server, the name itself.
func File(name string) string {
	path := name
	if rest, ok := strings.CutPrefix(name, "sqlite:"); ok {
		path, _, _ = strings.Cut(rest, " ")
	}
	if m := databaseTable.FindStringSubmatch(path); m != nil {
		return m[1]
	}
	path, _ = cutSheet(path)
	return path
}

// Parts returns the names of the files of a table that is a folder or a pattern, in order; otherwise the name itself.
func Parts(name string) []string {
	if path := File(name); path == name && !IsPostgres(name) && isParts(path) {
		if list, err := partFiles(path); err == nil {
			return list
		}
	}
	return []string{name}
}

// Files returns the files that a name of a table means.
func Files(name string) []string {
	list := slices.Clone(Parts(name))
	for i := range list {
		list[i] = File(list[i])
	}
	return list
}
