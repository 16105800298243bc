package recipe

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
)

// message is what an edge of a path model sends: distmult, transe or rotate.
type message string

// model returns m as a query of a score: rotate multiplies by complex numbers of any modulus.
func (m message) model() energy.QueryModel {
	switch m {
	case "transe":
		return energy.TransE(energy.NormSquared, 0)
	case "rotate":
		return energy.ComplEx
	}
	return energy.DistMult
}

// text returns m(u, e_r).
func (m message) text(u string) string {
	switch m {
	case "transe":
		return "(" + u + " + e_r)"
	case "rotate":
		return "(" + u + " · e_r)"
	}
	return "(" + u + " ∘ e_r)"
}

// where explains the letters.
func (m message) where() []string {
	list := []string{"h̄ = h, held: each node steps down its own part, a game. The gradient is of one function " +
		"where Φ and Ψ are",
		"symmetric, messages are h_u + e_r and the aggregate is a sum: the paper's (f: path)",
		"Φ, Ψ and e_r trained; in path all layers share them unless link.layers is own, e_r is a function of the query",
		"unless link.relations is free, and E are the edges within the entities kept if link.keep is set,",
		"from those that send if link.send is;",
		"in zero every layer has its own, and e_r is a network of what the same descent finds on the graph " +
			"of relations"}
	if m == "rotate" {
		list = append(list, "· of complex numbers, the second half of a row being the imaginary parts")
	}
	return list
}

// received returns the energy that the terms of a path model share.
func received(p *Place, m message, a energy.Aggregate) energy.Received {
	rows := 1
	if a != energy.AggregateSum {
		rows = 12
	}
	spread := 1 / math.Sqrt(float64((rows+1)*p.Dim))
	e := p.param("E", p.relations(), p.Dim, 0, 1)
	return energy.Received{Message: m.model(), Aggregate: a, Phi: p.param("Φ", rows*p.Dim, p.Dim, 0, spread),
		Psi: p.param("Ψ", p.Dim, p.Dim, 0, spread), E: e.Var, Train: []*ad.Param{e}}
}

// receivedEdges is −⟨h_v, m(h̄_u, e_r) Φ⟩, the term of path models whose messages are summed. It belongs together with
// receivedNodes.
type receivedEdges struct {
	Message message `key:"message" oneof:"distmult transe rotate" doc:"the message along an edge: h∘e (distmult), h + e (transe) or h rotated by e (rotate)"`
}

func (t receivedEdges) Term(p *Place) energy.EdgeTerm {
	f, _ := received(p, t.Message, energy.AggregateSum).Terms()
	return f[0]
}

func (receivedEdges) Edges() Edges { return Inverses }

// Text has the message −m(h_u, e_r) Φ to the target alone.
func (t receivedEdges) Text() EdgeText {
	return EdgeText{"−⟨h_v, " + t.Message.text("h̄_u") + " Φ⟩", "−" + t.Message.text("h_u") + " Φ",
		"0, as h̄_u is held; the inverse edge has its own", t.Message.where()}
}

// receivedNodes is −⟨h_v, x_v Φ⟩ − ⟨h_v, h̄_v Ψ⟩, the node term that belongs to receivedEdges.
type receivedNodes struct{}

func (receivedNodes) Term(p *Place) energy.NodeTerm {
	_, kappa := received(p, "", energy.AggregateSum).Terms()
	return kappa[0]
}

// Text has the derivative −x_v Φ − h_v Ψ.
func (receivedNodes) Text() NodeText {
	return NodeText{"−⟨h_v, x_v Φ⟩ − ⟨h_v, h̄_v Ψ⟩", "(−x_v Φ − h_v Ψ)",
		[]string{"x_v = q for the source of the query, else 0"}}
}

// pooled is −⟨h_v, pna{m(h̄_u, e_r), x_v} Φ⟩ − ⟨h_v, h̄_v Ψ⟩, the term of path models that aggregate by PNA; f is 0
// there.
type pooled struct {
	Message message `key:"{name}" oneof:"distmult transe rotate" unless:"" doc:"the message along an edge, aggregated by PNA"`
	Fused   bool    // the message is transe, and the second moment is computed from h² + e² as in NBFNet's fused kernel
}

// sent returns m.
func (t pooled) sent() message {
	if t.Fused {
		return "transe"
	}
	return t.Message
}

func (t pooled) Term(p *Place) energy.NodeTerm {
	a := energy.AggregatePNA
	if t.Fused {
		a = energy.AggregatePNAFused
	}
	_, kappa := received(p, t.sent(), a).Terms()
	return kappa[0]
}

func (pooled) Edges() Edges { return Inverses }

// Text has the derivative −pna Φ − h_v Ψ.
func (t pooled) Text() NodeText {
	where := append([]string{"x_v = q for the source of the query, else 0",
		"pna: mean, largest, smallest and deviation; each plain, times and divided by " +
			"s = log c / mean log c of c messages",
		"Φ has 12d rows"}, t.sent().where()...)
	if t.Fused {
		where = append(where, "the second moment is of h² + e², as in NBFNet's fused kernel")
	}
	return NodeText{"−⟨h_v, pna{" + t.sent().text("h̄_u") + ", x_v} Φ⟩ − ⟨h_v, h̄_v Ψ⟩",
		"(−pna{" + t.sent().text("h_u") + ", x_v} Φ − h_v Ψ)", where}
}

// FromQuery reports whether the energy is about a query; H then starts from x, the query's embedding at its source.
func (r *Recipe) FromQuery() bool {
	for _, k := range r.Kappa {
		switch k.(type) {
		case pathNodes, receivedNodes, pooled:
			return true
		}
	}
	return false
}

// PathModel returns the recipe that a path model with the given message (distmult, transe or rotate), aggregate (sum,
// pna or pna-fused) and number of layers descends.
func PathModel(sent, aggregate string, layers int) *Recipe {
	m := message(sent)
	r := *paths[0]
	r.A, r.L = descent.Rectified(nil, nil, nil), layers
	if aggregate == "sum" {
		r.F = []Edge{receivedEdges{m}}
		return &r
	}
	r.F, r.Kappa = nil, []Node{pooled{Message: m}}
	if aggregate == "pna-fused" && m == "transe" {
		r.Kappa[0] = pooled{Fused: true}
	}
	return &r
}
