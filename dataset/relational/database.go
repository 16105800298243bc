package relational

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/importer"
	"github.com/bloomgml/bloom/internal/keys"
)

// Database is tables that lead to one another by keys.
type Database struct {
	Name   string
	Tables []*Table
	Notes  []string // what reading found odd, a sentence each
}

// Table is one table of a database.
type Table struct {
	dataset.TableKeys
	Raw []dataset.RawColumn // values as they came, in the order of Columns

	refs  []reference // one per foreign key
	known []int64     // when every row became known, in seconds; always for a table without times
	index *keyIndex
	// columns that say something about rows; nil until they are needed
	measured []measure
	hidden   map[string]bool // columns that say what the labels of the questions do
}

// reference is a foreign key: the row of another table that every row leads to.
type reference struct {
	column string
	table  int
	rows   []int32 // −1 if the key is missing or broken
}

// always is the time of rows that were known before all others, and never that of rows whose time is missing.
const always, never = math.MinInt64, math.MaxInt64

// Find returns the table of a name, in any case.
func (db *Database) Find(name string) (*Table, error) {
	var names []string
	for _, t := range db.Tables {
		if strings.EqualFold(t.Name, name) {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return nil, fmt.Errorf("there is no table %q; tables are %s%s", name, strings.Join(names, ", "),
		keys.Suggest(name, names, ""))
}

// column returns the index of a column, −1 if there is none.
func (t *Table) column(name string) int {
	return slices.IndexFunc(t.Columns, func(c dataset.Column) bool { return strings.EqualFold(c.Name, name) })
}

// keyColumns returns the columns of a key, several with plus signs between them; nil if one is not there.
func (t *Table) keyColumns(key string) (list []int) {
	if j := t.column(key); j >= 0 {
		return []int{j}
	}
	for _, name := range strings.Split(key, "+") {
		j := t.column(name)
		if j < 0 {
			return nil
		}
		list = append(list, j)
	}
	return list
}

// keyName returns a key with the names of columns as they are.
func (t *Table) keyName(key string) (string, error) {
	var names []string
	for _, j := range t.keyColumns(key) {
		names = append(names, t.Columns[j].Name)
	}
	if names == nil {
		return "", fmt.Errorf("table %s has no column %q", t.Name, key)
	}
	return strings.Join(names, "+"), nil
}

// text returns a value without surrounding spaces, empty if it is missing.
func (t *Table) text(j, i int) string {
	s := strings.TrimSpace(string(t.Raw[j].Values.Get(i)))
	if importer.IsMissing(s) {
		return ""
	}
	return s
}

// seconds returns the times of column j; a missing one is never.
func (t *Table) seconds(j int) []int64 {
	list := make([]int64, t.Rows)
	for i := range list {
		list[i] = never
		if at, ok := importer.Moment(&t.Columns[j], t.text(j, i)); ok {
			list[i] = at.Unix()
		}
	}
	return list
}

// numbers returns the values of column j, NaN if missing: numbers, the level of categories, seconds of times.
func (t *Table) numbers(j int) (values []float64, levels []string) {
	c := &t.Columns[j]
	values = make([]float64, t.Rows)
	at := map[string]float64{}
	for i := range values {
		values[i] = math.NaN()
		s := t.text(j, i)
		if s == "" {
			continue
		}
		switch c.Kind {
		case dataset.Number:
			if x, ok := importer.Number(c, s); ok {
				values[i] = x
			}
		case dataset.Time, dataset.Calendar:
			if x, ok := importer.Moment(c, s); ok {
				values[i] = float64(x.Unix())
			}
		default:
			if same, ok := c.Same[s]; ok {
				s = same
			}
			k, known := at[s]
			if !known {
				k = float64(len(levels))
				at[s], levels = k, append(levels, s)
			}
			values[i] = k
		}
	}
	if c.Kind == dataset.Number || c.Kind == dataset.Time || c.Kind == dataset.Calendar {
		levels = nil
	}
	return values, levels
}

// link resolves keys and times, after all tables have been read.
func (db *Database) link() error {
	for _, t := range db.Tables {
		t.refs = nil
		for k := range t.Keys {
			r, err := db.resolve(t, &t.Keys[k])
			if err != nil {
				return err
			}
			t.refs = append(t.refs, r)
		}
	}
	for _, t := range db.Tables {
		t.known = nil
	}
	for i := range db.Tables {
		db.learnTimes(i, make([]bool, len(db.Tables)))
	}
	return nil
}

// resolve finds the rows that a foreign key leads to.
func (db *Database) resolve(t *Table, k *dataset.ForeignKey) (reference, error) {
	to := slices.IndexFunc(db.Tables, func(x *Table) bool { return x.Name == k.Table })
	columns := t.keyColumns(k.Column)
	if to < 0 || columns == nil {
		return reference{}, fmt.Errorf("key %s.%s=%s.%s: there is no such column or table", t.Name, k.Column, k.Table,
			k.Target)
	}
	index, err := db.Tables[to].indexBy(k.Target)
	if err != nil {
		return reference{}, err
	}
	r := reference{column: k.Column, table: to, rows: make([]int32, t.Rows)}
	k.Missing, k.Broken, k.Example = 0, 0, ""
	for i := range r.rows {
		r.rows[i] = -1
		s := index.text(t, columns, i)
		if s == "" {
			k.Missing++
		} else if row, ok := index.find(s); ok {
			r.rows[i] = row
		} else if k.Broken++; k.Broken == 1 {
			k.Example = strings.ReplaceAll(s, "\x1f", "+")
		}
	}
	return r, nil
}

// learnTimes finds when the rows of a table became known: at the time that its column says; where it has none, when the
// latest of the rows that it leads to did, as the rows of an order are known with the order.
func (db *Database) learnTimes(i int, busy []bool) {
	t := db.Tables[i]
	if t.known != nil || busy[i] {
		return
	}
	busy[i] = true
	if j := t.column(t.Time); t.Time != "" && j >= 0 {
		t.known = t.seconds(j)
		return
	}
	known := make([]int64, t.Rows)
	for v := range known {
		known[v] = always
	}
	for _, r := range t.refs {
		if db.learnTimes(r.table, busy); db.Tables[r.table].known == nil { // a cycle of keys
			continue
		}
		for v, u := range r.rows {
			if u >= 0 {
				known[v] = max(known[v], db.Tables[r.table].known[u])
			}
		}
	}
	t.known = known
	busy[i] = false
}

// timed reports whether rows of the table become known at a time.
func (t *Table) timed() bool {
	return slices.ContainsFunc(t.known, func(s int64) bool { return s != always })
}
