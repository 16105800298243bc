package relational

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// folder writes tables, by name and content, and returns their folder.
func folder(t testing.TB, tables map[string]string) string {
	dir := t.TempDir()
	for name, text := range tables {
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func mustRead(t testing.TB, dir string, o Options) *Database {
	db, err := Read(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// shop returns the tables of a random shop. Of orders and reviews only those up to a time are there; items have no time
// of their own.
func shop(seed uint64, until time.Time) map[string]string {
	r := rand.New(rand.NewPCG(seed, 40))
	begin := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	var customers, orders, items, reviews, regions, products strings.Builder
	regions.WriteString("id,tax\n")
	for i := range 3 {
		fmt.Fprintf(&regions, "r%d,%d\n", i, i*7)
	}
	products.WriteString("product_id,price\n")
	for i := range 12 {
		fmt.Fprintf(&products, "p%d,%.2f\n", i, 5+20*r.Float64())
	}
	customers.WriteString("id,region,born\n")
	for i := range 40 {
		fmt.Fprintf(&customers, "c%02d,r%d,%d-05-03\n", i, r.IntN(3), 1950+r.IntN(50))
	}
	orders.WriteString("id,customer,created,amount,channel\n")
	items.WriteString("order_id,product_id,pieces\n")
	reviews.WriteString("customer_id,written_at,stars\n")
	for i := range 600 {
		at := begin.Add(time.Duration(r.IntN(400*24)) * time.Hour)
		c, amount, channel := r.IntN(40), 100*r.Float64(), []string{"web", "app", "shop"}[r.IntN(3)]
		n, product, stars, review := 1+r.IntN(3), r.IntN(12), 1+r.IntN(5), r.IntN(3) == 0
		if at.After(until) {
			continue
		}
		fmt.Fprintf(&orders, "o%03d,c%02d,%s,%.2f,%s\n", i, c, at.Format(time.DateTime), amount, channel)
		for k := range n {
			fmt.Fprintf(&items, "o%03d,p%d,%d\n", i, (product+k)%12, 1+k)
		}
		if review {
			fmt.Fprintf(&reviews, "c%02d,%s,%d\n", c, at.Format(time.DateTime), stars)
		}
	}
	return map[string]string{"customers": customers.String(), "orders": orders.String(), "items": items.String(),
		"reviews": reviews.String(), "regions": regions.String(), "products": products.String()}
}

var ever = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

func TestKeys(t *testing.T) {
	db := mustRead(t, folder(t, shop(1, ever)), Options{})
	var got []string
	for _, x := range db.Tables {
		for _, k := range x.Keys {
			got = append(got, x.Name+"."+k.Column+"="+k.Table+"."+k.Target)
		}
		if x.Time != "" {
			got = append(got, x.Name+"@"+x.Time)
		}
	}
	want := []string{"customers.region=regions.id", "items.order_id=orders.id", "items.product_id=products.product_id",
		"orders.customer=customers.id", "orders@created", "reviews.customer_id=customers.id", "reviews@written_at"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	db = mustRead(t, folder(t, shop(1, ever)), Options{Keys: []string{"orders.customer=none"},
		Times: []string{"orders=none"}})
	if x, _ := db.Find("orders"); len(x.Keys) != 0 || x.Time != "" {
		t.Errorf("orders has keys %v and time %q, which were switched off", x.Keys, x.Time)
	}
	for given, want := range map[string]string{
		"orders.customer":               "want orders.customer=customers.id",
		"sales.customer=customers.id":   `there is no table "sales"`,
		"orders.buyer=customers.id":     `no column "buyer"`,
		"orders.channel=customers.born": "cannot be a key",
	} {
		if _, err := Read(t.Context(), folder(t, shop(1, ever)), Options{Keys: []string{given}}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want … %s …", given, err, want)
		}
	}
}

// TestStatistics compares columns with values worked out by hand.
func TestStatistics(t *testing.T) {
	db := mustRead(t, folder(t, map[string]string{
		"people": "id,city\na,x\nb,y\n",
		"visits": "person,when,cost\na,2024-01-01,10\na,2024-01-05,30\na,2024-01-31,\na,2024-03-01,1000\n" +
			"z,2024-01-01,5\nb,2024-01-02,1\nb,2024-02-20,4\nb,2024-02-21,6\nb,2024-02-22,8\n",
	}), Options{Keys: []string{"visits.person=people.id"}})
	if k := db.Tables[1].Keys[0]; k.Broken != 1 || k.Example != "z" {
		t.Errorf("%d broken keys, such as %q; want 1, z", k.Broken, k.Example)
	}
	questions := folder(t, map[string]string{"q": "person,at,label\na,2024-01-31,0\nb,2024-02-29,1\n"})
	ask, err := db.ReadAsk(filepath.Join(questions, "q.csv"), AskOptions{Horizon: 10 * 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	r := db.allRows(ask, nil)
	for _, c := range r.Columns {
		if strings.HasPrefix(c.Name, "label.") && !strings.Contains(c.Name, ".value") {
			t.Errorf("column %s says when somebody asked", c.Name)
		}
	}
	for name, want := range map[string][2]float64{
		"visits.count": {3, 4}, "visits.count.1": {1, 3}, "visits.count.3": {2, 3},
		"visits.since.last":  {0, 7},
		"visits.since.first": {30, 58}, "visits.gap": {15, 17}, "visits.cost.mean": {20, 4.75},
		"visits.cost.last": {30, 8},
		"visits.cost.max":  {30, 8}, "visits.cost.sum": {40, 19}, "visits.cost.mean3": {20, 6},
		"visits.cost.missing": {1. / 3, 0},
	} {
		at := slices.IndexFunc(r.Columns, func(c Column) bool { return c.Name == name })
		if at < 0 {
			t.Errorf("there is no column %s", name)
			continue
		}
		for i, x := range want {
			if got := r.Columns[at].Values[i]; math.Abs(got-x) > 1e-12 || math.IsNaN(got) != math.IsNaN(x) {
				t.Errorf("%s of question %d is %v, want %v", name, i, got, x)
			}
		}
	}
}

// TestClock: a column that counts time is left out, as later questions have values that no model has seen; one that
// tells the label stays.
func TestClock(t *testing.T) {
	r := &Rows{Ask: &Ask{}, Columns: []Column{{Name: "clock"}, {Name: "told"}}}
	for i := range 200 {
		r.Questions = append(r.Questions, Question{At: time.Unix(int64(i*i), 0), value: float64(i * 7 % 5)})
		r.Columns[0].Values = append(r.Columns[0].Values, float64(-i-i%3))
		r.Columns[1].Values = append(r.Columns[1].Values, float64(i*7%5+i%2))
	}
	if r.choose(); len(r.Columns) != 1 || r.Columns[0].Name != "told" {
		t.Errorf("columns are %v, want told", r.Columns)
	}
}

// TestNothingLater computes the rows of questions on the whole database, and each on the database as it was at the time
// of the question: every value must be the same.
func TestNothingLater(t *testing.T) {
	for seed := range uint64(3) {
		t.Logf("seed %d", seed)
		whole := mustRead(t, folder(t, shop(seed, ever)), Options{})
		ask, err := whole.ParseAsk("customers: any row in orders within 30 days where channel = app", 0)
		if err != nil {
			t.Fatal(err)
		}
		all, compared := whole.allRows(ask, nil), 0
		for i := 7; i < len(ask.Questions); i += len(ask.Questions) / 12 {
			q := ask.Questions[i]
			cut := mustRead(t, folder(t, shop(seed, q.At)), Options{})
			alone := *ask
			alone.table, _ = cut.Find("customers")
			then := cut.allRows(&alone, nil)
			for _, c := range then.Columns {
				at := slices.IndexFunc(all.Columns, func(x Column) bool { return x.Name == c.Name })
				if at < 0 {
					continue // a level that is frequent in one of them only
				}
				if x, y := text(&all.Columns[at], i), text(&c, i); x != y {
					t.Errorf("seed %d, %s at %v: %s is %s, and %s without later rows", seed, q.Entity, q.At,
						c.Name, x, y)
				}
				compared++
			}
		}
		if compared < 500 {
			t.Errorf("%d values compared", compared)
		}
	}
}

// TestOldTables: if the questions to be tested come long after the last row, all others are answered from tables that
// are as old, and from nothing later.
func TestOldTables(t *testing.T) {
	const seed = 4
	end := time.Date(2023, 9, 1, 0, 0, 0, 0, time.UTC)
	var file strings.Builder
	file.WriteString("customer,at,label,split\n")
	for i := range 400 {
		at, split := time.Date(2023, 3, 1+i/4, 0, 0, 0, 0, time.UTC), "train"
		if i >= 300 {
			at, split = end.AddDate(0, 0, (i-300)/2), "test"
		}
		fmt.Fprintf(&file, "c%02d,%s,%d,%s\n", i%40, at.Format(time.DateOnly), i%3/2, split)
	}
	questions := filepath.Join(folder(t, map[string]string{"q": file.String()}), "q.csv")
	whole := mustRead(t, folder(t, shop(seed, end)), Options{})
	ask, err := whole.ReadAsk(questions, AskOptions{Horizon: 10 * 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	all, sum := whole.allRows(ask, nil), map[bool]float64{}
	for _, q := range ask.Questions {
		sum[q.Split == "test"] += float64(q.age) / day
	}
	train, test := sum[false]/300, sum[true]/100
	if math.Abs(test-24.5) > 1 || math.Abs(train-test) > 1 {
		t.Errorf("seed %d: tables are %.1f days old for training and %.1f for testing, want 24.5", seed, train, test)
	}
	for i := 50; i < 300; i += 30 {
		q := ask.Questions[i]
		cut := mustRead(t, folder(t, shop(seed, q.At.Add(-time.Duration(q.age)*time.Second))), Options{})
		alone := *ask
		alone.table, _ = cut.Find("customers")
		for _, c := range cut.allRows(&alone, nil).Columns {
			at := slices.IndexFunc(all.Columns, func(x Column) bool { return x.Name == c.Name })
			if at >= 0 && text(&all.Columns[at], i) != text(&c, i) {
				t.Errorf("seed %d, %s at %v: %s is %s, and %s from tables of that age", seed, q.Entity, q.At, c.Name,
					text(&all.Columns[at], i), text(&c, i))
			}
		}
	}
}

func text(c *Column, i int) string {
	if x := c.Values[i]; c.Levels != nil && !math.IsNaN(x) {
		return c.Levels[int(x)]
	}
	return fmt.Sprint(c.Values[i])
}

// TestGivenAway plants, in every table with a time, a row one second after each question that gives its answer away.
func TestGivenAway(t *testing.T) {
	tables := shop(5, ever)
	before := mustRead(t, folder(t, tables), Options{})
	ask, err := before.ParseAsk("customers: no row in orders within 30 days", 60*24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	tables["hints"] = "customer_id,known_at,answer\n"
	for i, q := range ask.Questions {
		at := q.At.Add(time.Second).Format(time.DateTime)
		tables["hints"] += fmt.Sprintf("%s,%s,%g\n", q.Entity, at, 5*q.value)
		tables["reviews"] += fmt.Sprintf("%s,%s,%g\n", q.Entity, at, 5*q.value)
		tables["orders"] += fmt.Sprintf("x%d,%s,%s,%g,web\n", i, q.Entity, at, 1e6*q.value)
		tables["items"] += fmt.Sprintf("x%d,p1,%g\n", i, 100*q.value)
	}
	after := mustRead(t, folder(t, tables), Options{})
	first := ask.Questions[0].At
	ask.table, _ = after.Find("customers")
	with := after.allRows(ask, nil)
	ask.table, _ = before.Find("customers")
	without := before.allRows(ask, nil)
	for _, c := range without.Columns {
		at := slices.IndexFunc(with.Columns, func(x Column) bool { return x.Name == c.Name })
		for i, q := range ask.Questions {
			if at >= 0 && q.At.Equal(first) && text(&c, i) != text(&with.Columns[at], i) {
				t.Errorf("%s of %s is %s, and %s with rows of a second later", c.Name, q.Entity, text(&c, i),
					text(&with.Columns[at], i))
			}
		}
	}
	for _, c := range with.Columns {
		if !strings.HasPrefix(c.Name, "hints.answer") || c.Levels != nil {
			continue
		}
		for i, q := range ask.Questions {
			if q.At.Equal(first) && !math.IsNaN(c.Values[i]) && c.Values[i] != 0 {
				t.Errorf("%s of the first question about %s is %v, though nothing is known", c.Name, q.Entity,
					c.Values[i])
			}
		}
	}
}

func TestWords(t *testing.T) {
	db := mustRead(t, folder(t, map[string]string{
		"people": "id\na\nb\n",
		"pays": "id,person,when,sum,kind\n1,a,2024-01-01,10,x\n2,a,2024-01-11,20,y\n3,a,2024-01-21,40,x\n" +
			"4,b,2024-01-02,5,x\n5,b,2024-02-10,7,y\n",
	}), Options{Keys: []string{"pays.person=people.id"}})
	for text, want := range map[string]string{
		"people: no row in pays within 10 days": "a@01-11=no a@01-21=yes a@01-31=yes " +
			"b@01-11=yes b@01-21=yes b@01-31=no",
		"people: any row in pays within 10 days where kind = y": "a@01-11=no a@01-21=no a@01-31=no " +
			"b@01-11=no b@01-21=no b@01-31=yes",
		"people: sum of pays.sum within 10 days": "a@01-11=40 a@01-21=0 a@01-31=0 " +
			"b@01-11=0 b@01-21=0 b@01-31=7",
		"People: count of pays within 20 days":                                     "a@01-21=0 b@01-21=1",
		"people: last of pays.sum within 10 days":                                  "a@01-11=40 b@01-31=7",
		"people: no row in pays within 10 days for those with a row within 5 days": "a@01-11=no a@01-21=yes",
	} {
		ask, err := db.ParseAsk(text, 0)
		if err != nil {
			t.Fatal(text, err)
		}
		var got []string
		for _, q := range ask.Questions {
			got = append(got, q.Entity+"@"+q.At.Format("01-02")+"="+q.Label)
		}
		expected := strings.Fields(want)
		slices.Sort(got)
		slices.Sort(expected)
		if !slices.Equal(got, expected) {
			t.Errorf("%s: got %q, want %q", text, got, expected)
		}
	}
	for text, want := range map[string]string{
		"people: who pays":                                  "neither a file nor a question",
		"peopl: no row in pays within 10 days":              `did you mean "people"`,
		"people: no row in bills within 10 days":            `there is no table "bills"`,
		"people: no row in pays within 10 fortnights":       "is not a duration",
		"people: sum of pays.kind within 10 days":           "not a column of numbers",
		"people: no row in pays within 900 days":            "longer than the data",
		"people: no row in pays within 5 days where x = 1":  `no column "x"`,
		"pays: no row in people within 5 days":              "no key of people leads to pays",
		"people: no row in pays within 5 days where kind y": "is not a condition",
	} {
		if _, err := db.ParseAsk(text, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want … %s …", text, err, want)
		}
	}
}

func TestAskFile(t *testing.T) {
	db := mustRead(t, folder(t, shop(2, ever)), Options{})
	for text, want := range map[string]string{
		"a,b\n1,2\n":                                          "no column names rows",
		"customer,at,x,z\nc01,2023-05-01,1,2\n":               "name it with --label",
		"customer,at,label\n":                                 "there is no question",
		"customer,at,label,split\nc01,2023-05-01,1,holdout\n": `row 1: split is "holdout"`,
	} {
		file := filepath.Join(folder(t, map[string]string{"q": text}), "q.csv")
		if _, err := db.ReadAsk(file, AskOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want … %s …", text, err, want)
		}
	}
}

// TestWrite trains nothing: it checks that the rows become a data set with the split of the questions.
func TestWrite(t *testing.T) {
	db := mustRead(t, folder(t, shop(3, ever)), Options{})
	stored, err := db.Dataset("shop")
	if err != nil {
		t.Fatal(err)
	}
	again, err := FromDataset(stored)
	if err != nil {
		t.Fatal(err)
	}
	ask, err := again.ParseAsk("customers: no row in orders within 20 days", 0)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := again.Write(context.Background(), ask, "shop.bloom", dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{AskFile, RowsFile, DataFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	record, err := OpenRecord(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range ask.Questions { // asked again at an old time, the rows are what they were
		if q.Split != "train" || i%17 != 0 {
			continue
		}
		then := t.TempDir()
		_, err := again.AskAgain(dir, record, q.At, then)
		b, err2 := os.ReadFile(filepath.Join(then, RowsFile))
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		names, row := again.Rows(ask).Texts()
		want := strings.Join(row(i)[:len(names)-2], ",") + "\n"
		if !strings.Contains(string(b), want) {
			t.Errorf("%s at %v: the row %q is not in %.2000s", q.Entity, q.At, want, b)
		}
	}
	last := map[string]time.Time{}
	for _, q := range ask.Questions {
		last[q.Split] = q.At
	}
	for i, q := range ask.Questions {
		known := q.At.Add(ask.Horizon)
		if q.Split == "train" && slices.ContainsFunc(ask.Questions[i:], func(x Question) bool {
			return x.Split == "valid" && x.At.Before(known)
		}) {
			t.Fatalf("the label of %s at %v is known after validation begins", q.Entity, q.At)
		}
	}
	if !last["train"].Before(last["valid"]) || !last["valid"].Before(last["test"]) {
		t.Errorf("training, validation and test end at %v", last)
	}
}

// TestNamesDiffer: a table that leads to itself, or twice to another, has no two columns of one name.
func TestNamesDiffer(t *testing.T) {
	staff := "id,boss_staff,home_city,work_city,hired\n"
	work := "staff_id,done_on,hours\n"
	for i := range 40 {
		staff += fmt.Sprintf("s%02d,s%02d,c%d,c%d,2020-01-%02d\n", i, i*7%40, i%3, i%4, 1+i%28)
		for k := range 6 {
			work += fmt.Sprintf("s%02d,2023-%02d-%02d,%d\n", i, 1+k*2, 1+(i+k)%28, i*k%9)
		}
	}
	db := mustRead(t, folder(t, map[string]string{"staff": staff, "work": work,
		"cities": "id,size\nc0,1\nc1,5\nc2,9\nc3,12\n"}), Options{Keys: []string{"staff.home_city=cities.id",
		"staff.work_city=cities.id", "staff.boss_staff=staff.id"}})
	ask, err := db.ParseAsk("staff: no row in work within 60 days", 0)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range db.allRows(ask, nil).Columns {
		if seen[c.Name] {
			t.Errorf("two columns are named %s", c.Name)
		}
		seen[c.Name] = true
	}
	if !seen["cities.work_city.size"] || !seen["cities.size"] {
		t.Error("the sizes of both cities should be there")
	}
}
