package table

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/parquet-go/parquet-go"
)

// database makes an SQLite file by the given statements.
func database(t testing.TB, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "team.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return path
}

func TestSQLite(t *testing.T) {
	path := database(t,
		`CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, age REAL, joined DATETIME, ok BOOLEAN, photo BLOB)`,
		`INSERT INTO people VALUES (1, 'Ann "A"', 30.5, '2020-01-01 10:00:00', 1, 'x'), (9007199254740993, 'é', NULL, '2020-01-02', 0, NULL), (3, '', 1e300, '', 1, '')`,
		`CREATE VIEW adults AS SELECT id FROM people WHERE age > 18`)
	columns := []string{"id", "name", "age", "joined", "ok", "photo"}
	rows := [][]string{
		{"1", `Ann "A"`, "30.5", "2020-01-01 10:00:00", "1", "x"},
		{"3", "", "1e+300", "", "1", ""},
		{"9007199254740993", "é", "", "2020-01-02", "0", ""},
	}
	for _, name := range []string{path + ":people", "sqlite:" + path + ":people", "sqlite:" + path +
		" SELECT * FROM people ORDER BY id;"} {
		wantTable(t, mustRead(t, name, Options{}), columns, rows)
	}
	wantTable(t, mustRead(t, path+":adults", Options{}), []string{"id"}, [][]string{{"1"}, {"3"}})
	for name, want := range map[string]string{
		path:                                    "2 tables; say which",
		path + ":persons":                       "no such table",
		"sqlite:" + path + " SELEC":             "no such table: SELEC",
		"sqlite:" + path + " DROP TABLE x;":     "syntax error",
		"sqlite:none.db x":                      "none.db",
		"sqlite:" + path + " SELECT x'ff' AS b": `column "b": "\xff" is not UTF-8`,
	} {
		if _, err := readAll(name, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want … %s …", name, err, want)
		}
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere.db")
	for _, query := range []string{
		"SELECT 1) ; ATTACH '" + elsewhere + "' AS e; CREATE TABLE e.x AS SELECT 1; SELECT (1",
		"SELECT id FROM people; DELETE FROM people",
		"SELECT '--' ; DELETE FROM people",
	} {
		if _, err := readAll("sqlite:"+path+" "+query, Options{}); err == nil ||
			!strings.Contains(err.Error(), "several statements") {
			t.Errorf("%s: %v", query, err)
		}
	}
	for _, query := range []string{"ATTACH '" + elsewhere + "' AS e", "VACUUM INTO '" + elsewhere + "'"} {
		s, err := openSQLite(path, "people", nil)
		if err != nil {
			t.Fatal(err)
		}
		if rows, err := s.(*sqlite).query(query); err == nil && !rows.Next() && rows.Err() == nil {
			t.Errorf("%s is carried out", query)
		}
		s.Close()
	}
	if _, err := os.Stat(elsewhere); err == nil {
		t.Error("a file was written elsewhere")
	}
	spaced := database(t, `CREATE TABLE "our people; all" (a TEXT)`, `CREATE TABLE other (a TEXT)`,
		`INSERT INTO "our people; all" VALUES ('x')`)
	wantTable(t, mustRead(t, "sqlite:"+spaced+" our people; all", Options{}), []string{"a"}, [][]string{{"x"}})
	wantTable(t, mustRead(t, "sqlite:"+spaced+" SELECT a AS \";\" FROM other -- ;", Options{}), []string{";"}, nil)
	only := database(t, `CREATE TABLE calls (a TEXT, b TEXT)`, `INSERT INTO calls VALUES ('x', 'y')`)
	wantTable(t, mustRead(t, only, Options{}), []string{"a", "b"}, [][]string{{"x", "y"}})
}

// TestSQLiteCloses: a source and a database that are closed hold the file open no longer.
func TestSQLiteCloses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what is open is listed on Linux alone")
	}
	path := database(t, `CREATE TABLE a (x TEXT)`, `INSERT INTO a VALUES ('1')`)
	mustRead(t, path+":a", Options{})
	db, err := OpenDatabase(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := db.Open("a")
	if err = errors.Join(err, s.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	open, _ := filepath.Glob("/proc/self/fd/*")
	for _, fd := range open {
		if name, _ := os.Readlink(fd); name == path {
			t.Errorf("%s is still open", name)
		}
	}
}

// TestLongSQLite crosses batches.
func TestLongSQLite(t *testing.T) {
	path := database(t,
		`CREATE TABLE n AS WITH RECURSIVE c(x) AS (SELECT 0 UNION ALL SELECT x+1 FROM c WHERE x < 9999) SELECT x, x*0.5 AS half FROM c`)
	got := mustRead(t, path+":n", Options{})
	if len(got.rows) != 10000 {
		t.Fatalf("%d rows, want 10000", len(got.rows))
	}
	for i, row := range got.rows {
		if want := []string{fmt.Sprint(i), fmt.Sprint(float64(i) / 2)}; row[0] != want[0] || row[1] != want[1] ||
			got.lines[i] != i+1 {
			t.Fatalf("row %d is %q at %d, want %q", i, row, got.lines[i], want)
		}
	}
}

// wantDeclared compares the tables of a database, with their keys.
func wantDeclared(t *testing.T, address, want string) {
	t.Helper()
	db, err := OpenDatabase(address, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got := fmt.Sprint(db.Tables()); got != want {
		t.Errorf("declared are %s, want %s", got, want)
	}
}

// TestPostgres reads from the server that BLOOM_POSTGRES names, as .ci/run starts one.
func TestPostgres(t *testing.T) {
	address := os.Getenv("BLOOM_POSTGRES")
	if address == "" {
		t.Skip("BLOOM_POSTGRES is not set: no PostgreSQL to read from")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgconn.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	schema := fmt.Sprintf("bloom_test_%d", os.Getpid())
	exec := func(query string) {
		t.Helper()
		if _, err := conn.Exec(ctx, query).ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE SCHEMA " + schema)
	defer exec("DROP SCHEMA " + schema + " CASCADE")
	exec("CREATE TABLE " + schema +
		`.people (id bigint, name text, score numeric, ok boolean, joined date, x double precision)`)
	exec("INSERT INTO " + schema +
		`.people VALUES (9007199254740993, 'Ann "A"', 0.10, true, '2020-01-01', 0.1), (2, E'é\n', NULL, false, NULL, 'NaN')`)
	columns := []string{"id", "name", "score", "ok", "joined", "x"}
	rows := [][]string{{"9007199254740993", `Ann "A"`, "0.10", "true", "2020-01-01", "0.1"},
		{"2", "é\n", "", "false", "", "NaN"}}
	for _, query := range []string{schema + ".people", "SELECT * FROM " + schema + ".people ORDER BY id DESC"} {
		wantTable(t, mustRead(t, address+" "+query, Options{}), columns, rows)
	}
	long := mustRead(t, address+" SELECT i, i*i AS square FROM generate_series(1, 10000) AS i", Options{})
	if n := len(long.rows); n != 10000 || long.rows[n-1][1] != "100000000" || long.lines[n-1] != n {
		t.Errorf("%d rows, the last is %q", n, long.rows[n-1])
	}
	exec("CREATE TABLE " + schema + ".item (no int, line int, PRIMARY KEY (line, no)); CREATE TABLE " + schema +
		".back (l int, n int, who bigint, FOREIGN KEY (n, l) REFERENCES " + schema + ".item (no, line))")
	wantDeclared(t, address+"&options=-csearch_path%3D"+schema,
		"[{back  [{n+l item no+line}]} {item line+no []} {people  []}]")
	for query, want := range map[string]string{
		"SELECT * FROM nowhere":                               "nowhere",
		"DROP TABLE " + schema + ".people":                    "read-only transaction",
		"COMMIT; DELETE FROM " + schema + ".people":           "multiple commands",
		"SELECT 1 AS a; DROP TABLE " + schema + ".people":     "multiple commands",
		"COMMIT AND CHAIN":                                    "returns no columns",
		"SELECT 1 AS a, 2 AS a":                               `is the name of columns 1 and 2`,
		"SELECT 1/(3-i) AS q FROM generate_series(1, 3) AS i": "division by zero",
	} {
		if _, err := readAll(address+" "+query, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want … %s …", query, err, want)
		}
	}
}

// TestPasswordStaysSecret looks for it in what is said about a server that is not there.
func TestPasswordStaysSecret(t *testing.T) {
	for _, address := range []string{"postgres://u:hunter2@%2Fnowhere/db",
		"postgres:///db?host=/nowhere&user=u&password=hunter2"} {
		_, err := Open(address+" people", Options{})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error is %v", err)
		}
	}
}

// person is a row of a Parquet file.
type person struct {
	ID     int64     `parquet:"id"`
	Name   string    `parquet:"name"`
	Age    *float64  `parquet:"age,optional"`
	OK     bool      `parquet:"ok"`
	Small  uint32    `parquet:"small"`
	Joined time.Time `parquet:"joined,timestamp(millisecond)"`
	Price  int64     `parquet:"price,decimal(2:18)"`
	Home   struct {
		City string `parquet:"city"`
	} `parquet:"home"`
}

// parquetPeople is the path of a file with n people.
func parquetPeople(t testing.TB, n int) string {
	t.Helper()
	people := make([]person, n)
	for i := range people {
		p := &people[i]
		p.ID, p.Name, p.OK, p.Small, p.Price = int64(i)-1, fmt.Sprint("n", i), i%2 == 0, 1<<32-1, int64(-5+250*i)
		p.Joined = time.UnixMilli(int64(i) - 1).UTC()
		p.Home.City = "Rome"
		if i%3 != 0 {
			age := float64(i) / 4
			p.Age = &age
		}
	}
	path := filepath.Join(t.TempDir(), "people.parquet")
	if err := parquet.WriteFile(path, people); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestParquet(t *testing.T) {
	wantTable(t, mustRead(t, parquetPeople(t, 3), Options{}),
		[]string{"id", "name", "age", "ok", "small", "joined", "price", "home.city"},
		[][]string{
			{"-1", "n0", "", "true", "4294967295", "1969-12-31T23:59:59.999Z", "-0.05", "Rome"},
			{"0", "n1", "0.25", "false", "4294967295", "1970-01-01T00:00:00Z", "2.45", "Rome"},
			{"1", "n2", "0.5", "true", "4294967295", "1970-01-01T00:00:00.001Z", "4.95", "Rome"},
		})
	if got := mustRead(t, parquetPeople(t, 10000), Options{}); len(got.rows) != 10000 || got.rows[9999][0] != "9998" {
		t.Errorf("%d rows, the last is %q", len(got.rows), got.rows[len(got.rows)-1])
	}
}

// TestParquetLists: lists of values are JSON, plain and as the format describes them; deeper ones are turned down.
func TestParquetLists(t *testing.T) {
	type row struct {
		Tags []string  `parquet:"tags"`
		ID   int       `parquet:"id"`
		X    []float32 `parquet:"x,list"`
		Seen []bool    `parquet:"seen,list"`
	}
	path := filepath.Join(t.TempDir(), "list.parquet")
	nan := float32(math.NaN())
	if err := parquet.WriteFile(path, []row{{[]string{"a", `"b`}, 1, []float32{0.5, -2}, []bool{true}},
		{nil, 2, []float32{nan, 1}, nil}}); err != nil {
		t.Fatal(err)
	}
	wantTable(t, mustRead(t, path, Options{}), []string{"tags", "id", "x", "seen"},
		[][]string{{`["a","\"b"]`, "1", "[0.5,-2]", "[true]"}, {"", "2", "[null,1]", ""}})
	type inner struct {
		List []string `parquet:"list"`
	}
	type deep struct {
		Tags []inner `parquet:"tags"`
	}
	type group struct {
		Pairs []struct{ A, B int } `parquet:"pairs"`
	}
	for name, write := range map[string]func(string) error{
		`column "tags": a list of lists`: func(path string) error {
			return parquet.WriteFile(path, []deep{{[]inner{{[]string{"a"}}}}})
		},
		`column "pairs": a list of groups`: func(path string) error {
			return parquet.WriteFile(path, []group{{[]struct{ A, B int }{{1, 2}}}})
		},
	} {
		if err := write(path); err != nil {
			t.Fatal(err)
		}
		if _, err := readAll(path, Options{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %s", err, name)
		}
	}
}

// TestDamagedParquet changes and removes bytes: an error or other values, never a panic.
func TestDamagedParquet(t *testing.T) {
	good, err := os.ReadFile(parquetPeople(t, 20))
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(good); at += 7 {
		bad := append([]byte(nil), good...)
		bad[at] ^= 0x55
		readAll(write(t, "bad.parquet", string(bad)), Options{})
		readAll(write(t, "cut.parquet", string(good[:at])+"PAR1"), Options{})
	}
}

// TestHostileParquet spoils every byte of a small file, in every length that it may be part of: an error or a table,
// and no more memory than the budget.
func TestHostileParquet(t *testing.T) {
	good, err := os.ReadFile(parquetPeople(t, 4))
	if err != nil {
		t.Fatal(err)
	}
	step := 1
	if testing.Short() {
		step = 7
	}
	for at := 4; at < len(good)-4; at += step {
		for _, b := range [][]byte{{0xff}, {0x7f}, {0xff, 0xff, 0xff, 0xff, 0x07}, {0xfe, 0xff, 0xff, 0xff, 0x0f}} {
			bad := bytes.Clone(good)
			copy(bad[at:], b)
			_, _ = fuzzFile(t, "t.parquet", bad)
		}
		if t.Failed() {
			t.Fatalf("at byte %d of %d", at, len(good))
		}
	}
}
