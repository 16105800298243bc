package fact

import (
	"io"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/task"
)

// factColumns are a test fact, the realistic rank of its tail and of its head, and how many
// other entities each was ranked among.
var factColumns = []string{"head", "relation", "tail", "tail_rank", "head_rank", "tail_others", "head_others"}

// rankedFact is a row of the predictions.csv of a run on a knowledge graph: a test fact.
type rankedFact struct {
	Head, Relation, Tail   string
	TailRank, HeadRank     float64 // realistic, from 1
	TailOthers, HeadOthers int
}

// Worse returns the larger of both ranks.
func (f rankedFact) Worse() float64 { return max(f.TailRank, f.HeadRank) }

// readFacts reads the predictions.csv of a run on a knowledge graph. The error is a *files.Error.
func readFacts(name string, r io.Reader) (list []rankedFact, err error) {
	err = task.ReadTable(name, r, factColumns, func(line int, row []string) error {
		x := rankedFact{Head: row[0], Relation: row[1], Tail: row[2]}
		for i, to := range []*float64{&x.TailRank, &x.HeadRank} {
			if *to, err = strconv.ParseFloat(row[3+i], 64); err != nil || !(*to >= 1 && *to < 1e12) {
				return files.ErrorAt(name, line, "%q is not a rank", row[3+i])
			}
		}
		for i, to := range []*int{&x.TailOthers, &x.HeadOthers} {
			if *to, err = strconv.Atoi(row[5+i]); err != nil || *to < 0 {
				return files.ErrorAt(name, line, "%q is not a number of entities", row[5+i])
			}
		}
		list = append(list, x)
		return nil
	})
	return list, err
}

// writeRanks writes a row for every fact, by the names of d.
func writeRanks(w io.Writer, d *dataset.Dataset, ranked []metric.Ranked) error {
	rank := func(r metric.Ranking) string { return strconv.FormatFloat(r.Rank(metric.Realistic), 'g', -1, 64) }
	return task.WriteTable(w, factColumns, slices.Values(ranked), func(x metric.Ranked) []string {
		return []string{d.IDs.At(x.Fact.U), d.RelationName(x.Fact.R), d.IDs.At(x.Fact.V), rank(x.Tail), rank(x.Head),
			strconv.Itoa(x.Tail.Negatives), strconv.Itoa(x.Head.Negatives)}
	})
}
