package path

import (
	"cmp"
	"context"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// RefactorConfig says how a Refactor is trained. The zero value is the default.
type RefactorConfig struct {
	Hidden int     // columns of a state, default 32
	Layers int     // steps of the states in one epoch, default 3
	Step   float64 // length of a step, default 0.5
	Decay  float64 // of states, default 0.1
	Noise  float64 // deviation of the random part of the first states, default 0.1
	Reset  int     // epochs after which states start again, default 4
	Seed   uint64
}

func (c RefactorConfig) withDefaults() RefactorConfig {
	c.Hidden, c.Layers, c.Reset = cmp.Or(c.Hidden, 32), cmp.Or(c.Layers, 3), cmp.Or(c.Reset, 4)
	c.Step, c.Decay, c.Noise = cmp.Or(c.Step, 0.5), cmp.Or(c.Decay, 0.1), cmp.Or(c.Noise, 0.1)
	return c
}

// Refactor is the baseline of the paper's table: factorisation by DistMult as message passing. The states
// of the nodes take gradient steps on the loss of all facts, inverses included, with a softmax over all
// nodes,
//
//	F(H) = Σ_(u,r,v) [ −⟨h_u, e_r, h_v⟩ + log Σ_w exp⟨h_u, e_r, h_w⟩ ]      h_v ← h_v − γ (∇_v F/c_v + δ h_v)
//
// where c_v is the number of facts of v. The negative gradient is a message to both ends of every fact, and one of the
// softmax from everywhere to everywhere. The trained parameters, by the derivative of F after some steps, are the
// vectors e of relations and the vectors that the first states are made of; neither depends on an entity, so a new
// graph gets its states by the same number of steps from its own first ones. States go on from epoch to epoch and are
// reset now and then.
//
// Chosen: there are no features here, so the first state of a node is the mean of a trained vector of each of its
// relations, and noise. This is the full-batch form: it needs a matrix of queries × nodes, for small graphs.
//
// Source: ReFactor GNNs (Chen et al. 2022).
type Refactor struct {
	RefactorConfig
	Names []string // of the relations

	relations *ad.Param // e, a row per relation and inverse
	first     *ad.Param // what first states are made of, a row likewise
}

// NewRefactor returns a baseline that is not trained, for relations of the given names.
func NewRefactor(c RefactorConfig, names []string) *Refactor {
	c = c.withDefaults()
	r := &Refactor{RefactorConfig: c, Names: names}
	e, first := mat.New(2*len(names), c.Hidden), mat.New(2*len(names), c.Hidden)
	mat.Normal(e, 0, 0.3, mat.Mix(c.Seed, 0))
	mat.Normal(first, 0, 1, mat.Mix(c.Seed, 1))
	r.relations, r.first = ad.NewParam("relations", e), ad.NewParam("first", first)
	return r
}

// Params returns the weights.
func (r *Refactor) Params() []*ad.Param { return []*ad.Param{r.relations, r.first} }

// Evaluate embeds the graph of d by Layers·Reset steps and ranks the answers to both queries of every fact by DistMult,
// among candidates as Model.Evaluate does.
func (r *Refactor) Evaluate(ctx context.Context, d *dataset.Dataset, facts []graph.Triple,
	among metric.Candidates) ([]metric.Ranked, error) {
	f, err := newRefactored(r, d.Graph)
	if err != nil {
		return nil, err
	}
	h := f.steps()
	prog := ad.Compile(h)
	mat.Fill(f.fresh, 1)
	for range r.Reset {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := prog.Run(); err != nil {
			return nil, err
		}
		mat.Copy(f.states.Value(), prog.Value(h))
		mat.Fill(f.fresh, 0)
	}
	if among.Known == nil {
		among.Known = metric.NewKnown(d.Graph.Triples())
	}
	return f.rank(facts, among), nil
}
