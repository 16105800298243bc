//go:build torture && linux

package torture

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	_ "modernc.org/sqlite" // reads and writes SQLite files
)

// person and follow are the rows of small tables.
type (
	person struct {
		ID   string  `parquet:"id"`
		Age  float64 `parquet:"age"`
		Dept string  `parquet:"dept,dict"`
	}
	follow struct {
		Source string `parquet:"source"`
		Target string `parquet:"target"`
	}
)

const (
	peopleCSV = "id,age,dept,born\nann,31,ops,1990-01-02\nbob,40.5,dev,1980-02-03\ncid,,dev,\n" +
		"\"d\"\"e\",29,ops,2000-12-31\n"
	followsCSV = "source,target,weight\nann,bob,1\nbob,cid,0.5\ncid,ann,2\n\"d\"\"e\",ann,1\n"
	peopleJSON = `{"id":"ann","age":31,"dept":"ops","v":[1,2]}` + "\n" +
		`{"id":"bob","age":null,"dept":"dev","v":[3,4]}` + "\n"
)

// tableSamples are small tables in every format that is imported.
func tableSamples(t *testing.T) []sample {
	t.Helper()
	imports := func(people, follows string) []string {
		return []string{"data", "import", "--nodes", people, "--edges", follows, "--label", "dept",
			"--out", "out.bloom"}
	}
	return []sample{
		{"CSV", map[string]string{"p.csv": peopleCSV, "f.csv": followsCSV}, imports("p.csv", "f.csv")},
		{"packed CSV", map[string]string{"p.csv.gz": packed(peopleCSV), "f.csv": followsCSV},
			imports("p.csv.gz", "f.csv")},
		{"JSON lines", map[string]string{"p.jsonl": peopleJSON, "f.csv": followsCSV}, imports("p.jsonl", "f.csv")},
		{"Parquet", map[string]string{"p.parquet": parquetOf(t, people()), "f.parquet": parquetOf(t, follows())},
			imports("p.parquet", "f.parquet")},
		{"SQLite", map[string]string{"team.db": sqliteOf(t, "")}, imports("team.db:people", "team.db:follows")},
		{"a triple file", map[string]string{"t.tsv": "ann\tknows\tbob\nbob\tlikes\tcid\n"},
			[]string{"train", "--data", "t.tsv", "--recipe", "distmult", "--set", "train.epochs=1", "--out", "run"}},
	}
}

func people() []person {
	return []person{{"ann", 31, "ops"}, {"bob", 40.5, "dev"}, {"cid", 29, "dev"}, {"eve", 50, "ops"}}
}

func follows() []follow { return []follow{{"ann", "bob"}, {"bob", "cid"}, {"cid", "ann"}} }

// packed is text after gzip.
func packed(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

func parquetOf[T any](t *testing.T, rows []T) string {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// sqliteOf is a file with both tables and the statements of more.
func sqliteOf(t *testing.T, more string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "team.db")
	if err := writeSQLite(path, more); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func writeSQLite(path, more string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec(`CREATE TABLE people (id TEXT, age REAL, dept TEXT);
INSERT INTO people VALUES ('ann', 31, 'ops'), ('bob', 40.5, 'dev'), ('cid', NULL, 'dev'), ('eve', 50, 'ops');
CREATE TABLE follows (source TEXT, target TEXT);
INSERT INTO follows VALUES ('ann', 'bob'), ('bob', 'cid'), ('cid', 'ann');` + more)
	return err
}
