package serve

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"slices"

	"github.com/bloomgml/bloom/internal/live"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
)

// Explanation says why an answer is what it is: the energy of the node, of which Own comes from its features and the
// rest from its edges, and which way each of them pulls. A pull is how fast the margin over the second class, or the
// number in deviations of the training nodes, would grow if the row of the node gave way to it alone.
type Explanation struct {
	Answer
	Second     string             `json:"second,omitempty"`
	Total      float64            `json:"energy"`
	Own        float64            `json:"own_energy"`
	OwnPull    float64            `json:"own_pull"`
	Residual   float64            `json:"residual"`
	Columns    []node.ColumnShare `json:"columns,omitempty"` // the strongest pulls first
	Edges      []EdgeShare        `json:"edges"`             // the same
	Left       int                `json:"edges_left_out,omitempty"`
	LeftEnergy float64            `json:"energy_left_out,omitempty"`
	Around     *Neighbourhood     `json:"around"`
	// Settling is the energy of the node on the way to the answer: after 0, 1, …, L steps, or before every round of
	// settling after the edits of the question, and after the last.
	Settling []float64 `json:"settling"`
	// Proof is what bloom certify proved about the answer: it is about the graph of the data set.
	Proof *node.Holding `json:"proof,omitempty"`
	Rows  int           `json:"rows,omitempty"` // states that were computed again for the edits
}

// EdgeShare is an edge of a node.
type EdgeShare struct {
	Other  string   `json:"node"`
	Class  string   `json:"class,omitempty"`
	Value  *float64 `json:"value,omitempty"`
	Weight float64  `json:"weight"`
	Energy float64  `json:"energy"`
	Pull   float64  `json:"pull"`
	v      int32
}

// mostEdges is the number of edges that an explanation names.
const mostEdges = 24

// Explain explains the answer about a node, as it would be after edits that are not kept.
func (m *Model) Explain(ctx context.Context, id string, edits []Edit) (x *Explanation, err error) {
	return x, m.onDraft(ctx, edits, func(ctx context.Context, g *graph) error {
		x = &Explanation{Edges: []EdgeShare{}}
		v, err := g.find(id)
		if err != nil {
			return err
		}
		if x.Settling = []float64{}; g.held != nil {
			err = g.settle(ctx)
		} else {
			x.Settling, err = g.state.SettleWatching(ctx, v)
		}
		if err != nil {
			return g.unsettled(err)
		}
		x.Rows = g.state.Visited()
		answers, err := m.answer(ctx, g, []string{id})
		if err != nil {
			return err
		}
		x.Answer, x.ID = answers[0], g.id(v)
		if g.held != nil {
			err = g.inspect(ctx, x, v)
		} else {
			err = m.takeApart(g, x, v)
		}
		if err != nil {
			return err
		}
		if c := m.proofs; len(edits) == 0 && m.journal.version == 0 && c != nil && c.Minimiser == (g.steps == 0) {
			x.Proof = c.About(x.ID)
		}
		x.shorten()
		tell := func(list []int32) ([]Answer, error) {
			ids := make([]string, len(list))
			for i, v := range list {
				ids[i] = g.id(v)
			}
			return m.answer(ctx, g, ids)
		}
		return surroundings{g.state.Neighbours, tell}.describe(x, v)
	})
}

// takeApart fills the parts of the energy of v.
func (m *Model) takeApart(g *graph, x *Explanation, v int32) error {
	m.telling.Lock()
	margin, err := m.teller.Margin(g.state.Row(v))
	m.telling.Unlock()
	if err != nil {
		return err
	}
	if margin.Second >= 0 {
		x.Second = g.task.Data.Labels.Names[margin.Second]
	}
	own := g.state.Own(v, g.state.Pi(v))
	x.Own, x.OwnPull, x.Total, x.Residual = own.Energy, pull(own, margin.Gradient), own.Energy, g.residual(v)
	if x.Columns, err = g.columnShares(v, margin.Gradient); err != nil {
		return err
	}
	for _, u := range g.state.Neighbours(v) {
		part := g.state.Edge(v, u)
		x.Total += part.Energy
		x.Edges = append(x.Edges, EdgeShare{Weight: g.state.Weight(v, u), Energy: part.Energy,
			Pull: pull(part, margin.Gradient), v: u})
	}
	return nil
}

// shorten leaves the edges that pull most, the first of them first.
func (x *Explanation) shorten() {
	slices.SortStableFunc(x.Edges, func(a, b EdgeShare) int { return cmp.Compare(math.Abs(b.Pull), math.Abs(a.Pull)) })
	for _, e := range x.Edges[min(mostEdges, len(x.Edges)):] {
		x.Left++
		x.LeftEnergy += e.Energy
	}
	x.Edges = slices.Clip(x.Edges[:min(mostEdges, len(x.Edges))])
}

// pull returns the part of a force along the gradient of a margin.
func pull(p live.Part, gradient []mat.Real) float64 {
	sum := 0.0
	for j, f := range p.Force {
		sum += f * float64(gradient[j])
	}
	return sum
}

// residual returns ‖h_v − π_v‖.
func (g *graph) residual(v int32) float64 {
	p, sum := g.state.Pi(v), 0.0
	for j, h := range g.state.Row(v) {
		sum += float64(h-p[j]) * float64(h-p[j])
	}
	return math.Sqrt(sum)
}

// explain handles GET /v1/explain?node=ID, and POST /v1/explain with {"node": ID, "edits": […]}.
func (s *Server) explain(r *http.Request) (any, error) {
	m, err := s.about(r)
	if err != nil {
		return nil, err
	}
	in := explaining{Node: r.URL.Query().Get("node")}
	if r.Method == http.MethodPost {
		if err := decode(r, &in); err != nil {
			return nil, err
		}
		if err := s.taken(in.Edits); err != nil {
			return nil, err
		}
	}
	if m.fixed() && len(in.Edits) > 0 {
		return nil, m.refused()
	}
	return m.Explain(r.Context(), in.Node, in.Edits)
}
