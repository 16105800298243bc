package relational

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/bloomgml/bloom/dataset"
)

// Rows are questions with what the database knew when they were asked.
type Rows struct {
	Ask       *Ask
	Columns   []Column
	Questions []Question
	Edges     []Edge
}

// builder collects the columns of questions about rows of one table.
type builder struct {
	db      *Database
	ask     *Ask
	table   int
	list    []question
	kept    map[string]bool // nil for all
	columns []Column
}

// add adds columns.
func (b *builder) add(list ...Column) {
	for _, c := range list {
		if (b.kept == nil || b.kept[c.Name]) && (b.kept != nil || c.varies()) {
			b.columns = append(b.columns, c)
		}
	}
}

// addStreams adds the statistics of streams, computed side by side.
func (b *builder) addStreams(streams []*stream, list []question, brief bool) {
	done := make([][]Column, len(streams))
	var group sync.WaitGroup
	for i, s := range streams {
		group.Go(func() { done[i] = s.summarise(list, b.ask.horizon(), brief) })
	}
	group.Wait()
	for _, columns := range done {
		b.add(columns...)
	}
}

// Rows computes the columns of the questions of ask: those that say most about training labels.
// Of many questions some are enough to choose columns by.
func (db *Database) Rows(ask *Ask) *Rows {
	some := ask.sample(enough)
	r := db.allRows(some, nil)
	if r.choose(); some == ask {
		return r
	}
	kept := map[string]bool{}
	for _, c := range r.Columns {
		kept[c.Name] = true
	}
	if ask.Joined { // filtered columns of 100,000 rows take gigabytes
		ask.Joined = false
		ask.Notes = append(ask.Notes, fmt.Sprintf("%d questions are not joined: the limit is %d", len(ask.Questions),
			enough))
	}
	return db.allRows(ask, kept)
}

// enough is the number of questions that columns are chosen by, and the largest number that are joined.
const enough = 20_000

// allRows computes all columns, or those that are kept if that is not nil.
func (db *Database) allRows(ask *Ask, kept map[string]bool) *Rows {
	b := &builder{db: db, ask: ask, table: slices.Index(db.Tables, ask.table), kept: kept}
	for _, q := range ask.Questions {
		b.list = append(b.list, question{q.row, q.At.Unix() - q.age})
	}
	b.hideLabel()
	b.addOwn("", b.table, b.entities())
	b.addAge()
	streams := db.streams(b.table, true)
	b.addStreams(streams, b.list, false)
	labels := b.labels(ask.table.Name, b.entities(), ask.table.Rows)
	parents := b.parents(streams)
	for _, p := range parents {
		b.addOwn(p.name+".", p.table, p.rows)
		list := slices.Clone(b.list)
		for i := range list {
			list[i].entity = p.rows[i]
		}
		about := db.streams(p.table, false)
		for _, s := range about {
			s.name = p.name + "." + s.name
		}
		b.addStreams(about, list, true)
		labels = append(labels, b.labels(p.name, p.rows, db.Tables[p.table].Rows)...)
	}
	labels = append(labels, b.partnerLabels()...)
	labels = append(labels, b.labels("all", make([]int32, len(b.list)), 1)...)
	b.add(labels...)
	r := &Rows{Ask: ask, Questions: ask.Questions, Columns: b.columns}
	if ask.Joined {
		r.Edges = b.edges(parents)
	}
	return r
}

// varies reports whether a column has two different values.
func (c *Column) varies() bool {
	seen := math.NaN()
	for _, x := range c.Values {
		if math.IsNaN(x) {
			continue
		}
		if !math.IsNaN(seen) && x != seen {
			return true
		}
		seen = x
	}
	return false
}

// entities returns the row that every question is about.
func (b *builder) entities() []int32 {
	rows := make([]int32, len(b.list))
	for i, q := range b.list {
		rows[i] = q.entity
	}
	return rows
}

// addOwn adds the columns of the rows of table i, one for every question: times as years that have passed. Of a row
// that is not known yet, and of times that are still to come, there is nothing.
func (b *builder) addOwn(prefix string, i int, rows []int32) {
	t := b.db.Tables[i]
	for j, c := range t.Columns {
		var values []float64
		var levels []string
		switch isKey := c.Name != t.Time && t.isKey(c.Name); {
		case isKey:
			continue
		case c.Kind == dataset.Time, c.Kind == dataset.Calendar, c.Kind == dataset.Number, c.Kind == dataset.Category:
			values, levels = t.numbers(j)
		default:
			continue
		}
		if t.hidden[c.Name] {
			continue
		}
		column := Column{Name: prefix + c.Name, Values: make([]float64, len(rows)), Levels: levels}
		late := t.later(c.Name)
		for k, row := range rows {
			column.Values[k] = math.NaN()
			at := b.list[k].at
			if row < 0 || t.known[row] > at || late != nil && late[row] > at {
				continue
			}
			if x := values[row]; c.Kind != dataset.Time && c.Kind != dataset.Calendar {
				column.Values[k] = x
			} else if x <= float64(at) {
				column.Values[k] = (float64(at) - x) / (365.25 * day)
			}
		}
		b.add(column)
	}
}

// hideLabel finds columns of the entities that say what labels do. They are not known at the time of a question, of
// the entity or of others that lead to it.
func (b *builder) hideLabel() {
	for _, t := range b.db.Tables {
		t.hidden = map[string]bool{}
	}
	t := b.ask.table
	for j, c := range t.Columns {
		if t.isKey(c.Name) || !b.isLabel(t, j) {
			continue
		}
		t.hidden[c.Name] = true
		note := fmt.Sprintf("column %s.%s is the label, and not used", t.Name, c.Name)
		if !slices.Contains(b.ask.Notes, note) {
			b.ask.Notes = append(b.ask.Notes, note)
		}
	}
}

