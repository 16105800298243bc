package importer

import (
	"cmp"
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
)

// Overview: where nodes have times, the graph is an energy in which the past stands still. A node v that comes at time
// t with the values x_v minimises
//
//	‖h_v − x_v‖² + ‖h_v − m_v‖²        h_v = (x_v + m_v)/2        m_v = mean of h_u over the rows of v known at t
//
// where u came before t. Everything that reaches v by any number of edges is older than v, and m_v are its columns:
// what was near it, labels of training nodes among them.

// nearName begins the names of these columns, of which there are at most mostNear.
const (
	nearName = "near"
	mostNear = 32
)

// nearness is the values of nodes of the type with labels.
type nearness struct {
	names []string
	of    []int32     // the row of every node; −1 for nodes of other types
	x, m  [][]float64 // by column and row; NaN where there is no value
}

// newNear returns the columns of a type of n nodes, of which nodes are in the order of their rows: its numbers, and
// the labels of training nodes. What was near them is not known yet.
func newNear(s *dataset.TypeSchema, raw []dataset.RawColumn, nodes []int32, n int, l dataset.Labels,
	train []int32) *nearness {
	k := &nearness{of: slices.Repeat([]int32{-1}, n)}
	for row, v := range nodes {
		k.of[v] = int32(row)
	}
	add := func(name string, x []float64) {
		if len(k.names) < mostNear {
			k.names, k.x, k.m = append(k.names, nearName+"."+name), append(k.x, x), append(k.m, nothing(len(nodes)))
		}
	}
	width := len(l.Names)
	for c, name := range l.Names {
		if width == 2 && l.Task == "" && c == 0 {
			continue // the other one tells
		}
		x := nothing(len(nodes))
		for _, v := range train {
			switch {
			case l.Values != nil:
				x[k.of[v]] = float64(l.Values[int(v)*width+c])
			case int(l.Class[v]) == c:
				x[k.of[v]] = 1
			default:
				x[k.of[v]] = 0
			}
		}
		if l.Task != dataset.Numbers {
			name = s.Label + "=" + name
		}
		add(name, x)
	}
	for i := range s.Columns {
		if c := &s.Columns[i]; c.Kind == dataset.Number && c.Why != madeOfEdges {
			add(c.Name, readColumn(c, textsOf(raw), len(nodes)))
		}
	}
	return k
}

// mean returns m of column c for the given other ends of rows, NaN if nobody says anything.
func (k *nearness) mean(c int, others []int32) float64 {
	sum, n := 0.0, 0.0
	for _, u := range others {
		if int(u) >= len(k.of) || k.of[u] < 0 {
			continue
		}
		h, m := k.x[c][k.of[u]], k.m[c][k.of[u]]
		switch {
		case math.IsNaN(h):
			h = m
		case !math.IsNaN(m):
			h = (h + m) / 2
		}
		if !math.IsNaN(h) {
			sum, n = sum+h, n+1
		}
	}
	return sum / n
}

// nearData returns these columns of d as they are; nil if it has none.
func nearData(d *dataset.Dataset) *nearness {
	t := slices.IndexFunc(d.Schema.Types, func(s dataset.TypeSchema) bool { return s.Label != "" })
	if t < 0 || !slices.ContainsFunc(d.Schema.Stats, func(s dataset.EdgeStats) bool { return s.Near }) {
		return nil
	}
	var train []int32
	if len(d.Splits) > 0 {
		train = d.Splits[0].Train
	}
	k := newNear(&d.Schema.Types[t], d.Raw.Nodes[t], d.Graph.NodesOfType(int32(t)), d.Graph.NumNodes(), d.Labels, train)
	for c, name := range k.names {
		if texts := textsOf(d.Raw.Nodes[t]); texts(name) != nil {
			k.m[c] = readColumn(&dataset.Column{Name: name, Kind: dataset.Number}, texts, len(k.m[c]))
		}
	}
	return k
}

// others returns the other ends of the rows of v, both ways, that it knows and that came before it.
func (r *edgeRows) others(v int32, rows []int32) (list []int32) {
	for _, i := range rows {
		u := r.src[i] + r.dst[i] - v
		if r.since[i] <= r.at[v] && r.at[u] < r.at[v] {
			list = append(list, u)
		}
	}
	return list
}

// makeNear adds the columns of what was near nodes.
func (im *importer) makeNear(d *dataset.Dataset, rows *dataset.EdgeRows) error {
	t, n := im.labelled(), im.nodes.count()
	nodes := make([]int32, im.nodes.tables[t].Len())
	for i := range nodes {
		nodes[i] = im.nodes.at(t, i)
	}
	var train []int32
	if len(d.Splits) > 0 {
		train = d.Splits[0].Train
	}
	k := newNear(&im.schema.Types[t], im.raw.Nodes[t], nodes, n, d.Labels, train)
	stats := &dataset.EdgeStats{Name: nearName, Relation: -1, Near: true}
	r := pickRows(stats, rows).asOf(im.as, rows)
	ptr, list := groupRows(n, slices.Concat(r.src, r.dst))
	order := slices.Clone(nodes)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(r.at[a], r.at[b]) })
	for _, v := range order {
		mine := slices.Clone(list[ptr[v]:ptr[v+1]])
		for j, i := range mine {
			mine[j] = i % int32(len(r.src))
		}
		others := r.others(v, mine)
		for c := range k.names {
			k.m[c][k.of[v]] = k.mean(c, others)
		}
	}
	var made []madeColumn
	for c, name := range k.names {
		if textsOf(im.raw.Nodes[t])(name) == nil && varies(k.m[c]) {
			made = append(made, madeColumn{name, k.m[c]})
		}
	}
	err := im.addColumns(t, made, stats)
	if len(stats.Columns) > 0 {
		im.schema.Stats = append(im.schema.Stats, *stats)
		im.tellMade(stats)
	}
	return err
}
