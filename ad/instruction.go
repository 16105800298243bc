package ad

import (
	"errors"
	"fmt"

	"github.com/bloomgml/bloom/mat"
)

// instruction is one operation with its memory.
type instruction struct {
	op      Op
	out, in []*mat.Dense
	sum     *mat.Dense // what the result is added to, nil for none
	copySum bool       // sum has to be copied to out first
	add     adder      // op where it is one: to ask it in every run would allocate now and then

	number  int // what a check that fails leaves behind: 1, 2, … in Program.each, −1, −2, … in once
	checked bool
	looks   bool // it does nothing but the check
	host    hostOp
	call    *closure
}

// newInstruction finds out once what kind of operation op is.
func newInstruction(op Op) instruction {
	s := instruction{op: op}
	_, s.checked = op.(checked)
	s.add, _ = op.(adder)
	s.looks = looks(op)
	s.host, _ = op.(hostOp)
	s.call, _ = op.(*closure)
	return s
}

// run asks for the operation. Where its input is not finite, flag becomes code.
func (s *instruction) run(flag *mat.Dense, code int) error {
	switch {
	case s.sum != nil:
		if s.copySum {
			mat.Copy(s.out[0], s.sum)
		}
		s.add.EvalAdd(s.out, s.in)
		return nil
	case s.call != nil:
		return s.call.eval(s.out, s.in, flag, code)
	case s.host != nil:
		if flag.Item() != 0 {
			return errMarked
		}
		return s.host.TryEval(s.out, s.in)
	case s.checked:
		mat.MarkNonFinite(flag, s.in[0], mat.Real(code))
		if s.looks {
			return nil
		}
	}
	s.op.Eval(s.out, s.in)
	return nil
}

// errMarked stops a run before a hostOp, as an earlier check has failed.
var errMarked = errors.New("ad: a check has failed")

// runAll runs a list; the code of a check is its number where code is 0.
func runAll(list []instruction, flag *mat.Dense, code int) error {
	for i := range list {
		s, c := &list[i], code
		if c == 0 {
			c = s.number
		}
		if err := s.run(flag, c); err != nil {
			return fmt.Errorf("%s: %w", s.op.Name(), err)
		}
	}
	return nil
}

// needsHost reports whether the operation cannot be recorded. Functions have been compiled when a program has run.
func (s *instruction) needsHost() bool {
	if s.call == nil {
		return s.host != nil
	}
	for i := range s.call.prog.each {
		if s.call.prog.each[i].needsHost() {
			return true
		}
	}
	return false
}

// part is a piece of a program: operations that were recorded, or one that needs the host.
type part struct {
	replay func()
	host   *instruction
}

func (x part) run(flag *mat.Dense) error {
	if x.replay != nil {
		x.replay()
		return nil
	}
	if err := x.host.run(flag, x.host.number); err != nil {
		return fmt.Errorf("%s: %w", x.host.op.Name(), err)
	}
	return nil
}

// record cuts the program at operations that need the host, and has the device record what is between.
func (p *Program) record() {
	start := 0
	keep := func(to int) {
		list, first := p.each[start:to], start == 0
		p.parts = append(p.parts, part{replay: p.recorder.Record(func() {
			if first {
				p.clear()
			}
			if err := runAll(list, p.flag, 0); err != nil {
				panic(err) // only TryEval fails
			}
		})})
	}
	for i := range p.each {
		if p.each[i].needsHost() {
			keep(i)
			p.parts = append(p.parts, part{host: &p.each[i]})
			start = i + 1
		}
	}
	keep(len(p.each))
}
