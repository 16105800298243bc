package recipe

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
)

// Encode is r as Decode reads it, with every key that a part has, also where its value is the default. Parts of a
// user's own, written in Go, have no name in a file: an error says which.
func Encode(r *Recipe) (*yaml.Node, error) {
	e := &encoder{}
	root := mappingOf()
	for _, s := range []struct{ key, value string }{{"name", r.Name}, {"summary", r.Summary}, {"source", r.Source}} {
		if s.value != "" {
			put(root, s.key, word(s.value))
		}
	}
	f, kappa := &yaml.Node{Kind: yaml.SequenceNode}, &yaml.Node{Kind: yaml.SequenceNode}
	for _, t := range r.F {
		f.Content = append(f.Content, e.edge(t))
	}
	for _, t := range r.Kappa {
		kappa.Content = append(kappa.Content, e.node(t))
	}
	put(root, "f", f)
	put(root, "kappa", kappa)
	put(root, "eta", e.eta(r.Eta))
	put(root, "descent", e.algorithm(r.A))
	put(root, "steps", word(strconv.Itoa(r.L)))
	return root, e.err
}

// encoder keeps the first part that has no name.
type encoder struct{ err error }

func (e *encoder) fail(part string, v any) {
	if e.err == nil {
		e.err = fmt.Errorf("%s %T has no name in files", part, v)
	}
}

// word is a scalar.
func word(text string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(text)
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		n.Tag = "" // a number, which needs no quotes
	}
	return n
}

// decimal is a number with the fewest digits that read back as it.
func decimal(v float64) *yaml.Node { return word(strconv.FormatFloat(v, 'g', -1, 64)) }

// mappingOf is a mapping of keys and values in turn.
func mappingOf(pairs ...any) *yaml.Node {
	m := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i < len(pairs); i += 2 {
		switch v := pairs[i+1].(type) {
		case string:
			put(m, pairs[i].(string), word(v))
		case float64:
			put(m, pairs[i].(string), decimal(v))
		}
	}
	return m
}

func put(m *yaml.Node, key string, value *yaml.Node) { m.Content = append(m.Content, word(key), value) }

// edge is one term of f.
func (e *encoder) edge(t Edge) *yaml.Node {
	switch t := t.(type) {
	case Laplace:
		norm := "none"
		if t.Norm == graph.Symmetric {
			norm = "symmetric"
		}
		return mappingOf("term", "laplace", "lambda", t.Lambda, "norm", norm)
	case Difference:
		return withPenalty(mappingOf("term", "difference", "lambda", t.Lambda), "penalty", t.Rho)
	case Compat:
		return withPenalty(mappingOf("term", "compat", "lambda", t.Lambda), "penalty", t.Rho)
	case Relational:
		return withPenalty(mappingOf("term", "relational", "lambda", t.Lambda), "penalty", t.Rho)
	case Attract:
		return mappingOf("term", "attract", "tau", t.Tau)
	case Path:
		return mappingOf("term", "path")
	case Score:
		switch t.Model.(type) {
		case energy.TransE:
			return mappingOf("term", "transe", "margin", t.Margin)
		case energy.DistMult:
			return mappingOf("term", "distmult")
		case energy.ComplEx:
			return mappingOf("term", "complex")
		case energy.RotatE:
			return mappingOf("term", "rotate", "margin", t.Margin)
		}
	}
	e.fail("edge term", t)
	return word("")
}

// withPenalty adds ρ, its name at key.
func withPenalty(m *yaml.Node, key string, rho energy.Penalty) *yaml.Node {
	name, t := kind(rho)
	put(m, key, word(name))
	if t != "" {
		put(m, "threshold", word(t))
	}
	return m
}

