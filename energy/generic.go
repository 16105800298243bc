package energy

import "github.com/bloomgml/bloom/ad"

// OnEdges is the term ρ(z(e)), with z an expression in h_u and h_v: the way to write an edge term of one's
// own. ps are the parameters in z.
func OnEdges(rho Penalty, z func(Edges) ad.Var, ps ...*ad.Param) EdgeTerm {
	return onEdges{rho, z, ps}
}

type onEdges struct {
	rho Penalty
	z   func(Edges) ad.Var
	ps  []*ad.Param
}

func (t onEdges) Edge(e Edges) ad.Var { return e.weigh(t.rho.Rows(t.z(e))) }
func (t onEdges) Params() []*ad.Param { return t.ps }

// EdgeFunc is a term given by its energy per edge, m×1.
func EdgeFunc(f func(Edges) ad.Var, ps ...*ad.Param) EdgeTerm { return edgeFunc{f, ps} }

type edgeFunc struct {
	f  func(Edges) ad.Var
	ps []*ad.Param
}

func (t edgeFunc) Edge(e Edges) ad.Var { return t.f(e) }
func (t edgeFunc) Params() []*ad.Param { return t.ps }

// OnNodes is the term ρ(z(v)), with z an expression in h_v, π(x_v) and x_v.
func OnNodes(rho Penalty, z func(Nodes) ad.Var, ps ...*ad.Param) NodeTerm { return onNodes{rho, z, ps} }

type onNodes struct {
	rho Penalty
	z   func(Nodes) ad.Var
	ps  []*ad.Param
}

func (t onNodes) Node(v Nodes) ad.Var { return t.rho.Rows(t.z(v)) }
func (t onNodes) Params() []*ad.Param { return t.ps }
