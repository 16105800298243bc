package ad

import (
	"fmt"
	"time"

	"github.com/bloomgml/bloom/mat"
)

// Cost is the total cost of all operations of one name and shape in a profiled run.
type Cost struct {
	Op, Shape string
	Calls     int
	Time      time.Duration
	Flops     float64 // additions and multiplications
	Bytes     float64 // read and written, a row once for every entry of a pattern that gathers it
	Room      int     // bytes of what one call reads again and again: its matrices, or a panel of them
}

// Profile is Run with a clock around every operation; the costs are in order of first use. Operations inside a call are
// of the call.
func (p *Program) Profile() ([]Cost, error) {
	if err := p.Run(); err != nil {
		return nil, err
	}
	at := map[[2]string]int{}
	var costs []Cost
	for i := range p.each {
		s := &p.each[i]
		w := s.work()
		key := [2]string{s.op.Name(), w.shape}
		if _, ok := at[key]; !ok {
			at[key] = len(costs)
			costs = append(costs, Cost{Op: key[0], Shape: key[1], Room: w.room})
		}
		start := time.Now()
		if err := s.run(p.flag, s.number); err != nil {
			return nil, err
		}
		p.flag.Device().Sync()
		costs[at[key]].add(time.Since(start), w)
	}
	return costs, nil
}

func (c *Cost) add(t time.Duration, w work) {
	c.Calls++
	c.Time += t
	c.Flops += w.flops
	c.Bytes += w.bytes
}

// work is the work of one call of an operation; fields as in Cost.
type work struct {
	shape        string
	flops, bytes float64
	room         int
}

// worker is an Op that does more than to pass over its matrices once.
type worker interface {
	work(out, in []*mat.Dense) work
}

// work returns the work of the instruction.
func (s *instruction) work() work {
	in := s.in
	if r, ok := s.op.(reader); ok {
		in = in[:r.Reads()]
	}
	if w, ok := s.op.(worker); ok {
		return w.work(s.out, in)
	}
	return entrywise(s.out, in)
}

// entrywise returns a pass over all matrices, with one operation for every entry of the largest, whose shape it has.
func entrywise(out, in []*mat.Dense) work {
	var largest mat.Shape
	bytes := 0
	for _, list := range [...][]*mat.Dense{out, in} {
		for _, x := range list {
			if x == nil {
				continue
			}
			bytes += x.Bytes()
			if x.Len() > largest.Len() {
				largest = x.Shape()
			}
		}
	}
	return work{largest.String(), float64(largest.Len()), float64(bytes), bytes}
}

// gathering returns steps passes in which every entry of s brings a row of the first input, which is multiplied and
// added, and its own number of four bytes.
func gathering(out, in []*mat.Dense, s *mat.Sparse, steps int) work {
	w, cols := entrywise(out, in), in[0].Cols()
	entries := float64(steps) * float64(s.NNZ())
	w.shape = fmt.Sprintf("%d·%d×%d", s.NNZ(), s.Shape().Rows, cols)
	if steps > 1 {
		w.shape += fmt.Sprintf("·%d", steps)
	}
	w.flops = 2 * entries * float64(cols)
	w.bytes = float64(steps)*w.bytes + entries*float64(4+in[0].Bytes()/max(1, in[0].Rows()))
	return w
}
