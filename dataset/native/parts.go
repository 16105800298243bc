package native

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
)

// dataset assembles the current part of r.
func (r *nativeReader) dataset() (*dataset.Dataset, error) {
	m, err := r.meta()
	if err != nil {
		return nil, err
	}
	d := &dataset.Dataset{
		Name: m.Name, Metric: m.Metric, Types: m.Types, Relations: m.Relations, Schema: m.Schema, Notes: m.Notes,
		Settled: dataset.Settled{Energy: m.Settled, Spread: m.Spread},
		Of:      m.Of, Literals: m.Literals,
		DrawnValid: m.Drawn, DrawnSplit: m.DrawnAll,
		Labels: dataset.Labels{Names: m.Classes, Task: m.Task}, Raw: m.Raw.raw(),
	}
	d.Splits = append(d.Splits, make([]dataset.Split, m.Splits)...)
	for _, shape := range m.Features {
		d.Features = append(d.Features, dataset.Matrix{Rows: shape.Rows, Cols: shape.Cols})
	}
	p := graph.Parts{Nodes: m.Graph.Nodes, Relations: m.Graph.Relations, Types: m.Graph.Types, Report: m.Graph.Report,
		Undirected: m.Graph.Undirected, Inverses: m.Graph.Inverses, Features: graph.Features{Cols: m.Graph.Features}}
	where, a := maps.Clone(r.sections), arrays{r: r} // which a takes out
	a.dataset(d, &p)
	d.IDs = dataset.MapIDs(d.IDs.Ends, d.IDs.Bytes)
	if a.err != nil {
		return nil, a.err
	}
	if d.Graph, err = graph.Restore(p); err != nil {
		return nil, r.at(headerBytes, "the graph of part %d: %v", r.part, err)
	}
	if wrong := check(d); wrong != nil {
		return nil, r.at(where[sectionKey{wrong.kind, r.part, wrong.item}].offset, "%s", wrong.text)
	}
	return d, nil
}

// mostSplits is more than any data set has.
const mostSplits = 1 << 16

// meta reads the JSON of the part.
func (r *nativeReader) meta() (meta, error) {
	var m meta
	key := sectionKey{sectionMeta, r.part, 0}
	s, ok := r.sections[key]
	if !ok {
		return m, r.at(headerBytes, "part %d has no description", r.part)
	}
	delete(r.sections, key)
	decoder := json.NewDecoder(bytes.NewReader(r.content(s)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		return m, r.at(s.offset+uint64(decoder.InputOffset()), "the description of the data: %v", err)
	}
	if m.Splits < 0 || m.Splits > mostSplits { // empty ones have no section
		return m, r.at(s.offset, "%d splits, and at most %d can be read", m.Splits, mostSplits)
	}
	return m, r.older(&m, s.offset)
}

// older reads what earlier versions wrote before the energy of settled rows was stored. Rows whose states changed in
// training are not P x; nothing trains or predicts them any more.
func (r *nativeReader) older(m *meta, at uint64) error {
	if strings.HasPrefix(m.Settled, "the fixed point of\n") {
		return r.at(at, "these rows belong to a run whose states were relaxed on disk, which is no longer supported: "+
			"train it again, on mini-batches")
	}
	energy, spread := strings.CutPrefix(m.Settled, "with the spread of features\n")
	m.Settled, m.Spread = energy, m.Spread || spread
	return nil
}
