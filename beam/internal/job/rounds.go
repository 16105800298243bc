package job

import (
	"fmt"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// Overview. Rounds is a stack of descents in rounds, for graphs in parts. Before a round nodes tell their neighbours a
// row of numbers each; in it they compute their next rows from the rows that they heard. Whatever the energies are, a
// part of a graph then needs only the rows of its own nodes and of their neighbours, and the degrees of both.
//
//	r, err := job.NewRounds(stack, columns)
//	rows, err := r.Begin(x)                             // of the nodes of a part
//	for done := range r.Len() {
//		heard := …                                      // rows.Told, and below it that of neighbours elsewhere
//		rows, err = r.Next(done, on, heard, rows.Kept)  // on: the part with these neighbours
//	}
//	h := rows.Told

// Rounds are the descents of a stack. They read its parameters, and may be used by several goroutines at once.
type Rounds struct {
	in     input.Model // nil means that the first level is given X
	levels []level
	table  []round
	out    int // columns of the last H
}

// round is a step, or, before the first step of a level, hearing what terms need of features.
type round struct {
	level int
	layer int // of the step, from 0; hearing if the round is not a step
}

const hearing = -1

// level is a level with the columns of its rows:
//
//	told before hearing    what terms say
//	told before a step     H, what the algorithm remembers, what terms know
//	kept                   what the level was given, if that is added in the end, π, and Σ ‖y − π‖² of levels before
type level struct {
	bloom.Level
	given       int     // 0 if it is not kept
	width       int     // of H and π
	memory      int     // hidden states, each as wide as H
	said, known [][]int // columns of every matrix, by term; nil for terms that are not about features
}

// NewRounds returns the rounds of a stack for features of the given number of columns. The error says what looks at
// more than a node and its neighbours.
func NewRounds(s *bloom.Stack, columns int) (*Rounds, error) {
	alone, err := graph.Build(graph.Spec{Nodes: 1, Undirected: true})
	if err != nil {
		return nil, err
	}
	r, on, c := &Rounds{in: s.In}, energy.NewStructure(alone), input.Evaluation()
	given := ad.Fill(mat.Shape{Rows: 1, Cols: columns}, 0)
	if r.in != nil {
		given = r.in.Forward(c, input.Of(given))
	}
	for k := range s.Levels {
		l := level{Level: s.Levels[k]}
		if why := l.elsewhere(); why != "" {
			return nil, fmt.Errorf("level %d: %s", k+1, why)
		}
		given = l.measure(on, given)
		if l.said != nil {
			r.table = append(r.table, round{k, hearing})
		}
		for layer := range l.L {
			r.table = append(r.table, round{k, layer})
		}
		r.levels = append(r.levels, l)
	}
	r.out = given.Cols()
	return r, nil
}

// elsewhere names the part of a level that looks at more than a node and its neighbours; empty if nothing does.
func (l *level) elsewhere() string {
	_, couples := l.Eta.(energy.Coupling)
	switch _, nearby := descent.Looks(l.A); {
	case couples:
		return "η couples all rows"
	case l.Edges != nil:
		return "edges are weighted by their features"
	case !nearby:
		return "a step reads rows that are not neighbours"
	case l.L < 1:
		return "there are no steps"
	}
	return ""
}

// measure notes the columns of a level with input rows like h, and returns a row like its output.
func (l *level) measure(on *energy.Structure, h ad.Var) ad.Var {
	if l.Residual {
		l.given = h.Cols()
	}
	z, pi := l.project(h)
	l.width, l.memory = pi.Cols(), len(l.A.Start(pi).S)
	for i, f := range l.F {
		if g, ok := f.(energy.GivenEdges); ok {
			if l.said == nil {
				l.said, l.known = make([][]int, len(l.F)), make([][]int, len(l.F))
			}
			said := g.Send(z)
			l.said[i], l.known[i] = widths(said), widths(g.Receive(on, said))
		}
	}
	return l.finish(h, pi)
}

// project returns Z and π of what the level is given, as bloom.Stack has them.
func (l *level) project(h ad.Var) (z, pi ad.Var) {
	c := input.Evaluation()
	if z = h; l.Norm != nil {
		z = l.Norm.Forward(c, z)
	}
	return z, l.Pi.Forward(c, input.Of(z))
}

// finish returns the output of the level, as in bloom.Stack, from y and its input h.
func (l *level) finish(h, y ad.Var) ad.Var {
	if l.Out != nil {
		y = l.Out.Forward(input.Evaluation(), input.Of(y))
	}
	if l.Residual {
		y = h.Add(y)
	}
	return y
}

// widths returns the columns of matrices.
func widths(list []ad.Var) (w []int) {
	for _, v := range list {
		w = append(w, v.Cols())
	}
	return w
}

// total returns the sum of all widths.
func total(list [][]int) (n int) {
	for _, w := range list {
		for _, k := range w {
			n += k
		}
	}
	return n
}

// Len returns the number of rounds.
func (r *Rounds) Len() int { return len(r.table) }

// Level returns the level that nodes are in after some rounds, from 0; after the last it is their number.
func (r *Rounds) Level(done int) int {
	if done == len(r.table) {
		return len(r.levels)
	}
	return r.table[done].level
}

// Told returns the number of columns that nodes tell after some rounds; after the last round, the columns of H.
func (r *Rounds) Told(done int) int {
	if done == len(r.table) {
		return r.out
	}
	t := r.table[done]
	l := r.levels[t.level]
	if t.layer == hearing {
		return total(l.said)
	}
	return l.width*(1+l.memory) + total(l.known)
}

// Kept returns the number of columns that nodes keep to themselves in a level; after the last it is 1, Σ ‖y − π‖².
func (r *Rounds) Kept(level int) int {
	if level == len(r.levels) {
		return 1
	}
	return r.levels[level].given + r.levels[level].width + 1
}
