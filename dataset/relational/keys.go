package relational

import (
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
		if list[i].Key != "" {
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
			t.Key, t.KeyWhy = t.findKey()
		} else if _, err := t.indexBy(t.Key); err != nil {
			if t.KeyWhy == saidSo {
				return err
			}
			db.Notes = append(db.Notes, err.Error()+"; the table is used without a key")
			t.Key, t.KeyWhy = "", ""
		}
	}
	for i, t := range db.Tables {
		for k := range t.Keys {
			if t.Keys[k].Target == "" { // declared without a column
				if to, err := db.Find(t.Keys[k].Table); err == nil {
					t.Keys[k].Target = to.Key
				}
			}
		}
		for j, c := range t.Columns {
			taken := slices.ContainsFunc(t.Keys, func(k dataset.ForeignKey) bool { return k.Column == c.Name })
			if !taken && !none[t.Name+"."+c.Name] && (c.Name != t.Key || len(list[i].Keys) > 0) {
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
		j := t.column(column)
		if j < 0 {
			return nil, fmt.Errorf("key %q: table %s has no column %q", text, t.Name, column)
		}
		column = t.Columns[j].Name
		t.Keys = slices.DeleteFunc(t.Keys, func(k dataset.ForeignKey) bool { return k.Column == column })
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
		if k := other.column(target); k < 0 {
			return nil, fmt.Errorf("key %q: table %s has no column %q", text, other.Name, target)
		} else if target = other.Columns[k].Name; other.Key != target {
			other.Key, other.KeyWhy, other.index = target, saidSo, nil
		}
		t.Keys = append(t.Keys, dataset.ForeignKey{Column: column, Table: other.Name, Target: target, Why: saidSo})
	}
	return none, nil
}

// findKey chooses a column without missing values, and hardly a repeated one, whose name says that it names rows: id,
// or the table's name with it; else the first column, if its name ends in id, key, code or number.
func (t *Table) findKey() (key, why string) {
	best, rank, index := -1, 0, (*keyIndex)(nil)
	for j, c := range t.Columns {
		r := 0
		switch name := bareName(c.Name); {
		case name == "id", name == bareName(t.Name)+"id", name == singular(bareName(t.Name))+"id":
			r = 3
		case name == "key" || name == "uuid" || name == singular(bareName(t.Name)) || name == "rowid":
			r = 2
		case j == 0 && (strings.HasSuffix(name, "id") || strings.HasSuffix(name, "key") ||
			strings.HasSuffix(name, "code") || strings.HasSuffix(name, "number") || strings.HasSuffix(name, "no")):
			r = 1
		}
		if r <= rank || t.Rows == 0 {
			continue
		}
		if x, err := t.indexBy(c.Name); err == nil {
			best, rank, index = j, r, x
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
	case strings.HasSuffix(name, "ies"):
		return strings.TrimSuffix(name, "ies") + "y"
	case strings.HasSuffix(name, "sses"), strings.HasSuffix(name, "xes"), strings.HasSuffix(name, "ches"):
		return strings.TrimSuffix(name, "es")
	}
	return strings.TrimSuffix(name, "s")
}

// foreign finds the table whose rows column j of table i names, if there is one.
func (db *Database) foreign(i, j int) {
	t := db.Tables[i]
	best, why, name := -1, "", bareName(t.Columns[j].Name)
	share := 0.0
	for k, other := range db.Tables {
		if other.Key == "" || k == i && t.Key == t.Columns[j].Name {
			continue
		}
		named := namesTable(name, other)
		if !named && !t.tellingKeys(j) || named && k == i && name == bareName(other.Key) {
			continue
		}
		found, values := t.contained(j, other)
		if named && found >= leastFound || found >= leastAlone && values >= leastValues {
			if x := found + map[bool]float64{true: 1}[named]; x > share {
				best, share = k, x
				why = fmt.Sprintf("%.4g %% of its %d values are in %s.%s", 100*found, values, other.Name, other.Key)
			}
		}
	}
	if best >= 0 {
		other := db.Tables[best]
		t.Keys = append(t.Keys, dataset.ForeignKey{Column: t.Columns[j].Name, Table: other.Name, Target: other.Key,
			Why: why})
	}
}

// namesTable reports whether the name of a column speaks of a table: customer, customer_id, home_team_id, or the name
// of its key, unless that is only id.
func namesTable(name string, other *Table) bool {
	table, key := bareName(other.Name), bareName(other.Key)
	for _, x := range []string{table, singular(table)} {
		for _, end := range []string{"", "id", "key", "code", "no", "number"} {
			if strings.HasSuffix(name, x+end) && len(x) > 1 {
				return true
			}
		}
	}
	return key != "id" && key != "key" && key != "uuid" && strings.HasSuffix(name, key)
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
