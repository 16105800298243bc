package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/train"
)

// shopDatabase makes an SQLite file whose keys are declared: customers of even number order every week, others seldom.
func shopDatabase(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	statements := []string{
		`PRAGMA synchronous = OFF`, // nothing needs these rows after a crash
		`CREATE TABLE client (nr INTEGER PRIMARY KEY, city TEXT)`,
		`CREATE TABLE purchase (id INTEGER PRIMARY KEY, who INTEGER REFERENCES client (nr), bought_at TEXT, amount REAL)`,
	}
	for i := range 40 {
		statements = append(statements, fmt.Sprintf("INSERT INTO client VALUES (%d, '%s')", i, []string{"Rome",
			"Oslo"}[i%3%2]))
		for week := range 50 {
			if i%2 == 0 || (week+i)%7 == 0 {
				statements = append(statements, fmt.Sprintf("INSERT INTO purchase (who, bought_at, amount) "+
					"VALUES (%d, date('2023-01-01', '+%d days'), %d)", i, 7*week+i%5, 10+week))
			}
		}
	}
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// TestAsk imports a database, looks at it, and asks it in words and by a file.
func TestAsk(t *testing.T) {
	t.Chdir(t.TempDir())
	shopDatabase(t, "shop.db")
	stdout, said, code := bloom(t, "data", "import", "--tables", "shop.db", "--out", "shop.bloom")
	if code != exitDone || stdout != "shop.bloom\n" || !strings.Contains(said, "who → client.nr (declared)") ||
		!strings.Contains(said, "bought_at") {
		t.Fatalf("exit %d: %s", code, said)
	}
	if shown, said, code := bloom(t, "data", "info", "shop.bloom"); code != exitDone ||
		!strings.Contains(shown, "purchase.who") {
		t.Errorf("info, exit %d: %s%s", code, shown, said)
	}
	if _, said, code := bloom(t, "train", "--data", "shop.bloom"); code != exitUsage ||
		!strings.Contains(said, "is a database") {
		t.Errorf("training without a question, exit %d: %s", code, said)
	}
	question := "client: no row in purchase within 14 days"
	out, said, code := bloom(t, "train", "--data", "shop.bloom", "--ask", question, "--candidates", "closed", "--out",
		"run", "--json")
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, said)
	}
	var result train.Result
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		t.Fatal(err)
	}
	if result.Metric != "roc_auc" || result.Test.Mean < 0.95 {
		t.Errorf("%s %v, want a ROC-AUC above 0.95: %s", result.Metric, result.Test.Mean, said)
	}
	answers, said, code := bloom(t, "predict", "run", "--at", "2023-10-01")
	if lines := strings.Split(strings.TrimSpace(answers), "\n"); code != exitDone || len(lines) != 41 ||
		!strings.Contains(answers, "3@2023-10-01 00:00:00,") {
		t.Errorf("exit %d, %d lines: %s%s", code, len(lines), answers, said)
	}
	again, said, code := bloom(t, "train", "--data", "shop.bloom", "--ask", "run/ask.csv", "--candidates", "closed",
		"--out", "again", "--entity", "client", "--horizon", "14d", "--json")
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, said)
	}
	var second train.Result
	if err := json.Unmarshal([]byte(again), &second); err != nil || second.Test.Mean != result.Test.Mean {
		t.Errorf("the same questions from a file have %v, and %v in words (%v)", second.Test.Mean, result.Test.Mean,
			err)
	}
	if _, err := os.Stat("run/rows.csv"); err != nil {
		t.Error(err)
	}
	badQuestions(t)
}

// badQuestions: each mistake gets a sentence.
func badQuestions(t *testing.T) {
	t.Helper()
	for line, want := range map[string]string{
		"train --data shop.bloom --ask absent.csv":             "absent.csv",
		"train --data karate --ask run/ask.csv":                "is not a database",
		"predict run --at soon":                                "--at is \"soon\"",
		"predict run --at 1950-01-01":                          "no row of client",
		"train --ask run/ask.csv":                              "name it with --data",
		"train --data shop.bloom --entity client":              "--entity is about --ask",
		"train --data shop.bloom --join":                       "--join is about --ask",
		"train --data shop.bloom --ask run/ask.csv --at when":  `there is no column "when" for --at`,
		"train --data shop.bloom --ask client:who":             "questions are",
		"data import --tables shop.db --label x --out y":       "bloom train --ask",
		"data import --tables absent.db --out y.bloom":         "absent.db",
		"data import --tables shop.db --key a.b --out y.bloom": `key "a.b"`,
	} {
		if _, said, code := bloom(t, strings.Fields(line)...); code != exitUsage && code != exitData ||
			!strings.Contains(said, want) {
			t.Errorf("%s: exit %d, %s, want … %s …", line, code, said, want)
		}
	}
}

