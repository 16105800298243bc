package relational

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
)

// Chosen: a column is told by a later time if hardly a value is there without that time, or if values say in nearly
// all rows whether the time is there: a status is cancelled where cancelled_at is not empty.
const (
	mostEarly   = 0.005 // share of the values of rows without the time
	mostLevels  = 20    // different values of a status
	leastTold   = 0.95  // share of the rows that a guess gets wrong, of which a status tells the truth
	fewRows     = 5     // that a guess gets wrong
	byChance    = 0.01
	mostTouched = 0.99 // share of the rows with the time; above, values tell nothing about it
	leastAfter  = 0.95 // share of the times that are not before that of their row
)

// findLater finds columns that became known later than their row, with a time of their own.
func (t *Table) findLater() {
	for _, l := range t.lateTimes() {
		late := t.seconds(l)
		there := 0
		for _, s := range late {
			if s != never {
				there++
			}
		}
		if there == 0 || float64(there) > mostTouched*float64(t.Rows) {
			continue
		}
		for j, c := range t.Columns {
			_, given := t.Later[c.Name]
			if given || t.isKey(c.Name) || c.Kind != dataset.Number && c.Kind != dataset.Category {
				continue
			}
			if values, _ := t.numbers(j); toldBy(values, late, there) {
				t.setLater(c.Name, t.Columns[l].Name)
			}
		}
	}
}

// giveLater says that a column became known with a time of its own, or with its row if time is "none".
func (t *Table) giveLater(column, time string) error {
	j, l := t.column(column), t.column(time)
	for name, at := range map[string]int{column: j, time: l} {
		if at < 0 && name != "none" {
			return fmt.Errorf("table %s has no column %q", t.Name, name)
		}
	}
	if time == "none" {
		t.setLater(t.Columns[j].Name, "")
	} else if k := t.Columns[l].Kind; k != dataset.Time && k != dataset.Calendar {
		return fmt.Errorf("%s.%s is not a column of times", t.Name, time)
	} else {
		t.setLater(t.Columns[j].Name, t.Columns[l].Name)
	}
	return nil
}

// setLater says with which time of its row a column became known; empty: with the row.
func (t *Table) setLater(column, time string) {
	if t.Later == nil {
		t.Later = map[string]string{}
	}
	t.Later[column] = time
}

// isKey reports whether a column names rows, of this table or of another, or is the time of rows.
func (t *Table) isKey(column string) bool {
	return column == t.Key || column == t.Time ||
		slices.ContainsFunc(t.Keys, func(k dataset.ForeignKey) bool {
			return slices.Contains(strings.Split(k.Column, "+"), column) || k.Column == column
		})
}

// lateTimes returns the columns of times that are not before the time of their row.
func (t *Table) lateTimes() (list []int) {
	row := t.column(t.Time)
	for j, c := range t.Columns {
		if c.Kind != dataset.Time && c.Kind != dataset.Calendar || t.isKey(c.Name) {
			continue
		}
		if row >= 0 {
			first, both, after := t.seconds(row), 0, 0
			for i, s := range t.seconds(j) {
				if s == never || first[i] == never {
					continue
				}
				if both++; s >= first[i] {
					after++
				}
			}
			if both == 0 || float64(after) < leastAfter*float64(both) {
				continue
			}
		}
		list = append(list, j)
	}
	return list
}

// toldBy reports whether values are known only when a time is there, as it is in some rows: because hardly one is there
// without it, which is not by chance, or because values say whether it is.
func toldBy(values []float64, late []int64, there int) bool {
	early, present, of := 0, 0, map[float64][2]int{} // rows of a value with the time and without
	for i, x := range values {
		without := 0
		if late[i] == never {
			without = 1
		}
		if math.IsNaN(x) {
			x = math.Inf(1) // NaN finds itself in no map
		} else {
			present, early = present+1, early+without
		}
		if n, known := of[x]; known || len(of) <= mostLevels {
			n[without]++
			of[x] = n
		}
	}
	share := float64(there) / float64(len(values))
	if float64(early) <= mostEarly*float64(present) && float64(present)*math.Log(share) < math.Log(byChance) {
		return true
	}
	wrong, guess := 0, min(there, len(values)-there)
	for _, n := range of {
		wrong += min(n[0], n[1])
	}
	return len(of) <= mostLevels && guess >= fewRows && float64(wrong) <= (1-leastTold)*float64(guess)
}

// later returns the seconds at which values of a column became known, nil if they did with their rows.
func (t *Table) later(column string) []int64 {
	if l := t.column(t.Later[column]); t.Later[column] != "" && l >= 0 {
		return t.seconds(l)
	}
	return nil
}

// lateStreams returns the rows of a stream of table c again for each of their later times, with the columns that are
// known from that time on: that a subscription was cancelled, and why.
func (db *Database) lateStreams(c int, s *stream, entities int) (list []*stream) {
	t := db.Tables[c]
	for _, l := range t.lateTimes() {
		name := t.Columns[l].Name
		late := &stream{name: s.name + "." + name, entity: s.entity, known: t.seconds(l)}
		for i, at := range t.known {
			late.known[i] = max(late.known[i], at)
		}
		for _, m := range t.ownMeasures() {
			if t.Later[m.name] == name && !t.hidden[m.name] {
				late.measures = append(late.measures, m)
			}
		}
		late.sort(entities)
		list = append(list, late)
	}
	return list
}
