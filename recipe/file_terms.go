package recipe

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
)

// thresholds are the penalties with a threshold, penalties all of them.
var (
	thresholds = map[string]func(float64) energy.Penalty{
		"huber": energy.Huber, "smooth-l1": energy.SmoothL1, "charbonnier": energy.Charbonnier, "welsch": energy.Welsch,
	}
	penalties = []string{"half-squared", "squared", "log-cosh", "huber", "smooth-l1", "charbonnier", "welsch"}
)

// penalty reads ρ: its name at one node and its threshold, 1 by default, at another.
func (d *decoder) penalty(name, threshold *yaml.Node) energy.Penalty {
	if name == nil {
		name = &yaml.Node{Kind: yaml.ScalarNode, Value: "half-squared"}
	}
	word := d.word(name, "penalty", penalties)
	if make := thresholds[word]; make != nil {
		return make(d.or(threshold, 1, positive))
	}
	if threshold != nil {
		d.fail(threshold, "penalty %q has no threshold", word)
	}
	switch word {
	case "squared":
		return energy.Squared
	case "log-cosh":
		return energy.LogCosh
	}
	return energy.HalfSquared
}

// edgeTerms are the names of f with the keys they take.
var edgeTerms = map[string][]string{
	"laplace":    {"lambda", "norm"},
	"difference": {"lambda", "penalty", "threshold"},
	"compat":     {"lambda", "penalty", "threshold"},
	"relational": {"lambda", "penalty", "threshold"},
	"attract":    {"tau"},
	"transe":     {"margin"},
	"distmult":   {},
	"complex":    {},
	"rotate":     {"margin"},
	"path":       {},
}

var edgeNames = []string{"laplace", "difference", "compat", "relational", "attract", "transe", "distmult", "complex", "rotate", "path"}

// named reads a mapping whose value at key says which other keys there may be.
func (d *decoder) named(n *yaml.Node, key, what string, names []string, keys map[string][]string) (string, map[string]*yaml.Node) {
	all := []string{key}
	for _, more := range keys {
		all = append(all, more...)
	}
	slices.Sort(all[1:])
	first := d.mapping(n, slices.Compact(all)...)
	if d.err != nil {
		return "", nil
	}
	if first[key] == nil {
		d.fail(follow(n), "there is no key %q to say which %s it is", key, what)
		return "", nil
	}
	name := d.word(first[key], what, names)
	if d.err != nil {
		return "", nil
	}
	known := append([]string{key}, keys[name]...)
	for i := 0; i < len(follow(n).Content); i += 2 {
		if k := follow(n).Content[i]; !slices.Contains(known, k.Value) {
			d.fail(k, "%s %q has no key %q", what, name, k.Value)
		}
	}
	return name, first
}

// edge reads one term of f.
func (d *decoder) edge(n *yaml.Node) Edge {
	name, k := d.named(n, "term", "edge term", edgeNames, edgeTerms)
	lambda := d.or(k["lambda"], 1, positive)
	rho := func() energy.Penalty { return d.penalty(k["penalty"], k["threshold"]) }
	switch name {
	case "laplace":
		return Laplace{lambda, d.norm(k["norm"])}
	case "difference":
		return Difference{rho(), lambda}
	case "compat":
		return Compat{rho(), lambda}
	case "relational":
		return Relational{rho(), lambda}
	case "attract":
		return Attract{d.or(k["tau"], 1, positive)}
	case "transe":
		return Score{energy.TransE{}, d.or(k["margin"], 6, within(0, 1e6))}
	case "distmult":
		return Score{energy.DistMult{}, 0}
	case "complex":
		return Score{energy.ComplEx{}, 0}
	case "rotate":
		return Score{energy.RotatE{}, d.or(k["margin"], 6, within(0, 1e6))}
	}
	return Path{}
}

func (d *decoder) norm(n *yaml.Node) graph.Norm {
	if n != nil && d.word(n, "norm", normNames) == "symmetric" {
		return graph.Symmetric
	}
	return graph.None
}

// nodeTerms are the keys that name a term of κ, their value being its penalty or its weight. The one that belongs to
// f: path has no numbers: kappa: path.
var nodeTerms = []string{"anchor", "labels", "unit-norm"}

// node reads one term of κ.
func (d *decoder) node(n *yaml.Node) Node {
	if follow(n).Kind == yaml.ScalarNode && d.word(n, "node term", []string{"path"}) == "path" {
		return PathNodes{}
	}
	k := d.mapping(n, append([]string{"threshold", "scale"}, nodeTerms...)...)
	if d.err != nil {
		return nil
	}
	count := 0
	for _, name := range nodeTerms {
		if k[name] != nil {
			count++
		}
	}
	if count != 1 {
		d.fail(follow(n), "want one of the keys %s", strings.Join(nodeTerms, ", "))
		return nil
	}
	if k["scale"] != nil && k["anchor"] == nil {
		d.fail(k["scale"], "only anchor has a scale")
	}
	switch {
	case k["anchor"] != nil:
		return Anchor{d.penalty(k["anchor"], k["threshold"]), d.or(k["scale"], 0, positive)}
	case k["labels"] != nil:
		return Labels{d.penalty(k["labels"], k["threshold"])}
	case k["threshold"] != nil:
		d.fail(k["threshold"], "unit-norm has no threshold")
	}
	return UnitNorm{d.number(k["unit-norm"], positive)}
}

// etas are the names of η without a number; box, ball and l1 have one: {ball: 2}.
var etas = []string{"none", "nonnegative", "unit-sphere", "labels", "range"}

// eta reads η, nil for none.
func (d *decoder) eta(n *yaml.Node) Eta {
	if n == nil {
		return nil
	}
	if follow(n).Kind == yaml.ScalarNode {
		switch d.word(n, "eta", etaNames()) {
		case "nonnegative":
			return Of{energy.NonNegative{}}
		case "unit-sphere":
			return Of{energy.UnitSphere{}}
		case "labels":
			return Clamp{}
		case "range":
			return Range{}
		case "box", "ball", "l1":
			d.fail(n, "%s needs a number: {%s: 1}", follow(n).Value, follow(n).Value)
		}
		return nil
	}
	k := d.mapping(n, numbered...)
	if d.err == nil && len(k) != 1 {
		d.fail(n, "want one of the keys ball, box, l1")
	}
	switch {
	case k["ball"] != nil:
		return Of{energy.Ball{R: d.number(k["ball"], positive)}}
	case k["l1"] != nil:
		return Of{energy.L1{T: d.number(k["l1"], positive)}}
	case k["box"] != nil:
		return d.box(k["box"])
	}
	return nil
}

func (d *decoder) box(n *yaml.Node) Eta {
	ends := d.list(n)
	if len(ends) != 2 {
		d.fail(n, "box needs two numbers: [lowest, highest]")
		return nil
	}
	lo, hi := d.number(ends[0], finite), d.number(ends[1], finite)
	if lo > hi {
		d.fail(ends[1], "%g is below %g", hi, lo)
		return nil
	}
	return Of{energy.Box{Lo: lo, Hi: hi}}
}
