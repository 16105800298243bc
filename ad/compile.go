package ad

import (
	"reflect"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// Compile plans the evaluation of the given expressions: which operations, in which order, in
// which memory. Equal operations on equal inputs are planned once.
func Compile(outputs ...Var) *Program { return compile(&Arena{}, outputs, true) }

// CompileIn is Compile with memory from arena, which programs share that do not run at the same time: a run overwrites
// the values of the others.
func CompileIn(arena *Arena, outputs ...Var) *Program { return compile(arena, outputs, true) }

// compile is Compile with memory from arena, which other programs use too while this one does not run. Only where the
// memory of leaves stays the same may operations be grouped.
func compile(arena *Arena, outputs []Var, grouped bool) *Program {
	p := &planner{
		same: map[key]*node{}, canon: map[*node]*node{}, last: map[Var]int{}, home: map[Var]*slot{}, arena: arena,
	}
	order, roots := simplify(lower(mat.Default(), outputs))
	for _, n := range order {
		p.add(n)
	}
	for i, v := range roots {
		roots[i] = p.resolve(v)
	}
	p.fuseSums(roots)
	if grouped {
		p.group()
	}
	p.measure(roots)
	prog := &Program{values: map[Var]*mat.Dense{}, flag: mat.New(1, 1), clocks: clocks(order, nil)}
	prog.recorder, _ = mat.Default().(mat.Recorder)
	arena.mu.Lock()
	defer arena.mu.Unlock()
	arena.release()
	for i := range p.plan {
		p.place(prog, i)
	}
	for _, g := range prog.groups {
		g.cut(prog)
	}
	for i, v := range outputs {
		prog.values[v] = p.matrix(roots[i], v.Shape())
	}
	prog.bytes = arena.Bytes()
	return prog
}

// add appends an instruction to those that run once or every time.
func (p *Program) add(s instruction, fixed bool) {
	p.checked = p.checked || s.checked || s.call != nil
	if fixed {
		s.number = -len(p.once) - 1
		p.once = append(p.once, s)
		return
	}
	s.number = len(p.each) + 1
	p.each = append(p.each, s)
}

// clocks adds to list those that operations of a program, and of Funcs that it calls, depend on.
func clocks(order []*node, list []*Clock) []*Clock {
	for _, n := range order {
		switch o := n.op.(type) {
		case dropout:
			if !slices.Contains(list, o.clock) {
				list = append(list, o.clock)
			}
		case *closure:
			list = clocks(needed(o.out), list)
		}
	}
	return list
}

// needed lists, oldest first, the nodes whose values the outputs need.
func needed(outputs []Var) []*node {
	list := reach(outputs, (*node).read, func(*node) bool { return true })
	slices.SortFunc(list, compareIDs)
	return list
}

// inputs returns what n is computed or differentiated from.
func (n *node) inputs() []Var { return n.in }

// read returns the inputs that evaluation reads.
func (n *node) read() []Var {
	if r, ok := n.op.(reader); ok {
		return n.in[:r.Reads()]
	}
	return n.in
}

// planner turns nodes into a list of operations with memory.
type planner struct {
	same  map[key]*node   // first node with this operation and these inputs
	canon map[*node]*node // node → the node that computes its value
	plan  []task
	last  map[Var]int // the last task that reads a value
	home  map[Var]*slot
	arena *Arena
}

// task is one operation of the plan: op, which is the operation of n unless a factor was folded into it. If its result
// is added to another value, sum is that value and of is the value produced. group is the group it runs in, or nil.
type task struct {
	n       *node
	op      Op
	in      []operand
	sum, of Var
	group   *group
}

// operand is a computed value in the shape in which an operation reads it, which Reshape may have
// changed.
type operand struct {
	Var
	shape mat.Shape
}

// key identifies an operation up to four inputs.
type key struct {
	op Op
	in [4]operand
	n  int
}

// add plans n, or recognises that an equal operation is planned already.
func (p *planner) add(n *node) {
	if n.op == nil {
		p.canon[n] = n
		return
	}
	in := make([]operand, len(n.read()))
	for i, v := range n.read() {
		in[i] = operand{p.resolve(v), v.Shape()}
	}
	if p.isAlias(n) {
		if looks(n.op) {
			p.plan = append(p.plan, task{n: n, op: n.op, in: in})
		}
		return
	}
	if k, ok := keyOf(n.op, in); ok {
		if first := p.same[k]; first != nil {
			p.canon[n] = first
			return
		}
		p.same[k] = n
	}
	p.canon[n] = n
	p.plan = append(p.plan, task{n: n, op: n.op, in: in})
}

// isAlias reports whether the output of n is its first input. A leaf that has no memory yet, the input of a Func, can
// be read in its own shape only: in another it is copied.
func (p *planner) isAlias(n *node) bool {
	if _, ok := n.op.(alias); !ok && !looks(n.op) {
		return false
	}
	from := p.resolve(n.read()[0])
	return from.n.leaf == nil || from.n.leaf.Buffer() != nil || from.Shape() == n.shapes[0]
}

func keyOf(op Op, in []operand) (key, bool) {
	k := key{op: op, n: len(in)}
	if len(in) > len(k.in) || !reflect.TypeOf(op).Comparable() {
		return key{}, false
	}
	copy(k.in[:], in)
	return k, true
}

// resolve follows aliases and equal operations to the Var that is computed.
func (p *planner) resolve(v Var) Var {
	for {
		if p.isAlias(v.n) {
			v = v.n.in[0]
			continue
		}
		return Var{p.canon[v.n], v.out}
	}
}

// fuseSums lets an operation whose only use is to be added to something add itself there:
// t = A·B; y = x − t becomes y = x; y += −A·B.
func (p *planner) fuseSums(roots []Var) {
	uses, at := map[Var]int{}, map[*node]int{}
	for i, t := range p.plan {
		at[t.n] = i
		for _, v := range t.in {
			uses[v.Var]++
		}
	}
	for _, v := range roots {
		uses[v]++
	}
	drop := map[int]bool{}
	for i, t := range p.plan {
		o, ok := t.n.op.(axpby)
		if !ok || t.in[0].shape != t.in[1].shape {
			continue
		}
		factors := [2]mat.Real{o.alpha, o.beta}
		for side, v := range t.in {
			j, planned := at[v.n]
			if !planned || uses[v.Var] != 1 || v.n.fixed != t.n.fixed || factors[1-side] != 1 {
				continue
			}
			if op := scaled(v.n.op, factors[side]); op != nil {
				drop[j] = true
				p.plan[i] = task{n: v.n, op: op, in: p.plan[j].in, sum: t.in[1-side].Var, of: Var{t.n, 0}}
				break
			}
		}
	}
	kept := p.plan[:0]
	for i, t := range p.plan {
		if !drop[i] {
			kept = append(kept, t)
		}
	}
	p.plan = kept
}

// scaled returns c times op as an adder, or nil if op cannot be scaled.
func scaled(op Op, c mat.Real) Op {
	if s, ok := op.(scaler); ok {
		return s.scaled(c)
	}
	if _, ok := op.(adder); ok && c == 1 {
		return op
	}
	return nil
}

// outs returns the values a task produces.
func (t task) outs() []Var {
	if !t.of.IsZero() {
		return []Var{t.of}
	}
	outs := make([]Var, len(t.n.shapes))
	for i := range outs {
		outs[i] = Var{t.n, i}
	}
	return outs
}

// reads returns the values a task reads.
func (t task) reads() []Var {
	var vs []Var
	for _, v := range t.in {
		vs = append(vs, v.Var)
	}
	if !t.sum.IsZero() {
		vs = append(vs, t.sum)
	}
	return vs
}

// measure finds the last reader of every value; outputs and fixed values live on.
func (p *planner) measure(roots []Var) {
	const forever = int(^uint(0) >> 1)
	for i, t := range p.plan {
		for _, v := range t.outs() {
			p.last[v] = max(p.last[v], i)
			if t.n.fixed {
				p.last[v] = forever
			}
		}
		for _, v := range t.reads() {
			p.last[v] = max(p.last[v], i)
		}
	}
	for _, v := range roots {
		p.last[v] = forever
	}
}
