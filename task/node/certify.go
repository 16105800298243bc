package node

import (
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/certify"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/upper"
)

// certifier is a run with changes of edges that its answers are to hold under.
type certifier struct {
	*certify.Problem
	model *certify.Model
	class []int32 // of every node, as predicted
}

// certifiable says what can be certified, for runs that cannot.
const certifiable = "only classes can be certified, and only for base, robust and other energies that are smooth " +
	"along edges and pull nodes to their features, with layers after the descent that have no norm, and for closed " +
	"forms of features"

// newCertifier returns a *task.UsageError that says why a run cannot be certified.
func newCertifier(t *Trained, c task.Changes) (*certifier, error) {
	goal, ok := t.goal.(*classes)
	if f, closed := t.network.(*closedForm); closed && ok {
		return newClosedCertifier(t, f, goal, c)
	}
	l, steps, known := t.Local()
	if why := t.uncertified(ok, known, l.Norm, c); why != "" {
		return nil, task.Usage("%s; %s", why, certifiable)
	}
	x := &certifier{Problem: t.problem(c)}
	most := slices.Max(t.On.On.Graph.WeightedDegrees(graph.Either))
	if c.Minimiser {
		steps = 0
	}
	var err error
	if x.model, err = certify.NewModel(l, steps, int(math.Ceil(float64(most)))+c.Each); err != nil {
		return nil, task.Usage("%s cannot be certified: %w", t.Config.Recipe, err)
	}
	x.head(t, goal)
	x.model.Steep = t.steepness(l, x.model)
	return x, x.predict(t, goal)
}

// predict sets the classes of all nodes.
func (x *certifier) predict(t *Trained, goal *classes) error {
	p, err := t.Predict()
	if err != nil {
		return err
	}
	z, k := p.Logits.Slice(), t.Classes()
	for v := range x.Near {
		x.class = append(x.class, goal.answer(z[v*k:(v+1)*k]))
	}
	for _, y := range z {
		x.model.Most = max(x.model.Most, math.Abs(float64(y)))
	}
	return nil
}

// uncertified returns why a run cannot be certified, empty if nothing is in the way before its energy is looked at.
func (t *Trained) uncertified(classes, known bool, norm graph.Norm, c task.Changes) string {
	g := t.On.On.Graph
	switch {
	case !classes:
		return "the run does not predict one class for every node"
	case t.Averaged() != "":
		return "the answers are averages of several models"
	case !known:
		return fmt.Sprintf("%s has no descent in which a row depends on its neighbours alone", t.Config.Recipe)
	case g.Weights() != nil && (norm == graph.Symmetric || c.Edges != "existing"):
		return "edges that have weights can only be removed, in energies without norm; --set data.weights=none " +
			"trains without weights"
	case !simple(g):
		return directed
	}
	if _, _, ok := rectified(t.alone().Up.(upper.Supervised).Head); !ok {
		return "there is a norm, or a sum of layers, after the descent; --set model.norm=none and " +
			"--set model.residual=false train without"
	}
	return ""
}

const directed = "the edges have a direction, or some join a node to itself or the same two nodes twice"

// simple reports whether edges have no direction, join two nodes, and these once.
func simple(g *graph.Graph) bool {
	s := g.Stats()
	return g.Undirected() && s.Loops == 0 && s.Pairs >= s.Edges
}

// problem returns the graph with the budgets. No node has more changes than there are in all.
func (t *Task) problem(c task.Changes) *certify.Problem {
	g := t.On.On.Graph
	n, near := g.NumNodes(), g.Adjacency()
	p := &certify.Problem{Near: make([][]int32, n), Budget: make([]int, n), Add: certify.Additions(c.Edges)}
	for v := range n {
		var edges []int32
		if p.Near[v], edges = near.Row(v); g.Weights() != nil {
			w := make([]float64, len(edges))
			for i, e := range edges {
				w[i] = float64(g.Weights()[e])
			}
			p.Weight = append(p.Weight, w)
		}
		if p.Budget[v] = c.Each; c.Total > 0 {
			p.Budget[v] = min(c.Each, c.Total)
		}
	}
	return p
}

// perceptron is a head of layers with ReLU between them.
type perceptron interface {
	Rectified() (layers []input.Linear, lead, ok bool)
}

// rectified returns the layers of g, none for the identity; ok is false if it is not a perceptron.
func rectified(g upper.Head) (layers []input.Linear, lead, ok bool) {
	if g == upper.Identity {
		return nil, false, true
	}
	p, ok := g.(perceptron)
	if !ok {
		return nil, false, false
	}
	return p.Rectified()
}

// head sets the layers and the offsets of classes.
func (x *certifier) head(t *Trained, goal *classes) {
	layers, lead, _ := rectified(t.alone().Up.(upper.Supervised).Head)
	x.model.Lead, x.model.Offset = lead, make([]float64, t.Classes())
	for _, l := range layers {
		layer := certify.Layer{Weight: rows(ad.Eval(l.W.Var))}
		if l.B != nil {
			layer.Bias = rows(ad.Eval(l.B.Var))[0]
		}
		x.model.Layers = append(x.model.Layers, layer)
	}
	x.shift(goal)
}

// shift takes a threshold off the second class of two.
func (x *certifier) shift(goal *classes) {
	if p := goal.found.Threshold; p > 0 {
		x.model.Offset[1] -= logit(p) / float64(goal.inverse())
	}
}

// rows returns the rows of a matrix.
func rows(m *mat.Dense) [][]float64 {
	out, all := make([][]float64, m.Rows()), m.Slice()
	for i, x := range all {
		out[i/m.Cols()] = append(out[i/m.Cols()], float64(x))
	}
	return out
}
