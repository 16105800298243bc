package node

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/certify"
	"github.com/bloomgml/bloom/internal/fit"
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

// newClosedCertifier returns the certifier of a closed form whose weights are held as they are.
func newClosedCertifier(t *Trained, f *closedForm, goal *classes, c task.Changes) (*certifier, error) {
	g := t.Data.Graph
	switch {
	case t.Averaged() != "":
		return nil, task.Usage("the answers are averages of several models; %s", certifiable)
	case g.Weights() != nil:
		return nil, task.Usage("closed forms are certified on edges without weights; --set data.weights=none trains " +
			"without weights")
	case !simple(g):
		return nil, task.Usage("%s; %s", directed, certifiable)
	}
	l, err := f.asLinear()
	if err != nil {
		return nil, err
	}
	terms, offset, err := l.Terms()
	if errors.Is(err, fit.ErrPlace) || errors.Is(err, fit.ErrUnfiltered) {
		return nil, task.Usage("%w; %s", err, certifiable)
	}
	if err != nil {
		return nil, err
	}
	x := &certifier{Problem: t.problem(c), model: &certify.Model{Offset: offset}}
	for i := range terms {
		y := &terms[i]
		part := certify.Channel{Lambda: y.Lambda, Powers: y.Powers, Z: y.Z, Gram: y.Gram, Tail: y.Tail(), Unit: y.Unit}
		if y.Unit {
			part.Norm, part.Gap = l.Steps(y, x.Near)
		}
		x.model.Channels = append(x.model.Channels, part)
	}
	x.shift(goal)
	x.model.Held = func(near [][]int32) ([]float64, error) {
		now, err := joined(near)
		if err != nil {
			return nil, err
		}
		z, err := l.Held(now)
		for at := range z {
			z[at] += x.model.Offset[at%len(offset)] - offset[at%len(offset)]
		}
		return z, err
	}
	return x, x.predict(t, goal)
}

// joined returns the graph of lists of neighbours.
func joined(near [][]int32) (*graph.Graph, error) {
	s := graph.Spec{Nodes: len(near), Undirected: true}
	for v, list := range near {
		for _, u := range list {
			if int32(v) < u {
				s.Sources, s.Targets = append(s.Sources, int32(v)), append(s.Targets, u)
			}
		}
	}
	return graph.Build(s)
}

// steepness returns by how much the margin of two classes moves at most if the row of features that π and the layers
// after the descent read moves by 1; nil if π is not a perceptron of the row alone. Where nothing is between two
// matrices but a linear descent they are multiplied, otherwise norms are:
//
//	‖W_a − W_b‖ Π ‖W‖₂        W: of the last layer, and of those before it
func (t *Trained) steepness(l descent.Local, m *certify.Model) func(a, b int32) float64 {
	p, ok := t.alone().Pi.(perceptron)
	if !ok {
		return nil
	}
	layers, lead, ok := p.Rectified()
	if !ok || lead || !sameValues(t.alone().Pi, t.On.X, l) {
		return nil
	}
	var all [][][]float64
	for _, x := range layers {
		all = append(all, rows(ad.Eval(x.W.Var)))
	}
	for i, x := range m.Layers {
		if last := len(all) - 1; i == 0 && m.Linear && !m.Lead {
			all[last] = product(all[last], x.Weight)
		} else {
			all = append(all, x.Weight)
		}
	}
	if len(m.Layers) == 0 && !m.Linear { // the identity after a descent that is not linear
		all = append(all, identityOf(len(m.Pi)))
	}
	factor, last := 1.0, all[len(all)-1]
	for _, w := range all[:len(all)-1] {
		factor *= spectral(w)
	}
	return func(a, b int32) float64 {
		sum := 0.0
		for _, row := range last {
			sum += (row[a] - row[b]) * (row[a] - row[b])
		}
		return factor * math.Sqrt(sum)
	}
}

// sameValues reports whether the descent pulls to π of the features itself.
func sameValues(pi input.Model, x input.Features, l descent.Local) bool {
	got := ad.Eval(pi.Forward(input.Evaluation(), x)).Slice()
	for i, want := range l.Pi.Slice() {
		if math.Abs(float64(got[i]-want)) > 1e-5*(1+math.Abs(float64(want))) {
			return false
		}
	}
	return true
}

func product(a, b [][]float64) [][]float64 {
	out := make([][]float64, len(a))
	for i, row := range a {
		out[i] = make([]float64, len(b[0]))
		for j, x := range row {
			for k, y := range b[j] {
				out[i][k] += x * y
			}
		}
	}
	return out
}

func identityOf(n int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, n)
		out[i][i] = 1
	}
	return out
}

// spectral returns at least the spectral norm of w, of k columns, and at most k^(1/256) times it:
//
//	‖w‖₂ = ‖G‖₂^½ ≤ ‖G⁶⁴‖_F^(1/128)        G = wᵀ w
func spectral(w [][]float64) float64 {
	k := len(w[0])
	g := make([][]float64, k)
	for i := range g {
		g[i] = make([]float64, k)
		for _, row := range w {
			for j := range k {
				g[i][j] += row[i] * row[j]
			}
		}
	}
	log := 0.0 // of ‖Gᵖ‖_F, and Gᵖ is divided by it
	for power := 1.0; ; power *= 2 {
		size := 0.0
		for _, row := range g {
			for _, x := range row {
				size += x * x
			}
		}
		if size == 0 {
			return 0
		}
		log += math.Log(math.Sqrt(size)) / power
		if power == 64 {
			return math.Exp(log / 2)
		}
		for _, row := range g {
			for j := range row {
				row[j] /= math.Sqrt(size)
			}
		}
		g = product(g, g)
	}
}
