package fact

import (
	"io"
	"strconv"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/metric"
)

// writeRanks writes a row for every fact, by the names of d.
func writeRanks(w io.Writer, d *dataset.Dataset, ranked []metric.Ranked) error {
	rank := func(r metric.Ranking) string { return strconv.FormatFloat(r.Rank(metric.Realistic), 'g', -1, 64) }
	return writeTable(w, factColumns, ranked, func(x metric.Ranked) []string {
		return []string{d.IDs.At(x.Fact.U), d.RelationName(x.Fact.R), d.IDs.At(x.Fact.V), rank(x.Tail), rank(x.Head),
			strconv.Itoa(x.Tail.Negatives), strconv.Itoa(x.Head.Negatives)}
	})
}
