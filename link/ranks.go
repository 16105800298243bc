package link

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/kg"
	"github.com/bloomgml/bloom/metric"
)

// rankColumns are those of predictions.csv: a test fact, the realistic rank of its tail and of its head, and how many other entities
// each was ranked among.
var rankColumns = []string{"head", "relation", "tail", "tail_rank", "head_rank", "tail_others", "head_others"}

// writeRanks writes a row for every fact, by the names of d.
func writeRanks(w io.Writer, d *dataset.Dataset, ranked []kg.Ranked) error {
	out := csv.NewWriter(w)
	if err := out.Write(rankColumns); err != nil {
		return err
	}
	rank := func(r metric.Ranking) string { return strconv.FormatFloat(r.Rank(metric.Realistic), 'g', -1, 64) }
	for _, x := range ranked {
		if err := out.Write([]string{d.IDs.At(x.Fact.U), relationName(d, x.Fact.R), d.IDs.At(x.Fact.V), rank(x.Tail), rank(x.Head),
			strconv.Itoa(x.Tail.Negatives), strconv.Itoa(x.Head.Negatives)}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
