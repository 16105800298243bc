package table

import (
	"bytes"
	standard "encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/fileerr"
)

// fuzzFile reads bytes as a file of the given name: a table or an error with a place, never a panic.
func fuzzFile(t *testing.T, name string, data []byte) (content, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := readAll(path, Options{})
	var place *fileerr.Error
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

// FuzzCSV compares with the standard library where both accept a file with commas.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "a,b\r\n\"1\",\"x\"\"y\n\"\r\n", "\xef\xbb\xbfa;b\n;\n", "# x\n1 2\n",
		"a,\"b\n", "a\n\"\"\n\n", "a,b\n1\n", "\x1f\x8b"} {
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
	good, err := os.ReadFile(parquetPeople(f, 4))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add([]byte("PAR1PAR1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		fuzzFile(t, "t.parquet", data)
	})
}
