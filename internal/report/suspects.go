package report

import (
	"fmt"
	"html"

	"github.com/bloomgml/bloom/internal/chart"
)

// The rows of the tables of an audit.
const (
	mostSuspects = 20
	mostShares   = 10
)

// suspects shows the facts that an audit finds least likely, and the relations that have the most of them.
func (r *Links) suspects(m *markup) {
	a := r.Audit
	m.f("<p>Training and validation facts that rank worse than is usual for their relation, if the model is not told "+
		"about them: mistakes, or what "+
		"nothing else in the graph speaks for. %s facts were judged; audit.csv has all.</p>\n", thousands(len(a.Facts)))
	m.raw("<div class=\"grid wide\">\n<figure>\n<h3>Least expected facts</h3>\n")
	m.table([]string{"head", "relation", "tail", "part", "rank of tail#", "rank of head#", "suspicion#"}, func() {
		for _, x := range a.Facts[:min(mostSuspects, len(a.Facts))] {
			m.row("", html.EscapeString(x.Head), cell{"", x.Relation}, cell{"", x.Tail}, cell{"", x.Part},
				cell{"n", chart.Compact(x.TailRank)}, cell{"n", chart.Compact(x.HeadRank)},
				cell{"n", fmt.Sprintf("%.2f", x.Suspicion)})
		}
	})
	m.raw("</figure>\n<figure>\n<h3>Relations by their share of suspicious facts</h3>\n")
	m.table([]string{"relation", "facts#", "share#"}, func() {
		for _, x := range a.Relations[:min(mostShares, len(a.Relations))] {
			m.row("", html.EscapeString(x.Relation), cell{"n", thousands(x.Facts)}, cell{"n", percent(x.Share)})
		}
	})
	m.f("<figcaption>Suspicious are the %s facts that stand first.</figcaption>\n</figure>\n</div>\n",
		thousands(a.Flagged))
}
