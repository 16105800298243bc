package opaque

import (
	"slices"

	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// index is a list of ids, and for every id the positions that hold it.
type index struct {
	ids     []int32
	inverse *kernel.CSR
}

func (x *index) Len() int { return len(x.ids) }

// listed is an Index, nothing for a nil one.
func listed(x *mat.Index) *index {
	if x == nil {
		return &index{}
	}
	return x.Buffer().(*index)
}

func (d *device) Index(ids []int32, bound int) mat.Buffer {
	d.mustNotRecord("Index")
	ids = append([]int32{}, ids...)
	return &index{ids, kernel.Invert(ids, bound)}
}

func (d *device) UpdateIndex(x mat.Buffer, ids []int32) {
	d.mustNotRecord("UpdateIndex")
	list := x.(*index)
	copy(list.ids, ids)
	list.inverse.Refill(list.ids)
}

// pattern is a Sparse by rows and by columns.
type pattern struct{ byRow, byCol *kernel.CSR }

func (p *pattern) Len() int { return p.byRow.NNZ() }

// side is a Sparse by rows, or its transpose by rows.
func side(s *mat.Sparse, transpose bool) *kernel.CSR {
	p := s.Buffer().(*pattern)
	if transpose {
		return p.byCol
	}
	return p.byRow
}

func (d *device) Pattern(rows, cols int, ptr []int64, idx []int32) mat.Buffer {
	d.mustNotRecord("Pattern")
	a, err := kernel.NewCSR(rows, cols, slices.Clone(ptr), slices.Clone(idx), nil)
	if err != nil {
		panic(err) // it was checked
	}
	return &pattern{a, a.Transpose()}
}

func (d *device) UpdatePattern(s mat.Buffer, idx []int32) {
	d.mustNotRecord("UpdatePattern")
	p := s.(*pattern)
	copy(p.byRow.Idx, idx)
	p.byCol.RefillTranspose(p.byRow)
}

// triples are listed by each of their three numbers.
type triples [3]struct {
	*kernel.CSR
	with []int32
}

func (t *triples) Len() int { return t[0].NNZ() }

// places are the two other places of a triple.
var places = [3][2]int{{1, 2}, {0, 2}, {0, 1}}

func (d *device) Triples(bounds [3]int, ids [3][]int32) mat.Buffer {
	d.mustNotRecord("Triples")
	var t triples
	for to, p := range places {
		t[to].CSR, t[to].with = kernel.ListTriples(bounds[to], bounds[p[0]], ids[to], ids[p[0]], ids[p[1]])
	}
	return &t
}

func (d *device) UpdateTriples(b mat.Buffer, ids [3][]int32) {
	d.mustNotRecord("UpdateTriples")
	t := b.(*triples)
	for to, p := range places {
		t[to].with = t[to].RefillTriples(t[to].with, ids[to], ids[p[0]], ids[p[1]])
	}
}

// groups are bounds.
type groups []int

func (g groups) Len() int { return len(g) - 1 }

func (d *device) Groups(bounds []int) mat.Buffer {
	d.mustNotRecord("Groups")
	return groups(slices.Clone(bounds))
}

func (d *device) UpdateGroups(g mat.Buffer, bounds []int) {
	d.mustNotRecord("UpdateGroups")
	copy(g.(groups), bounds)
}

// seed is a number.
type seed uint64

func (*seed) Len() int { return 1 }

func (d *device) Seed() mat.Buffer {
	d.mustNotRecord("Seed")
	return new(seed)
}

func (d *device) UpdateSeed(s mat.Buffer, v uint64) {
	d.mustNotRecord("UpdateSeed")
	*s.(*seed) = seed(v)
}
