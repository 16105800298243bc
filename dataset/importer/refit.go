package importer

import (
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
)

// Refit returns d, an import from which rows were taken, with its columns fitted to the rows that are left, as if those
// had been all that was imported: what a column holds, means and deviations, levels and words, also of columns that are
// made from edges. Columns that the user gave a kind keep it, and those that were left out, or not made, stay so.
// Anything but an import is returned as it is.
func Refit(d *dataset.Dataset) (*dataset.Dataset, error) {
	if d.Schema == nil || d.Raw == nil || len(d.Raw.Nodes) != len(d.Schema.Types) {
		return d, nil
	}
	out, s, raw := *d, *d.Schema, *d.Raw
	s.Stats, s.Types = slices.Clone(s.Stats), slices.Clone(s.Types)
	out.Schema, out.Raw, raw.Nodes = &s, &raw, slices.Clone(raw.Nodes)
	for i := range s.Stats {
		spanTimes(&s.Stats[i], raw.Rows)
	}
	stats := NewStatistics(&out)
	for t := range s.Types {
		nodes := d.Graph.NodesOfType(int32(t))
		raw.Nodes[t] = madeAnew(stats, raw.Nodes[t], nodes)
		s.Types[t].Columns = refitted(&s, s.Types[t].Columns, raw.Nodes[t])
	}
	if s.Edges != nil {
		edges := *s.Edges
		edges.Columns, s.Edges = refitted(&s, edges.Columns, raw.Edges), &edges
	}
	return Encode(&out, &s)
}

// spanTimes sets the first and the last time of the rows that s is made from.
func spanTimes(s *dataset.EdgeStats, rows *dataset.EdgeRows) {
	if s.Time.Name == "" || rows == nil {
		return
	}
	s.Begin, s.End = math.Inf(1), math.Inf(-1)
	for _, t := range pickRows(s, rows).time {
		if !math.IsNaN(t) {
			s.Begin, s.End = min(s.Begin, t), max(s.End, t)
		}
	}
	if s.Begin > s.End { // no row has a time any more
		s.Begin, s.End = 0, 0
	}
}

// madeAnew returns columns of nodes of a type, those made from edges computed again. stats may be nil.
func madeAnew(stats *Statistics, columns []dataset.RawColumn, nodes []int32) []dataset.RawColumn {
	if stats == nil {
		return columns
	}
	columns = slices.Clone(columns)
	made := make([][]float32, len(columns))
	for _, v := range nodes {
		x := stats.Columns(v, stats.Rows(v))
		for k, c := range columns {
			if !stats.schema.Made(c.Name) {
				continue
			}
			value, known := x[c.Name]
			if !known {
				value = math.NaN()
			}
			made[k] = append(made[k], madeNumber(value))
		}
	}
	for k, c := range columns {
		if stats.schema.Made(c.Name) {
			columns[k].Values = dataset.Texts{Numbers: made[k]}
		}
	}
	return columns
}

// refitted returns columns fitted to raw, which has them by name.
func refitted(s *dataset.Schema, columns []dataset.Column, raw []dataset.RawColumn) []dataset.Column {
	out := slices.Clone(columns)
	for i, c := range columns {
		if at := slices.IndexFunc(raw, func(x dataset.RawColumn) bool { return x.Name == c.Name }); at >= 0 {
			out[i] = refit(c, s.Made(c.Name), &raw[at])
		}
	}
	return out
}

// refit fits a column again. One that was left out stays so, and one that has nothing of its kind any more is left out.
func refit(c dataset.Column, made bool, raw *dataset.RawColumn) dataset.Column {
	w := wish{divides: c.Kind == dataset.Calendar}
	if made {
		w.kind = dataset.Number
	} else if c.Why == saidSo {
		w.kind = c.Kind
	}
	now, err := fitColumn(raw, w)
	if w.merge = len(c.Same) > 0 && len(now.Same) == 0; w.merge && err == nil {
		now, err = fitColumn(raw, w)
	}
	switch {
	case err != nil:
		return dataset.Column{Name: c.Name, Kind: dataset.Skipped, Why: "no value of its kind is left"}
	case c.Kind == dataset.Skipped && now.Kind != dataset.Skipped:
		return dataset.Column{Name: c.Name, Kind: dataset.Skipped, Why: "left out before"}
	case made && now.Kind != dataset.Skipped:
		now.Why = c.Why
	}
	return now
}

// Encode returns d, an import, with features made by the transforms of another import with the same columns: a model
// trained on that one then applies to d. Everything else is shared with d.
func Encode(d *dataset.Dataset, s *dataset.Schema) (*dataset.Dataset, error) {
	if d.Raw == nil || len(d.Raw.Nodes) != len(s.Types) || len(d.Features) != len(s.Types) {
		return nil, fmt.Errorf("%s does not have the tables that its features were made of", d.Name)
	}
	im := &importer{budget: files.NewBudget()}
	defer files.RelaxCollector()
	other := *d
	other.Schema, other.Features = s, make([]dataset.Matrix, len(s.Types))
	for t := range s.Types {
		x, err := im.features(&s.Types[t], d.Raw.Nodes[t], d.Features[t].Rows)
		if err != nil {
			return nil, err
		}
		other.Features[t] = x
	}
	if s.Edges != nil {
		f, err := im.tellEdges(s.Edges, d.Raw.Edges, d.Graph.NumEdges())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
		if other.Graph, err = d.Graph.WithEdges(d.Graph.Weights(), f); err != nil {
			return nil, err
		}
	}
	return &other, nil
}
