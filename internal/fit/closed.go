package fit

import (
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
)

// Kind is the kind of question that is asked about a node.
type Kind string

// The kinds: one class of several, any number of classes, a number.
const (
	Classes Kind = "classes"
	Sets    Kind = "sets"
	Numbers Kind = "numbers"
)

// Problem is a graph, what is known of its nodes, and the labels of some.
type Problem struct {
	Graph      *graph.Graph
	Features   []dataset.Matrix // one per node type, as in dataset.Dataset
	Unfiltered dataset.Matrix   // of all nodes, not passed along edges as it has labels of others; none without columns
	Kind       Kind
	Rows       []int32   // training nodes, each once
	Y          []float64 // len(Rows)×Outputs: 1 for a class that the node has, else 0; the number
	Outputs    int
	Seed       uint64
	Folds      int    // of OutOfFold; 0 for none
	Fold       []int8 // of every one of Rows, from 0 to Folds−1; nil to draw them
}

// ProblemOf returns the problem of a data set: what teaches are the labels of rows.
func ProblemOf(d *dataset.Dataset, rows []int32, seed uint64) Problem {
	p := Problem{Graph: d.Graph, Features: d.Features, Kind: Classes, Outputs: len(d.Labels.Names), Seed: seed}
	switch d.Labels.Task {
	case dataset.Sets:
		p.Kind = Sets
	case dataset.Numbers:
		p.Kind, p.Outputs = Numbers, 1
	}
	for _, v := range rows {
		class := d.Labels.Class[v]
		if class < 0 {
			continue
		}
		p.Rows = append(p.Rows, v)
		for j := range p.Outputs {
			switch {
			case p.Kind != Classes:
				p.Y = append(p.Y, float64(d.Labels.Values[int(v)*p.Outputs+j]))
			case int(class) == j:
				p.Y = append(p.Y, 1)
			default:
				p.Y = append(p.Y, 0)
			}
		}
	}
	return p
}

// check refuses what has no answer.
func (p Problem) check() error {
	switch {
	case p.Graph == nil || p.Graph.NumNodes() == 0:
		return fmt.Errorf("closed form: the graph has no nodes")
	case len(p.Rows) < 2:
		return fmt.Errorf("closed form: %d labelled nodes, and at least 2 are needed", len(p.Rows))
	case p.Outputs < 1 || len(p.Y) != len(p.Rows)*p.Outputs:
		return fmt.Errorf("closed form: %d labels for %d nodes with %d outputs", len(p.Y), len(p.Rows), p.Outputs)
	}
	for i, v := range p.Rows {
		if v < 0 || int(v) >= p.Graph.NumNodes() {
			return fmt.Errorf("closed form: labelled node %d of %d", v, p.Graph.NumNodes())
		}
		for _, y := range p.Y[i*p.Outputs:][:p.Outputs] {
			if math.IsNaN(y) || math.IsInf(y, 0) {
				return fmt.Errorf("closed form: the label of node %d is %v", v, y)
			}
		}
	}
	return nil
}

// Answers holds the answers.
type Answers struct {
	Kind        Kind
	Outputs     int
	Rows        []int32
	Answers     []float64 // n×Outputs, of all nodes: shares of classes as the regression has them, or numbers
	LeftOut     []float64 // len(Rows)×Outputs, of labelled nodes without their own labels
	OutOfFold   []float64 // the same without the labels of a whole fold of nodes; nil if Problem.Folds is 0
	Mean        []float64 // μ
	Error       float64   // mean left-out squared error of a node
	Log         bool      // numbers were learnt as the logarithms of what they have above Floor: Mean is of these
	Floor       float64
	Calibration Calibration
}

// Solve finds the answers. Nothing is trained: what it costs are about 50 products of the graph with the features, and
// the regressions.
func Solve(p Problem) (*Answers, error) {
	f, _, err := solve(p)
	return f, err
}

func solve(p Problem) (*Answers, *solver, error) {
	if err := p.check(); err != nil {
		return nil, nil, err
	}
	s, err := newSolver(p)
	if err != nil {
		return nil, nil, err
	}
	return s.best(), s, nil
}

// best returns the answers, and stays with the regressions that gave them: of numbers, or of their logarithms.
func (s *solver) best() *Answers {
	f := s.fit(s.Y)
	if s.Kind == Numbers {
		plain := *s
		if l := s.logarithmic(); l.Error < f.Error {
			f = l
		} else {
			*s = plain
		}
	}
	f.Calibration = calibrate(s.Problem, f.LeftOut, f.Mean)
	return f
}

// fit returns the answers of regressions of y, the labels or a function of them.
func (s *solver) fit(y []float64) *Answers {
	s.learn(y)
	s.screen()
	s.stack()
	f := &Answers{Kind: s.Kind, Outputs: s.Outputs, Rows: s.Rows, Mean: s.mean}
	f.Answers, f.LeftOut = s.answers(), make([]float64, len(y))
	for _, m := range s.members {
		for i, e := range m.residuals {
			f.LeftOut[i] += m.weight * (y[i] - e)
		}
	}
	if s.Folds > 1 {
		f.OutOfFold = s.outOfFold(y)
	}
	f.Error = meanSquare(y, f.LeftOut, len(s.Rows))
	return f
}

// Floor returns b of labels that are learnt as log(y − b): 0 if all are above 0, as amounts are, and otherwise, as for
// delays or changes, less than the least label by a tenth of what their mean has above it.
func Floor(y []float64) float64 {
	least, mean := slices.Min(y), sum(y)/float64(len(y))
	switch {
	case least > 0:
		return 0
	case least == mean:
		return least - 1
	}
	return least - (mean-least)/10
}

// logarithmic returns answers about numbers by way of logarithms: b + c·exp(f), b being their Floor, with the c that is
// best left out, and never above twice the largest label, both counted from b.
func (s *solver) logarithmic() *Answers {
	logs, floor := make([]float64, len(s.Y)), Floor(s.Y)
	for i, y := range s.Y {
		logs[i] = math.Log(y - floor)
	}
	f := s.fit(logs)
	f.Log, f.Floor = true, floor
	most := 2 * (slices.Max(s.Y) - floor)
	lift := func(list []float64, factor float64) {
		for i, x := range list {
			list[i] = floor + min(factor*math.Exp(x), most)
		}
	}
	var cross, square float64
	for i, x := range f.LeftOut {
		e := min(math.Exp(x), most)
		cross, square = cross+(s.Y[i]-floor)*e, square+e*e
	}
	factor := cross / max(square, math.SmallestNonzeroFloat64)
	lift(f.LeftOut, factor)
	lift(f.OutOfFold, factor)
	lift(f.Answers, factor)
	f.Error = meanSquare(s.Y, f.LeftOut, len(s.Rows))
	return f
}

// meanSquare returns the mean over rows of the squared differences.
func meanSquare(y, got []float64, rows int) (sum float64) {
	for i := range y {
		sum += (y[i] - got[i]) * (y[i] - got[i]) / float64(rows)
	}
	return sum
}
