package recipe

import (
	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/descent"
)

// algorithms are the names of A with the keys they take.
var algorithms = map[string][]string{
	"proximal":   {"gamma", "sigma", "tau"},
	"momentum":   {"gamma", "sigma", "tau", "beta"},
	"heavy-ball": {"gamma", "sigma", "tau", "beta"},
	"nesterov":   {"gamma", "sigma", "tau", "beta"},
	"adagrad":    {"gamma", "sigma", "tau"},
	"rmsprop":    {"gamma", "sigma", "tau", "beta"},
	"adam":       {"gamma", "sigma", "tau", "beta1", "beta2"},
	"twirls":     {"gamma"},
	"reweighted": {"gamma", "sigma", "tau", "at", "p", "floor", "cut"},
	"weights":    {"gamma"},
}

var algorithmNames = []string{"proximal", "momentum", "heavy-ball", "nesterov", "adagrad", "rmsprop", "adam", "twirls", "reweighted", "weights"}

// algorithm reads A.
func (d *decoder) algorithm(n *yaml.Node) descent.Algorithm {
	name, k := d.named(n, "algorithm", "algorithm", algorithmNames, algorithms)
	gamma, sigma := d.gamma(k["gamma"]), d.sigma(k["sigma"], k["tau"])
	beta := func(def float64) float64 { return d.or(k["beta"], def, fraction) }
	switch name {
	case "momentum":
		return descent.Momentum{Gamma: gamma, Sigma: sigma, Beta: beta(0.9)}
	case "heavy-ball":
		return descent.HeavyBall{Gamma: gamma, Sigma: sigma, Beta: beta(0.9)}
	case "nesterov":
		return descent.Nesterov{Gamma: gamma, Sigma: sigma, Beta: beta(0)}
	case "adagrad":
		return descent.AdaGrad{Gamma: gamma, Sigma: sigma}
	case "rmsprop":
		return descent.RMSProp{Gamma: gamma, Sigma: sigma, Beta: beta(0.9)}
	case "adam":
		return descent.Adam{Gamma: gamma, Sigma: sigma, Beta1: d.or(k["beta1"], 0.9, fraction), Beta2: d.or(k["beta2"], 0.999, fraction)}
	case "twirls":
		return descent.TWIRLS{Gamma: gamma}
	case "weights":
		return descent.Weights{Gamma: gamma}
	case "reweighted":
		return descent.Attention{A: descent.Proximal{Gamma: gamma, Sigma: sigma}, At: int(d.or(k["at"], 8, whole, within(0, MaxSteps))),
			P: d.or(k["p"], 1, within(0, 2)), Tau: d.or(k["floor"], 0.2, positive), T: d.or(k["cut"], 0, within(0, 1e12))}
	}
	return descent.Proximal{Gamma: gamma, Sigma: sigma}
}

// gamma reads γ: a number, safe, backtracking, or {forced: a number beyond the bound}; safe by default.
func (d *decoder) gamma(n *yaml.Node) descent.StepSize {
	if n == nil {
		return descent.Safe{}
	}
	if follow(n).Kind == yaml.MappingNode {
		k := d.mapping(n, "forced")
		if k["forced"] == nil {
			d.fail(n, "want a number, safe, backtracking or {forced: 1}")
			return nil
		}
		return descent.Forced(d.number(k["forced"], positive))
	}
	switch follow(n).Value {
	case "safe":
		return descent.Safe{}
	case "backtracking":
		return descent.Backtracking{}
	}
	if follow(n).Tag == "!!str" {
		d.word(n, "step size", gammaNames)
	}
	return descent.Fixed(d.number(n, positive))
}

// sigma reads σ.
func (d *decoder) sigma(n, tau *yaml.Node) descent.Preconditioner {
	name := "none"
	if n != nil {
		name = d.word(n, "preconditioner", sigmaNames)
	}
	if tau != nil && name != "softmax" {
		d.fail(tau, "tau belongs to sigma: softmax")
	}
	switch name {
	case "degree":
		return descent.Degree{}
	case "inverse-degree":
		return descent.InverseDegree{}
	case "one-sided":
		return descent.OneSided{}
	case "softmax":
		return descent.Softmax{Tau: d.or(tau, 1, positive)}
	}
	return nil
}
