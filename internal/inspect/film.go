package inspect

import (
	"errors"
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/upper"
)

// film is everything that is seen of a descent, in one program: it is compiled once and run again whenever nodes or
// parameters have moved.
type film struct {
	prog  *ad.Program
	steps []still // H⁰ and after every step
	plane ad.Var  // probabilities on the plane
}

// still is one step.
type still struct {
	h    ad.Var
	p    ad.Var // probabilities
	edge ad.Var // f, m×1
	node ad.Var // κ, n×1
}

func (s *Session) compileFilm() *film {
	l, head := s.lower(), s.model.Up.(upper.Supervised).Head
	chances := func(h ad.Var) ad.Var { return head.Predict(input.Evaluation(), h).Softmax() }
	f := &film{plane: chances(ad.Const(plane()))}
	outputs := []ad.Var{f.plane}
	for at, k := s.recipe.A.Start(l.Feasible(l.Pi)), 0; ; k++ {
		edges, nodes := l.Rows(at.H, at.H)
		x := still{at.H, chances(at.H), total(edges, s.data.On.Graph.NumEdges()), total(nodes, len(s.drawing.Nodes))}
		f.steps = append(f.steps, x)
		outputs = append(outputs, x.h, x.p, x.edge, x.node)
		if k == s.recipe.L {
			break
		}
		at = descent.Guard(l, at, s.recipe.A.Step(l, at))
	}
	f.prog = ad.Compile(outputs...)
	return f
}

// total returns the energy of every row, over all terms.
func total(terms []ad.Var, rows int) ad.Var {
	sum := ad.Fill(mat.Shape{Rows: rows, Cols: 1}, 0)
	for _, t := range terms {
		sum = sum.Add(t)
	}
	return sum
}

// shoot runs the descent of the present places and parameters, and looks for the longest certified step.
func (s *Session) shoot() error {
	if err := s.film.prog.Run(); err != nil {
		return err
	}
	h0 := s.film.prog.Value(s.film.steps[0].h)
	var err error
	s.bound, err = BoundOf(s.recipe, s.lower(), h0)
	return err
}

// read returns a step as the page has it.
func (f *film) read(x still, eta energy.Constraint, learnt bool) (DrawnStep, error) {
	out := DrawnStep{H: f.rows(x.h), Edge: f.column(x.edge), Node: f.column(x.node)}
	for _, v := range out.Edge {
		out.F += v
	}
	for _, v := range out.Node {
		out.Kappa += v
	}
	if eta != nil {
		out.Eta = eta.Value(f.prog.Value(x.h))
	}
	if learnt {
		out.P = f.rows(x.p)
	}
	out.Energy = out.F + out.Kappa + out.Eta
	if math.IsInf(out.Energy, 0) || math.IsNaN(out.Energy) {
		return out, errors.New("the energy is not finite: H has left what η allows, or the steps are too long")
	}
	return out, nil
}

func (f *film) rows(v ad.Var) [][]float64 {
	m := f.prog.Value(v)
	list, d := make([][]float64, m.Rows()), m.Cols()
	for i, x := range m.Slice() {
		list[i/d] = append(list[i/d], float64(x))
	}
	return list
}

// column returns a value of one column.
func (f *film) column(v ad.Var) []float64 {
	list := []float64{}
	for _, x := range f.prog.Value(v).Slice() {
		list = append(list, float64(x))
	}
	return list
}
