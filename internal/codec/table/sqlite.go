package table

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	driver "modernc.org/sqlite" // without cgo

	"github.com/bloomgml/bloom/internal/files"
)

// sqlite is the result of one query on an SQLite file, which is opened for reading only and cannot attach another.
type sqlite struct {
	header
	db   *sql.DB
	conn *sql.Conn
	rows *sql.Rows
	row  int // of the next row, from 1
	dst  []any
}

var _ Source = (*sqlite)(nil)

// openSQLite opens a table, a view or a query (more than one word); an empty query means the only table.
func openSQLite(path, query string, b *files.Budget) (Source, error) {
	s, err := connectSQLite(path, b)
	if err != nil {
		return nil, err
	}
	if err := s.start(query); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// connectSQLite opens a file for reading only.
func connectSQLite(path string, b *files.Budget) (*sqlite, error) {
	f, err := openFile(path, b) // for a clear error if it does not exist
	if err != nil {
		return nil, err
	}
	f.Close()
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, files.Because(path, err)
	}
	absolute = filepath.ToSlash(absolute)
	if !strings.HasPrefix(absolute, "/") {
		absolute = "/" + absolute // a drive of Windows
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: absolute, RawQuery: "mode=ro"}).String())
	if err != nil {
		return nil, files.Because(path, err)
	}
	s := &sqlite{header: header{name: path, budget: b}, db: db, row: 1}
	if s.conn, err = db.Conn(context.Background()); err == nil {
		err = s.restrict()
	}
	if err != nil {
		if s.conn != nil {
			s.conn.Close()
		}
		db.Close()
		return nil, files.Because(path, err)
	}
	return s, nil
}

// Limits of SQLite by their numbers.
const (
	limitLength   = 0 // bytes of a text or a row
	limitAttached = 7 // files that a connection may attach; VACUUM INTO attaches one too
)

// sqliteBytes is the memory that SQLite itself may use, besides what is read from it.
const sqliteBytes = 64 << 20

// restrict limits SQLite to one file and to its memory.
func (s *sqlite) restrict() error {
	if err := s.budget.Take(sqliteBytes, "SQLite"); err != nil {
		return err
	}
	if _, err := driver.Limit(s.conn, limitAttached, 0); err != nil {
		return err
	}
	if _, err := driver.Limit(s.conn, limitLength, maxRow); err != nil {
		return err
	}
	_, err := s.conn.ExecContext(context.Background(), fmt.Sprintf("PRAGMA hard_heap_limit=%d", sqliteBytes))
	return err
}

func (s *sqlite) query(statement string, args ...any) (*sql.Rows, error) {
	return s.conn.QueryContext(context.Background(), statement, args...)
}

func (s *sqlite) start(query string) error {
	query = strings.TrimRight(strings.TrimSpace(query), "; \t\n")
	if query == "" {
		table, err := s.onlyTable()
		if err != nil {
			return err
		}
		query = table
	}
	named, err := s.hasTable(query)
	switch {
	case err != nil:
		return err
	case named || isName(query):
		s.name += ":" + query
		query = "SELECT * FROM " + quoteName(query)
	case severalStatements(query):
		return files.Errorf(s.name, "want one query, got several statements: %.60q", query)
	}
	empty, err := s.query("SELECT * FROM (" + query + "\n) LIMIT 0") // a line of its own after a comment
	if err != nil {
		return files.Because(s.name, err)
	}
	s.columns, err = empty.Columns()
	empty.Close()
	if err != nil {
		return files.Because(s.name, err)
	}
	if err := unique(s.name, 0, s.columns); err != nil {
		return err
	}
	// The plus takes the declared type away, by which the driver would make times of texts.
	plain := make([]string, len(s.columns))
	for i, c := range s.columns {
		plain[i] = "+" + quoteName(c) + " AS " + quoteName(c)
	}
	s.rows, err = s.query("SELECT " + strings.Join(plain, ", ") + " FROM (" + query + "\n)")
	if err != nil {
		return files.Because(s.name, err)
	}
	s.dst = make([]any, len(s.columns))
	for i := range s.dst {
		s.dst[i] = new(any)
	}
	return nil
}

// hasTable reports whether there is a table or a view of a name, which may have spaces.
func (s *sqlite) hasTable(name string) (bool, error) {
	names, err := s.texts("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name = ?", name)
	return len(names) > 0, err
}

// severalStatements reports whether SQL goes on after a semicolon outside of quotes and comments.
func severalStatements(query string) bool {
	ends := map[byte]string{'\'': "'", '"': `"`, '`': "`", '[': "]"}
	for i := 0; i < len(query); i++ {
		end := ends[query[i]]
		switch {
		case query[i] == ';':
			return true
		case strings.HasPrefix(query[i:], "--"):
			end = "\n"
		case strings.HasPrefix(query[i:], "/*"):
			end = "*/"
		}
		if end == "" {
			continue
		}
		n := strings.Index(query[i+1:], end)
		if n < 0 {
			return false // SQLite reports what is wrong
		}
		i += n + len(end)
	}
	return false
}

// onlyTable returns the name of the only table of a file.
func (s *sqlite) onlyTable() (string, error) {
	names, err := s.texts("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE " +
		"'sqlite_%' ORDER BY name")
	if err != nil {
		return "", err
	}
	if len(names) != 1 {
		return "", files.Errorf(s.name, "%s; say which: %s:TABLE (%s)", plural(len(names), "table"), s.name,
			strings.Join(names, ", "))
	}
	return names[0], nil
}

// texts returns the first column of a query.
func (s *sqlite) texts(query string, args ...any) (list []string, err error) {
	rows, err := s.query(query, args...)
	if err != nil {
		return nil, files.Because(s.name, err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, files.Because(s.name, err)
		}
		list = append(list, text)
	}
	if err := rows.Err(); err != nil {
		return nil, files.Because(s.name, err)
	}
	return list, nil
}

// isName reports whether a query is only the name of a table.
func isName(query string) bool { return !strings.ContainsAny(query, " \t\r\n(") }

// quoteName returns name as an SQL identifier.
func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func (s *sqlite) Next(b *Batch) error {
	b.reset(&s.header, s.row)
	for !b.full() && s.rows.Next() {
		if err := s.rows.Scan(s.dst...); err != nil {
			return files.Because(s.name, err)
		}
		err := b.appendRow(int32(b.Rows()), func(dst []byte, j int) ([]byte, error) {
			return appendValue(dst, *s.dst[j].(*any))
		})
		if err != nil {
			return err
		}
		s.row++
	}
	if err := s.rows.Err(); err != nil {
		return files.Because(s.name, err)
	}
	if b.Rows() == 0 {
		return io.EOF
	}
	return nil
}

// appendValue appends the text of a value of a database.
func appendValue(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return dst, nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case float64:
		return appendFloat(dst, v, 64), nil
	case string:
		return appendText(dst, []byte(v))
	case []byte:
		return appendText(dst, v)
	}
	return dst, fmt.Errorf("a value of type %T", v)
}

// appendText appends text, which must be UTF-8.
func appendText(dst, text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return dst, fmt.Errorf("%.20q is not UTF-8", text)
	}
	return append(dst, text...), nil
}

// Progress returns 0: the number of rows is unknown before they are read.
func (s *sqlite) Progress() (done, total int64) { return 0, 0 }

func (s *sqlite) Close() error {
	if s.rows != nil {
		s.rows.Close()
	}
	if s.db == nil { // a table of an open database
		return nil
	}
	s.budget.Release(sqliteBytes)
	return errors.Join(s.conn.Close(), s.db.Close()) // a connection that is taken outlives its database
}
