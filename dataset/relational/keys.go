package relational

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/codec/table"
)

// Chosen: a column is a key of another table by its values alone if these are not whole numbers, which name rows of any
// table, and at least leastValues differ.
const (
	leastFound  = 0.9 // share of the values that name rows
	leastAlone  = 0.98
	leastValues = 20
)

// findKeys finds primary keys, then foreign keys: what the database declares, what the user says, and else what names
// and values suggest.
func (db *Database) findKeys(list []table.Described, given []string) error {
	for i, t := range db.Tables {
		if list[i].Key != "" && t.column(list[i].Key) >= 0 { // one of several columns names rows for foreign keys alone
			t.Key, t.KeyWhy = list[i].Key, "declared"
		}
		for _, k := range list[i].Keys {
			t.Keys = append(t.Keys, dataset.ForeignKey{Column: k.Column, Table: k.Table, Target: k.Target,
				Why: "declared"})
		}
	}
	none, err := db.givenKeys(given)
	if err != nil {
		return err
	}
	for _, t := range db.Tables {
		if t.Key == "" {
			t.Key, t.KeyWhy = db.findKey(t, 2)
		} else if _, err := t.indexBy(t.Key); err != nil {
			if t.KeyWhy == saidSo {
				return err
			}
			db.Notes = append(db.Notes, err.Error()+"; the table is used without a key")
			t.Key, t.KeyWhy = "", ""
		}
	}
	for _, t := range db.Tables { // the others are clear now
		if t.Key == "" {
			t.Key, t.KeyWhy = db.findKey(t, 1)
		}
	}
	for i, t := range db.Tables {
		for k := range t.Keys {
			if t.Keys[k].Target == "" { // declared without a column
				if to, err := db.Find(t.Keys[k].Table); err == nil {
					t.Keys[k].Target = cmp.Or(list[slices.Index(db.Tables, to)].Key, to.Key)
				}
			}
		}
		for j, c := range t.Columns {
			taken := slices.ContainsFunc(t.Keys, func(k dataset.ForeignKey) bool { return k.Column == c.Name })
			if !taken && !none[t.Name+"."+c.Name] {
				db.foreign(i, j)
			}
		}
	}
	return nil
}

// saidSo is why a key is what the user says.
const saidSo = "you said so"

// givenKeys reads orders.customer=customers.id and orders.customer=none; it returns the columns that are no keys.
func (db *Database) givenKeys(given []string) (none map[string]bool, err error) {
	none = map[string]bool{}
	for _, text := range given {
		from, to, ok := strings.Cut(text, "=")
		table, column, ok2 := strings.Cut(from, ".")
		if !ok || !ok2 {
			return nil, fmt.Errorf("key %q, want orders.customer=customers.id, or orders.customer=none", text)
		}
		t, err := db.Find(table)
		if err != nil {
			return nil, fmt.Errorf("key %q: %w", text, err)
		}
		if column, err = t.keyName(column); err != nil {
			return nil, fmt.Errorf("key %q: %w", text, err)
		}
		t.Keys = slices.DeleteFunc(t.Keys, func(k dataset.ForeignKey) bool { return sameColumns(k.Column, column) })
		if to == "none" {
			none[t.Name+"."+column] = true
			continue
		}
		table, target, _ := strings.Cut(to, ".")
		other, err := db.Find(table)
		if err != nil {
			return nil, fmt.Errorf("key %q: %w", text, err)
		}
		if target == "" {
			return nil, fmt.Errorf("key %q: want a column of %s after the equals sign, as %s.id", text, other.Name,
				other.Name)
		}
		if target, err = other.keyName(target); err != nil {
			return nil, fmt.Errorf("key %q: %w", text, err)
		} else if n, m := strings.Count(column, "+"), strings.Count(target, "+"); n != m {
			return nil, fmt.Errorf("key %q: %d columns cannot name rows by %d", text, n+1, m+1)
		} else if other.Key != target && other.column(target) >= 0 {
			other.Key, other.KeyWhy, other.index = target, saidSo, nil
		}
		t.Keys = append(t.Keys, dataset.ForeignKey{Column: column, Table: other.Name, Target: target, Why: saidSo})
	}
	return none, nil
}

