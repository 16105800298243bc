package importer

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
)

// leak is a column that gives away the label.
type leak struct {
	name string
	copy bool // one to one
}

// fewOthers is the minimum number of rows with another label than the most frequent to tell whether a column gives
// labels away.
const fewOthers = 10

// leaks returns the columns, other than those made from edges, that give away the labels of nearly all rows.
func (im *importer) leaks() (list []leak) {
	t, task := im.labelled(), im.labels.Task
	raw := im.raw.Nodes[t]
	at := slices.IndexFunc(raw, func(c dataset.RawColumn) bool { return c.Name == im.spec.Label })
	if at < 0 {
		return nil
	}
	labels := im.labelTexts(&raw[at].Values)
	k := 0 // both are in the same order
	for i := range im.schema.Types[t].Columns {
		c := &im.schema.Types[t].Columns[i]
		for k < len(raw) && raw[k].Name != c.Name {
			k++
		}
		if c.Width() == 0 || k == len(raw) || im.schema.Made(c.Name) {
			continue
		}
		switch values := &raw[k].Values; {
		case isCopy(values, &raw[at].Values):
			list = append(list, leak{c.Name, true})
		case task == dataset.Numbers && c.Kind == dataset.Number && im.follows(t, c, values),
			task == "" && tells(c, values, labels):
			list = append(list, leak{c.Name, false})
		}
	}
	return list
}

// labelTexts returns the labels with one spelling of every class, empty for nodes without a label.
func (im *importer) labelTexts(values *dataset.Texts) []string {
	same, texts := im.schema.Types[im.labelled()].Same, make([]string, values.Len())
	for i := range texts {
		text := strings.TrimSpace(values.Text(i))
		if to, found := same[text]; found {
			text = to
		}
		if !IsMissing(text) {
			texts[i] = text
		}
	}
	return texts
}

// follows reports whether the numbers of a column of type t and number labels have a correlation of 0.98 or more.
func (im *importer) follows(t int, c *dataset.Column, values *dataset.Texts) bool {
	n, xm, ym, xx, yy, xy := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	for i := range values.Len() {
		v := im.nodes.at(t, i)
		x, ok := Number(c, strings.TrimSpace(values.Text(i)))
		if !ok || im.labels.Class[v] < 0 {
			continue
		}
		n++
		y := float64(im.labels.Values[v])
		dx, dy := x-xm, y-ym
		xm, ym = xm+dx/n, ym+dy/n
		xx, yy, xy = xx+dx*(x-xm), yy+dy*(y-ym), xy+dx*(y-ym)
	}
	return n >= fewLabels && math.Abs(xy) >= 0.98*math.Sqrt(xx*yy) && xx*yy > 0
}

// tells reports whether a column alone tells the class of nearly all rows, by its levels, by the order of its numbers
// or times, or by where it has a value.
//
// Chosen: what is left of the Gini impurity n(1 − Σp²) of the labels is a tenth or less. Rows in the order of their
// numbers have one for each two in a row that differ.
func tells(c *dataset.Column, values *dataset.Texts, labels []string) bool {
	groups, all := map[string]map[string]int{}, map[string]int{}
	type row struct {
		x     float64
		label string
	}
	var rows []row
	n, ordered := 0, c.Kind == dataset.Number || c.Kind == dataset.Time || c.Kind == dataset.Calendar
	for i, label := range labels {
		if label == "" {
			continue
		}
		n++
		all[label]++
		text := strings.TrimSpace(values.Text(i))
		if x, ok := orderOf(c, text); ok {
			rows = append(rows, row{x, label})
			continue
		}
		if ordered || IsMissing(text) {
			text = ""
		} else if same, found := c.Same[text]; found {
			text = same
		}
		if groups[text] == nil {
			groups[text] = map[string]int{}
		}
		groups[text][label]++
	}
	most := 0
	for _, count := range all {
		most = max(most, count)
	}
	if n < fewLabels || n-most < fewOthers || !ordered && 5*len(groups) > n || c.Kind == dataset.Text {
		return false
	}
	left := 0.0
	for _, g := range groups {
		left += impurity(g)
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.x, b.x), strings.Compare(a.label, b.label))
	})
	for begin := 0; begin < len(rows); {
		end, same := begin, map[string]int{}
		for ; end < len(rows) && rows[end].x == rows[begin].x; end++ {
			same[rows[end].label]++
		}
		if left += impurity(same); begin > 0 && rows[begin].label != rows[begin-1].label {
			left++
		}
		begin = end
	}
	return left <= impurity(all)/10
}

// orderOf returns the number that orders a value of a column of numbers or times.
func orderOf(c *dataset.Column, text string) (float64, bool) {
	switch c.Kind {
	case dataset.Number:
		x, ok := Number(c, text)
		return x, ok && !slices.Contains(c.Absent, x)
	case dataset.Time, dataset.Calendar:
		t, ok := Moment(c, text)
		return float64(t.Unix()), ok
	}
	return 0, false
}

// impurity returns n(1 − Σp²) of n labels.
func impurity(count map[string]int) float64 {
	n, squares := 0.0, 0.0
	for _, k := range count {
		n += float64(k)
		squares += float64(k) * float64(k)
	}
	if n == 0 {
		return 0
	}
	return n - squares/n
}
