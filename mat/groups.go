package mat

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/internal/kernel"
)

// Groups cuts the rows of a matrix into groups of consecutive rows. It is immutable, except that the code that made it
// with NewBatchGroups may cut it again between runs.
type Groups struct {
	refillable
	bounds []int // group g is rows bounds[g] ≤ i < bounds[g+1]
}

// NewGroups returns groups of the given numbers of rows, on the default device.
func NewGroups(sizes ...int) *Groups {
	g := &Groups{bounds: make([]int, len(sizes)+1)}
	for i, n := range sizes {
		if n < 0 {
			panic(fmt.Sprintf("mat: NewGroups: group %d of %d rows", i, n))
		}
		g.bounds[i+1] = g.bounds[i] + n
	}
	dev := Default()
	g.placed = placed{dev, dev.Groups(g.bounds)}
	return g
}

// Len returns the number of groups.
func (g *Groups) Len() int { return len(g.bounds) - 1 }

// Rows returns the number of rows of all groups.
func (g *Groups) Rows() int { return g.bounds[g.Len()] }

// NewBatchGroups returns a fixed number of groups of a fixed number of rows, all of them in the last group; Update
// moves the cuts.
func NewBatchGroups(rows, groups int) *Groups {
	if rows < 0 || groups < 1 {
		panic(fmt.Sprintf("mat: NewBatchGroups: %d groups of %d rows", groups, rows))
	}
	sizes := make([]int, groups)
	sizes[groups-1] = rows
	g := NewGroups(sizes...)
	g.batch = true
	return g
}

// Update makes sizes the numbers of rows of the groups of a batch. Their sum stays.
func (b *Groups) Update(sizes []int) {
	b.mustRefill("Groups")
	sum := 0
	for _, n := range sizes {
		sum += n
	}
	if len(sizes) != b.Len() || sum != b.Rows() {
		panic(fmt.Sprintf("mat: Update: %d groups of %d rows where %d of %d are needed", len(sizes), sum, b.Len(),
			b.Rows()))
	}
	for i, n := range sizes {
		b.bounds[i+1] = b.bounds[i] + n
	}
	b.dev.UpdateGroups(b.buf, b.bounds)
}

// GroupShape returns the shape of GroupMatMul; it panics when the operands do not fit.
func (g *Groups) GroupShape(t Trans, a, b Shape) Shape {
	mustFit(a.Rows == g.Rows(), "GroupMatMul", a, Shape{g.Rows(), a.Cols})
	switch t {
	case TN:
		mustFit(b.Rows == g.Rows(), "GroupMatMul", b, Shape{g.Rows(), b.Cols})
		return Shape{g.Len() * a.Cols, b.Cols}
	case NN:
		mustFit(b.Rows == g.Len()*a.Cols, "GroupMatMul", a, b)
		return Shape{a.Rows, b.Cols}
	case NT:
		mustFit(b.Cols == a.Cols && g.Len() > 0 && b.Rows%g.Len() == 0, "GroupMatMul", a, b)
		return Shape{a.Rows, b.Rows / g.Len()}
	}
	panic("mat: GroupMatMul: there is no product TT")
}

// GroupMatMul is a product for every group of rows, β = 0 or 1:
//
//	NN: dst_g ← a_g·b_g + β·dst_g    NT: dst_g ← a_g·b_gᵀ + β·dst_g    TN: dst_g ← a_gᵀ·b_g + β·dst_g
//
// Operands with rows in groups are cut there: a, dst of NN and NT, and b of TN. The others are stacks of one matrix per
// group. dst is neither a nor b.
func GroupMatMul(dst *Dense, g *Groups, a, b *Dense, t Trans, beta Real) {
	mustEqual("GroupMatMul", dst.shape, g.GroupShape(t, a.shape, b.shape))
	mustShare("GroupMatMul", dst.dev, a, b)
	mustBeOn("GroupMatMul", dst.dev, g.dev)
	dst.dev.GroupMatMul(dst, g, a, b, t, beta)
}

// cpuGroups holds the bounds.
type cpuGroups []int

func (g cpuGroups) Len() int { return len(g) - 1 }

func (cpu) Groups(bounds []int) Buffer          { return cpuGroups(slices.Clone(bounds)) }
func (cpu) UpdateGroups(g Buffer, bounds []int) { copy(g.(cpuGroups), bounds) }

func (cpu) GroupMatMul(dst *Dense, g *Groups, a, b *Dense, t Trans, beta Real) {
	bounds := []int(g.buf.(cpuGroups))
	if t == TN {
		kernel.GemmGroupsT(data(dst), data(a), data(b), bounds, b.Cols(), a.Cols(), beta)
		return
	}
	kernel.GemmGroups(data(dst), data(a), data(b), bounds, t == NT, dst.Cols(), a.Cols(), beta)
}
