package path

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// sum returns the sum of the messages to every row of r, from states h of the layer before.
//
//	DistMult  Σ h_u∘e_r      TransE  Σ h_u + Σ e_r      RotatE  Σ h_u∘[re e_r, re e_r] + Σ i·h_u∘[im e_r, im e_r]
//
// With weights of edges the messages are made one by one, multiplied and added up.
func (p *pass) sum(h ad.Var, r *rows) ad.Var {
	if p.weight.IsZero() {
		return p.send(r, r.edges, h)
	}
	return p.send(r, r.edges.Numbered(), h).Mul(p.weight).SegmentSum(r.edges.First())
}

// send adds up messages by the first number of the edges t of r: by target, or with a row each if t is numbered.
func (p *pass) send(r *rows, t *mat.Triples, h ad.Var) ad.Var {
	switch p.Message {
	case TransE:
		return r.relSum(t, h, ones(p.e)).Add(r.relSum(t, ones(h), p.e))
	case RotatE:
		re, im := p.rotation()
		return r.relSum(t, h, re).Add(r.relSum(t, p.quarter(h), im))
	}
	return r.relSum(t, h, p.e)
}

// relSum is ad.RelSum to the first number of t, of rows of x and y of every query.
func (r *rows) relSum(t *mat.Triples, x, y ad.Var) ad.Var {
	return r.tall(ad.RelSum(t, 0, r.wide(x), r.wide(y)))
}

// relStats returns the same for ad.RelStats.
func (r *rows) relStats(t *mat.Triples, x, y ad.Var, plus bool) ad.RelStatistics {
	s := ad.RelStats(t, r.wide(x), r.wide(y), plus)
	return ad.RelStatistics{Sum: r.tall(s.Sum), Square: r.tall(s.Square), Max: r.tall(s.Max), Min: r.tall(s.Min)}
}

// wide puts the rows of all queries for a node, or a relation, side by side, as the lists count them.
func (r *rows) wide(x ad.Var) ad.Var { return x.Reshape(x.Rows()/r.queries, x.Cols()*r.queries) }

// tall puts them below each other again.
func (r *rows) tall(x ad.Var) ad.Var { return x.Reshape(x.Rows()*r.queries, x.Cols()/r.queries) }

func ones(v ad.Var) ad.Var { return ad.Fill(v.Shape(), 1) }

// rotation is e as two factors: the real parts twice and the imaginary parts twice.
func (p *pass) rotation() (re, im ad.Var) {
	a, b := p.e.Columns(0, p.Hidden/2), p.e.Columns(p.Hidden/2, p.Hidden)
	return ad.Concat(a, a), ad.Concat(b, b)
}

// quarter is i·h: the real parts become −im, the imaginary parts re.
func (p *pass) quarter(h ad.Var) ad.Var {
	return ad.Concat(h.Columns(p.Hidden/2, p.Hidden).Neg(), h.Columns(0, p.Hidden/2))
}

// statistics sums up the messages to every row of r.
func (p *pass) statistics(h ad.Var, r *rows) ad.RelStatistics {
	var s ad.RelStatistics
	switch {
	case p.listsMessages() || !p.weight.IsZero():
		s = p.listed(h, r)
	case p.Message == TransE:
		s = r.relStats(r.edges, h, p.e, true)
	default:
		s = r.relStats(r.edges, h, p.e, false)
	}
	if p.Aggregate == PNAFused && p.Message == TransE {
		squares := *p
		squares.e = p.e.Square()
		s.Square = squares.sum(h.Square(), r)
	}
	return s
}

// listed returns the statistics of messages made one by one.
func (p *pass) listed(h ad.Var, r *rows) ad.RelStatistics {
	m := p.send(r, r.edges.Numbered(), h)
	if !p.weight.IsZero() {
		m = m.Mul(p.weight)
	}
	return r.relStats(r.messages, m, ad.Fill(mat.Shape{Rows: r.queries, Cols: m.Cols()}, 1), false)
}
