package relational

import (
	"fmt"
	"strings"

	"github.com/bloomgml/bloom/internal/build"
)

// keyIndex finds rows by the values of a column.
type keyIndex struct {
	names    *build.Names
	rows     []int32 // the first row of every name
	exact    bool    // case counts: values differ by nothing else
	repeated int     // rows whose value an earlier one has
	example  string
}

// key returns what keys are compared by: without spaces, in lower case unless case counts, and 7 for 7.0, which a
// column of whole numbers becomes if values are missing.
func (x *keyIndex) key(s string) string {
	s = strings.TrimSpace(s)
	if whole, zeros, found := strings.Cut(s, "."); found && whole != "" && strings.Trim(zeros, "0") == "" &&
		strings.Trim(whole, "-0123456789") == "" {
		return whole
	}
	if x.exact {
		return s
	}
	return strings.ToLower(s)
}

// text returns what a row has in the columns of a key, empty if one of them is missing.
func (x *keyIndex) text(t *Table, columns []int, i int) string {
	if len(columns) == 1 {
		return x.key(t.text(columns[0], i))
	}
	var parts []string
	for _, j := range columns {
		s := x.key(t.text(j, i))
		if s == "" {
			return ""
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, "\x1f")
}

// find returns the row of a text.
func (x *keyIndex) find(s string) (int32, bool) {
	id, ok := x.names.Find([]byte(x.key(s)))
	if !ok {
		return -1, false
	}
	return x.rows[id], true
}

// mostRepeated is the share of rows that may repeat the key of an earlier one: keys lead to the first.
const mostRepeated = 0.02

// indexBy returns the rows of a table by a key whose values differ, or nearly all of them.
func (t *Table) indexBy(column string) (*keyIndex, error) {
	if t.index != nil && column == t.Key {
		return t.index, nil
	}
	columns := t.keyColumns(column)
	if columns == nil {
		return nil, fmt.Errorf("table %s has no column %q", t.Name, column)
	}
	x, missing := t.indexColumns(columns, false)
	if x.repeated > 0 {
		if y, _ := t.indexColumns(columns, true); y.repeated == 0 {
			x = y
		}
	}
	if missing > 0 {
		return nil, fmt.Errorf("%s.%s cannot be a key: %d of %d rows have no value", t.Name, column, missing, t.Rows)
	}
	if float64(x.repeated) > mostRepeated*float64(t.Rows) {
		return nil, fmt.Errorf("%s.%s cannot be a key: %d of %d rows repeat a value, such as %q", t.Name, column,
			x.repeated, t.Rows, x.example)
	}
	if column == t.Key {
		t.index = x
	}
	return x, nil
}

// indexColumns indexes the columns of a key; missing is the number of rows without a value.
func (t *Table) indexColumns(columns []int, exact bool) (x *keyIndex, missing int) {
	x = &keyIndex{names: build.NewNames(t.Rows, 0), exact: exact}
	for i := range t.Rows {
		s := x.text(t, columns, i)
		if s == "" {
			missing++
			continue
		}
		if id := x.names.ID([]byte(s)); int(id) == len(x.rows) {
			x.rows = append(x.rows, int32(i))
		} else if x.repeated++; x.repeated == 1 {
			x.example = s
		}
	}
	return x, missing
}