// sameColumns reports whether two keys have the same columns.
func sameColumns(a, b string) bool {
	x, y := strings.Split(a, "+"), strings.Split(b, "+")
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// findKey chooses a column without missing values, and hardly a repeated one, whose name says that it names rows: id,
// or the table's name with it; else the first column, if its name ends in id, key, code or number, or if it holds
// texts that are all different, and neither its name nor its values belong to another table. Names count by their
// rank.
func (db *Database) findKey(t *Table, least int) (key, why string) {
	best, rank, index := -1, 0, (*keyIndex)(nil)
	for j, c := range t.Columns {
		r := t.keyRank(j)
		if r <= rank || r < least || t.Rows == 0 || r == 1 && slices.ContainsFunc(db.Tables, func(other *Table) bool {
			return other != t && (callsTable(bareName(c.Name), other.Name) > 0 || t.tellingKeys(j) && t.isIn(j, other))
		}) {
			continue
		}
		x, err := t.indexBy(c.Name)
		switch {
		case err == nil && (r > 1 || x.repeated == 0 || !t.tellingKeys(j)):
			best, rank, index = j, r, x
		case err != nil && least > 1:
			db.Notes = append(db.Notes, err.Error()+"; no table can refer to "+t.Name+" by it")
		}
	}
	if best < 0 {
		return "", ""
	}
	if index.repeated > 0 {
		return t.Columns[best].Name, fmt.Sprintf("%d different values", len(index.rows))
	}
	return t.Columns[best].Name, fmt.Sprintf("%d values, all different", t.Rows)
}

// isIn reports whether the values of column j name rows of another table.
func (t *Table) isIn(j int, other *Table) bool {
	if other.Key == "" {
		return false
	}
	found, _ := t.contained(j, other)
	return found >= leastAlone
}

// keyRank says how much column j looks like what names the rows of its table, from 0 to 3.
func (t *Table) keyRank(j int) int {
	switch name, table := bareName(t.Columns[j].Name), bareName(t.Name); {
	case name == "id", name == table+"id", name == singular(table)+"id":
		return 3
	case name == "key", name == "uuid", name == singular(table), name == "rowid":
		return 2
	case j == 0 && (withoutEnding(name) != name || t.Columns[j].Kind != dataset.Text && t.tellingKeys(j)):
		return 1
	}
	return 0
}

// endings are how names of columns end that name rows.
var endings = []string{"id", "key", "code", "number", "num", "nr", "no", "ref"}

// withoutEnding returns customer for customerid.
func withoutEnding(name string) string {
	for _, end := range endings {
		if short, ok := strings.CutSuffix(name, end); ok {
			return short
		}
	}
	return name
}

// bareName returns the letters and digits of a name in lower case.
func bareName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// singular returns a name without the ending of a plural.
func singular(name string) string {
	switch {
	case strings.HasSuffix(name, "people"):
		return strings.TrimSuffix(name, "people") + "person"
	case strings.HasSuffix(name, "children"):
		return strings.TrimSuffix(name, "ren")
	case strings.HasSuffix(name, "ies"):
		return strings.TrimSuffix(name, "ies") + "y"
	case strings.HasSuffix(name, "sses"), strings.HasSuffix(name, "xes"), strings.HasSuffix(name, "ches"):
		return strings.TrimSuffix(name, "es")
	}
	return strings.TrimSuffix(name, "s")
}

// foreign finds the table whose rows column j of table i names, if there is one. A key of its own table is one of
// another only by the name of that.
func (db *Database) foreign(i, j int) {
	t := db.Tables[i]
	best, why, name := -1, "", bareName(t.Columns[j].Name)
	share, alike := 0.0, []string{}
	for k, other := range db.Tables {
		isKey := t.Key == t.Columns[j].Name
		if other.Key == "" || k == i && isKey {
			continue
		}
		named := namesTable(name, other, k == i, isKey)
		short := withoutEnding(name)
		number := named == 0 && !isKey && short != name && short != ""
		if named == 0 && !number && (isKey || !t.tellingKeys(j)) || k == i && name == bareName(other.Key) {
			continue
		}
		found, values := t.contained(j, other)
		if alone := found >= leastAlone && values >= leastValues; named == 0 && alone && !t.tellingKeys(j) {
			alike = append(alike, fmt.Sprintf("--key %s.%s=%s.%s", t.Name, t.Columns[j].Name, other.Name, other.Key))
		} else if named > 0 && found >= leastFound || alone {
			if x := found + named; x > share {
				best, share = k, x
				why = fmt.Sprintf("%.4g %% of its %d values are in %s.%s", 100*found, values, other.Name, other.Key)
			}
		}
	}
	if best >= 0 {
		other := db.Tables[best]
		t.Keys = append(t.Keys, dataset.ForeignKey{Column: t.Columns[j].Name, Table: other.Name, Target: other.Key,
			Why: why})
	} else if len(alike) == 1 || len(alike) == 2 { // more say nothing about whole numbers
		db.Notes = append(db.Notes, fmt.Sprintf("%s.%s may be a key, but its name does not say of which table; to "+
			"name it: %s", t.Name,
			t.Columns[j].Name, strings.Join(alike, " or ")))
	}
}

// namesTable says how much the name of a column speaks of a table: 1 for customer, customer_id, home_team_id, or the
// name of its key, unless that is only id; less for a short form such as acct_id, and for parent or reply_to of the
// same table. A column that is a key itself has to have the whole name of the table.
func namesTable(name string, other *Table, same, isKey bool) float64 {
	short := withoutEnding(name)
	if isKey && short != bareName(other.Name) && short != singular(bareName(other.Name)) {
		return 0
	}
	if x := callsTable(name, other.Name); x > 0 {
		return x
	}
	if key := bareName(other.Key); withoutEnding(key) != "" && key != "uuid" && strings.HasSuffix(name, key) {
		return 1
	}
	if same && slices.ContainsFunc([]string{"parent", "reply", "manager", "boss", "supervisor", "previous"},
		func(p string) bool { return strings.HasPrefix(name, p) }) {
		return 0.5
	}
	return 0
}

// callsTable is namesTable for the name of a table alone.
func callsTable(name, table string) float64 {
	table = bareName(table)
	for _, x := range []string{table, singular(table)} {
		for _, end := range append(endings, "") {
			if strings.HasSuffix(name, x+end) && len(x) > 1 {
				return 1
			}
		}
	}
	short := withoutEnding(name)
	if len(short) < 3 || short == name || short[0] != table[0] {
		return 0
	}
	rest := singular(table) // its letters in order
	for _, r := range short {
		_, after, found := strings.Cut(rest, string(r))
		if !found {
			return 0
		}
		rest = after
	}
	return 0.5
}

// tellingKeys reports whether the values of a column are unlikely to be found elsewhere by chance: texts that are not
// numbers, times or a few categories.
func (t *Table) tellingKeys(j int) bool {
	c := &t.Columns[j]
	if c.Kind == dataset.Number || c.Kind == dataset.Time || c.Kind == dataset.Calendar || c.Kind == dataset.Vector {
		return false
	}
	for i := range min(t.Rows, 1000) {
		if s := t.text(j, i); s != "" && strings.Trim(s, "0123456789.") != "" {
			return true
		}
	}
	return false
}

// contained returns the share of the different values of column j that are keys of another table.
func (t *Table) contained(j int, other *Table) (share float64, values int) {
	index, err := other.indexBy(other.Key)
	if err != nil {
		return 0, 0
	}
	seen, found := build.NewNames(0, 0), 0
	for i := range t.Rows {
		s := index.key(t.text(j, i))
		if s == "" || int(seen.ID([]byte(s))) < values {
			continue
		}
		values++
		if _, ok := index.names.Find([]byte(s)); ok {
			found++
		}
	}
	if values == 0 {
		return 0, 0
	}
	return float64(found) / float64(values), values
}
