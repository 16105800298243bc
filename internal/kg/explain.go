package kg

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Explanation says which facts about its two ends make a fact score as it does.
type Explanation struct {
	Score   float64 // of the model, for the question that asks for the tail
	Settled float64 // the same after both ends have settled again on Facts
	Facts   []Pull  // all facts about either end except the explained one, the largest pull first
}

// Pull is the effect of a fact on a score.
type Pull struct {
	Fact graph.Triple
	Pull float64 // derivative of Settled to the weight of the fact
	// Lost is how much Settled drops without the fact: positive for a fact that supports the explained one; NaN if it
	// was not measured.
	Lost float64
}

// Explain takes the score of f apart into the facts about its two ends that g has.
//
// Overview: the two ends are taken for new entities, which find their place by L steps of descent on the energy of
// their facts while relations and other entities stay, as in Add. The result is a function of how much each fact
// weighs in that energy, and
//
//	pull(f) = ∂ s( h_u^(L)(w), e_r, h_v^(L)(w) ) / ∂ w_f   at w = 1
//
// is its exact derivative, through all steps, for all facts at once. For the first top facts, all for 0, both ends
// also settle without the fact: the change of the score is exact too, of the two ends that settle, not of a training
// without the fact. The fact f itself is left out if g has it, so that the others are heard.
//
// Chosen: relations and other entities stay, which may know the fact too; training without each fact would say more,
// at the cost of one training per fact. Models of any loss and of the lower level settle by the loss of training, on
// false answers that are drawn.
//
// The error is a *Bad for a loss by which entities cannot settle.
func (m *Model) Explain(g *graph.Graph, f graph.Triple, top int, how Settle) (*Explanation, error) {
	if _, ok := m.Config.Loss.(Additive); !ok {
		return nil, &Bad{"loss", fmt.Sprintf("%T", m.Config.Loss), "is not a sum over facts, so it cannot be taken " +
			"apart"}
	}
	x := &explaining{m: m, f: f, how: how.filled(256), ends: []int32{f.U, f.V}}
	if f.U == f.V {
		x.ends = x.ends[:1]
	}
	for e := range g.NumEdges() {
		if t := g.Edge(int32(e)); t != f && (slices.Contains(x.ends, t.U) || slices.Contains(x.ends, t.V)) &&
			!slices.Contains(x.facts, t) {
			x.facts = append(x.facts, t)
		}
	}
	return x.explain(top)
}

// explaining is a fact that is being explained.
type explaining struct {
	m     *Model
	f     graph.Triple
	how   Settle
	ends  []int32
	facts []graph.Triple // about the ends, each once
}

func (x *explaining) explain(top int) (*Explanation, error) {
	h := ad.Const(x.m.H.Value())
	out := &Explanation{Score: float64(ad.Eval(x.score(h)).Item())}
	if len(x.facts) == 0 {
		out.Settled = out.Score
		return out, nil
	}
	settled, pulls, err := x.pulls()
	if err != nil {
		return nil, err
	}
	out.Settled = settled
	for i, f := range x.facts {
		out.Facts = append(out.Facts, Pull{f, pulls[i], math.NaN()})
	}
	slices.SortStableFunc(out.Facts, func(a, b Pull) int { return cmp.Compare(math.Abs(b.Pull), math.Abs(a.Pull)) })
	if top <= 0 {
		top = len(out.Facts)
	}
	for i := range out.Facts[:min(top, len(out.Facts))] {
		p := &out.Facts[i]
		rest := slices.DeleteFunc(slices.Clone(x.facts), func(f graph.Triple) bool { return f == p.Fact })
		without, err := x.settled(rest)
		if err != nil {
			return nil, err
		}
		p.Lost = settled - without
	}
	return out, nil
}

// score returns the score of the fact with rows h, 1×1.
func (x *explaining) score(h ad.Var) ad.Var {
	c := x.m.Config
	row := func(v int32) ad.Var { return h.Gather(mat.MustIndex([]int32{v}, h.Rows())) }
	operand := c.operands(ad.Const(x.m.E.Value())).Gather(mat.MustIndex([]int32{2 * x.f.R}, 2*x.m.numRelations()))
	return c.Model.Compare().Rows(c.Model.Query(row(x.f.U), operand), row(x.f.V)).Shift(c.Margin)
}

// moving returns the ends with some facts, among the entities of m.
func (x *explaining) moving(m *Model, facts []graph.Triple) *moving {
	return newMoving(m, facts, x.ends, x.how.Negatives, mat.Mix(x.how.Seed, 12))
}

// settled returns the score after the ends have settled on some facts.
func (x *explaining) settled(facts []graph.Triple) (float64, error) {
	m := *x.m
	m.H = ad.NewParam(x.m.H.Name, mat.New(x.m.H.Rows(), x.m.H.Cols()))
	mat.Copy(m.H.Value(), x.m.H.Value())
	if err := x.moving(&m, facts).settle(x.how.algorithm(m.Config.Bilevel), x.how.L); err != nil {
		return 0, err
	}
	return float64(ad.Eval(x.score(ad.Const(m.H.Value()))).Item()), nil
}

// pulls returns the score after the ends have settled on all facts, and its derivatives to their weights.
func (x *explaining) pulls() (score float64, pulls []float64, err error) {
	ones := mat.New(len(x.facts), 1)
	mat.Fill(ones, 1)
	w, n := ad.Input(ones), x.moving(x.m, x.facts)
	n.setWeights(w)
	rows, err := n.descend(ad.Const(x.m.E.Value()), x.how.algorithm(x.m.Config.Bilevel), x.how.L)
	if err != nil {
		return 0, nil, err
	}
	s := x.score(n.withRows(rows))
	grad := ad.Grad(s, w)[0]
	prog := ad.Compile(s, grad)
	if err := prog.Run(); err != nil {
		return 0, nil, err
	}
	for _, g := range prog.Value(grad).Slice() {
		pulls = append(pulls, float64(g))
	}
	return float64(prog.Value(s).Item()), pulls, prog.Value(grad).CheckFinite()
}
