package path

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// sum is the sum of the messages to every row of r, from states h of the layer before.
//
//	DistMult  Σ h_u∘e_r      TransE  Σ h_u + Σ e_r      RotatE  Σ h_u∘[re e_r, re e_r] + Σ i·h_u∘[im e_r, im e_r]
//
// With weights of edges the messages are made one by one, multiplied and added up.
func (p *pass) sum(h ad.Var, r *rows) ad.Var {
	if p.weight.IsZero() {
		return p.send(r.edges, h)
	}
	return p.send(r.edges.Numbered(), h).Mul(p.weight).SegmentSum(r.edges.First())
}

// send adds up messages by the first number of the edges t: by target, or with a row each where t is
// numbered.
func (p *pass) send(t *mat.Triples, h ad.Var) ad.Var {
	switch p.Message {
	case TransE:
		return ad.RelSum(t, 0, h, ones(p.e)).Add(ad.RelSum(t, 0, ones(h), p.e))
	case RotatE:
		re, im := p.turn()
		return ad.RelSum(t, 0, h, re).Add(ad.RelSum(t, 0, p.quarter(h), im))
	}
	return ad.RelSum(t, 0, h, p.e)
}

func ones(v ad.Var) ad.Var { return ad.Fill(v.Shape(), 1) }

// turn is e as two factors: the real parts twice and the imaginary parts twice.
func (p *pass) turn() (re, im ad.Var) {
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
		s = ad.RelStats(r.edges, h, p.e, true)
	default:
		s = ad.RelStats(r.edges, h, p.e, false)
	}
	if p.Aggregate == PNAFused && p.Message == TransE {
		squares := *p
		squares.e = p.e.Square()
		s.Square = squares.sum(h.Square(), r)
	}
	return s
}

// listed are the statistics of messages made one by one.
func (p *pass) listed(h ad.Var, r *rows) ad.RelStatistics {
	m := p.send(r.edges.Numbered(), h)
	if !p.weight.IsZero() {
		m = m.Mul(p.weight)
	}
	return ad.RelStats(r.messages, m, ad.Fill(mat.Shape{Rows: 1, Cols: m.Cols()}, 1), false)
}
