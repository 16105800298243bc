package relational

import (
	"fmt"
	"slices"
	"strings"
	"testing"
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
		"users":    lines("username,registered", 60, func(i int) string { return fmt.Sprintf("u_%d,%s", i, date(i)) }),
		"profiles": lines("user_id,membership_start", 60, func(i int) string { return fmt.Sprintf("u_%d,%s", i, date(i)) }),
		"posts": lines("post_id,author,reply_to,attended_on", 200, func(i int) string {
			return fmt.Sprintf("%d,u_%d,%d,%s", i+500, i*7%60, 500+i/2, date(i))
		}),
		"accounts": lines("account_id,plan", 40, func(i int) string { return fmt.Sprintf("%d,%d", i+1, i%3) }),
		"usage": lines("acct_id,minutes", 90, func(i int) string {
			return fmt.Sprintf("%d,%d", 1+i*11%40, i%7)
		}),
		"visits": lines("owner_id,minutes", 90, func(i int) string { return fmt.Sprintf("%d,%d", 1+i*11%40, i%7) }),
		"returns": lines("account_id,returned_on", 50, func(i int) string {
			return fmt.Sprintf("%d,%s", 1+i*3%40, date(i))
		}),
		"rooms": lines("id,beds", 30, func(i int) string { return fmt.Sprintf("%d,%d", i/2, i%3) }),
	}), Options{})
	want := []string{"accounts.account_id", "posts.post_id", "posts.author=users.username",
		"posts.reply_to=posts.post_id", "posts@attended_on", "profiles.user_id=users.username",
		"profiles@membership_start", "returns.account_id=accounts.account_id", "returns@returned_on",
		"usage.acct_id=accounts.account_id", "users.username", "users@registered"}
	if got := found(db); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	notes := strings.Join(db.Notes, "\n")
	for _, want := range []string{"rooms.id cannot be a key: 15 of 30 rows repeat a value",
		"--key visits.owner_id=accounts.account_id says so", "no key joins rooms to another table"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note says %q: %s", want, notes)
		}
	}
}
