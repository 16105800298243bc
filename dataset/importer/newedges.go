package importer

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// newEdges makes edges of newcomers of the rows of a table.
type newEdges struct {
	*arrivals
	source, target, relation, weight int
	fixed                            int32 // the relation if there is no column
	kept                             []int // for every raw column; −1 for none
}

// edgeTable reads a table of edges.
func (a *arrivals) edgeTable(in Input) error {
	s, err := a.open(in.Table)
	if err != nil {
		return err
	}
	defer s.Close()
	return a.edgeRows(s, in)
}

// edgeRows makes edges of the rows of an open table.
func (a *arrivals) edgeRows(s table.Source, in Input) error {
	report := TableReport{Name: in.Name, Table: s.Name()}
	e, err := a.newEdges(s, in, &report)
	if err != nil {
		return err
	}
	err = a.eachRow(s, &report, e.addEdge)
	a.report.Edges = append(a.report.Edges, report)
	return err
}

// newEdges finds the columns of a table.
func (a *arrivals) newEdges(s table.Source, in Input, report *TableReport) (e *newEdges, err error) {
	e = &newEdges{arrivals: a, relation: -1}
	f, asked := newColumnFinder(s, report), a.spec.asked(in.Table)
	if e.source, e.target, err = f.ends(asked.Source, asked.Target); err != nil {
		return nil, err
	}
	if len(a.d.Relations) > 1 || asked.Relation != "" {
		if err := e.findRelation(f, in.Name); err != nil {
			return nil, err
		}
	}
	if e.weight, err = f.weight(asked.Weight); err != nil {
		return nil, err
	}
	if a.n.Raw != nil {
		for _, c := range a.n.Raw.Edges {
			e.kept = append(e.kept, slices.Index(s.Columns(), c.Name))
		}
	}
	return e, nil
}

// findRelation finds the column of relations, or the one relation that the table was given with.
func (e *newEdges) findRelation(f *columnFinder, name string) (err error) {
	if name != "" {
		if e.fixed = int32(slices.Index(e.d.Relations, name)); e.fixed < 0 {
			return files.Errorf(f.s.Name(), "%s has no relation %q; relations are %q", e.d.Name, name, e.d.Relations)
		}
		return nil
	}
	e.relation, err = f.find("relation", e.spec.Relation, relationNames...)
	if err == nil && e.relation < 0 {
		err = files.Errorf(f.s.Name(), "which of the relations %q? give a column relation, or --edges RELATION=TABLE",
			e.d.Relations)
	}
	return err
}

// addEdge takes row i, or says why it cannot be used.
func (e *newEdges) addEdge(b *table.Batch, i int) (reason string, err error) {
	t := graph.Triple{R: e.fixed}
	if t.U, reason = e.end("source", b.Cell(i, e.source)); reason != "" {
		return reason, nil
	}
	if t.V, reason = e.end("target", b.Cell(i, e.target)); reason != "" {
		return reason, nil
	}
	if int(max(t.U, t.V)) < e.d.Graph.NumNodes() {
		return "neither end is new", nil
	}
	if e.relation >= 0 {
		text := string(b.Cell(i, e.relation))
		if t.R = int32(slices.Index(e.d.Relations, text)); t.R < 0 {
			return fmt.Sprintf("the relation %q is not known", text), nil
		}
	}
	w, ok := mat.Real(1), true
	if e.weight >= 0 {
		if w, ok = edgeWeight(b.Cell(i, e.weight)); !ok {
			return fmt.Sprintf("the weight %q is not a number ≥ 0", b.Cell(i, e.weight)), nil
		}
	}
	if err := e.budget.Take(newcomerBytes+int64(b.Size()/max(1, b.Rows())), "new edges"); err != nil {
		return "", err
	}
	if !e.repeats(t) {
		e.append(t, w)
	} else if s := e.d.Schema; s == nil || len(s.Stats) == 0 && s.Weight == "" {
		return "the edge was there before", nil
	} else {
		e.newRows.repeats++
	}
	e.record(t, b, i)
	return "", nil
}

// repeats reports whether the edge is a duplicate, and remembers it.
func (e *newEdges) repeats(t graph.Triple) bool {
	if e.d.Graph.Undirected() && t.U > t.V {
		t.U, t.V = t.V, t.U
	}
	if e.seen[t] {
		return true
	}
	e.seen[t] = true
	return false
}

// append keeps an edge.
func (e *newEdges) append(t graph.Triple, w mat.Real) {
	n := e.n
	if e.weight >= 0 && n.Weights == nil {
		n.Weights = slices.Repeat([]mat.Real{1}, len(n.Edges))
	}
	n.Edges = append(n.Edges, t)
	if n.Weights != nil {
		n.Weights = append(n.Weights, w)
	}
}

// record keeps row i, whether or not it is a duplicate.
func (e *newEdges) record(t graph.Triple, b *table.Batch, i int) {
	r := &e.newRows
	r.src, r.dst, r.rel = append(r.src, t.U), append(r.dst, t.V), append(r.rel, t.R)
	for k, j := range e.kept {
		if j < 0 {
			r.texts[k].Values.Append(nil)
		} else {
			r.texts[k].Values.Append(b.Cell(i, j))
		}
	}
}

// strange counts values of edges that were missing, or are not of the kind of their column.
func (a *arrivals) strange(k int, text string, o outcome) { a.n.Filled += a.oddEdges[k].add(text, o) }

// end returns the node at an end of an edge, or what is wrong with it.
func (e *newEdges) end(name string, id []byte) (node int32, reason string) {
	if len(id) == 0 {
		return 0, fmt.Sprintf("the %s is missing", name)
	}
	v, ok := e.find(id)
	if !ok {
		return 0, fmt.Sprintf("the %s %q is not among the nodes", name, id)
	}
	return v, ""
}
