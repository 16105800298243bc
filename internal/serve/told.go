package serve

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/importer"
	"github.com/bloomgml/bloom/mat"
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
	x := row
	if rows, told := g.told.get(v); told {
		x = slices.Clone(row)
		g.count(x, v, rows)
	}
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

// Overview: trees compare rows that share a value of a column, and see the rows of edges by their direction, size and
// recency. Edits change both, so these parts of the tables are put together as they are now.

// sayText sets the categories of a column in a row of features of v, −1 for a node to be added, and the value by which
// rows are compared. It reports whether there is such a column.
func (g *graph) sayText(x []mat.Real, v int32, name, text string) (there bool) {
	other := -1
	for j, c := range g.task.Columns() {
		level, ok := strings.CutPrefix(c.Name, name+"=")
		if !ok {
			continue
		}
		x[j] = mat.Real(c.Scaled(0))
		switch {
		case text == "":
			there = true
		case strings.EqualFold(level, text):
			x[j], other, there = mat.Real(c.Scaled(1)), -1, true
		case level == dataset.OtherLevel && !there:
			other = j
		}
	}
	if other >= 0 {
		x[other], there = mat.Real(g.task.Columns()[other].Scaled(1)), true
	}
	if columns, _ := g.task.Compared(); !slices.Contains(columns, name) {
		return there
	}
	if v < 0 {
		v = int32(g.state.Nodes())
	}
	said, _ := g.texts.get(v)
	if said = maps.Clone(said); said == nil {
		said = map[string]string{}
	}
	said[name] = text
	g.texts.set(v, said)
	return true
}

// tables returns columns of the table of nodes and, if trees see them, the rows of edges between nodes, which place
// numbers.
func (g *graph) tables(nodes []int32, place map[int32]int32, columns []string, edges bool) *dataset.Raw {
	raw := &dataset.Raw{Nodes: make([][]dataset.RawColumn, 1)}
	for _, name := range columns {
		given := g.task.Data.Raw.Nodes[0]
		was := &given[slices.IndexFunc(given, func(c dataset.RawColumn) bool { return c.Name == name })].Values
		c := dataset.RawColumn{Name: name}
		for _, v := range nodes {
			said, _ := g.texts.get(v)
			switch text, told := said[name]; {
			case told:
				c.Values.Append([]byte(text))
			case v < g.known:
				c.Values.Append(was.Get(int(v)))
			default:
				c.Values.Append(nil)
			}
		}
		raw.Nodes[0] = append(raw.Nodes[0], c)
	}
	if edges {
		raw.Rows = g.edgeRows(nodes, place)
	}
	return raw
}

// edgeRows returns the rows of edges between nodes as they are now.
func (g *graph) edgeRows(nodes []int32, place map[int32]int32) *dataset.EdgeRows {
	all, out := g.task.Data.Raw.Rows, &dataset.EdgeRows{}
	for _, c := range all.Columns {
		out.Columns = append(out.Columns, dataset.NumberColumn{Name: c.Name})
	}
	add := func(src, dst int32, value func(k int) float64) {
		out.Src, out.Dst = append(out.Src, place[src]), append(out.Dst, place[dst])
		for k := range out.Columns {
			out.Columns[k].Values = append(out.Columns[k].Values, value(k))
		}
	}
	for i, src := range all.Src {
		if dst := all.Dst[i]; !g.told.has(src) && !g.told.has(dst) {
			add(src, dst, func(k int) float64 { return all.Columns[k].Values[i] })
		}
	}
	for _, v := range nodes {
		rows, _ := g.told.get(v)
		for _, r := range rows {
			if v == r.Src || !g.told.has(r.Src) { // rows that both ends have are added once
				add(r.Src, r.Dst, func(k int) float64 { return r.Values[k] })
			}
		}
	}
	return out
}

// age makes edges that decay as old as they are at a time, which is not before the last one.
func (g *graph) age(now string) error {
	at, ok := importer.Moment(&dataset.Column{Kind: dataset.Time}, now)
	switch {
	case g.decay == nil:
		return fmt.Errorf("edges of this run do not age: it was trained without data.decay")
	case !ok:
		return fmt.Errorf("now is %q, want a time such as 2024-06-01", short([]byte(now)))
	}
	was := g.now()
	if at.Before(was) {
		return fmt.Errorf("now is %s, before %s, until which edges have aged", now, was.Format(time.DateTime))
	}
	g.state.Fade(g.decay.Weight(g.decay.End() - at.Sub(was).Hours()/24))
	g.aged.set(struct{}{}, days(at)-g.decay.End())
	return nil
}

// now returns the time until which edges have aged.
func (g *graph) now() time.Time {
	aged, _ := g.aged.get(struct{}{})
	return time.UnixMilli(int64((g.decay.End() + aged) * 24 * 3600e3)).UTC()
}

func days(at time.Time) float64 { return float64(at.UnixMilli()) / (24 * 3600e3) }

// ticks is the number of steps in which edges age by the time that they decay in.
const ticks = 100

// tick lets the edges of a run age by as much as passes, until ctx is done. The run may be reloaded meanwhile.
func (s *Server) tick(ctx context.Context, name string, decay time.Duration) {
	every := time.NewTicker(max(decay/ticks, time.Second))
	defer every.Stop()
	for last := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		m, ok := s.all()[name].(*Model)
		if !ok || m.graph.decay == nil {
			return
		}
		m.mu.RLock()
		now := m.graph.now().Add(time.Since(last))
		m.mu.RUnlock()
		last = time.Now()
		if _, err := m.Edit(ctx, []Edit{{Now: now.Format(time.RFC3339Nano)}}); err != nil {
			s.warn(fmt.Sprintf("%s: edges have not aged: %v", name, err))
		}
	}
}
