package relational

import (
	"database/sql"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/native"
)

// found returns the keys and times of a database as short texts.
func found(db *Database) (list []string) {
	for _, t := range db.Tables {
		if t.Key != "" {
			list = append(list, t.Name+"."+t.Key)
		}
		for _, k := range t.Keys {
			list = append(list, t.Name+"."+k.Column+"="+k.Table+"."+k.Target)
		}
		if t.Time != "" {
			list = append(list, t.Name+"@"+t.Time)
		}
	}
	return list
}

// lines writes a table of n rows.
func lines(header string, n int, row func(i int) string) string {
	text := header + "\n"
	for i := range n {
		text += row(i) + "\n"
	}
	return text
}

// TestFoundKeys: names that people give to keys and times, which say less than id and created.
func TestFoundKeys(t *testing.T) {
	date := func(i int) string { return fmt.Sprintf("2024-%02d-%02d", 1+i%12, 1+i%28) }
	db := mustRead(t, folder(t, map[string]string{
		"users": lines("username,registered", 60, func(i int) string { return fmt.Sprintf("u_%d,%s", i, date(i)) }),
		"profiles": lines("user_id,membership_start", 60, func(i int) string {
			return fmt.Sprintf("u_%d,%s", i, date(i))
		}),
		"posts": lines("post_id,author,reply_to,attended_on", 200, func(i int) string {
			return fmt.Sprintf("%d,u_%d,%d,%s", i+500, i*7%60, 500+i/2, date(i))
		}),
		"accounts": lines("account_id,plan", 40, func(i int) string { return fmt.Sprintf("%d,%d", i+1, i%3) }),
		"usage": lines("acct_id,minutes", 90, func(i int) string {
			return fmt.Sprintf("%d,%d", 1+i*11%40, i%7)
		}),
		"visits": lines("owner_id,minutes", 90, func(i int) string { return fmt.Sprintf("%d,%d", 1+i*11%40, i%7) }),
		"returns": lines("id,account_id,returned_on", 50, func(i int) string {
			return fmt.Sprintf("%d,%d,%s", i+1, 1+i*3%40, date(i))
		}),
		"user_returns": lines("userReturnsId,cost", 20, func(i int) string { return fmt.Sprintf("%d,%d", i+1, i%9) }),
		"rooms":        lines("id,beds", 30, func(i int) string { return fmt.Sprintf("%d,%d", i/2, i%3) }),
	}), Options{})
	want := []string{"accounts.account_id", "posts.post_id", "posts.author=users.username",
		"posts.reply_to=posts.post_id", "posts@attended_on", "profiles.user_id=users.username",
		"profiles@membership_start", "returns.id", "returns.account_id=accounts.account_id", "returns@returned_on",
		"usage.acct_id=accounts.account_id", "user_returns.userReturnsId", "users.username", "users@registered"}
	if got := found(db); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	notes := strings.Join(db.Notes, "\n")
	for _, want := range []string{"rooms.id cannot be a key: 15 of 30 rows repeat a value",
		"--key visits.owner_id=accounts.account_id", "no key joins rooms to another table"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note says %q: %s", want, notes)
		}
	}
}

// members returns a club with members who left: status and reason are known only then, and so are marks of visits when
// they were given.
func members(n int) map[string]string {
	return map[string]string{
		"people": lines("id,city", n, func(i int) string { return fmt.Sprintf("p%d,c%d", i, i%3) }),
		"members": lines("person_id,joined_on,fee,left_on,status,reason", n, func(i int) string {
			if i%3 == 0 {
				return fmt.Sprintf("p%d,2024-01-%02d,%d,2024-03-%02d,gone,%s", i, 1+i%5, i%7, 1+i%28,
					[]string{"price", "moved"}[i/6%2])
			}
			return fmt.Sprintf("p%d,2024-01-%02d,%d,,here,", i, 1+i%5, i%7)
		}),
		"visits": lines("person_id,visited_at,hours", 6*n, func(i int) string {
			return fmt.Sprintf("p%d,2024-%02d-%02d,%d", i%n, 1+i/n, 1+i%28, i*7%5)
		}),
	}
}

