package table

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
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
	head, err := f.head()
	if err != nil {
		f.Close()
		return nil, err
	}
	isParquet, isSQLite := bytes.HasPrefix(head, []byte("PAR1")), bytes.HasPrefix(head, []byte("SQLite format 3\x00"))
	switch {
	case f.zip != nil && (isParquet || isSQLite):
		f.Close()
		return nil, files.Errorf(path, "a compressed database; decompress it first")
	case isParquet:
		return openParquet(f)
	case isSQLite:
		f.Close()
		return openSQLite(path, "", o.Budget)
	case f.zip == nil && isWorkbook(f):
		return openSheet(f, sheet)
	}
	if err := refuseForeign(path, head); err != nil {
		f.Close()
		return nil, err
	}
	if text := bytes.TrimLeft(trimBOM(head), " \t\r\n"); len(text) > 0 && text[0] == '{' || isArray(text) {
		return openJSONL(f, o)
	}
	s, err := openCSV(f, o)
	if err != nil {
		return nil, err
	}
	return openApoc(s, path, sheet, o.Budget)
}

// extension returns the extension of a path in lower case, ignoring .gz.
func extension(path string) string {
	path = strings.TrimSuffix(strings.ToLower(path), ".gz")
	return filepath.Ext(path)
}

// trimBOM removes the byte order mark that some programs write before UTF-8.
func trimBOM(b []byte) []byte { return bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")) }
