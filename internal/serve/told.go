package serve

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/importer"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
)

// Overview: where an import made columns of nodes from the rows of edges, these columns follow the edits. The features
// of a node whose edges were edited are those that were given, by the data set or an edit, with these columns computed
// from the rows that it has now. That depends on the edges and not on the order of edits.

// Values are what the row of an edge says, by the names of columns: numbers, or texts as in the table.
type Values map[string]any

// texts returns the values as they would stand in a table.
func (x Values) texts() (map[string]string, error) {
	texts := make(map[string]string, len(x))
	for name, value := range x {
		switch value := value.(type) {
		case float64:
			texts[name] = strconv.FormatFloat(value, 'f', -1, 64)
		case string:
			texts[name] = value
		case nil:
		default:
			return nil, fmt.Errorf("column %q of an edge is %v, want a number or a text", short([]byte(name)), value)
		}
	}
	return texts, nil
}

// addEdgeRow adds the row of an edge to both of its ends.
func (g *graph) addEdgeRow(p Pair, u, v int32, said Values) error {
	s := g.statistics()
	if s == nil {
		if said != nil {
			return fmt.Errorf("this run has no columns computed from edges, so an edge cannot be given columns")
		}
		return nil
	}
	texts, err := said.texts()
	if err != nil {
		return err
	}
	values, missing, err := s.Read(texts)
	if err != nil {
		return err
	}
	if len(missing) > 0 && len(g.notes) < maxNotes {
		g.notes = append(g.notes, fmt.Sprintf("the edge %q–%q has no %s: it is left out of their statistics",
			short([]byte(p[0])), short([]byte(p[1])), strings.Join(missing, ", ")))
	}
	row := importer.EdgeRow{Src: u, Dst: v, Values: values}
	for _, end := range []int32{u, v} {
		g.rewrite(end, func(rows []importer.EdgeRow) []importer.EdgeRow { return append(rows, row) })
	}
	return nil
}

// maxNotes is the maximum number of notes about a batch.
const maxNotes = 20

// untell removes the rows between u and v from both.
func (g *graph) untell(u, v int32) {
	if g.statistics() == nil {
		return
	}
	gone := func(r importer.EdgeRow) bool { return r.Src == u && r.Dst == v || r.Src == v && r.Dst == u }
	for _, end := range []int32{u, v} {
		g.rewrite(end, func(rows []importer.EdgeRow) []importer.EdgeRow { return slices.DeleteFunc(rows, gone) })
	}
}

// rowsOf returns the rows that v has now.
func (g *graph) rowsOf(v int32) []importer.EdgeRow {
	if rows, told := g.told.get(v); told || g.statistics() == nil {
		return slices.Clone(rows)
	}
	return g.statistics().Rows(v)
}

// rewrite changes the rows of v, of which a draft has its own; its features follow in retell.
func (g *graph) rewrite(v int32, f func([]importer.EdgeRow) []importer.EdgeRow) {
	rows, told := g.told.get(v)
	if _, own := g.told.own[v]; !told {
		rows = g.statistics().Rows(v)
		g.bare.set(v, g.features(v))
	} else if !own {
		rows = slices.Clone(rows)
	}
	g.told.set(v, f(rows))
	if g.dirty == nil {
		g.dirty = map[int32]bool{}
	}
	g.dirty[v] = true
}

// retell sets the features of all nodes whose rows changed.
func (g *graph) retell() error {
	for _, v := range slices.Sorted(maps.Keys(g.dirty)) {
		given, _ := g.bare.get(v)
		if err := g.place(g.id(v), v, given); err != nil && !g.hidden.has(v) {
			return err
		}
	}
	g.dirty = nil
	return nil
}

// place sets the features of v to a row, with what its edges say instead of what the row says about them.
func (g *graph) place(id string, v int32, row []mat.Real) error {
	x := g.withEdges(v, row)
	p, err := g.pi(id, x)
	if err != nil {
		return err
	}
	g.state.Move(v, p)
	g.rows.set(v, x)
	if v < g.known && slices.Equal(x, featuresOf(g.task, v)) {
		g.rows.drop(v)
	}
	return nil
}

// withEdges returns a row of features of v with the columns that are made from edges, if these were edited.
func (g *graph) withEdges(v int32, row []mat.Real) []mat.Real {
	rows, told := g.told.get(v)
	if !told {
		return row
	}
	x := slices.Clone(row)
	g.count(x, v, rows)
	return x
}

// count sets the columns of x that are made from rows of v.
func (g *graph) count(x []mat.Real, v int32, rows []importer.EdgeRow) {
	made := g.statistics().Columns(v, rows)
	for j, c := range g.task.Columns() {
		value, ok := made[c.Name]
		switch {
		case !ok:
		case math.IsNaN(value):
			x[j] = 0 // the mean, as of any missing value
		default:
			x[j] = mat.Real(c.Scaled(float64(float32(value))))
		}
	}
}

// decayOf returns how edges of t age; nil if they do not.
func decayOf(t *node.Trained) *dataset.Decay {
	if t.Config.Data.Decay == 0 {
		return nil
	}
	k, err := dataset.NewDecay(t.Data, t.Config.Data.Decay)
	must(err) // it was trained with it
	return k
}

// fresh returns how much more an edge weighs than one of the last time of the data, by the time that is said of it.
func (g *graph) fresh(said Values) float64 {
	s := g.statistics()
	if g.decay == nil || s == nil {
		return 1
	}
	texts, err := said.texts()
	if err != nil {
		return 1 // the row is refused
	}
	values, _, err := s.Read(texts)
	if err != nil {
		return 1
	}
	for k, c := range g.task.Data.Raw.Rows.Columns {
		if c.Name == g.decay.Column() {
			aged, _ := g.aged.get(struct{}{})
			return g.decay.Weight(values[k] - aged)
		}
	}
	return 1
}

// statisticsOf returns what makes columns from edges, which is computed when it is asked for first.
func statisticsOf(t *node.Trained) *importer.Statistics {
	if len(t.Data.Features) != 1 {
		return nil
	}
	return importer.NewStatistics(t.Data)
}
