package ad

import (
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// group is tasks that follow each other and are run block by block.
type group struct {
	rows, block int          // of the matrices that are cut, and of a block
	made        map[Var]bool // by its tasks, row by row
	late        map[Var]bool // sums over all rows, and what follows from them: there when the last block is done
	whole       map[Var]bool // what a task reads all rows of

	tasks, after []task

	from, to int             // its instructions in Program.each
	members  []member        // how each of them works on blocks
	pieces   [][]instruction // of every block
	sums     []instruction   // and what follows when all blocks are done
	looks    []look
}

// grouper puts tasks that work on blocks of the same rows next to each other.
type grouper struct {
	*group
	plan []task
}

// group reorders the plan into groups where the device can cut matrices.
func (p *planner) group() {
	if !cuts(mat.Default()) {
		return
	}
	p.repeat()
	g := grouper{group: newGroup(0)}
	for _, t := range p.plan {
		g.add(t)
	}
	g.end()
	p.plan = g.plan
}

// cuts reports whether matrices of dev can be cut into blocks.
func cuts(dev mat.Device) bool {
	_, ok := dev.(interface {
		Cut(b mat.Buffer, from, n int) mat.Buffer
	})
	return ok
}

func newGroup(rows int) *group {
	return &group{rows: rows, made: map[Var]bool{}, late: map[Var]bool{}, whole: map[Var]bool{}}
}

// add puts t into the group, before it or behind it, or ends the group where neither is possible.
func (g *grouper) add(t task) {
	r := t.blockwise()
	if t.n.fixed || !t.cuttable(r) {
		r.rows = 0
	}
	switch {
	case r.rows > 0 && !g.fits(t, r):
		g.end()
		g.group = newGroup(r.rows)
		g.join(t, r)
	case r.rows > 0:
		g.join(t, r)
	case t.stays():
		g.end()
		g.plan = append(g.plan, t)
	case g.reads(t):
		g.after = append(g.after, t)
		for _, v := range t.outs() {
			g.late[v] = true
		}
	default:
		g.plan = append(g.plan, t)
	}
}

// stays reports whether t must stay where it is in the order of all.
func (t task) stays() bool {
	s := newInstruction(t.op)
	return s.host != nil || s.call != nil || s.checked
}

// cuttable reports whether the matrices of t are large enough for blocks, not too wide, and have memory to be cut.
func (t task) cuttable(r reading) bool {
	for i, v := range t.in {
		if r.cuts(i, v.shape.Rows) && (v.shape != v.Shape() || v.n.leaf != nil && v.n.leaf.Buffer() == nil) {
			return false
		}
	}
	if !t.sum.IsZero() && (r.parts == 0 || t.sum.Shape() != t.of.Shape() || t.sum.n.leaf != nil) {
		return false
	}
	return cutBySize(mat.Shape{Rows: r.rows, Cols: t.width()})
}

// width returns the columns of the widest matrix of t.
func (t task) width() int {
	most := 1
	for _, v := range t.outs() {
		most = max(most, v.Shape().Cols)
	}
	for _, v := range t.in {
		most = max(most, v.shape.Cols)
	}
	return most
}

// cutBySize reports whether a matrix is large enough for blocks, and not too wide.
func cutBySize(s mat.Shape) bool { return s.Cols <= widest && s.Rows >= leastBlocks*blockRows(s.Cols) }

// blockRows returns how many rows a block has if the widest matrix has cols columns.
func blockRows(cols int) int {
	rows, unit := blockNumbers/cols, blockUnit
	if rows >= blockTiles {
		unit = blockTiles
	}
	return max(1, rows/unit) * unit
}

// fits reports whether t can be run with the group, block by block.
func (g *group) fits(t task, r reading) bool {
	if r.rows != g.rows {
		return false
	}
	for i, v := range t.in {
		if g.late[v.Var] || g.made[v.Var] && !r.cuts(i, v.shape.Rows) {
			return false
		}
	}
	return !g.late[t.sum]
}

// reads reports whether t reads what the group computes.
func (g *group) reads(t task) bool {
	return slices.ContainsFunc(t.reads(), func(v Var) bool { return g.made[v] || g.late[v] })
}

// join adds t to the tasks of the group. A factor that is read whole and transposed is transposed once, not for every
// block.
func (g *grouper) join(t task, r reading) {
	if o, ok := t.op.(matmul); ok && o.t == mat.NT && t.in[1].shape == t.in[1].Shape() {
		flip := apply1(transpose{}, t.in[1].Var)
		g.plan = append(g.plan, task{n: flip.n, op: transpose{}, in: t.in[1:2]})
		t.op, t.in = matmul{mat.NN, o.alpha}, []operand{t.in[0], {flip, flip.Shape()}}
	}
	for i, v := range t.in {
		if !r.cuts(i, v.shape.Rows) {
			g.whole[v.Var] = true
		}
	}
	for k, v := range t.outs() {
		if k < r.parts {
			g.made[v] = true
		} else {
			g.late[v] = true
		}
	}
	g.tasks = append(g.tasks, t)
}

// end appends the group, and what follows it, to the plan. A task alone needs no group.
func (g *grouper) end() {
	if len(g.tasks) > 1 {
		cols := 1
		for i := range g.tasks {
			cols = max(cols, g.tasks[i].width())
			g.tasks[i].group = g.group
		}
		g.block = blockRows(cols)
	}
	g.plan = append(append(g.plan, g.tasks...), g.after...)
	g.group = newGroup(0)
}
