package ad

import (
	"fmt"
	"time"

	"github.com/bloomgml/bloom/mat"
)

// Program is a compiled expression: Run replays it without allocating. One goroutine at a time
// may run it.
type Program struct {
	once   []instruction // what depends on constants alone: run the first time
	each   []instruction
	ran    bool
	values map[Var]*mat.Dense
	bytes  int
}

// instruction is one operation with its memory.
type instruction struct {
	op      Op
	out, in []*mat.Dense
	sum     *mat.Dense // what the result is added to, nil for none
	copySum bool       // sum has to be copied to out first
}

func (s *instruction) run() error {
	if s.sum != nil {
		if s.copySum {
			mat.Copy(s.out[0], s.sum)
		}
		s.op.(Adder).EvalAdd(s.out, s.in)
		return nil
	}
	if op, ok := s.op.(Fallible); ok {
		return op.TryEval(s.out, s.in)
	}
	s.op.Eval(s.out, s.in)
	return nil
}

func runAll(list []instruction) error {
	for i := range list {
		if err := list[i].run(); err != nil {
			return fmt.Errorf("%s: %w", list[i].op.Name(), err)
		}
	}
	return nil
}

// Run evaluates the program with the present values of its inputs and parameters. The error is that
// of the first Fallible operation that fails; values are then not to be used.
func (p *Program) Run() error {
	if !p.ran {
		if err := runAll(p.once); err != nil {
			return err
		}
		p.ran = true
	}
	return runAll(p.each)
}

// Value is where the value of v, one of the compiled expressions, stands after Run. It is
// overwritten by the next Run.
func (p *Program) Value(v Var) *mat.Dense {
	m, ok := p.values[v]
	if !ok {
		panic("ad: Value of an expression that was not compiled")
	}
	return m
}

// Bytes is the size of the memory that Run works in, leaves not counted.
func (p *Program) Bytes() int { return p.bytes }

// Len is the number of operations of one Run.
func (p *Program) Len() int { return len(p.each) }

// Cost is the time that operations of one name took in a profiled run.
type Cost struct {
	Op    string
	Calls int
	Time  time.Duration
}

// Profile is Run with a clock around every operation; the costs are by name, in order of first use.
func (p *Program) Profile() ([]Cost, error) {
	if err := p.Run(); err != nil {
		return nil, err
	}
	at := map[string]int{}
	var costs []Cost
	for i := range p.each {
		name := p.each[i].op.Name()
		if _, ok := at[name]; !ok {
			at[name] = len(costs)
			costs = append(costs, Cost{Op: name})
		}
		start := time.Now()
		if err := p.each[i].run(); err != nil {
			return nil, err
		}
		c := &costs[at[name]]
		c.Calls, c.Time = c.Calls+1, c.Time+time.Since(start)
	}
	return costs, nil
}

// Eval compiles and runs v once, for tests and examples. It panics where Run would return an error.
func Eval(v Var) *mat.Dense {
	p := Compile(v)
	if err := p.Run(); err != nil {
		panic(err)
	}
	return p.Value(v)
}
