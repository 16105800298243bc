package importer

import (
	"fmt"

	"github.com/bloomgml/bloom/dataset"
)

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