// TestLater: what a later time of a row tells is not known before, about an entity's own row, its streams or its
// parents.
func TestLater(t *testing.T) {
	db := mustRead(t, folder(t, members(60)), Options{})
	table, _ := db.Find("members")
	if table.Later["status"] != "left_on" || table.Later["reason"] != "left_on" || len(table.Later) != 2 {
		t.Fatalf("later columns are %v", table.Later)
	}
	questions := lines("person,at,label", 60, func(i int) string {
		return fmt.Sprintf("p%d,2024-%02d-01,%d", i, 2+2*(i%2), i%2)
	})
	ask, err := db.ReadAsk(filepath.Join(folder(t, map[string]string{"q": questions}), "q.csv"), AskOptions{})
	if err != nil {
		t.Fatal(err)
	}
	seen, columns := map[string]bool{}, db.allRows(ask, nil).Columns
	for _, c := range columns {
		seen[c.Name] = true
		if !strings.HasPrefix(c.Name, "members.left_on") && !strings.HasPrefix(c.Name, "members.status") &&
			!strings.HasPrefix(c.Name, "members.reason") {
			continue
		}
		for i, q := range ask.Questions {
			if q.At.Month() == 2 && !math.IsNaN(c.Values[i]) && c.Values[i] != 0 {
				t.Errorf("%s of %s in February is %s, though nobody had left", c.Name, q.Entity, text(&c, i))
			}
		}
	}
	if !seen["members.left_on.count"] || !seen["members.left_on.reason=price"] || seen["members.status=gone"] {
		t.Errorf("columns are %v", seen)
	}
	own, err := db.ParseAsk("people: any row in members.left_on within 30 days", 0)
	if err != nil {
		t.Fatal(err)
	}
	yes := 0
	for _, q := range own.Questions {
		if q.Label == "yes" {
			yes++
		}
	}
	if yes != 20 {
		t.Errorf("%d questions have the answer yes, want one for each who left", yes)
	}
	for given, want := range map[string]string{"members.status=none": "", "members.fee=left_on": "left_on",
		"members.fee=status": "not a column of times", "members.fee=when": `no column "when"`} {
		db, err := Read(t.Context(), folder(t, members(60)), Options{Times: []string{given}})
		if err != nil {
			if want == "" || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want … %s …", given, err, want)
			}
			continue
		}
		table, _ := db.Find("members")
		column, _, _ := strings.Cut(strings.TrimPrefix(given, "members."), "=")
		if table.Later[column] != want {
			t.Errorf("%s: later columns are %v", given, table.Later)
		}
	}
}

