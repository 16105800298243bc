package relational

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/bloomgml/bloom/dataset"
)

// findTimes finds the column of every table that says when its rows became known.
func (db *Database) findTimes(given []string) error {
	said := map[*Table]string{}
	for _, text := range given {
		name, column, ok := strings.Cut(text, ".")
		if !ok {
			name, column, _ = strings.Cut(text, "=")
		}
		t, err := db.Find(name)
		if err != nil {
			return fmt.Errorf("time %q: %w", text, err)
		}
		if status, late, ok := strings.Cut(column, "="); ok {
			if err := t.giveLater(status, late); err != nil {
				return fmt.Errorf("time %q: %w", text, err)
			}
			continue
		}
		if column != "none" && t.column(column) < 0 {
			return fmt.Errorf("time %q: table %s has no column %q", text, t.Name, column)
		}
		said[t] = column
	}
	for _, t := range db.Tables {
		if column, ok := said[t]; !ok {
			t.Time, t.TimeWhy = t.findTime()
		} else if t.TimeWhy = saidSo; column != "none" {
			t.Time = t.Columns[t.column(column)].Name
		}
		t.findLater()
	}
	return nil
}

// Names of columns with times that do not say when a row became known: it was before, or is later.
var otherTimes = []string{"birth", "dob", "born", "due", "end", "expir", "until", "updat", "modif", "delet", "close",
	"cancel", "ship", "deliver", "paid", "return", "valid", "leav", "last", "founded"}

// Names that say it after all where there is no other: returned_on of the table of returns.
var lateTimes = []string{"delet", "close", "cancel", "ship", "deliver", "paid", "return", "leav"}

// Names of columns that say it.
var rowTimes = []string{"creat", "timestamp", "date", "datum", "time", "joined", "signup", "sign_up", "regist",
	"opened", "start", "order", "at", "when", "ts"}

// hasWord reports whether a word of a name begins as given: shippedAt does with ship, and membership does not. Long
// beginnings may stand anywhere.
func hasWord(name, begins string) bool {
	lower, before := strings.ToLower(name), rune(0)
	if len(begins) > 4 {
		return strings.Contains(lower, begins)
	}
	for _, r := range name {
		starts := !unicode.IsLetter(before) || unicode.IsLower(before) && unicode.IsUpper(r)
		if starts && strings.HasPrefix(lower, begins) {
			return true
		}
		before, lower = r, strings.TrimPrefix(lower, string(unicode.ToLower(r)))
	}
	return false
}

// findTime chooses among the columns of times: the one with a fitting name, then with the fewest missing values, then
// the first. A late one will do for rows that lead to others, if hardly a value is missing.
func (t *Table) findTime() (name, why string) {
	best, score := -1, 0
	for j, c := range t.Columns {
		missing := c.Missing + c.Unread
		if c.Kind != dataset.Time && c.Kind != dataset.Calendar || 2*missing > t.Rows {
			continue
		}
		has := func(list []string) bool {
			return slices.ContainsFunc(list, func(p string) bool { return hasWord(c.Name, p) })
		}
		lower := strings.ToLower(c.Name)
		s := 2*(t.Rows-c.Missing) + 1
		switch {
		case has(otherTimes) && (!has(lateTimes) || len(t.Keys) == 0 || 50*missing > t.Rows):
			continue
		case has(otherTimes):
			s = 1
		case slices.ContainsFunc(rowTimes, func(p string) bool { return strings.Contains(lower, p) }):
			s += 3 * t.Rows
		}
		if s > score {
			best, score = j, s
		}
	}
	if best < 0 {
		return "", ""
	}
	return t.Columns[best].Name, fmt.Sprintf("%d of %d values are times", t.Rows-t.Columns[best].Missing, t.Rows)
}

// period returns the first and the last of times, without those that lie far from all others, such as the year 2099:
// more than a quarter of the time that 98 % of them take.
func period(times []int64) (first, last int64, far int) {
	times = slices.DeleteFunc(times, func(at int64) bool { return at == always || at == never })
	if len(times) == 0 {
		return 0, 0, 0
	}
	slices.Sort(times)
	low, high := times[len(times)/100], times[len(times)-1-len(times)/100]
	margin := (high-low)/4 + day
	first, last = high, low
	for _, at := range times {
		if at < low-margin || at > high+margin {
			far++
			continue
		}
		first, last = min(first, at), max(last, at)
	}
	return first, last, far
}

// times returns when rows of all tables became known.
func (db *Database) times() (list []int64) {
	for _, t := range db.Tables {
		if t.Time != "" {
			list = append(list, t.known...)
		}
	}
	return list
}

// noteTimes says which tables have times that are hard to believe, or times of several kinds.
func (db *Database) noteTimes() {
	for _, t := range db.Tables {
		j := t.column(t.Time)
		if t.Time == "" || j < 0 {
			continue
		}
		if first, last, far := period(slices.Clone(t.known)); far > 0 {
			db.Notes = append(db.Notes, fmt.Sprintf("%s.%s: %d of %d times lie far before or after the others, which "+
				"go from %s to %s", t.Name, t.Time, far, t.Rows, time.Unix(first, 0).UTC().Format(time.DateOnly),
				time.Unix(last, 0).UTC().Format(time.DateOnly)))
		}
		zones, example := 0, ""
		for i := range t.Rows {
			if s := t.text(j, i); hasZone(s) {
				zones, example = zones+1, s
			}
		}
		if zones > 0 && zones < t.Rows-t.Columns[j].Missing {
			db.Notes = append(db.Notes, fmt.Sprintf("%s.%s: %d of %d times have a time zone, such as %q; the others "+
				"count as UTC", t.Name, t.Time, zones, t.Rows, example))
		}
	}
}

// hasZone reports whether a time of day ends in Z or in +01:00.
func hasZone(s string) bool {
	_, clock, found := strings.Cut(s, ":")
	return found && (strings.HasSuffix(clock, "Z") || strings.ContainsAny(clock, "+-"))
}
