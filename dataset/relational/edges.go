package relational

import (
	"cmp"
	"path/filepath"
	"slices"
)

// Overview: questions of the same time are nodes of a graph. Two are joined where, as of their time, their entities
// belong together: they lead to the same row of another table, as team mates do, or a late row joins one to the other,
// as a payment joins two accounts. An energy on this graph makes what is known about one count for the other. Questions
// of different times are not joined: messages pass both ways, and one of them would hear of what is later.

// Edge joins two questions, as places among all, by the table where they meet.
type Edge struct {
	U, V     int32
	Relation string
}

// Chosen: a row to which more questions of a time lead joins none: its own columns tell as much.
const mostTogether = 20

// edges returns the edges between the questions, in a fixed order and once each.
func (b *builder) edges(parents []parent) (list []Edge) {
	for _, p := range parents {
		for _, group := range b.together(p.rows) {
			for k, v := range group {
				for _, u := range group[:k] {
					list = append(list, Edge{u, v, p.name})
				}
			}
		}
	}
	list = append(list, b.partners()...)
	slices.SortStableFunc(list, func(x, y Edge) int {
		return cmp.Or(cmp.Compare(x.Relation, y.Relation), cmp.Compare(x.U, y.U), cmp.Compare(x.V, y.V))
	})
	return slices.Compact(list)
}

// moment is a row of a table at a time.
type moment struct {
	at  int64
	row int32
}

// together returns the questions of the same time that lead to the same row, unless these are too many.
func (b *builder) together(rows []int32) (list [][]int32) {
	groups := map[moment][]int32{}
	for i, row := range rows {
		if at := b.ask.Questions[i].At.Unix(); row >= 0 {
			groups[moment{at, row}] = append(groups[moment{at, row}], int32(i))
		}
	}
	for _, group := range groups {
		if len(group) <= mostTogether {
			list = append(list, group)
		}
	}
	return list
}

// partners returns the edges by the last few rows of every question that join its entity to another one.
func (b *builder) partners() (list []Edge) {
	asked := map[moment]int32{}
	for i, q := range b.ask.Questions {
		asked[moment{q.At.Unix(), q.row}] = int32(i)
	}
	for c, t := range b.db.Tables {
		for k, r := range t.refs {
			for other, via := range t.refs {
				if c == b.table || other == k || r.table != b.table || via.table != b.table {
					continue
				}
				s := &stream{entity: r.rows, known: t.known}
				s.sort(b.ask.table.Rows)
				for i, q := range b.list {
					known := s.before(q)
					for _, row := range known[max(0, len(known)-few):] {
						j, ok := asked[moment{b.ask.Questions[i].At.Unix(), via.rows[row]}]
						if ok && via.rows[row] >= 0 && int(j) != i {
							list = append(list, Edge{min(int32(i), j), max(int32(i), j), t.Name})
						}
					}
				}
			}
		}
	}
	return list
}

// writeEdges writes a table of the edges into a folder, if there are any.
func (r *Rows) writeEdges(dir string) error {
	if len(r.Edges) == 0 {
		return nil
	}
	return writeCSV(filepath.Join(dir, EdgesFile), []string{"source", "target", "relation"}, len(r.Edges),
		func(i int) []string {
			e := r.Edges[i]
			return []string{r.Questions[e.U].name(), r.Questions[e.V].name(), e.Relation}
		})
}
