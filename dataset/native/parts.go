package native

import (
	"bytes"
	"encoding/json"
	"strings"
	"unsafe"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
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
		Labels: dataset.Labels{Names: m.Classes, Task: m.Task},
	}
	where := r.places()
	p := partTaker{r: r}
	d.Graph = p.graph(m.Graph)
	d.IDs = dataset.MapIDs(readSection[int64](&p, sectionIDEnds, 0), readSection[byte](&p, sectionIDBytes, 0))
	for t, shape := range m.Features {
		d.Features = append(d.Features, dataset.Matrix{
			Rows: shape.Rows, Cols: shape.Cols,
			Ptr:    readSection[int64](&p, sectionFeaturePtr, t),
			Idx:    readSection[int32](&p, sectionFeatureIdx, t),
			Values: p.reals(sectionFeatureValues, t),
		})
	}
	d.Labels.Class = readSection[int32](&p, sectionClasses, 0)
	for i := range m.Splits {
		d.Splits = append(d.Splits, dataset.Split{
			Train: readSection[int32](&p, sectionTrain, i), Valid: readSection[int32](&p, sectionValid,
				i), Test: readSection[int32](&p,
				sectionTest, i),
		})
	}
	for i, facts := range [2]*[]graph.Triple{&d.Valid, &d.False[0]} {
		*facts = readSection[graph.Triple](&p, sectionValidTriples, i)
	}
	for i, facts := range [2]*[]graph.Triple{&d.Test, &d.False[1]} {
		*facts = readSection[graph.Triple](&p, sectionTestTriples, i)
	}
	d.Corrupted = readSection[int32](&p, sectionCorrupted, 0)
	d.Times = readSection[int64](&p, sectionTimes, 0)
	d.Labels.Values = p.reals(sectionValues, 0)
	d.Raw = p.raw(m.Raw)
	if p.err != nil {
		return nil, p.err
	}
	if wrong := check(d); wrong != nil {
		return nil, r.at(where[sectionKey{wrong.kind, r.part, wrong.item}], "%s", wrong.text)
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

// places returns the offsets of all sections that were not read yet.
func (r *nativeReader) places() map[sectionKey]uint64 {
	at := make(map[sectionKey]uint64, len(r.sections))
	for key, s := range r.sections {
		at[key] = s.offset
	}
	return at
}

// partTaker takes sections and remembers the first error.
type partTaker struct {
	r   *nativeReader
	err error
}

func (p *partTaker) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// bytes reads a section of numbers of the given width; nil if there is no such section.
func (p *partTaker) bytes(kind sectionKind, item, width int) (b []byte, ok bool) {
	key := sectionKey{kind, p.r.part, uint32(item)}
	s, ok := p.r.sections[key]
	if !ok {
		return nil, false
	}
	delete(p.r.sections, key)
	if s.length%uint64(width) != 0 {
		p.fail(p.r.at(s.offset, "%d bytes are not a multiple of %d", s.length, width))
		return nil, false
	}
	return p.r.content(s), true
}

// readSection reads a section as numbers; nil if there is no such section.
func readSection[T number](p *partTaker, kind sectionKind, item int) []T {
	var zero T
	if b, ok := p.bytes(kind, item, int(unsafe.Sizeof(zero))); ok {
		return view[T](b)
	}
	return nil
}

// reals takes a section of real numbers, of the width that the file has.
func (p *partTaker) reals(kind sectionKind, item int) []mat.Real {
	if b, ok := p.bytes(kind, item, p.r.width); ok {
		return viewReals(b, p.r.width)
	}
	return nil
}

// graph restores the graph. The patterns must be there: their length vouches for the number of
// nodes, which everything else allocates by.
func (p *partTaker) graph(m metaGraph) *graph.Graph {
	parts := graph.Parts{
		Nodes: m.Nodes, Relations: m.Relations, Types: m.Types, Undirected: m.Undirected, Inverses: m.Inverses,
		Report:  m.Report,
		Sources: readSection[int32](p, sectionSources, 0), Targets: readSection[int32](p, sectionTargets, 0),
		Relation: readSection[int32](p, sectionRelation, 0), Weights: p.reals(sectionWeights, 0),
		NodeTypes: readSection[int32](p, sectionNodeTypes, 0), Origins: readSection[int32](p, sectionOrigins, 0),
	}
	parts.Features = graph.Features{Cols: m.Features, Values: p.reals(sectionEdgeFeatures, 0)}
	if m.Undirected {
		parts.Adjacency = p.pattern(sectionAdjacencyPtr, m.Nodes)
	} else {
		parts.In, parts.Out = p.pattern(sectionInPtr, m.Nodes), p.pattern(sectionOutPtr, m.Nodes)
	}
	if p.err != nil {
		return nil
	}
	g, err := graph.Restore(parts)
	if err != nil {
		p.fail(p.r.at(headerBytes, "the graph of part %d: %v", p.r.part, err))
	}
	return g
}

// pattern takes three sections, of which the first is kind.
func (p *partTaker) pattern(kind sectionKind, nodes int) graph.Pattern {
	m := graph.Pattern{Rows: nodes, Cols: nodes}
	m.Ptr, m.Idx, m.Edge = readSection[int64](p, kind, 0), readSection[int32](p, kind+1, 0), readSection[int32](p,
		kind+2, 0)
	if m.Ptr == nil {
		p.fail(p.r.at(headerBytes, "part %d has no rows of edges (section kind %d)", p.r.part, kind))
	}
	return m
}