// TestLaterByHand compares with rules that share nothing with toldBy.
func TestLaterByHand(t *testing.T) {
	nan := math.NaN()
	late := make([]int64, 40)
	status, reason, amount, rare := make([]float64, 40), make([]float64, 40), make([]float64, 40), make([]float64, 40)
	for i := range late {
		late[i], status[i], reason[i], amount[i], rare[i] = never, 2, nan, float64(i), nan
		if i%4 == 0 {
			late[i], status[i], reason[i] = int64(i), 5, float64(i%3)
		}
	}
	rare[0] = 1 // one value, which has a time by chance
	for name, x := range map[string]struct {
		values []float64
		told   bool
	}{"status": {status, true}, "reason": {reason, true}, "amount": {amount, false}, "rare": {rare, false}} {
		if got := toldBy(x.values, late, 10); got != x.told {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestAskNotes: what a file of questions leaves open is decided and said.
func TestAskNotes(t *testing.T) {
	db := mustRead(t, folder(t, members(60)), Options{})
	read := func(header string, n int, row func(i int) string) (*Ask, string) {
		ask, err := db.ReadAsk(filepath.Join(folder(t, map[string]string{"q": lines(header, n, row)}), "q.csv"),
			AskOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return ask, strings.Join(ask.Notes, "\n")
	}
	// of every person, two questions 40 days apart, at any hour
	ask, notes := read("person,at,label", 120, func(i int) string {
		at := time.Date(2024, 1, 1+40*(i/60), 0, i%60*i%60*23, 0, 0, time.UTC)
		return fmt.Sprintf("p%d,%s,%d", i%60, at.Format(time.DateTime), i%2)
	})
	if d := ask.Horizon.Hours() / 24; math.Abs(d-40) > 1 || !strings.Contains(notes, "about the same person") {
		t.Errorf("the horizon is %v days: %s", d, notes)
	}
	ask, notes = read("person,at,label,split", 120, func(i int) string {
		return fmt.Sprintf("p%d,2031-%02d-01,%d,%s", i%60, 1+i/10, i%2, []string{"train", "test"}[i/100])
	})
	parts := map[string]int{}
	for _, q := range ask.Questions {
		parts[q.Split]++
	}
	if parts["valid"] < 10 || parts["valid"] > 20 || parts["train"]+parts["valid"] != 100 {
		t.Errorf("the split is %v", parts)
	}
	if !strings.Contains(notes, "those from 2031-09-01 on are taken") ||
		!strings.Contains(notes, "20 of 20 questions to be tested are asked more than") {
		t.Errorf("notes are %s", notes)
	}
}

// TestTimeNotes: times that are hard to believe, and of several zones.
func TestTimeNotes(t *testing.T) {
	tables := members(60)
	tables["visits"] += "p1,2999-01-01,3\np2,2024-03-03T10:00:00+05:00,3\n"
	notes := strings.Join(mustRead(t, folder(t, tables), Options{}).Notes, "\n")
	for _, want := range []string{"1 of 362 times lie far before or after the others, which go from 2024-01-01",
		`1 of 362 times have a time zone, such as "2024-03-03T10:00:00+05:00"; the others count as UTC`} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note says %q: %s", want, notes)
		}
	}
}

// TestCountsAreNumbers: a count of few different values is a number, not a class.
func TestCountsAreNumbers(t *testing.T) {
	db := mustRead(t, folder(t, members(60)), Options{})
	ask, err := db.ParseAsk("people: count of visits within 30 days", 0)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	path, err := db.Write(t.Context(), ask, "club.bloom", dir)
	if err != nil {
		t.Fatal(err)
	}
	d, err := native.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if d.Labels.Task != dataset.Numbers || d.Metric != "mae" {
		t.Errorf("the task is %q, the metric %s", d.Labels.Task, d.Metric)
	}
	for i, q := range ask.Questions { // nodes with times are not compared with later ones
		if d.Times[i] != q.At.Unix() {
			t.Errorf("question %d is asked at %d, want %d", i, d.Times[i], q.At.Unix())
		}
	}
	for i := range ask.Questions { // nothing can be trained: nothing is left behind
		ask.Questions[i].Split = "test"
	}
	dir = filepath.Join(t.TempDir(), "none")
	if _, err := db.Write(t.Context(), ask, "club.bloom", dir); err == nil {
		t.Error("questions for testing alone are written")
	} else if _, err := os.Stat(dir); err == nil {
		t.Errorf("%s is left after %v", dir, err)
	}
}

// TestPartnerLabels: labels of accounts that paid or were paid count from when they are known, and never those that are
// to be tested; the column of the database that has the labels does not count at all.
func TestPartnerLabels(t *testing.T) {
	db := mustRead(t, folder(t, map[string]string{
		"accounts": lines("id,size,fraud", 30, func(i int) string { return fmt.Sprintf("a%d,%d,%d", i, i%7, i%2) }),
		"transfers": lines("payer_account,payee_account,paid_on", 90, func(i int) string {
			return fmt.Sprintf("a%d,a%d,2024-01-%02d", i%30, (i+2)%30, 1+i/5)
		}),
	}), Options{Keys: []string{"transfers.payer_account=accounts.id", "transfers.payee_account=accounts.id"}})
	text := lines("account,at,label,split", 30, func(i int) string {
		return fmt.Sprintf("a%d,2024-0%d-01,%d,%s", i, 2+i/12, i%2, []string{"train", "valid", "test"}[i/12])
	})
	ask, err := db.ReadAsk(filepath.Join(folder(t, map[string]string{"q": text}), "q.csv"),
		AskOptions{Horizon: 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range db.allRows(ask, nil).Columns {
		seen[c.Name] = true
		if strings.Contains(c.Name, "fraud") {
			t.Errorf("column %s is there", c.Name)
		}
		if c.Name != "label.transfers.payee_account.value.mean" {
			continue
		}
		for i, q := range ask.Questions { // a10 and a11 of February paid a12 and a13 of March, three times
			partner, want := q.row+2, math.NaN()
			if month := q.At.Month(); month > 2 && partner%30 < 12 || month > 3 && partner%30 < 24 {
				want = float64(partner % 2)
			}
			if x := c.Values[i]; x != want && !(math.IsNaN(x) && math.IsNaN(want)) {
				t.Errorf("%s in %v knows the label %v of a partner, want %v", q.Entity, q.At.Month(), c.Values[i], want)
			}
		}
	}
	if !seen["label.transfers.payer_account.value.mean"] || !seen["label.transfers.payee_account.value.mean"] {
		t.Errorf("columns are %v", seen)
	}
}

// TestWideKeys: keys of several columns are followed, declared or given, and a mistake in one is a sentence.
func TestWideKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.db")
	conn, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, s := range []string{`CREATE TABLE items (order_no INTEGER, line INTEGER, PRIMARY KEY (order_no, line))`,
		`CREATE TABLE returns (order_no INTEGER, line INTEGER,
			FOREIGN KEY (order_no, line) REFERENCES items (order_no, line))`,
		`INSERT INTO items VALUES (1, 1), (1, 2), (2, 1)`,
		`INSERT INTO returns VALUES (1, 2), (2, 1), (2, 2), (NULL, 1)`} {
		if _, err := conn.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range []Options{{}, {Keys: []string{"returns.Line+order_no=items.line+order_no"}}} {
		db := mustRead(t, path, o)
		x, err := db.Find("returns")
		if err != nil || len(x.refs) != 1 || !slices.Equal(x.refs[0].rows, []int32{1, 2, -1, -1}) ||
			x.Keys[len(x.Keys)-1].Broken != 1 || x.Keys[len(x.Keys)-1].Missing != 1 {
			t.Fatalf("%v: keys %+v, rows %+v, %v", o, x.Keys, x.refs, err)
		}
	}
	for given, want := range map[string]string{"returns.line+order_no=items.line": "2 columns cannot name rows by 1",
		"returns.line+x=items.line+order_no": `returns has no column "line+x"`,
		"returns.line+order_no=items.line+":  `items has no column "line+"`} {
		if _, err := Read(t.Context(), path, Options{Keys: []string{given}}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want … %s", given, err, want)
		}
	}
}
