package native

import (
	"encoding/binary"
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

// number is the type of the elements of a section. A triple is three int32.
type number interface {
	byte | int32 | int64 | float32 | float64 | graph.Triple
}

// littleEndian reports whether this machine stores numbers as files do.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// bytesOf returns the memory of x, as stored in a file.
func bytesOf[T number](x []T) []byte {
	if len(x) == 0 {
		return nil
	}
	if !littleEndian {
		b, err := binary.Append(nil, binary.LittleEndian, x)
		if err != nil {
			panic(err) // no type of number has a part without a fixed size
		}
		return b
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
}

// view returns the numbers in b, without a copy if this machine stores them the same way. The length of b must be a
// multiple of the size of a number. The result is not nil.
func view[T number](b []byte) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	n := len(b) / size
	if n == 0 {
		return []T{}
	}
	if littleEndian && uintptr(unsafe.Pointer(&b[0]))%unsafe.Alignof(zero) == 0 {
		return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
	}
	x := make([]T, n)
	if _, err := binary.Decode(b, binary.LittleEndian, x); err != nil {
		panic(err) // b has the bytes of n numbers
	}
	return x
}

// viewReals returns the real numbers in b, each of the given width; they are copied if it is not the width of this
// build.
func viewReals(b []byte, width int) []mat.Real {
	switch {
	case width == realBytes:
		return view[mat.Real](b)
	case width == 4:
		return converted(view[float32](b))
	}
	return converted(view[float64](b))
}

func converted[T float32 | float64](x []T) []mat.Real {
	y := make([]mat.Real, len(x))
	for i, v := range x {
		y[i] = mat.Real(v)
	}
	return y
}
