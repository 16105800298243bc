package inspect

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/recipe"
)

// Answer is what the page shows.
type Answer struct {
	Error   string       `json:"error,omitempty"` // a sentence; everything else is absent
	Energy  any          `json:"energy,omitempty"`
	Formula Formula      `json:"formula"`
	Update  descent.Text `json:"update"` // A, written out
	Verdict DrawnVerdict `json:"verdict"`
	Edges   [][2]int32   `json:"edges"` // those of Step.Edge
	Steps   []DrawnStep  `json:"steps"`
	Learnt  *Learnt      `json:"learnt,omitempty"` // absent before the first epoch
}

// DrawnVerdict says whether the steps are certified to lower the energy.
type DrawnVerdict struct {
	Certified bool    `json:"certified"`
	Gamma     float64 `json:"gamma"` // the longest certified step; 0 if none is
	Text      string  `json:"text"`
}

// DrawnStep is H after some steps and its energy.
type DrawnStep struct {
	Energy float64     `json:"energy"`
	F      float64     `json:"f"`
	Kappa  float64     `json:"kappa"`
	Eta    float64     `json:"eta"`
	H      [][]float64 `json:"h"`
	Edge   []float64   `json:"edge"` // f of every edge
	Node   []float64   `json:"node"` // κ of every node
	P      [][]float64 `json:"p,omitempty"`
}

// Learnt is the upper level: what the head says of the plane.
type Learnt struct {
	Epochs int         `json:"epochs"`
	Loss   float64     `json:"loss"`
	Right  int         `json:"right"` // of the labelled nodes, after the last step
	Known  int         `json:"known"`
	Plane  [][]float64 `json:"plane"` // probabilities on Columns×Rows points, by rows from the top
}

// The points at which the page learns what the head says of the plane.
const (
	Columns = 41
	Rows    = 31
)

// Answer returns what the page shows.
func (s *Session) Answer() (*Answer, error) {
	a := &Answer{Update: s.recipe.Update(), Verdict: verdict(s.recipe, s.bound), Edges: s.edges()}
	a.Formula, _ = Describe(s.recipe)
	n, err := recipe.Encode(s.recipe) // as a file has it, with every key
	if err == nil {
		err = n.Decode(&a.Energy)
	}
	if err != nil {
		return nil, err
	}
	learnt := s.epochs > 0 && s.known > 0
	for k, still := range s.film.steps {
		x, err := s.film.read(still, s.model.Eta, learnt)
		if err != nil {
			return nil, fmt.Errorf("after step %d %w", k, err)
		}
		a.Steps = append(a.Steps, x)
	}
	if learnt {
		a.Learnt = &Learnt{Epochs: s.epochs, Loss: s.loss, Known: s.known, Plane: s.film.rows(s.film.plane),
			Right: s.right(a.Steps[len(a.Steps)-1].P)}
	}
	return a, nil
}

// right returns how many labelled nodes have the class that they are given.
func (s *Session) right(p [][]float64) (n int) {
	for v, x := range s.drawing.Nodes {
		if x.Class > 0 && p[v][x.Class-1] == slices.Max(p[v]) {
			n++
		}
	}
	return n
}

// plane returns the points of the plane, by rows from the top.
func plane() *mat.Dense {
	var x []mat.Real
	for i := range Rows {
		for j := range Columns {
			x = append(x, mat.Real(width*(float64(j)/(Columns-1)-0.5)), mat.Real(height*(0.5-float64(i)/(Rows-1))))
		}
	}
	return mat.FromSlice(Rows*Columns, dim, x)
}

// verdict says in a sentence what is known of the steps before they are made.
func verdict(r *recipe.Recipe, b Bound) DrawnVerdict {
	v := DrawnVerdict{Gamma: b.Gamma}
	plain := r.A == descent.Proximal(descent.Pace(r.A))
	switch {
	case b.Gamma == 0 && plain && r.Certified(): // only backtracking runs without a bound
		v.Certified, v.Text = true, "No step can raise the energy: each is halved until it does not."
	case b.Term != "":
		v.Text = b.Term + " has no bound on its curvature, so no step length is certified."
	case b.Gamma == 0:
		v.Text = "No step length is certified: " + b.Advice + "."
	case !r.Certified():
		v.Text = fmt.Sprintf("γ is not checked here: up to %.3g no step can raise the energy, beyond it one may.",
			b.Gamma)
	case b.Advice != "":
		v.Text = fmt.Sprintf("Up to γ = %.3g is certified; %s.", b.Gamma, b.Advice)
	default:
		v.Certified = true
		v.Text = fmt.Sprintf("No step can raise the energy: any γ up to %.3g is certified.", b.Gamma)
	}
	return v
}

// edges returns the edges in the order of the graph.
func (s *Session) edges() (list [][2]int32) {
	list = [][2]int32{}
	for _, t := range s.data.On.Graph.Triples() {
		list = append(list, [2]int32{t.U, t.V})
	}
	return list
}
