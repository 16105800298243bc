package report

import (
	"fmt"
	"strings"

	"github.com/bloomgml/bloom/internal/show"
)

// mostFlags is the maximum number of rows in the tables of an audit.
const mostFlags = 12

// flagged is the first rows, classes or edges of an audit.
type flagged struct {
	Title, Thing, About string
	Parts               bool // there is a column for the part of the split
	Flags               []flag
	Wrong               float64 // share of all that seem wrong
}

// flag is a row, a class or an edge.
type flag struct {
	Name        string
	Probability float64
	About       string
	Part        string
	Bad         bool // what is given and what is expected differ
	Spoilt      bool // known to be corrupted
}

// flags returns the tables of the audit; none without one.
func (r *Run) flags() (tables []flagged) {
	a, class := r.Audit, r.Trained.Data.Labels.Class
	if a == nil {
		return nil
	}
	rows := flagged{Title: "Rows", Thing: "node", About: "columns to look at", Parts: true, Wrong: a.Wrong.Rows,
		Flags: r.rowFlags()}
	labels := flagged{Title: "Classes", Thing: "node", About: "given → proposed", Wrong: a.Wrong.Labels}
	for _, x := range a.Labels[:min(mostFlags, len(a.Labels))] {
		labels.Flags = append(labels.Flags, flag{Name: x.ID, Probability: x.Probability,
			About: x.Given + " → " + x.Proposed, Bad: x.Given != x.Proposed})
	}
	edges := flagged{Title: "Edges", Thing: "edge", About: "classes", Wrong: a.Wrong.Edges}
	for _, x := range a.Edges[:min(mostFlags, len(a.Edges))] {
		e := flag{Name: x.Source + " – " + x.Target, Probability: x.Probability}
		if class != nil {
			u, v := class[x.U], class[x.V]
			e.About, e.Bad = r.className(u)+" – "+r.className(v), u >= 0 && v >= 0 && u != v
		}
		edges.Flags = append(edges.Flags, e)
	}
	for _, t := range []flagged{rows, labels, edges} {
		if len(t.Flags) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}

// rowFlags returns rows with the columns to blame.
func (r *Run) rowFlags() (rows []flag) {
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
			columns = append(columns, fmt.Sprintf("%s %s, expected %s", c.Name, show.Compact(c.Value),
				show.Compact(c.Expected)))
		}
		rows = append(rows, flag{Name: x.ID, Probability: x.Probability, About: strings.Join(columns, "; "),
			Part: part[x.Node], Spoilt: spoilt[x.Node]})
	}
	return rows
}
