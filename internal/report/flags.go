package report

import (
	"fmt"
	"html"
	"strings"

	"github.com/bloomgml/bloom/internal/chart"
	"github.com/bloomgml/bloom/nodes"
)

// mostFlags is how many rows the tables of an audit have.
const mostFlags = 12

// flags are the first rows, classes and edges of an audit.
type flags struct {
	wrong         nodes.WrongShares
	rows          []rowFlag
	labels, edges []flag
}

// flag is a class or an edge.
type flag struct {
	Name, Probability, About string
	Bad                      bool // what is given and what is expected differ
}

// rowFlag is a row of features.
type rowFlag struct {
	flag
	Part   string
	Spoilt bool // known to be corrupted
}

// flags takes the first rows, classes and edges of the audit, at most mostFlags of each.
func (r *Run) flags() *flags {
	a, class := r.Audit, r.Trained.Data.Labels.Class
	f := &flags{wrong: a.Wrong, rows: r.rowFlags()}
	for _, x := range a.Labels[:min(mostFlags, len(a.Labels))] {
		f.labels = append(f.labels, flag{x.ID, percent(x.Probability), x.Given + " → " + x.Proposed,
			x.Given != x.Proposed})
	}
	for _, x := range a.Edges[:min(mostFlags, len(a.Edges))] {
		e := flag{Name: x.Source + " – " + x.Target, Probability: percent(x.Probability)}
		if class != nil {
			u, v := class[x.U], class[x.V]
			e.About, e.Bad = r.className(u)+" – "+r.className(v), u >= 0 && v >= 0 && u != v
		}
		f.edges = append(f.edges, e)
	}
	return f
}

// rowFlags are rows with the columns to blame.
func (r *Run) rowFlags() (rows []rowFlag) {
	part, spoilt := map[int32]string{}, map[int32]bool{}
	s := r.Trained.Split
	for name, nodes := range map[string][]int32{"train": s.Train, "valid": s.Valid, "test": s.Test} {
		for _, v := range nodes {
			part[v] = name
		}
	}
	for _, v := range r.Trained.Data.Corrupted {
		spoilt[v] = true
	}
	for _, x := range r.Audit.Rows[:min(mostFlags, len(r.Audit.Rows))] {
		var columns []string
		for _, c := range x.Blamed() {
			columns = append(columns, fmt.Sprintf("%s %s, expected %s", c.Name, chart.Compact(c.Value),
				chart.Compact(c.Expected)))
		}
		rows = append(rows, rowFlag{flag{Name: x.ID, Probability: percent(x.Probability),
			About: strings.Join(columns, "; ")}, part[x.Node], spoilt[x.Node]})
	}
	return rows
}

// write shows the tables.
func (f *flags) write(m *markup) {
	m.raw("<p>Each is judged by what the rest of the data says when it is left out; probabilities are of being " +
		"wrong.</p>\n<div class=\"grid wide\">\n")
	if len(f.rows) > 0 {
		m.raw("<figure>\n<h3>Rows</h3>\n")
		m.table([]string{"node", "probability#", "columns to look at", "part"}, func() {
			for _, x := range f.rows {
				name := html.EscapeString(x.Name) + when(x.Spoilt, ` <span class="tag">corrupted</span>`)
				m.row("", name, cell{"n", x.Probability}, cell{"", x.About}, cell{"", x.Part})
			}
		})
		seem(m, f.wrong.Rows)
	}
	f.table(m, "Classes", "node", "given → proposed", f.wrong.Labels, f.labels)
	f.table(m, "Edges", "edge", "classes", f.wrong.Edges, f.edges)
	m.raw("</div>\n")
}

// table shows classes or edges.
func (f *flags) table(m *markup, what, thing, about string, wrong float64, list []flag) {
	if len(list) == 0 {
		return
	}
	m.f("<figure>\n<h3>%s</h3>\n", what)
	m.table([]string{thing, "probability#", about}, func() {
		for _, x := range list {
			m.row("", html.EscapeString(x.Name), cell{"n", x.Probability}, cell{when(x.Bad, "bad"), x.About})
		}
	})
	seem(m, wrong)
}

// seem ends a table with how many of all are wrong.
func seem(m *markup, wrong float64) {
	m.f("<figcaption>About %s of all seem wrong.</figcaption>\n</figure>\n", percent(wrong))
}
