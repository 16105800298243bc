package inspect

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/mat"
)

// Message is a message function with a name, to be held against the gradient representation criteria.
type Message struct {
	Name    string
	Formula string // μ_(u→v)
	Back    string // μ⁻_(v→u), the message of the inverse relation
	Zeta    string // the ζ whose derivative they are; empty if there is none
	make    func() criteria
}

// row and square are fixed parameters: a relation's embedding and a weight without symmetry.
func row(seed uint64) ad.Var { return ad.Const(normal(1, Dim, seed)) }

func square(seed uint64) *mat.Dense {
	w := mat.New(Dim, Dim)
	mat.Uniform(w, -1, 1, seed)
	return w
}

// Messages returns the message functions that have a name.
func Messages() []Message {
	return []Message{
		{"laplace", "h_v − h_u", "h_u − h_v", "½ ‖h_u − h_v‖²", func() criteria {
			return criteria{Message: func(u, v ad.Var) ad.Var { return v.Sub(u) }}
		}},
		{"gcn", "−h_u", "−h_v", "−h_u h_vᵀ", func() criteria {
			return criteria{Message: func(u, v ad.Var) ad.Var { return u.Neg() }}
		}},
		{"gcn-weight", "−h_u W", "−h_v W", "", func() criteria {
			w := ad.Const(square(1))
			return criteria{Message: func(u, v ad.Var) ad.Var { return u.MatMul(w).Neg() }}
		}},
		{"gcn-phi", "−h_u Φ, the layer multiplying by Φᵀ", "−h_v Φ", "−(h_u Φ)(h_v Φ)ᵀ", func() criteria {
			w := square(1)
			return criteria{Phi: w, Message: func(u, v ad.Var) ad.Var { return u.MatMul(ad.Const(w)).Neg() }}
		}},
		{"transe", "2 (h_v − h_u − e_r)", "2 (h_u − h_v + e_r)", "‖h_u + e_r − h_v‖²", func() criteria {
			e := row(2)
			return criteria{Message: func(u, v ad.Var) ad.Var { return v.Sub(u).Sub(e).Scale(2) },
				Inverse: func(v, u ad.Var) ad.Var { return u.Sub(v).Add(e).Scale(2) }}
		}},
		{"distmult", "−h_u ∘ e_r", "−h_v ∘ e_r", "−Σ h_u ∘ e_r ∘ h_v", func() criteria {
			e := row(2)
			return criteria{Message: func(u, v ad.Var) ad.Var { return u.Mul(e).Neg() }}
		}},
		{"relu-difference", "max(0, h_v − h_u)", "max(0, h_u − h_v)", "", func() criteria {
			return criteria{Message: func(u, v ad.Var) ad.Var { return v.Sub(u).ReLU() }}
		}},
		{"gat", "−sigmoid(h_u a + h_v b) h_u", "−sigmoid(h_v a + h_u b) h_v", "", func() criteria {
			a, b := row(3), row(4)
			return criteria{Message: func(u, v ad.Var) ad.Var {
				return u.Mul(u.Mul(a).SumCols().Add(v.Mul(b).SumCols()).Sigmoid()).Neg()
			}}
		}},
		{"mlp", "−tanh(h_u W + h_v V)", "−tanh(h_v W + h_u V)", "", func() criteria {
			w, v2 := ad.Const(square(1)), ad.Const(square(2))
			return criteria{Message: func(u, v ad.Var) ad.Var {
				return u.MatMul(w).Add(v.MatMul(v2)).Tanh().Neg()
			}}
		}},
	}
}

// MessageNames returns the names of Messages.
func MessageNames() []string {
	var names []string
	for _, m := range Messages() {
		names = append(names, m.Name)
	}
	return names
}

// Judgement is the result of the criteria for a message function. The keys are stable.
type Judgement struct {
	Message  string `json:"message"`
	Formula  string `json:"formula"`
	Inverse  string `json:"inverse"`
	Phi      bool   `json:"phi"`
	Zeta     string `json:"zeta,omitempty"`
	Points   int    `json:"points"`
	RealBits int    `json:"real_bits"`
	*Verdict
}

// Verdict says whether derivatives agree. The keys are stable.
type Verdict struct {
	Holds bool         `json:"holds"`
	Limit float64      `json:"limit"` // Holds means that the values of Worst differ by no more than this
	Worst Disagreement `json:"worst"`
}

// Disagreement is the pair of derivatives that differs most.
type Disagreement struct {
	Left       string     `json:"left"`  // what they are: "∂μ_1/∂h_u,2"
	Right      string     `json:"right"` // may be empty: 0 is needed
	I          int        `json:"i"`     // the entry, from 1
	J          int        `json:"j"`
	LeftValue  float64    `json:"left_value"`
	RightValue float64    `json:"right_value"`
	Hu         []mat.Real `json:"h_u"` // the point
	Hv         []mat.Real `json:"h_v"`
}

// points is at how many pairs of rows derivatives are compared.
const points = 32

// Judge checks a named message function against the criteria.
func Judge(name string, seed uint64) (*Judgement, error) {
	for _, m := range Messages() {
		if m.Name == name {
			c := m.make()
			c.Dim, c.Seed = Dim, seed
			v, err := c.check()
			return &Judgement{m.Name, m.Formula, m.Back, c.Phi != nil, m.Zeta, points, realBits(), v}, err
		}
	}
	return nil, keys.NewUnknown("message function", name, MessageNames())
}
