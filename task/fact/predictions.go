package fact

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/metric"
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
	err = readTable(name, r, factColumns, func(line int, row []string) error {
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

// readTable calls f for the rows of a table with the given columns. Errors are a *files.Error.
func readTable(name string, r io.Reader, columns []string, f func(line int, row []string) error) error {
	in := csv.NewReader(r)
	header, err := in.Read()
	if err != nil {
		return files.Because(name, err)
	}
	if !slices.Equal(header, columns) {
		return files.ErrorAt(name, 1, "columns %q, want %q", header, columns)
	}
	for {
		row, err := in.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return files.Because(name, err)
		}
		line, _ := in.FieldPos(0)
		if err := f(line, row); err != nil {
			return err
		}
	}
}

// writeTable writes a row for every entry of list.
func writeTable[T any](w io.Writer, columns []string, list []T, row func(T) []string) error {
	out := csv.NewWriter(w)
	if err := out.Write(columns); err != nil {
		return err
	}
	for _, x := range list {
		if err := out.Write(row(x)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// writeRanks writes a row for every fact, by the names of d.
func writeRanks(w io.Writer, d *dataset.Dataset, ranked []metric.Ranked) error {
	rank := func(r metric.Ranking) string { return strconv.FormatFloat(r.Rank(metric.Realistic), 'g', -1, 64) }
	return writeTable(w, factColumns, ranked, func(x metric.Ranked) []string {
		return []string{d.IDs.At(x.Fact.U), d.RelationName(x.Fact.R), d.IDs.At(x.Fact.V), rank(x.Tail), rank(x.Head),
			strconv.Itoa(x.Tail.Negatives), strconv.Itoa(x.Head.Negatives)}
	})
}