// askedTogether: the run yearly joins people who are in the same of seven teams, also when they are asked about again.
func askedTogether(t *testing.T) {
	t.Helper()
	edges, err := os.ReadFile("yearly/edges.csv")
	if err != nil || !strings.Contains(string(edges), "p0@2020-03-05 00:00:00,p7@2020-03-05 00:00:00,teams\n") {
		t.Errorf("edges are %.300s (%v)", edges, err)
	}
	answers, said := mustRun(t, "predict yearly --at 2024-06-01")
	asked, pairs := [7]int{}, 0
	for _, line := range strings.Split(answers, "\n") {
		person := 0
		if n, _ := fmt.Sscanf(line, "p%d@", &person); n == 1 {
			pairs += asked[person%7]
			asked[person%7]++
		}
	}
	if pairs < 100 || !strings.Contains(said, fmt.Sprintf("with %d edges", pairs)) {
		t.Errorf("%d edges are expected: %s", pairs, said)
	}
}

// TestBadDatabases: keys in a circle can be asked about, and so can questions a year apart. What cannot be answered is
// a sentence, and nothing is written.
func TestBadDatabases(t *testing.T) {
	t.Chdir(t.TempDir())
	tables := map[string]string{"people": "id,team_id,joined,age\n", "teams": "id,boss_person_id,size\n",
		"visits": "person_id,at,cost\n", "prices": "euro,since\n", "nobody": "who,at,y\n", "same": "person_id,at,y\n",
		"yearly": "person_id,at,y\n"}
	add := func(name, format string, args ...any) { tables[name] += fmt.Sprintf(format, args...) + "\n" }
	for i := range 60 {
		add("people", "p%d,t%d,2019-01-%02d,%d", i, i%7, 1+i%28, 20+i)
		add("nobody", "x%d,2021-06-%02d,%d", i, 1+i%28, i%2)
		add("same", "p%d,2021-%02d-05,%d", i, 1+i/6, max(0, i%2-i/42))
		add("yearly", "p%d,%d-03-05,%d", i, 2020+i/12, i%2)
		add("prices", "%d.5,2020-01-01", i%3)
	}
	for i := range 900 {
		add("visits", "p%d,%d-%02d-%02d,%d", i*7%60, 2019+i%6, 1+i%12, 1+i%28, i%50)
	}
	for i := range 7 {
		add("teams", "t%d,p%d,%d", i, 3*i, i)
	}
	if err := os.Mkdir("firm", 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range tables {
		if name != "nobody" && name != "same" && name != "yearly" {
			name = "firm/" + name
		}
		if err := os.WriteFile(name+".csv", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, said := mustRun(t, "data import --tables firm --key teams.boss_person_id=people.id --out firm.bloom")
	if !strings.Contains(said, "no key joins prices") || !strings.Contains(said, "boss_person_id → people.id") {
		t.Error(said)
	}
	mustRun(t, "train --data firm.bloom --ask yearly.csv --join --candidates closed --out yearly")
	askedTogether(t)
	for line, want := range map[string]string{
		"train --data firm.bloom --out x --ask nobody.csv":                   "no column names rows of a table",
		"train --data firm.bloom --out x --ask same.csv --label y":           `to validate on have the y "0"`,
		"data import --tables firm --key visits.cost=visits.cost --out x":    "cannot be a key",
		"data import --tables firm --key visits.person_id=prices.id --out x": "has no column",
	} {
		_, said, code := bloom(t, strings.Fields(line)...)
		if _, err := os.Stat("x"); code == exitDone || !strings.Contains(said, want) || err == nil {
			t.Errorf("%s: exit %d, %s, want … %s …, and no x (%v)", line, code, said, want, err)
		}
	}
	_, said, code := bloom(t, "train", "--data", "firm.bloom", "--out", "x", "--ask",
		"people: no row in visits within 9000 days")
	if _, err := os.Stat("x"); code != exitUsage || !strings.Contains(said, "longer than the data") || err == nil {
		t.Errorf("exit %d: %s (%v)", code, said, err)
	}
}
