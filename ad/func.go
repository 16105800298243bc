package ad

import (
	"sync"

	"github.com/bloomgml/bloom/mat"
)

// Func is an expression with open inputs, called like one operation: a call keeps its inputs and
// outputs and nothing in between. A derivative of a call computes what it needs again.
//
// Calls of one Func, and of Funcs with the same Arena, work in the same memory. So a descent in checkpointed segments
// needs the memory of one segment only.
type Func struct{ body *closure }

// Arena is memory that Funcs and programs share. Those that share one must not run at the same time; they may be
// compiled from different goroutines.
type Arena struct {
	mu    sync.Mutex // held by who compiles
	slots []*slot
}

// NewFunc returns f as a Func, for inputs of the given shapes. f may use variables from outside: they are found and
// become inputs too, so derivatives reach them.
func NewFunc(arena *Arena, f func(in []Var) []Var, shapes ...mat.Shape) *Func {
	start := created.Load()
	open := make([]Var, len(shapes))
	for i, s := range shapes {
		open[i] = leaf(mat.Header(s), false)
	}
	outs := f(open)
	outer := captured(outs, start)
	from := map[Var]Var{}
	for _, v := range outer {
		from[v] = leaf(mat.Header(v.Shape()), false)
		open = append(open, from[v])
	}
	body := &closure{arena: arena, in: open, out: substitute(outs, from, start), outer: outer,
		back: map[string]*closure{}}
	return &Func{body}
}

// Call returns the value of the Func for the given inputs.
func (f *Func) Call(in ...Var) []Var {
	all := append(append([]Var(nil), in...), f.body.outer...)
	return Apply(f.body, all...)
}

// Outer returns the variables from outside that every call reads after its own inputs.
func (f *Func) Outer() []Var { return f.body.outer }

// Eval computes the outputs now, from the matrices of the inputs and then of Outer: for operations that
// iterate until something converges.
func (f *Func) Eval(out, in []*mat.Dense) error {
	p := f.body.start(in)
	if err := p.run(); err != nil {
		return err
	}
	f.body.copyTo(out)
	return nil
}

// captured lists what outs use from outside: of nodes created up to start all that can change, and whatever is fixed
// and computed, so it is computed once for all Funcs that use it.
func captured(outs []Var, start uint64) []Var {
	var list []Var
	seen := map[Var]bool{}
	inside := func(n *node) bool { return n.id > start && !n.hoisted() }
	note := func(vs []Var) {
		for _, v := range vs {
			constant := v.n.fixed && !v.n.hoisted()
			if !inside(v.n) && !constant && !seen[v] {
				seen[v] = true
				list = append(list, v)
			}
		}
	}
	note(outs)
	for _, n := range reach(outs, (*node).inputs, inside) {
		note(n.in)
	}
	return list
}

// hoisted reports whether n is worth computing outside of a Func: fixed, and not just numbers.
func (n *node) hoisted() bool { return n.fixed && n.op != nil && n.leafy }

// substitute returns outs with the variables in from replaced. Nodes up to start must contain none of these variables.
func substitute(outs []Var, from map[Var]Var, start uint64) []Var {
	if len(from) == 0 {
		return outs
	}
	done := map[*node][]Var{}
	var visit func(v Var) Var
	visit = func(v Var) Var {
		if to, ok := from[v]; ok {
			return to
		}
		if v.n.id <= start || v.n.op == nil {
			return v
		}
		if _, ok := done[v.n]; !ok {
			in := make([]Var, len(v.n.in))
			for i, x := range v.n.in {
				in[i] = visit(x)
			}
			done[v.n] = Apply(v.n.op, in...)
		}
		return done[v.n][v.out]
	}
	res := make([]Var, len(outs))
	for i, v := range outs {
		res[i] = visit(v)
	}
	return res
}

// closure is the operation of a Func: out as a function of in, which are leaves without memory.
type closure struct {
	arena   *Arena
	in, out []Var
	outer   []Var               // variables from outside that the last of in stand for
	back    map[string]*closure // its derivatives, by what is given and asked for
	prog    *Program
}

func (*closure) Name() string { return "call" }

func (c *closure) Shapes(in []mat.Shape) []mat.Shape {
	for i, v := range c.in {
		if in[i] != v.Shape() {
			panicShapes("Call", in[i], v.Shape())
		}
	}
	out := make([]mat.Shape, len(c.out))
	for i, v := range c.out {
		out[i] = v.Shape()
	}
	return out
}

// Eval is not called: a program runs the instructions of the body as its own.
func (c *closure) Eval(_, _ []*mat.Dense) { panic("ad: a call outside of a program") }

// start returns the compiled body, on the memory of the inputs.
func (c *closure) start(in []*mat.Dense) *Program {
	if c.prog == nil {
		c.prog = compile(c.arena, c.out, false)
	}
	for i, v := range c.in {
		v.n.leaf.Alias(in[i], 0)
	}
	return c.prog
}

// copyTo copies the values of the body to out.
func (c *closure) copyTo(out []*mat.Dense) {
	for i, v := range c.out {
		mat.Copy(out[i], c.prog.Value(v))
	}
}

// eval runs the body as a part of another program: checks of it that fail are checks of the call.
func (c *closure) eval(out, in []*mat.Dense, flag *mat.Dense, code int) error {
	if err := c.start(in).eval(flag, code); err != nil {
		return err
	}
	c.copyTo(out)
	return nil
}

// explain returns the error of a body in which a check has failed.
func (c *closure) explain(in []*mat.Dense) error {
	p := c.start(in)
	p.ran = false
	return p.run()
}

// VJP is a call again: of the derivative of the body, with the body's inputs and the cotangents.
func (c *closure) VJP(in, _, g []Var) []Var {
	var which []byte
	var wanted []int
	args := append([]Var(nil), in...)
	for i, v := range in {
		which = append(which, '0')
		if !v.Fixed() {
			which[i] = '1'
			wanted = append(wanted, i)
		}
	}
	for _, v := range g {
		if v.IsZero() {
			which = append(which, '0')
			continue
		}
		which = append(which, '1')
		args = append(args, v)
	}
	back := c.back[string(which)]
	if back == nil {
		back = c.derivative(g, wanted)
		c.back[string(which)] = back
	}
	ds := make([]Var, len(in))
	for k, d := range Apply(back, args...) {
		ds[wanted[k]] = d
	}
	return ds
}

// derivative returns the closure of the derivatives to the wanted inputs, for the cotangents that are there.
func (c *closure) derivative(g []Var, wanted []int) *closure {
	in := append([]Var(nil), c.in...)
	open := make([]Var, len(g))
	for i, v := range g {
		if !v.IsZero() {
			open[i] = leaf(mat.Header(v.Shape()), false)
			in = append(in, open[i])
		}
	}
	xs := make([]Var, len(wanted))
	for k, i := range wanted {
		xs[k] = c.in[i]
	}
	return &closure{arena: c.arena, in: in, out: vjp(c.out, open, xs), back: map[string]*closure{}}
}
