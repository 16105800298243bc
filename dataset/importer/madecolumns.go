package importer

import (
	"math"
	"strconv"

	"github.com/bloomgml/bloom/dataset"
)

// madeOfEdges is why columns made of edges are numbers.
const madeOfEdges = "made of edges"

// addColumns adds the informative columns to the nodes of type t.
func (im *importer) addColumns(t int, made []madeColumn, stats *dataset.EdgeStats) error {
	raw, columns := make([]dataset.RawColumn, len(made)), make([]dataset.Column, len(made))
	err := eachOf(len(made), func(k int) (err error) {
		if err := im.budget.Take(8*int64(len(made[k].x)), "columns made of edges"); err != nil {
			return err
		}
		raw[k] = made[k].raw()
		made[k].x = nil
		columns[k] = fitMade(&raw[k])
		return nil
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

// fitMade fits the transform of a column that bloom made.
func fitMade(raw *dataset.RawColumn) dataset.Column {
	c, xs := dataset.Column{Name: raw.Name, Kind: dataset.Number, Why: madeOfEdges}, []float64(nil)
	for i := range raw.Values.Len() {
		if x := raw.Values.Number(i); x == x {
			xs = append(xs, x)
		}
	}
	if !varies(xs) {
		return dataset.Column{Name: c.Name, Kind: dataset.Skipped, Why: "all values are the same"}
	}
	c.Missing = raw.Values.Len() - len(xs)
	fitMoments(&c, xs)
	return c
}

func (c madeColumn) raw() dataset.RawColumn {
	numbers := make([]float32, len(c.x))
	for i, x := range c.x {
		numbers[i] = madeNumber(x)
	}
	return dataset.RawColumn{Name: c.name, Values: dataset.Texts{Numbers: numbers}}
}

// madeNumber returns a number of a made column, NaN if it is missing.
func madeNumber(x float64) float32 {
	if !isFinite(x) {
		return float32(math.NaN())
	}
	return float32(max(-math.MaxFloat32, min(x, math.MaxFloat32)))
}

// numberText returns a number of a made column as a text, empty if it is missing.
func numberText(x float64) string {
	if y := float64(madeNumber(x)); y == y {
		return strconv.FormatFloat(y, 'g', -1, 32)
	}
	return ""
}
