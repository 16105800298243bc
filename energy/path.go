package energy

import "github.com/bloomgml/bloom/ad"

// Path is the bilinear energy of path-based models (eq: energy_nbf_phi), one step of size 1 on which is
// an NBFNet layer (eq:update_nbf_phi). With Φ and Ψ symmetric:
//
//	f(h_u, h_v; r) = −( h_v Φ h_uᵀ + h_v Φ e_rᵀ + h_u Φ e_r⁻ᵀ )      Edges
//	κ(h_v; x_v)    = ½ h_v (I − Ψ) h_vᵀ − h_v Φ x_vᵀ                 Nodes
//	h − ∇          = ( Σ_(u,r)→v (h_u + e_r) + x ) Φ + h Ψ
//
// Edges count in both directions, the way back by the inverse relation: the graph is one without inverse
// relations. x_v, of d numbers, is Nodes.X.
//
// Deviation: the paper's energy has Φ for −Φ and Ψ for I − Ψ, and a unit step on it is not the update it
// prints. Its κ is ½‖Ψ^½ h + Ψ^−½ Φ x‖²; it differs from this by a number free of h, is not defined unless
// Ψ is positive definite, and leads to the same steps.
type Path struct {
	Phi, Psi   *ad.Param   // d×d; the symmetric part is taken
	E, Inverse ad.Var      // e_r and e_r⁻, one row per relation; Inverse may be absent: e_r⁻ = e_r
	Train      []*ad.Param // what E and Inverse are computed from
}

// Edges is f.
func (p Path) Edges() EdgeTerm { return pathEdges{p} }

// Nodes is κ.
func (p Path) Nodes() NodeTerm { return pathNodes{p} }

// symmetric returns the symmetric part of a matrix.
func symmetric(m *ad.Param) ad.Var { return m.Add(m.T()).Scale(0.5) }

// back returns e_r⁻.
func (p Path) back() ad.Var {
	if p.Inverse.IsZero() {
		return p.E
	}
	return p.Inverse
}

// pathEdges is f of a Path.
type pathEdges struct{ of Path }

var (
	_ FusedEdges     = pathEdges{}
	_ MajorizedEdges = pathEdges{}
	_ MajorizedNodes = pathNodes{}
)

// Edge returns f per edge: −( (h_u + e_r) Φ h_vᵀ + e_r⁻ Φ h_uᵀ ).
func (t pathEdges) Edge(e Edges) ad.Var {
	phi := symmetric(t.of.Phi)
	toV := e.U.Add(t.of.E.Gather(e.R)).MatMul(phi).RowDot(e.V)
	toU := t.of.back().Gather(e.R).MatMul(phi).RowDot(e.U)
	return e.weigh(toV.Add(toU).Neg())
}

func (t pathEdges) Params() []*ad.Param { return append([]*ad.Param{t.of.Phi}, t.of.Train...) }
func (t pathEdges) Name() string        { return "Path edges" }

// EdgeGrad returns −( (A + Aᵀ)h + R_in E + R_out E⁻ ) Φ, R counting the relations at every node.
func (t pathEdges) EdgeGrad(on *Structure, h ad.Var) ad.Var {
	sums := on.relationIn().mul(t.of.E).Add(on.relationOut().mul(t.of.back()))
	return on.endMessages(h).Add(sums).MatMul(symmetric(t.of.Phi)).Neg()
}

// EdgeCurvature: ±(A + Aᵀ) ⪯ D, so ‖Φ‖₂ times the number of edge ends.
func (t pathEdges) EdgeCurvature(on *Structure) ad.Var {
	return on.endCount().Mul(spectralNorm(symmetric(t.of.Phi)))
}

// pathNodes is κ of a Path.
type pathNodes struct{ of Path }

func (t pathNodes) Node(v Nodes) ad.Var {
	quad := v.H.Sub(v.H.MatMul(symmetric(t.of.Psi))).RowDot(v.H).Scale(0.5)
	return quad.Sub(v.X.MatMul(symmetric(t.of.Phi)).RowDot(v.H))
}

func (t pathNodes) Params() []*ad.Param { return []*ad.Param{t.of.Psi, t.of.Phi} }
func (t pathNodes) Name() string        { return "Path nodes" }

// NodeCurvature returns ‖I − Ψ‖₂.
func (t pathNodes) NodeCurvature(*Structure) ad.Var {
	psi := symmetric(t.of.Psi)
	return spectralNorm(ad.Eye(psi.Rows()).Sub(psi))
}
