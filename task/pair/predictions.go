package pair

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
)

// heldPair is a row of the predictions.csv of a run on links: a held-out pair, and what the model says about it.
type heldPair struct {
	Source, Target string
	Probability    float64
	Joined         bool
	Split          string // valid or test
}

// pairColumns are the fields of a heldPair.
var pairColumns = []string{"source", "target", "probability", "joined", "split"}

// readPairs reads the predictions.csv of a run on links; name is for errors.
func readPairs(name string, r io.Reader) ([]heldPair, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, files.Because(name, err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], pairColumns) {
		return nil, files.Errorf(name, "want the columns %s", strings.Join(pairColumns, ", "))
	}
	list := make([]heldPair, len(rows)-1)
	for i, row := range rows[1:] {
		p, err := strconv.ParseFloat(row[2], 64)
		joined, err2 := strconv.ParseBool(row[3])
		if err != nil || err2 != nil || !(p >= 0 && p <= 1) {
			return nil, files.Errorf(name, "row %d: probability %q, joined %q", i+2, row[2], row[3])
		}
		list[i] = heldPair{row[0], row[1], p, joined, row[4]}
	}
	return list, nil
}
