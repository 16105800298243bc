package link

import (
	"fmt"
	"reflect"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/run"
)

// idleWhere says which keys mean nothing under which other settings, and why. Such a key must have its shipped value.
type idleWhere struct {
	keys   []string
	when   func(config.Config) bool
	reason string
}

// unusedByAll are the rules of every model.
var unusedByAll = []idleWhere{
	{[]string{"train.momentum"}, func(c config.Config) bool { return c.Train.Optimizer != "sgd" }, "train.optimizer is not sgd"},
}

// unusedByPaths are the rules of path models.
var unusedByPaths = []idleWhere{
	{[]string{"link.aggregate"},
		func(c config.Config) bool { return c.Link.Aggregate == "pna-fused" && c.Link.Message != "transe" },
		"pna-fused differs from pna where link.message is transe alone"},
	{[]string{"link.temperature"}, func(c config.Config) bool { return c.Link.Negatives == 1 },
		"where link.negatives is 1 the false answer weighs 1 at any temperature"},
}

// unused are the rules of embeddings.
var unused = []idleWhere{
	{[]string{"energy.kappa", "energy.eta", "energy.descent", "energy.steps"}, together,
		"entities and relations are trained together by the optimiser; the -bilevel recipes descend"},
	{[]string{"energy.f.margin"}, relative, "the loss compares scores with each other, to which a number added to all of them is nothing"},
	{[]string{"link.distance"}, inner, "the score is an inner product"},
	{[]string{"link.against", "link.loss", "link.penalty", "link.cubic", "link.batch", "model.dropout"}, byEnergy,
		"relations are trained by the energy of all facts; link.upper: batches trains them by the loss"},
	{[]string{"link.batch", "link.draw", "link.filtered", "link.upper", "link.redraw", "model.dropout"}, blocks,
		"a block has all facts of its entities and a pool of false answers; link.block: 0 has none"},
	{[]string{"link.loss"}, func(c config.Config) bool { return c.Link.Against == "everything" },
		"against everything the loss is softmax"},
	{[]string{"link.hinge"}, func(c config.Config) bool { return !has(c, "margin") }, "link.loss is not margin"},
	{[]string{"link.adversarial"}, func(c config.Config) bool { return !has(c, "self-adversarial") }, "link.loss is not self-adversarial"},
	{[]string{"link.negatives", "link.draw", "link.filtered"}, func(c config.Config) bool { return !draws(c) || c.Link.Shared > 0 },
		"no question has false answers of its own: link.shared is above 0, or no batch draws any"},
	{[]string{"link.shared"}, func(c config.Config) bool { return !draws(c) }, "no batch draws false answers"},
	{[]string{"link.cubic"}, func(c config.Config) bool { return c.Link.Penalty == 0 }, "link.penalty is 0"},
}

// together reports whether H and E are parameters.
func together(c config.Config) bool { return config.FamilyOf(c.Recipe) == config.Embeddings }

// blocks reports whether entities descend block by block.
func blocks(c config.Config) bool { return !together(c) && c.Link.Block > 0 }

// byEnergy reports whether all entities descend at once and the energy is the upper level, too.
func byEnergy(c config.Config) bool {
	return !together(c) && c.Link.Block == 0 && c.Link.Upper == "energy"
}

// has reports whether facts are told apart from drawn ones by a loss.
func has(c config.Config, loss string) bool {
	return !byEnergy(c) && c.Link.Against == "drawn" && c.Link.Loss == loss
}

// draws reports whether the number of false answers of a batch means something. A block has a pool of its own, which
// stands for as many false answers as a batch would have where the loss is softmax.
func draws(c config.Config) bool {
	return !byEnergy(c) && c.Link.Against == "drawn" && (!blocks(c) || c.Link.Loss == "softmax")
}

// relative reports whether a loss reads differences of scores alone, below and above.
func relative(c config.Config) bool {
	return (together(c) || blocks(c)) && (c.Link.Against == "everything" || c.Link.Loss == "softmax" || c.Link.Loss == "margin")
}

// inner reports whether the score is an inner product.
func inner(c config.Config) bool {
	s, ok := tripleScore(c)
	q, is := s.Model.(energy.QueryModel)
	return ok && is && q.Compare().Inner
}

// tripleScore is the only term of the energy, a score.
func tripleScore(c config.Config) (s recipe.Score, ok bool) {
	if c.Energy != nil && len(c.Energy.F) == 1 {
		s, ok = c.Energy.F[0].(recipe.Score)
	}
	return s, ok
}

// valueOf is the value of a key that unused names.
func valueOf(c config.Config, key string) any {
	l := c.Link
	margin, _ := tripleScore(c)
	below := c.Energy
	if below == nil {
		below = &recipe.Recipe{}
	}
	return map[string]any{
		"energy.kappa": below.Kappa, "energy.eta": below.Eta, "energy.descent": below.A, "energy.steps": below.L,
		"energy.f.margin": margin.Margin, "link.aggregate": l.Aggregate, "link.temperature": l.Temperature,
		"link.distance": l.Distance, "link.against": l.Against, "link.loss": l.Loss,
		"link.penalty": l.Penalty, "link.cubic": l.Cubic, "link.batch": l.Batch, "model.dropout": c.Model.Dropout, "link.draw": l.Draw,
		"link.filtered": l.Filtered, "link.upper": l.Upper, "link.redraw": l.Redraw, "link.hinge": l.Hinge,
		"train.momentum": c.Train.Momentum, "link.adversarial": l.Adversarial, "link.negatives": l.Negatives, "link.shared": l.Shared,
	}[key]
}

// checkUnused refuses a key that was set and that other settings make meaningless. The error is a *run.BadSetting.
func checkUnused(c config.Config, rules []idleWhere) error {
	shipped, err := config.Default(c.Recipe, c.Data.Name)
	if err != nil {
		return err
	}
	for _, rule := range append(rules, unusedByAll...) {
		if !rule.when(c) {
			continue
		}
		for _, key := range rule.keys {
			have, ships := valueOf(c, key), valueOf(*shipped, key)
			if !reflect.DeepEqual(have, ships) {
				return &run.BadSetting{Key: key, Value: fmt.Sprint(have), Want: fmt.Sprintf("%v, which is not used: %s", ships, rule.reason)}
			}
		}
	}
	return nil
}
