package ad

import "github.com/bloomgml/bloom/mat"

// aligned returns the number of columns of v if v is read block by block, with its blocks where any matrix of that
// width has them; 0 otherwise.
func (g *group) aligned(v Var) int {
	if g == nil || g.whole[v] || v.Shape().Rows != g.rows {
		return 0
	}
	return v.Shape().Cols
}

// mayUse reports whether a task of the group may write a matrix of shape s to c. What became free in the same group may
// still be read by other blocks, unless those lie elsewhere.
func (g *group) mayUse(c *slot, s mat.Shape) bool {
	return g == nil || c.within != g || s == mat.Shape{Rows: g.rows, Cols: c.cols}
}

// member is an instruction of a group: how it works on blocks, and the sums of its blocks, one a row.
type member struct {
	reading
	sums []*mat.Dense // of every output that is a sum over rows
	most *mat.Dense   // the largest number of every block that is looked at, nil if none is
}

// enlist makes s, the instruction of t, the next one of its group.
func (p *planner) enlist(prog *Program, t task, s *instruction) {
	g := t.group
	if len(g.members) == 0 {
		g.from = len(prog.each)
		prog.groups = append(prog.groups, g)
	}
	m := member{reading: t.blockwise()}
	for _, out := range s.out[m.parts:] {
		m.sums = append(m.sums, p.reserve(t, out.Len()))
	}
	if s.checked {
		m.most = p.reserve(t, 1)
	}
	g.members = append(g.members, m)
	g.to = len(prog.each) + 1
}

// reserve returns memory for n numbers of every block, which is free when the group has ended.
func (p *planner) reserve(t task, n int) *mat.Dense {
	shape := mat.Shape{Rows: t.group.blocks(), Cols: n}
	s := p.findSlot(shape, t)
	s.free, s.within, s.cols = true, t.group, 0
	return s.mem.As(shape)
}

// blocks returns the number of blocks.
func (g *group) blocks() int { return (g.rows + g.block - 1) / g.block }

// cut makes the instructions of every block.
func (g *group) cut(prog *Program) {
	g.pieces = make([][]instruction, g.blocks())
	for b := range g.pieces {
		for i, m := range g.members {
			g.pieces[b] = append(g.pieces[b], m.block(&prog.each[g.from+i], b, g)...)
		}
	}
	for i, m := range g.members {
		s := &prog.each[g.from+i]
		for k, x := range m.sums {
			one := mat.Shape{Rows: 1, Cols: x.Cols()}
			g.sums = append(g.sums, instruction{op: sum{toRow}, out: []*mat.Dense{s.out[m.parts+k].As(one)},
				in: []*mat.Dense{x}})
		}
		if m.most != nil {
			g.looks = append(g.looks, look{m.most, s.number})
		}
	}
}

// block returns instruction s on block b.
func (m member) block(s *instruction, b int, g *group) []instruction {
	from, to := b*g.block, min((b+1)*g.block, g.rows)
	q := instruction{op: s.op, copySum: s.copySum, add: s.add}
	for i, x := range s.in {
		if m.cuts(i, x.Rows()) {
			x = rowsOf(x, from, to)
		}
		q.in = append(q.in, x)
	}
	for k, x := range s.out {
		switch {
		case k >= m.parts:
			x = rowsOf(m.sums[k-m.parts], b, b+1).As(x.Shape())
		case x != nil:
			x = rowsOf(x, from, to)
		}
		q.out = append(q.out, x)
	}
	if s.sum != nil {
		q.sum = rowsOf(s.sum, from, to)
	}
	if m.most == nil {
		return []instruction{q}
	}
	most := instruction{op: largest{}, out: []*mat.Dense{rowsOf(m.most, b, b+1)}, in: q.in[:1]}
	if looks(s.op) {
		return []instruction{most}
	}
	return []instruction{most, q}
}

// rowsOf returns rows from ≤ i < to of x, on its memory.
func rowsOf(x *mat.Dense, from, to int) *mat.Dense {
	block := mat.Header(mat.Shape{Rows: to - from, Cols: x.Cols()})
	block.Alias(x, from)
	return block
}

// look is a check of a group: the largest numbers of its blocks, and what it leaves behind where one is not finite.
type look struct {
	most   *mat.Dense
	number int
}

// run runs all blocks, and then adds up what they have for the sums. Where a check fails, flag becomes code, or its own
// number where code is 0.
func (g *group) run(flag *mat.Dense, code int) {
	flag.Device().Each(len(g.pieces), g)
	for i := range g.sums {
		g.sums[i].op.Eval(g.sums[i].out, g.sums[i].in)
	}
	for _, x := range g.looks {
		mark := code
		if mark == 0 {
			mark = x.number
		}
		mat.MarkNonFinite(flag, x.most, mat.Real(mark))
	}
}

func (g *group) Do(b int) {
	for i := range g.pieces[b] {
		if err := g.pieces[b][i].run(nil, 0); err != nil {
			panic(err) // only TryEval fails
		}
	}
}

// largest combines the blocks of a check: the largest |entry|, NaN if one is NaN.
type largest struct{}

func (largest) Name() string                   { return "largest" }
func (largest) Shapes([]mat.Shape) []mat.Shape { return []mat.Shape{{Rows: 1, Cols: 1}} }
func (largest) Eval(out, in []*mat.Dense)      { mat.Largest(out[0], in[0]) }
func (largest) VJP(_, _, _ []Var) []Var        { return []Var{{}} }
