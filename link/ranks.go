package link

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/ranking"
)

// rankColumns are those of predictions.csv: a test fact, the realistic rank of its tail and of its head, and how many
// other entities each was ranked among.
var rankColumns = []string{"head", "relation", "tail", "tail_rank", "head_rank", "tail_others", "head_others"}

// writeRanks writes a row for every fact, by the names of d.
func writeRanks(w io.Writer, d *dataset.Dataset, ranked []ranking.Ranked) error {
	out := csv.NewWriter(w)
	if err := out.Write(rankColumns); err != nil {
		return err
	}
	rank := func(r ranking.Ranking) string { return strconv.FormatFloat(r.Rank(ranking.Realistic), 'g', -1, 64) }
	for _, x := range ranked {
		if err := out.Write([]string{d.IDs.At(x.Fact.U), relationName(d, x.Fact.R), d.IDs.At(x.Fact.V), rank(x.Tail),
			rank(x.Head),
			strconv.Itoa(x.Tail.Negatives), strconv.Itoa(x.Head.Negatives)}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// Rank is a row of predictions.csv.
type Rank struct {
	Head, Relation, Tail   string
	TailRank, HeadRank     float64 // realistic, from 1
	TailOthers, HeadOthers int
}

// Worse is the larger of both ranks.
func (r Rank) Worse() float64 { return max(r.TailRank, r.HeadRank) }

// ReadRanks reads the predictions.csv of a run on a knowledge graph. The error is a *fileerr.Error.
func ReadRanks(name string, r io.Reader) ([]Rank, error) {
	in := csv.NewReader(r)
	header, err := in.Read()
	if err != nil {
		return nil, fileerr.Because(name, err)
	}
	if !slices.Equal(header, rankColumns) {
		return nil, fileerr.At(name, 1, "columns %q, want %q", header, rankColumns)
	}
	var list []Rank
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, fileerr.Because(name, err)
		}
		x := Rank{Head: row[0], Relation: row[1], Tail: row[2]}
		line, _ := in.FieldPos(0)
		for i, to := range []*float64{&x.TailRank, &x.HeadRank} {
			if *to, err = strconv.ParseFloat(row[3+i], 64); err != nil || !(*to >= 1 && *to < 1e12) {
				return nil, fileerr.At(name, line, "%q is not a rank", row[3+i])
			}
		}
		for i, to := range []*int{&x.TailOthers, &x.HeadOthers} {
			if *to, err = strconv.Atoi(row[5+i]); err != nil || *to < 0 {
				return nil, fileerr.At(name, line, "%q is not a number of entities", row[5+i])
			}
		}
		list = append(list, x)
	}
}
