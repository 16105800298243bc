package table

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/bloomgml/bloom/internal/files"
)

// write makes a file in a folder of the test.
func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// zipped is text compressed by gzip.
func zipped(text string) string {
	var b strings.Builder
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

// content is all of a table: rows of cells with their lines.
type content struct {
	columns []string
	rows    [][]string
	lines   []int
}

// readAll reads a table to its end.
func readAll(name string, o Options) (c content, err error) {
	s, err := Open(name, o)
	if err != nil {
		return c, err
	}
	defer s.Close()
	c.columns = s.Columns()
	err = Each(s, func(b *Batch) error {
		for i := range b.Rows() {
			c.rows = append(c.rows, b.Row(nil, i))
			c.lines = append(c.lines, b.Line(i))
		}
		return nil
	})
	return c, err
}

// mustRead is readAll of something right.
func mustRead(t *testing.T, name string, o Options) content {
	t.Helper()
	c, err := readAll(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// wantTable compares a table with what it should be.
func wantTable(t *testing.T, got content, columns []string, rows [][]string) {
	t.Helper()
	if !reflect.DeepEqual(got.columns, columns) {
		t.Errorf("columns %q, want %q", got.columns, columns)
	}
	if !reflect.DeepEqual(got.rows, rows) {
		t.Errorf("rows %q, want %q", got.rows, rows)
	}
}

func TestCSV(t *testing.T) {
	ab := []string{"a", "b"}
	for _, c := range []struct {
		name, file, text string
		options          Options
		columns          []string
		rows             [][]string
		lines            []int
	}{
		{name: "plain", text: "a,b\n1,x\n2,y\n", columns: ab, rows: [][]string{{"1", "x"}, {"2", "y"}},
			lines: []int{2, 3}},
		{name: "no last line end", text: "a,b\n1,x\n2,y", columns: ab, rows: [][]string{{"1", "x"}, {"2", "y"}},
			lines: []int{2, 3}},
		{name: "windows", text: "a,b\r\n1,\r\n\r\n2,y\r\n", columns: ab, rows: [][]string{{"1", ""}, {"2", "y"}},
			lines: []int{2, 4}},
		{name: "byte order mark", text: "\xef\xbb\xbfa,b\n1,x\n", columns: ab, rows: [][]string{{"1", "x"}},
			lines: []int{2}},
		{name: "quotes", text: "a,b\n\"1,\"\"2\"\"\",\"x\ny\"\n\n3,\"\"\r\n", columns: ab,
			rows: [][]string{{`1,"2"`, "x\ny"}, {"3", ""}}, lines: []int{2, 5}},
		{name: "quoted header", text: "\"a\",\"b\"\n1,2\n", columns: ab, rows: [][]string{{"1", "2"}}, lines: []int{2}},
		{name: "quoted last", text: "a,b\n1,\"x\"", columns: ab, rows: [][]string{{"1", "x"}}, lines: []int{2}},
		{name: "semicolon", text: "a;b\n1,5;2\n", columns: ab, rows: [][]string{{"1,5", "2"}}, lines: []int{2}},
		{name: "pipe", text: "a|b\n1|2\n", columns: ab, rows: [][]string{{"1", "2"}}, lines: []int{2}},
		{name: "tabs", file: "t.tsv", text: "a\tb\n1,5\t2\n", columns: ab, rows: [][]string{{"1,5", "2"}},
			lines: []int{2}},
		{name: "edge list", file: "t.txt", text: "# Nodes: 3\n# Edges: 2\n0 1\n1 2\n",
			columns: []string{"column1", "column2"}, rows: [][]string{{"0", "1"}, {"1", "2"}}, lines: []int{3, 4}},
		{name: "numbers are no header", text: "0,1\n", columns: []string{"column1", "column2"},
			rows: [][]string{{"0", "1"}}, lines: []int{1}},
		{name: "no header", text: "a,b\n", options: Options{NoHeader: true}, columns: []string{"column1", "column2"},
			rows: [][]string{{"a", "b"}}, lines: []int{1}},
		{name: "one column", text: "a\nx y\n", columns: []string{"a"}, rows: [][]string{{"x y"}}, lines: []int{2}},
		{name: "header only", text: "a,b\n", columns: ab},
		{name: "nameless column", text: ",b\n1,2\n", columns: []string{"column1", "b"}, rows: [][]string{{"1", "2"}},
			lines: []int{2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := c.file
			if file == "" {
				file = "t.csv"
			}
			for _, path := range []string{write(t, file, c.text), write(t, file+".gz", zipped(c.text))} {
				got := mustRead(t, path, c.options)
				wantTable(t, got, c.columns, c.rows)
				if !reflect.DeepEqual(got.lines, c.lines) {
					t.Errorf("lines %v, want %v", got.lines, c.lines)
				}
			}
		})
	}
}

// TestLongCSV crosses blocks, with line ends inside of quotes at many places.
func TestLongCSV(t *testing.T) {
	var text strings.Builder
	var want [][]string
	var lines []int
	text.WriteString("id,note\n")
	line := 2
	for i := range 40000 {
		note := fmt.Sprintf("row %d", i)
		if i%7 == 0 {
			note += "\nsecond \"line\""
		}
		fmt.Fprintf(&text, "%d,\"%s\"\n", i, strings.ReplaceAll(note, `"`, `""`))
		want, lines = append(want, []string{fmt.Sprint(i), note}), append(lines, line)
		line += 1 + strings.Count(note, "\n")
	}
	if text.Len() < 2*batchBytes {
		t.Fatalf("%d bytes are one block", text.Len())
	}
	got := mustRead(t, write(t, "t.csv", text.String()), Options{})
	wantTable(t, got, []string{"id", "note"}, want)
	if !reflect.DeepEqual(got.lines, lines) {
		t.Error("lines differ")
	}
}

func TestJSONL(t *testing.T) {
	text := "\xef\xbb\xbf{\"id\":\"a\",\"n\":1e3,\"ok\":true,\"none\":null}\r\n\n{\"more\":[1, " +
		"2],\"id\":\"\\u00e9\\n\",\"big\":12345678901234567890}\n"
	got := mustRead(t, write(t, "t.jsonl", text), Options{})
	wantTable(t, got, []string{"id", "n", "ok", "none", "more", "big"}, [][]string{
		{"a", "1e3", "true", "", "", ""},
		{"é\n", "", "", "", "[1, 2]", "12345678901234567890"},
	})
	if want := []int{1, 3}; !reflect.DeepEqual(got.lines, want) {
		t.Errorf("lines %v, want %v", got.lines, want)
	}
}

// TestRecode: lines that are not UTF-8 are read as Windows-1252 where that is wanted, and are mistakes else; the others
// stay as they are. A zero byte stays a mistake.
func TestRecode(t *testing.T) {
	const bad = "byte 0xe9 is not UTF-8"
	for _, c := range []struct{ file, text, want string }{
		{"t.csv", "a,b\n1,x\nRom\xe9 \x80 é,y\r\n2,é\n", "Romé € é"},
		{"t.csv", "a,b\n1,\"x\"\n\"R\"\"m\xe9\",y\n2,\"é\"\n", `R"mé`},
		{"t.jsonl", "{\"a\":1,\"b\":\"x\"}\n{\"a\":\"\xe9\"}\n{\"a\":2,\"b\":\"é\"}\n", "é"},
	} {
		s, err := Open(write(t, c.file, c.text), Options{Ragged: true})
		if err != nil {
			t.Fatal(err)
		}
		var b Batch
		if err := errors.Join(s.Next(&b), b.Parse()); err != nil {
			t.Fatal(err)
		}
		if b.Rows() != 3 || string(b.Cell(2, 1)) != "é" || string(b.Cell(1, 0)) != c.want || b.Recoded() != 1 ||
			b.Line(2) != b.Line(0)+2 {
			t.Errorf("%q: %d rows, %q, %d recoded", c.text, b.Rows(), b.Cell(1, 0), b.Recoded())
		}
		s.Close()
		if _, err := readAll(write(t, c.file, c.text), Options{}); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%q: error %v, want %q", c.text, err, bad)
		}
	}
	for text, want := range map[string]string{"a,b\n1,\x00\n": "t.csv:2: a zero byte",
		"a,b\n1,\x03\xff\n": "t.csv:2: byte 0x03: not a text file"} {
		_, err := readAll(write(t, "t.csv", text), Options{Ragged: true})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// TestUTF16: text in UTF-16 with a byte order mark is read, whichever byte comes first.
func TestUTF16(t *testing.T) {
	for _, big := range []bool{false, true} {
		var text []byte
		for _, u := range utf16.Encode([]rune("\ufeffa,b\r\n1,é€😀\r\n")) {
			if big {
				text = append(text, byte(u>>8), byte(u))
			} else {
				text = append(text, byte(u), byte(u>>8))
			}
		}
		wantTable(t, mustRead(t, write(t, "t.csv", string(text)), Options{}), []string{"a", "b"},
			[][]string{{"1", "é€😀"}})
	}
}

// TestMended: rows with too many fields lose the last, those with too few get empty ones, and those with fewer than
// half stand apart.
func TestMended(t *testing.T) {
	s, err := Open(write(t, "t.csv", "a,b,c\n1,2,3,4\n5,6\n7\n\"8\",9,10\n"), Options{Ragged: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var b Batch
	if err := errors.Join(s.Next(&b), b.Parse()); err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for i := range b.Rows() {
		rows = append(rows, b.Row(nil, i))
	}
	want := [][]string{{"1", "2", "3"}, {"5", "6", ""}, {"8", "9", "10"}}
	if !reflect.DeepEqual(rows, want) || len(b.Mended()) != 2 || b.Mended()[1].Line != 3 || len(b.Ragged()) != 1 ||
		b.Ragged()[0].Text != "7" {
		t.Errorf("rows %q, mended %v, aside %v", rows, b.Mended(), b.Ragged())
	}
}

// TestNoObjects: lines that are not JSON objects stand apart and leave no columns; a file of them alone is a mistake.
func TestNoObjects(t *testing.T) {
	for _, line := range []string{"not JSON", `{"c":1,"a":`, `{"a":1,"a":2}`, `{"c":1} 2`, "[1]"} {
		text := "{\"a\":1,\"b\":2}\n" + line + "\n{\"b\":3}\n"
		if _, err := readAll(write(t, "t.jsonl", text), Options{}); err == nil {
			t.Errorf("%q: no error without Ragged", line)
		}
		s, err := Open(write(t, "t.jsonl", text), Options{Ragged: true})
		if err != nil {
			t.Fatal(err)
		}
		var b Batch
		if err := errors.Join(s.Next(&b), b.Parse()); err != nil {
			t.Fatal(err)
		}
		got := b.Ragged()
		if len(s.Columns()) != 2 || b.Rows() != 2 || string(b.Cell(1, 1)) != "3" || string(b.Cell(1, 0)) != "" ||
			len(got) != 1 || got[0].Line != 2 || got[0].Kind != notObject || got[0].Text != line {
			t.Errorf("%q: columns %q, %d rows, aside %+v", line, s.Columns(), b.Rows(), got)
		}
		s.Close()
		if line[0] != '{' {
			continue // a table in CSV, by its first character
		}
		_, err = readAll(write(t, "t.jsonl", "\n"+line+"\n"), Options{Ragged: true})
		if err == nil || !strings.Contains(err.Error(), "t.jsonl:2: ") {
			t.Errorf("%q alone: error %v", line, err)
		}
	}
}

// TestSameNames wants columns of one name to be numbered, next to columns that have such a name already.
func TestSameNames(t *testing.T) {
	columns := []string{"a", "b", "a", "a.2", "a", "b"}
	distinct(columns)
	if want := []string{"a", "b", "a.3", "a.2", "a.4", "b.2"}; !slices.Equal(columns, want) {
		t.Errorf("columns %q, want %q", columns, want)
	}
}

// TestMistakes wants every wrong file to be an error that says where and what.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ name, file, text, want string }{
		{"few fields", "t.csv", "a,b\n1,2\n3\n", "t.csv:3: the row has 1 field, the header has 2"},
		{"many fields", "t.csv", "a,b\n1,2,3\n", "t.csv:2: the row has 3 fields, the header has 2"},
		{"few fields in quotes", "t.csv", "a,b\n\"1\n2\",2\n3\n", "t.csv:4: the row has 1 field"},
		{"open quote", "t.csv", "a,b\n1,\"2\n", "t.csv:2: a quote is not closed"},
		{"open quote in the header", "t.csv", "\"a,b\n", "t.csv:1: a quote is not closed"},
		{"quote inside", "t.csv", "a,b\n1,2\"\n", `t.csv:2: a quote inside of the field "2"`},
		{"text after quote", "t.csv", "a,b\n1,\"2\"x\n", `t.csv:2: 'x' follows a closing quote`},
		{"not UTF-8", "t.csv", "a,b\n1,2\n1,\xff\n", "t.csv:3: byte 0xff is not UTF-8"},
		{"zero byte", "t.csv", "a,b\n\x00,2\n", "t.csv:2: a zero byte"},
		{"empty", "t.csv", "", "t.csv: the file is empty"},
		{"empty inside", "t.csv.gz", zipped(""), "t.csv.gz: the file is empty"},
		{"only comments", "t.csv", "# a\n\n", "t.csv: the file has no rows"},
		{"endless row", "t.csv", "a,b\n1,\"" + strings.Repeat("x\n", maxRow), "t.csv:2: the row has no end within"},
		{"cut off", "t.csv.gz", zipped(strings.Repeat("a,b\n", 99))[:30], "the compressed file is damaged or cut off"},
		{"twice compressed", "t.csv.gz", zipped(zipped("a,b\n")), "t.csv.gz: compressed more than once"},
		{"compressed parquet", "t.parquet.gz", zipped("PAR1xxxxxxxxxxxxPAR1"), "a compressed database"},
		{"JSON cut off", "t.jsonl", "{\"a\":1}\n{\"a\":", "t.jsonl:2: the JSON object has no end"},
		{"JSON array", "t.jsonl", "{\"a\":1}\n[1]\n", "t.jsonl:2: want a JSON object"},
		{"JSON twice", "t.jsonl", "{\"a\":1} {}\n", "t.jsonl:1: \"{}\" follows"},
		{"JSON key twice", "t.jsonl", "{\"a\":1,\"a\":2}\n", `t.jsonl:1: duplicate key "a"`},
		{"JSON not UTF-8", "t.jsonl", "{\"a\":\"\xfe\"}\n", "t.jsonl:1: byte 0xfe"},
		{"parquet header only", "t.parquet", "PAR1", "byte 4: the file ends within its header"},
		{"parquet cut off", "t.parquet", "PAR1" + strings.Repeat("x", 99), "the file is cut off"},
		{"parquet lying footer", "t.parquet", "PAR1\xff\xff\xff\x7fPAR1",
			"the footer has 2147483647 bytes, the file 12"},
		{"parquet nonsense", "t.parquet", "PAR1" + strings.Repeat("x", 50) + "\x32\x00\x00\x00PAR1", "t.parquet: "},
		{"no database", "t.db", "SQLite format 3\x00" + strings.Repeat("x", 99), "t.db: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readAll(write(t, c.file, c.text), Options{})
			var place *files.Error
			if !errors.As(err, &place) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want … %s …", err, c.want)
			}
		})
	}
	for name, want := range map[string]string{
		filepath.Join(t.TempDir(), "none.csv"): "none.csv: ",
		t.TempDir():                            "there is no file of a table",
		"postgres://h/db":                      "want a table or a query",
	} {
		if _, err := Open(name, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want … %s …", name, err, want)
		}
	}
}
