package table

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/files"
)

// book is an Excel file whose one sheet, or several of the same, has the given rows of XML.
func book(rows string, sheets ...string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	add := func(name, text string) {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			panic(err)
		}
	}
	list, links := "", ""
	for i, name := range sheets {
		list += fmt.Sprintf(`<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, name, i+1, i+1)
		links += fmt.Sprintf(`<Relationship Id="rId%d" Target="worksheets/sheet%d.xml"/>`, i+1, i+1)
		add(fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1), `<worksheet><cols><col min="1"/></cols><sheetData>`+rows+
			`</sheetData></worksheet>`)
	}
	add(workbook, `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>`+list+
		`</sheets></workbook>`)
	add("xl/_rels/workbook.xml.rels", `<Relationships>`+links+`</Relationships>`)
	add("xl/sharedStrings.xml", `<sst><si><t>id</t></si><si><r><t>bo</t></r><r><t>rn</t></r><rPh><t>x</t></rPh></si></sst>`)
	add("xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd\.mm\.yyyy"/>`+
		`<numFmt numFmtId="165" formatCode="[Red]0 &quot;days&quot;"/></numFmts>`+
		`<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="22"/></cellXfs></styleSheet>`)
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

const titledRows = `<row r="1"><c r="A1" t="inlineStr"><is><t>Report</t></is></c></row><row r="2"/>` +
	`<row r="3"><c r="A3" t="s"><v>0</v></c><c r="B3" t="s"><v>1</v></c><c r="C3" t="str"><v>ok</v></c></row>` +
	`<row r="4"><c r="A4"><v>7</v></c><c r="B4" s="1"><v>45292</v></c><c r="C4" t="b"><v>1</v></c></row>` +
	`<row r="5"><c r="A5" s="2"><v>8</v></c><c r="B5" s="3"><v>45292.5</v></c><c r="C5" t="e"><v>#N/A</v></c></row>` +
	`<row r="6"><c r="A6" t="inlineStr"><is><t>id</t></is></c><c r="B6" t="s"><v>1</v></c><c r="C6" t="str"><v>ok</v></c></row>` +
	`<row r="9"><c r="C9"><f>A4*2</f><v>14</v></c></row>`

// TestExcel reads texts, dates, formulas and gaps; titles and a second header are set aside.
func TestExcel(t *testing.T) {
	want := content{columns: []string{"id", "born", "ok"}, rows: [][]string{{"7", "2024-01-01", "true"},
		{"8", "2024-01-01 12:00:00", "#N/A"}, {"", "", "14"}}, lines: []int{4, 5, 9}}
	path := write(t, "t.xlsx", book(titledRows, "a"))
	for _, name := range []string{path, path + "#a", path + "#A"} {
		if got, err := readAll(name, Options{}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	s, err := Open(path, Options{})
	var b Batch
	if err == nil {
		err = s.Next(&b)
	}
	if err != nil || len(b.Ragged()) != 2 || b.Ragged()[0].Line != 1 || b.Ragged()[1].Reason != headerAgain {
		t.Errorf("set aside: %v, %v", b.Ragged(), err)
	}
	s.Close()
}

// TestExcelMistakes: a sentence for every one of them.
func TestExcelMistakes(t *testing.T) {
	two := write(t, "t.xlsx", book(titledRows, "a", "b c"))
	wide := `<row r="1"><c r="ZZZZZ1"><v>1</v></c></row>`
	long := `<row r="1"><c><v>` + strings.Repeat("1", maxRow+1) + `</v></c></row>`
	for name, want := range map[string]string{
		two:                                      `which sheet? there are ["a" "b c"]; write ` + two + `#SHEET`,
		two + "#d":                               `which sheet? there are ["a" "b c"]`,
		write(t, "t.xlsx", book("", "a")):        "the sheet is empty",
		write(t, "t.xlsx", book(wide, "a")):      "more than 16384 columns",
		write(t, "t.xlsx", book(long, "a")):      "a text of more than",
		write(t, "t.xlsx", book("<row><c", "a")): "the Excel file is damaged: the sheet",
		write(t, "t.xlsx", book(`<row><c t="s"><v>9</v></c></row>`, "a")): `there is no text "9"`,
		write(t, "t.xlsx", book(titledRows, "a")[:700]):                   "a zip archive, and not an Excel file",
	} {
		_, err := readAll(name, Options{Budget: files.NewBudget()})
		var place *files.Error
		if !errors.As(err, &place) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want … %s …", err, want)
		}
	}
}

// TestParts reads a folder and a pattern as one table: columns of all files, and those that folders name.
func TestParts(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"year=2023/a.csv": "id,x\n1,2\n",
		"year=2024/b.csv":   "x,id,y\n3,4,5\n6,7,8\n",
		"year=2024/c.jsonl": `{"id":"9"}` + "\n", "_SUCCESS": "", "year=2023/.a.csv.crc": "q"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := content{columns: []string{"id", "x", "year", "y"}, lines: []int{2, 2, 3, 1},
		rows: [][]string{{"1", "2", "2023", ""}, {"4", "3", "2024", "5"}, {"7", "6", "2024", "8"},
			{"9", "", "2024", ""}}}
	if got, err := readAll(dir, Options{Budget: files.NewBudget()}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("folder: %v, %v", got, err)
	}
	pattern := filepath.Join(dir, "year=2024", "*.csv")
	if got, err := readAll(pattern, Options{}); err != nil || len(got.rows) != 2 || len(Files(pattern)) != 1 {
		t.Errorf("pattern: %v, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "other.csv"), []byte("a,b\n1,2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := readAll(dir, Options{}); err == nil || !strings.Contains(err.Error(), "not parts of one table") {
		t.Errorf("another table among them: %v", err)
	}
}

// TestDialects: the delimiter and the header of tables as people write them.
func TestDialects(t *testing.T) {
	for text, want := range map[string][]string{
		"a;b, in EUR\n1;2,5\n2;3\n":                       {"a", "b, in EUR"},
		"Sales 2024, by Ann\n\na;b;c\n1;2,5;3\n4;5,5;6\n": {"a", "b", "c"},
		"\"x\" \"y\"\n1 2\n":                              {"x\" \"y"},
		"a\tb, c\n1\t2\n":                                 {"a", "b, c"},
		"a,b\n\"1;2;3\",4\n\"5;6;7\",8\n":                 {"a", "b"},
		"id,x\n1,n1,5\n2,n2,6\n3,n3,7\n":                  {"row", "id", "x"},
		"id,x\n1,5,\n2,6,\n3,7,\n":                        {"id", "x"},
		"name\nann\nbob\n":                                {"name"},
		"a|b\n\"x\ny\"|2\n":                               {"a", "b"},
	} {
		s, err := Open(write(t, "t.csv", text), Options{Ragged: true})
		if err != nil {
			if want[0] != "x\" \"y" { // quotes that follow one another are a mistake
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		if !reflect.DeepEqual(s.Columns(), want) {
			t.Errorf("%q: columns %q, want %q", text, s.Columns(), want)
		}
		s.Close()
	}
}

// TestEntities: a semicolon that closes an HTML entity divides nothing.
func TestEntities(t *testing.T) {
	want := [][]string{{"1", "R&D", "A &amp; B"}, {"2", "&lt;x&gt;", "y"}, {"3", "q\"", "&copy;"}, {"4", "", "AT&T"}}
	for _, quote := range []string{"", `"`} { // with and without quotes in the block
		text := "a;b;c\n1;R&D;A &amp; B\n2;&lt;x&gt;;y\n3;\"q\"\"\";&copy;\n4;" + quote + quote + ";AT&T\n"
		if quote == "" {
			text = strings.Replace(text, "3;\"q\"\"\";&copy;\n", "", 1)
		}
		got, err := readAll(write(t, "t.csv", text), Options{Ragged: true})
		rows := want
		if quote == "" {
			rows = [][]string{want[0], want[1], want[3]}
		}
		if err != nil || !reflect.DeepEqual(got.rows, rows) {
			t.Errorf("got %v, %v", got.rows, err)
		}
	}
}

// TestJSON reads an array of objects, and objects inside of others.
func TestJSON(t *testing.T) {
	text := "\ufeff [\n {\"id\": 1, \"at\": {\"x\": \"a,]}\\\"\",\n\"y\": {\"z\": null}}},\n" +
		"{\"id\": 2, \"w\": [1, {\"a\": 2}]} ]\n"
	want := content{columns: []string{"id", "at.x", "at.y.z", "w"}, lines: []int{1, 2},
		rows: [][]string{{"1", "a,]}\"", "", ""}, {"2", "", "", "[1, {\"a\": 2}]"}}}
	if got, err := readAll(write(t, "t.json", text), Options{}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestForeign: what is not a table, or of another kind, is said in a sentence.
func TestForeign(t *testing.T) {
	for _, f := range foreign {
		_, err := readAll(write(t, "t.csv", strings.Repeat("\x01", f.at)+f.magic+"\x01\x02"), Options{Ragged: true})
		if err == nil || !strings.Contains(err.Error(), f.text) {
			t.Errorf("%q: %v", f.magic, err)
		}
	}
}

// TestStrayQuotes: quotes that do not enclose a field are text, the rows around them are whole, and they are counted;
// without Ragged they are an error.
func TestStrayQuotes(t *testing.T) {
	text := "id,name,note\n1,Ann \"Nan\" Lee,5\" tall\n2,\"5\" tall,x\n3,\"say \"hi\"\",y\n4,\"open,z\n" +
		"5,\"a\nb\",\"c\"\"d\"\n6,\"Hüfte\" links,\"q\"\n7,x\",y\n"
	want := [][]string{{"1", `Ann "Nan" Lee`, `5" tall`}, {"2", `"5" tall`, "x"}, {"3", `say "hi"`, "y"},
		{"4", `"open`, "z"}, {"5", "a\nb", `c"d`}, {"6", `"Hüfte" links`, "q"}, {"7", `x"`, "y"}}
	path := write(t, "t.csv", text)
	s, err := Open(path, Options{Ragged: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var rows [][]string
	mended, lines := 0, []int{}
	err = Each(s, func(b *Batch) error {
		for i := range b.Rows() {
			rows, lines = append(rows, b.Row(nil, i)), append(lines, b.Line(i))
		}
		mended += len(b.Mended())
		return nil
	})
	if err != nil || !reflect.DeepEqual(rows, want) || mended != 6 ||
		!reflect.DeepEqual(lines, []int{2, 3, 4, 5, 6, 8, 9}) {
		t.Errorf("%q, lines %v, %d mended, %v", rows, lines, mended, err)
	}
	if _, err := readAll(path, Options{}); err == nil {
		t.Error("no error without Ragged")
	}
}

// TestRaggedLines: a row of several lines that has a field too many stays one row; only if all its lines are rows each,
// its quotes are text.
func TestRaggedLines(t *testing.T) {
	for text, want := range map[string][][]string{
		"id,b,c,d\n1,\"x, y\nmore\",0,7,oops\n2,y,z,8\n": {{"1", "x, y\nmore", "0", "7"}, {"2", "y", "z", "8"}},
		"id,b,c\n1,\"5,x\n2,4,6\"\n3,4,z\n":              {{"1", "\"5", "x"}, {"2", "4", "6\""}, {"3", "4", "z"}},
	} {
		got := mustRead(t, write(t, "t.csv", text), Options{Ragged: true})
		if !reflect.DeepEqual(got.rows, want) {
			t.Errorf("%q: %q, want %q", text, got.rows, want)
		}
	}
}

// TestPaddedTitles: rows above the header are titles also where a spreadsheet filled them up with delimiters; empty
// ones are no rows. A column without a name does not make the header one.
func TestPaddedTitles(t *testing.T) {
	for text, columns := range map[string][]string{
		"Patients \"North\";;;\nas of 3.2.2024;;;\n;;;\n\nid;age;kg;\n1;2;3;4\n2;3;4;5\n": {"id", "age", "kg",
			"column4"},
		"a;\n1;2\n2;3\n": {"a", "column2"},
	} {
		s, err := Open(write(t, "t.csv", text), Options{Ragged: true})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(s.Columns(), columns) {
			t.Errorf("%q: columns %q, want %q", text, s.Columns(), columns)
		}
		s.Close()
	}
}