// node is one term of κ.
func (e *encoder) node(t Node) *yaml.Node {
	switch t := t.(type) {
	case Anchor:
		m := withPenalty(mappingOf(), "anchor", t.Rho)
		if t.Scale != 0 && t.Scale != 1 {
			put(m, "scale", decimal(t.Scale))
		}
		return m
	case Labels:
		return withPenalty(mappingOf(), "labels", t.Rho)
	case UnitNorm:
		return mappingOf("unit-norm", t.Alpha)
	case PathNodes:
		return word("path")
	}
	e.fail("node term", t)
	return word("")
}

// eta is η.
func (e *encoder) eta(t Eta) *yaml.Node {
	switch t := t.(type) {
	case nil:
		return word("none")
	case Clamp:
		return word("labels")
	case Range:
		return word("range")
	case Of:
		switch c := t.Eta.(type) {
		case energy.NonNegative:
			return word("nonnegative")
		case energy.UnitSphere:
			return word("unit-sphere")
		case energy.Ball:
			return mappingOf("ball", c.R)
		case energy.L1:
			return mappingOf("l1", c.T)
		case energy.Box:
			m := mappingOf()
			put(m, "box", &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: []*yaml.Node{decimal(c.Lo), decimal(c.Hi)}})
			return m
		}
	}
	e.fail("constraint", t)
	return word("")
}

// algorithm is A.
func (e *encoder) algorithm(a descent.Algorithm) *yaml.Node {
	var m *yaml.Node
	switch a := a.(type) {
	case descent.Attention:
		if _, ok := a.A.(descent.Proximal); !ok {
			e.fail("reweighting of", a.A)
		}
		m = mappingOf("algorithm", "reweighted", "at", float64(a.At), "p", a.P, "floor", a.Tau, "cut", a.T)
	case descent.Weights:
		m = mappingOf("algorithm", "weights")
	case descent.Proximal:
		m = mappingOf("algorithm", "proximal")
	case descent.Momentum:
		m = mappingOf("algorithm", "momentum", "beta", a.Beta)
	case descent.HeavyBall:
		m = mappingOf("algorithm", "heavy-ball", "beta", a.Beta)
	case descent.Nesterov:
		m = mappingOf("algorithm", "nesterov", "beta", a.Beta)
	case descent.AdaGrad:
		m = mappingOf("algorithm", "adagrad")
	case descent.RMSProp:
		m = mappingOf("algorithm", "rmsprop", "beta", orElse(a.Beta, 0.9))
	case descent.Adam:
		m = mappingOf("algorithm", "adam", "beta1", orElse(a.Beta1, 0.9), "beta2", orElse(a.Beta2, 0.999))
	case descent.TWIRLS:
		m = mappingOf("algorithm", "twirls")
	default:
		e.fail("algorithm", a)
		return word("")
	}
	gamma, sigma := pace(a)
	put(m, "gamma", e.gamma(gamma))
	switch a.(type) {
	case descent.TWIRLS, descent.Weights:
	default:
		e.sigma(m, sigma)
	}
	return m
}

// gamma is γ.
func (e *encoder) gamma(g descent.StepSize) *yaml.Node {
	switch g := g.(type) {
	case nil:
		return decimal(1)
	case descent.Fixed:
		return decimal(float64(g))
	case descent.Forced:
		return mappingOf("forced", float64(g))
	case descent.Safe:
		return word("safe")
	case descent.Backtracking:
		if g == (descent.Backtracking{}) {
			return word("backtracking")
		}
	}
	e.fail("step size", g)
	return word("")
}

// sigma adds σ.
func (e *encoder) sigma(m *yaml.Node, s descent.Preconditioner) {
	switch s := s.(type) {
	case nil, descent.Identity:
		put(m, "sigma", word("none"))
	case descent.Degree:
		put(m, "sigma", word("degree"))
	case descent.InverseDegree:
		put(m, "sigma", word("inverse-degree"))
	case descent.OneSided:
		put(m, "sigma", word("one-sided"))
	case descent.Softmax:
		put(m, "sigma", word("softmax"))
		put(m, "tau", decimal(orElse(s.Tau, 1)))
	default:
		e.fail("preconditioner", s)
	}
}
