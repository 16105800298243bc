package native

import (
	"unsafe"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// arrays moves the arrays of a part between a data set and a file: into the file if w is set, else out of it. Sections
// are in the order in which they are moved. The first error stays.
type arrays struct {
	w   *nativeWriter
	r   *nativeReader
	err error
}

// move moves x, which has no section if it is nil.
func move[T number](a *arrays, kind sectionKind, item int, x *[]T) {
	var zero T
	if a.w != nil {
		if *x != nil {
			a.w.add(kind, item, bytesOf(*x))
		}
	} else if b, ok := a.bytes(kind, item, int(unsafe.Sizeof(zero))); ok {
		*x = view[T](b)
	}
}

// reals is move for real numbers, which may have another width in the file.
func (a *arrays) reals(kind sectionKind, item int, x *[]mat.Real) {
	if a.w != nil {
		move(a, kind, item, x)
	} else if b, ok := a.bytes(kind, item, a.r.width); ok {
		*x = viewReals(b, a.r.width)
	}
}

// bytes takes a section of numbers of the given width from the file; ok is false if there is none.
func (a *arrays) bytes(kind sectionKind, item, width int) (b []byte, ok bool) {
	key := sectionKey{kind, a.r.part, uint32(item)}
	s, ok := a.r.sections[key]
	if !ok {
		return nil, false
	}
	delete(a.r.sections, key)
	if s.length%uint64(width) != 0 {
		a.fail(a.r.at(s.offset, "%d bytes are not a multiple of %d", s.length, width))
		return nil, false
	}
	return a.r.content(s), true
}

func (a *arrays) fail(err error) {
	if a.err == nil {
		a.err = err
	}
}

// dataset moves all arrays of d, whose graph has the parts p.
func (a *arrays) dataset(d *dataset.Dataset, p *graph.Parts) {
	a.graph(p)
	move(a, sectionIDEnds, 0, &d.IDs.Ends)
	move(a, sectionIDBytes, 0, &d.IDs.Bytes)
	for t := range d.Features {
		m := &d.Features[t]
		move(a, sectionFeaturePtr, t, &m.Ptr)
		move(a, sectionFeatureIdx, t, &m.Idx)
		a.reals(sectionFeatureValues, t, &m.Values)
	}
	move(a, sectionClasses, 0, &d.Labels.Class)
	for i := range d.Splits {
		s := &d.Splits[i]
		move(a, sectionTrain, i, &s.Train)
		move(a, sectionValid, i, &s.Valid)
		move(a, sectionTest, i, &s.Test)
	}
	for item, facts := range [2][2]*[]graph.Triple{{&d.Valid, &d.Test}, {&d.False[0], &d.False[1]}} {
		move(a, sectionValidTriples, item, facts[0])
		move(a, sectionTestTriples, item, facts[1])
	}
	move(a, sectionCorrupted, 0, &d.Corrupted)
	move(a, sectionTimes, 0, &d.Times)
	a.reals(sectionValues, 0, &d.Labels.Values)
	a.reals(sectionEdgeFeatures, 0, &p.Features.Values)
	if d.Raw != nil {
		a.raw(d.Raw)
	}
}

func (a *arrays) graph(p *graph.Parts) {
	move(a, sectionSources, 0, &p.Sources)
	move(a, sectionTargets, 0, &p.Targets)
	move(a, sectionRelation, 0, &p.Relation)
	a.reals(sectionWeights, 0, &p.Weights)
	move(a, sectionNodeTypes, 0, &p.NodeTypes)
	move(a, sectionOrigins, 0, &p.Origins)
	if p.Undirected {
		a.pattern(sectionAdjacencyPtr, &p.Adjacency, p.Nodes)
	} else {
		a.pattern(sectionInPtr, &p.In, p.Nodes)
		a.pattern(sectionOutPtr, &p.Out, p.Nodes)
	}
}

// pattern moves three sections, of which the first is kind. They must be there: their length vouches for the number of
// nodes, which everything else allocates by.
func (a *arrays) pattern(kind sectionKind, p *graph.Pattern, nodes int) {
	p.Rows, p.Cols = nodes, nodes
	move(a, kind, 0, &p.Ptr)
	move(a, kind+1, 0, &p.Idx)
	move(a, kind+2, 0, &p.Edge)
	if p.Ptr == nil {
		a.fail(a.r.at(headerBytes, "part %d has no rows of edges (section kind %d)", a.r.part, kind))
	}
}

// raw moves the values of raw columns and of rows of edges.
func (a *arrays) raw(r *dataset.Raw) {
	for i, c := range rawColumns(r) {
		move(a, sectionRawEnds, i, &c.Values.Ends)
		move(a, sectionRawBytes, i, &c.Values.Bytes)
		move(a, sectionRawNumbers, i, &c.Values.Numbers)
	}
	if r.Rows == nil {
		return
	}
	move(a, sectionRowSources, 0, &r.Rows.Src)
	move(a, sectionRowTargets, 0, &r.Rows.Dst)
	move(a, sectionRowRelation, 0, &r.Rows.Rel)
	for i := range r.Rows.Columns {
		move(a, sectionRowValues, i, &r.Rows.Columns[i].Values)
	}
}
