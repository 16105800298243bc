package ad

import (
	"fmt"

	"github.com/bloomgml/bloom/mat"
)

// Program is a compiled expression: Run replays it without allocating. One goroutine at a time
// may run it.
type Program struct {
	once   []instruction // what depends on constants alone: run the first time
	each   []instruction
	groups []*group // of instructions of each, in order
	ran    bool
	clocks []*Clock

	flag    *mat.Dense // 1×1: which check was the first to fail, see instruction.number
	checked bool       // some check may fail

	recorder mat.Recorder // nil if the device is not one
	parts    []part       // each as recorded

	values map[Var]*mat.Dense
	bytes  int
}

// Run evaluates the program with the present values of its inputs and parameters. The error comes from the first
// operation that fails (Op); the values must then not be used.
//
// In the first run a mat.Recorder runs the operations one by one; from the second run on it replays what it recorded
// between two host operations. Leaves keep their memory for that.
func (p *Program) Run() error {
	if p.recorder == nil || !p.ran {
		return p.run()
	}
	if p.parts == nil {
		p.record()
	}
	p.setClocks()
	for _, x := range p.parts {
		if err := x.run(p.flag); err != nil {
			return p.failed(err)
		}
	}
	return p.failed(nil)
}

// run asks for the operations one by one.
func (p *Program) run() error {
	p.setClocks()
	p.clear()
	return p.failed(p.eval(p.flag, 0))
}

func (p *Program) setClocks() {
	for _, c := range p.clocks {
		c.set()
	}
}

// clear begins a run: nothing has failed yet.
func (p *Program) clear() {
	if p.checked {
		mat.Fill(p.flag, 0)
	}
}

// eval runs the instructions. A check that fails sets flag to code, or to its own number where code is 0.
func (p *Program) eval(flag *mat.Dense, code int) error {
	if !p.ran {
		if err := runAll(p.once, flag, code); err != nil {
			return err
		}
		p.ran = true
	}
	at := 0
	for _, g := range p.groups {
		if err := runAll(p.each[at:g.from], flag, code); err != nil {
			return err
		}
		g.run(flag, code)
		at = g.to
	}
	return runAll(p.each[at:], flag, code)
}

// failed returns the error of a run that stopped with err or reached its end: the error of the first check that failed,
// if any, else err.
func (p *Program) failed(err error) error {
	if p.checked {
		if code := int(p.flag.Item()); code != 0 {
			err = p.explain(code)
		}
	}
	if err != nil {
		p.ran = false
	}
	return err
}

// explain runs the instructions again, up to the check with this number: its inputs are then what they were.
func (p *Program) explain(code int) error {
	list, i := p.each, code-1
	if code < 0 {
		list, i = p.once, -code-1
	}
	mat.Fill(p.flag, 0)
	if err := runAll(list[:i], p.flag, 0); err != nil {
		return err
	}
	s := &list[i]
	if s.call != nil {
		return fmt.Errorf("%s: %w", s.op.Name(), s.call.explain(s.in))
	}
	return fmt.Errorf("%s: %w", s.op.Name(), s.op.(checked).Failed(s.in))
}

// Value returns the matrix that holds the value of v, one of the compiled expressions, after Run. The next Run
// overwrites it.
func (p *Program) Value(v Var) *mat.Dense {
	m, ok := p.values[v]
	if !ok {
		panic("ad: Value of an expression that was not compiled")
	}
	return m
}

// Bytes returns the size of the memory that Run works in, leaves not counted.
func (p *Program) Bytes() int { return p.bytes }

// Eval compiles and runs v once, for tests and examples. It panics if Run would return an error.
func Eval(v Var) *mat.Dense {
	p := Compile(v)
	if err := p.Run(); err != nil {
		panic(err)
	}
	return p.Value(v)
}
