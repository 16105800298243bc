package fact

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/metric"
)

// writeRanks writes a row for every fact, by the names of d.
func writeRanks(w io.Writer, d *dataset.Dataset, ranked []metric.Ranked) error {
	out := csv.NewWriter(w)
	if err := out.Write(factColumns); err != nil {
		return err
	}
	rank := func(r metric.Ranking) string { return strconv.FormatFloat(r.Rank(metric.Realistic), 'g', -1, 64) }
	for _, x := range ranked {
		if err := out.Write([]string{d.IDs.At(x.Fact.U), d.RelationName(x.Fact.R), d.IDs.At(x.Fact.V), rank(x.Tail),
			rank(x.Head),
			strconv.Itoa(x.Tail.Negatives), strconv.Itoa(x.Head.Negatives)}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
