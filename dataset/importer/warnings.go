package importer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
)

// Warning begins the notes of a data set about what an import lost, or what makes its labels doubtful.
const Warning = "warning: "

// loud is the share of lost rows, or of lost values of a column, from which there is a warning.
const loud = 0.05

// fewLabels is the minimum number of labelled rows to tell whether a column is a copy of the label.
const fewLabels = 20

func known(classes []int32) (n int) {
	for _, c := range classes {
		if c >= 0 {
			n++
		}
	}
	return n
}

// hardlyAny is the number of labels below which a score means little.
const hardlyAny = 10

// warnings returns what the user must know before training.
func (im *importer) warnings(d *dataset.Dataset) (list []string) {
	add := func(format string, args ...any) { list = append(list, Warning+fmt.Sprintf(format, args...)) }
	for _, t := range slices.Concat(im.report.Nodes, im.report.Edges) {
		if float64(t.Rejected) > loud*float64(t.Rows) {
			add("%s: %d of %d rows could not be used, such as %s", t.Table, t.Rejected, t.Rows,
				im.reject.firstOf[t.Table])
		}
		for _, c := range t.Columns {
			if rows := im.rowsOf(&t); float64(c.Unread) > loud*float64(rows) {
				add("%s: %d of %d values of column %q are not a %s and count as missing, such as %.40q", t.Table,
					c.Unread, rows, c.Name, c.Kind, c.Example)
			}
		}
	}
	if d.Labels.Class == nil {
		if text := im.likelyLabel(); text != "" && im.spec.Label == "" {
			list = append(list, text)
		}
		return list
	}
	if n := known(d.Labels.Class); n < hardlyAny {
		add("only %d rows have a label: an answer is hardly more than a guess, and so is its score; label more", n)
	}
	for _, t := range im.report.Nodes {
		told := func(c dataset.Column) bool { return c.Why != allMissing }
		if len(t.Columns) > 0 && !slices.ContainsFunc(t.Columns, told) {
			add("%s: all values of its columns are missing: only edges tell its rows apart", t.Table)
		}
	}
	if len(d.Labels.Names) == 1 && d.Labels.Task == "" {
		add("all labels are %q: there is nothing to learn", d.Labels.Names[0])
	}
	for _, x := range im.leaks() {
		text := "gives away nearly every label %q; if it is known only afterwards, results will be too good to be true;"
		if x.copy {
			text = "is a copy of the label %q;"
		}
		advice := fmt.Sprintf("--kind %s leaves it out", flagValue(x.name+"="+dataset.Skipped))
		if im.spec.Advice != nil {
			advice = im.spec.Advice(x.name)
		}
		if advice != "" {
			add("column %q "+text+" %s", x.name, im.spec.Label, advice)
		}
	}
	if d.Labels.Task == "" {
		list = append(list, missingClasses(d)...)
	}
	return list
}

// rowsOf returns how many rows of a table are used.
func (im *importer) rowsOf(t *TableReport) int { return t.Rows - t.Rejected }

// isCopy reports whether values and labels of the rows that have a label go together one to one, and come again.
func isCopy(values, labels *dataset.Texts) bool {
	of, back := map[string]string{}, map[string]string{}
	labelled := 0
	for i := range labels.Len() {
		label := strings.TrimSpace(string(labels.Get(i)))
		if IsMissing(label) {
			continue
		}
		labelled++
		value := strings.TrimSpace(string(values.Get(i)))
		if before, known := of[value]; known && before != label {
			return false
		}
		if before, known := back[label]; known && before != value {
			return false
		}
		of[value], back[label] = label, value
	}
	return labelled >= fewLabels && len(back) > 1 && 2*len(back) <= labelled
}

// missingClasses warns of parts of splits that have no node of a class.
func missingClasses(d *dataset.Dataset) (list []string) {
	if len(d.Splits) == 0 {
		return nil
	}
	s := d.Splits[0] // the others are made in the same way
	for part, nodes := range [][]int32{s.Train, s.Valid, s.Test} {
		seen := make([]bool, len(d.Labels.Names))
		for _, v := range nodes {
			if c := d.Labels.Class[v]; c >= 0 {
				seen[c] = true
			}
		}
		var lacking []string
		for c, name := range d.Labels.Names {
			if !seen[c] {
				lacking = append(lacking, name)
			}
		}
		if len(lacking) > 0 && len(nodes) > 0 {
			list = append(list, Warning+fmt.Sprintf("no node to %s has the class %s", partUse[part],
				quotedList(lacking[:min(3, len(lacking))])))
		}
	}
	return list
}

// A column of nodes may be what the user wants to know if at least the share gap of its values is missing, which is
// `ahead` times what any other column lacks.
const (
	gap   = 0.2
	ahead = 1.5
)

// likelyLabel returns a note about the column of nodes that looks like a label; empty if none does.
func (im *importer) likelyLabel() (note string) {
	most, next := 0, 0
	for _, t := range im.report.Nodes {
		rows := im.rowsOf(&t)
		for _, c := range t.Columns {
			if c.Missing <= most {
				next = max(next, c.Missing)
				continue
			}
			most, next, note = c.Missing, most, ""
			known := rows - c.Missing
			if c.Kind != dataset.Skipped && known >= fewLabels && float64(c.Missing) >= gap*float64(rows) {
				note = fmt.Sprintf("column %q is known for %d of %d rows: if that is what to predict, import again "+
					"with --label %s; now links are predicted", c.Name, known, rows, flagValue(c.Name))
			}
		}
	}
	if float64(most) < ahead*float64(next) {
		return ""
	}
	return note
}
