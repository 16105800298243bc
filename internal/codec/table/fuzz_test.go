package table

import (
	"bytes"
	standard "encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bloomgml/bloom/internal/files"
)

// fuzzFile reads bytes as a file of the given name: a table or an error with a place, never a panic, and never more
// memory than a file of its size may take.
func fuzzFile(t *testing.T, name string, data []byte) (content, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c, err := readAll(path, Options{Budget: files.NewBudget()})
	runtime.ReadMemStats(&after)
	// what is read is held as strings too, here
	if n := after.TotalAlloc - before.TotalAlloc; n > 256<<20+100*uint64(len(data)) {
		t.Errorf("%d bytes are allocated for a file of %d", n, len(data))
	}
	var place *files.Error
	if err != nil && !errors.As(err, &place) {
		t.Errorf("the error has no place: %v", err)
	}
	for _, row := range c.rows {
		if len(row) != len(c.columns) {
			t.Errorf("a row of %d cells in a table of %d columns", len(row), len(c.columns))
		}
	}
	return c, err
}

// FuzzRagged reads tables with rows that are set aside: a row is a row or aside, and what is read is UTF-8.
func FuzzRagged(f *testing.F) {
	for _, s := range []string{"a,b\n1,\xe9\n2\n\"x\"\"y\",z\n", "{\"a\":\"\xe9\"}\n{\"b\":2}\n", "a\n\"é\xc3\"\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Open(write(t, "t.txt", string(data)), Options{Budget: files.NewBudget(), Ragged: true})
		if err != nil {
			return
		}
		defer s.Close()
		var b Batch
		for s.Next(&b) == nil && b.Parse() == nil {
			for i := range b.Rows() {
				for _, cell := range b.Row(nil, i) {
					if !utf8.ValidString(cell) {
						t.Errorf("row %d has the cell %q", b.Line(i), cell)
					}
				}
			}
			for _, x := range b.Ragged() {
				if x.Line < 1 || x.Reason == "" || x.Kind == "" || !utf8.ValidString(x.Text) {
					t.Errorf("%+v", x)
				}
			}
		}
	})
}

// FuzzCSV compares with the standard library where both accept a file with commas.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "a,b\r\n\"1\",\"x\"\"y\n\"\r\n", "\xef\xbb\xbfa;b\n;\n", "# x\n1 2\n",
		"a,\"b\n", "a\n\"\"\n\n", "a,b\n1\n", "\x1f\x8b", "\"\"", "\"\"\n\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := fuzzFile(t, "t.csv", data)
		head, _, _ := strings.Cut(string(data), "\n")
		if err != nil || !strings.Contains(head, ",") || strings.ContainsAny(head, "\t;|\"#\r") ||
			bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) || bytes.Contains(data, []byte("\r")) {
			return
		}
		r := standard.NewReader(bytes.NewReader(data))
		want, err := r.ReadAll()
		if err != nil || len(want) == 0 || strings.HasPrefix(got.columns[0], "column") || data[0] == '\n' ||
			data[0] == '{' {
			return
		}
		if len(want[1:]) != len(got.rows) || len(got.rows) > 0 && !reflect.DeepEqual(want[1:], got.rows) {
			t.Errorf("got %q, the standard library reads %q", got.rows, want[1:])
		}
	})
}

// FuzzJSONL reads lines of JSON.
func FuzzJSONL(f *testing.F) {
	for _, s := range []string{`{"a":1}`, "{\"a\":null,\"b\":[1]}\n{\"b\":\"\\ud800\"}\n", "{}\n", `{"a":1,"a":2}`,
		"{\"a\"", "{\"a\":}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { fuzzFile(t, "t.jsonl", data) })
}

// FuzzParquet reads damaged Parquet files.
func FuzzParquet(f *testing.F) {
	for _, path := range append(pyarrowFiles, booleansFile, parquetPeople(f, 4)) {
		good, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(good)
		f.Add(good[:len(good)/2])
	}
	f.Add([]byte("PAR1PAR1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		fuzzFile(t, "t.parquet", data)
	})
}

// FuzzSQLite reads damaged SQLite files: a table and a view.
func FuzzSQLite(f *testing.F) {
	for _, statements := range [][]string{
		{`CREATE TABLE t (a TEXT, b INT)`, `INSERT INTO t VALUES ('x', 1), (NULL, 2.5)`},
		{`CREATE VIEW t AS SELECT 1 AS a, 'x' AS b UNION ALL SELECT NULL, 2.5`},
	} {
		data, err := os.ReadFile(database(f, statements...))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Add([]byte("SQLite format 3\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) <= 1<<16 && !bytes.Contains(bytes.ToUpper(data), []byte("RECURSIVE")) {
			fuzzFile(t, "t.db", data) // what is recursive may have no end
		}
	})
}

// FuzzThrift passes over anything, and never beyond its end.
func FuzzThrift(f *testing.F) {
	f.Add([]byte{0x15, 2, 0x19, 0x1c, 0, 0})
	f.Add([]byte{0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07})
	f.Add([]byte{0x18, 3, 'a', 'b', 'c', 0x17, 1, 2, 3, 4, 5, 6, 7, 8, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := walkThrift(data, files.NewBudget())
		if n > len(data) || err == nil && (n == 0 || data[n-1] != 0) {
			t.Errorf("%d of %d bytes, %v", n, len(data), err)
		}
	})
}
