package importer

import (
	"strconv"

	"github.com/bloomgml/bloom/dataset"
)

// madeOfEdges is why columns made of edges are numbers.
const madeOfEdges = "made of edges"

// addColumns adds the informative columns to the nodes of type t.
func (im *importer) addColumns(t int, made []madeColumn, stats *dataset.EdgeStats) error {
	raw, columns := make([]dataset.RawColumn, len(made)), make([]dataset.Column, len(made))
	err := eachOf(len(made), func(k int) (err error) {
		if err := im.budget.Take(32*int64(len(made[k].x)), "columns made of edges"); err != nil {
			return err
		}
		raw[k] = made[k].raw()
		columns[k], err = fitColumn(&raw[k], wish{kind: dataset.Number})
		columns[k].Why = madeOfEdges
		return err
	})
	if err != nil {
		return err
	}
	for k, c := range columns {
		if c.Kind != dataset.Skipped {
			im.raw.Nodes[t] = append(im.raw.Nodes[t], raw[k])
			im.schema.Types[t].Columns = append(im.schema.Types[t].Columns, c)
			stats.Columns = append(stats.Columns, c.Name)
		}
	}
	return nil
}

// raw returns the column as texts.
func (c madeColumn) raw() dataset.RawColumn {
	texts := dataset.Texts{Ends: make([]int64, len(c.x)), Bytes: make([]byte, 0, 8*len(c.x))}
	for i, x := range c.x {
		texts.Bytes = appendNumber(texts.Bytes, x)
		texts.Ends[i] = int64(len(texts.Bytes))
	}
	return dataset.RawColumn{Name: c.name, Values: texts}
}

// appendNumber appends a number of a made column, or nothing if it is missing.
func appendNumber(dst []byte, x float64) []byte {
	if !isFinite(x) {
		return dst
	}
	return strconv.AppendFloat(dst, x, 'g', -1, 32)
}

// numberText is appendNumber as a string.
func numberText(x float64) string { return string(appendNumber(nil, x)) }