// isLabel reports whether a column of the entities says what the labels of questions do.
func (b *builder) isLabel(t *Table, j int) bool {
	same, labels := 0, 0
	for _, q := range b.ask.Questions {
		if q.row < 0 || q.Label == "" {
			continue
		}
		if labels++; t.text(j, int(q.row)) == q.Label {
			same++
		}
	}
	return labels > 0 && 100*same >= 99*labels
}

// parent is a row of another table for every question, −1 for none.
type parent struct {
	name  string
	table int
	rows  []int32
}

// parents returns the rows that the entity's row leads to, and those that its latest rows do: the team of a driver's
// last race. Tables whose rows have times are left out of the latter: they are events, which are in the streams.
func (b *builder) parents(streams []*stream) (list []parent) {
	t := b.ask.table
	for _, r := range t.refs {
		name := b.db.Tables[r.table].Name
		if r.table == b.table || slices.ContainsFunc(list, func(p parent) bool { return p.name == name }) {
			name += "." + r.column
		}
		p := parent{name, r.table, make([]int32, len(b.list))}
		for i, q := range b.list {
			if p.rows[i] = -1; q.entity >= 0 && t.known[q.entity] <= q.at {
				p.rows[i] = r.rows[q.entity]
			}
		}
		list = append(list, p)
	}
	for c, child := range b.db.Tables {
		for k, r := range child.refs {
			if r.table != b.table {
				continue
			}
			at := slices.IndexFunc(streams, func(s *stream) bool { return s.name == b.db.streamName(c, k) })
			if at < 0 {
				continue
			}
			var latest []int32
			for other, via := range child.refs {
				known := slices.ContainsFunc(list, func(p parent) bool { return p.table == via.table })
				if other == k || via.table == b.table || known || b.db.Tables[via.table].timed() {
					continue
				}
				if latest == nil {
					latest = streams[at].latest(b.list)
				}
				p := parent{b.db.Tables[via.table].Name, via.table, make([]int32, len(b.list))}
				for i, row := range latest {
					if p.rows[i] = -1; row >= 0 {
						p.rows[i] = via.rows[row]
					}
				}
				list = append(list, p)
			}
		}
	}
	return list
}

// partnerLabels returns the statistics of earlier labels of the entities that rows join to the one of a question: the
// accounts that it has paid. A label counts from when both it and the row are known, once for every row.
func (b *builder) partnerLabels() (columns []Column) {
	own := b.labelStream("", b.entities(), b.ask.table.Rows)
	for c, t := range b.db.Tables {
		for k, r := range t.refs {
			for other, via := range t.refs {
				if c == b.table || other == k || r.table != b.table || via.table != b.table {
					continue
				}
				s := &stream{name: "label." + b.db.streamName(c, other), measures: slices.Clone(own.measures)}
				values := []float64{}
				for v, e := range r.rows {
					partner := via.rows[v]
					if e < 0 || partner < 0 || partner == e || t.known[v] == never {
						continue
					}
					known := own.order[own.first[partner]:own.first[partner+1]]
					for _, i := range known[max(0, len(known)-few):] {
						s.entity, s.known = append(s.entity, e), append(s.known, max(t.known[v], own.known[i]))
						values = append(values, own.measures[0].values[i])
					}
				}
				s.measures[0].values = values
				s.sort(b.ask.table.Rows)
				columns = append(columns, s.values(b.list, b.ask.horizon(), true)...)
			}
		}
	}
	return columns
}

// labels returns the statistics of earlier labels of questions with the same row of a table of n rows. A label is known
// a horizon after its question was asked, unless it is to be tested. How many there are, and since when, is left out:
// nobody knows the labels of later questions, which no model has seen before.
func (b *builder) labels(name string, rows []int32, n int) []Column {
	s := b.labelStream(name, rows, n)
	list := slices.Clone(b.list)
	for i := range list {
		list[i].entity = rows[i]
	}
	return s.values(list, b.ask.horizon(), true)
}

// labelStream returns the labels of questions as rows about a row of a table each, from when they are known.
func (b *builder) labelStream(name string, rows []int32, n int) *stream {
	s := &stream{name: "label." + name, entity: slices.Clone(rows), known: make([]int64, len(rows))}
	m := measure{name: "value", values: make([]float64, len(rows))}
	for i, q := range b.ask.Questions {
		m.values[i] = q.value
		s.known[i] = q.At.Unix() + b.ask.horizon()
		if q.Split == "test" || math.IsNaN(q.value) {
			s.entity[i] = -1
		}
	}
	if b.ask.levels != nil {
		m.levels, m.tracked = b.ask.levels, min(mostTracked, len(b.ask.levels))
	}
	s.measures = []measure{m}
	s.sort(n)
	return s
}

// Texts returns the table: names of columns, and the values of a row as texts.
func (r *Rows) Texts() (names []string, row func(i int) []string) {
	names = append(names, "row", r.Ask.Entity, r.Ask.At)
	for _, c := range r.Columns {
		names = append(names, c.Name)
	}
	names = append(names, r.Ask.Label, "split")
	return names, func(i int) []string {
		q := r.Questions[i]
		list := []string{q.name(), q.Entity, q.text()}
		for _, c := range r.Columns {
			x, text := c.Values[i], ""
			if !math.IsNaN(x) {
				if text = fmt.Sprintf("%.7g", x); c.Levels != nil {
					text = c.Levels[int(x)]
				}
			}
			list = append(list, text)
		}
		return append(list, q.Label, q.Split)
	}
}
