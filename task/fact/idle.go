package fact

import (
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/task"
)

// idleInPaths returns the keys that a path model does not read.
func idleInPaths(c config.Config) []task.IdleRule {
	return []task.IdleRule{
		{"link.aggregate", c.Facts.Aggregate == "pna-fused" && c.Facts.Message != "transe",
			"pna-fused differs from pna only if link.message is transe"},
		{"link.negatives link.temperature", c.Facts.Against == "everything", "link.against is everything"},
		{"link.temperature", c.Facts.Negatives == 1,
			"with link.negatives 1 the weight of the negative is 1 at any temperature"},
	}
}

// idleInEmbeddings returns the keys that embeddings do not read.
func idleInEmbeddings(c config.Config) []task.IdleRule {
	return []task.IdleRule{
		{"energy.kappa energy.eta energy.descent energy.steps", together(c),
			"entities and relations are trained together by the optimiser; the -bilevel recipes descend"},
		{"energy.f.margin", relative(c),
			"the loss compares scores with each other, so a constant added to all of them has no effect"},
		{"link.distance", inner(c), "the score is an inner product"},
		{"link.against link.loss link.penalty link.cubic link.batch model.dropout", byEnergy(c),
			"relations are trained by the energy of all facts; link.upper: batches trains them by the loss"},
		{"link.batch link.upper link.redraw model.dropout", blocks(c),
			"a block uses all facts of its entities with a pool of negatives; link.block: 0 uses no blocks"},
		{"link.loss", c.Facts.Against == "everything", "with link.against: everything the loss is softmax"},
		{"link.adversarial", !has(c, "self-adversarial"), "link.loss is not self-adversarial"},
		{"link.negatives", !draws(c) || c.Facts.Shared > 0,
			"queries have no negatives of their own: link.shared is above 0, or none are drawn"},
		{"link.shared", !draws(c), "no negatives are drawn"},
		{"link.cubic", c.Facts.Penalty == 0, "link.penalty is 0"},
		{"link.against link.loss link.batch link.penalty link.cubic link.negatives link.shared " +
			"link.adversarial model.dropout", together(c) && c.Train.Epochs == 0, "train.epochs is 0"},
	}
}

// together reports whether H and E are parameters.
func together(c config.Config) bool { return config.FamilyOf(c.Recipe) == config.Embeddings }

// blocks reports whether entities descend block by block.
func blocks(c config.Config) bool { return !together(c) && c.Facts.Block > 0 }

// byEnergy reports whether all entities descend at once and the energy is the upper level, too.
func byEnergy(c config.Config) bool {
	return !together(c) && c.Facts.Block == 0 && c.Facts.Upper == "energy"
}

// has reports whether facts are told apart from drawn ones by a loss.
func has(c config.Config, loss string) bool {
	return !byEnergy(c) && c.Facts.Against == "drawn" && c.Facts.Loss == loss
}

// draws reports whether the number of false answers of a batch has an effect. A block has its own pool, which with a
// softmax loss represents the number of false answers that a batch would have.
func draws(c config.Config) bool {
	return !byEnergy(c) && c.Facts.Against == "drawn" && (!blocks(c) || c.Facts.Loss == "softmax")
}

// relative reports whether a loss reads differences of scores alone, below and above.
func relative(c config.Config) bool {
	return (together(c) || blocks(c)) &&
		(c.Facts.Against == "everything" || c.Facts.Loss == "softmax")
}

// inner reports whether the score is an inner product.
func inner(c config.Config) bool {
	s, _, _ := recipe.ScoreOf(c.Energy)
	q, ok := s.(energy.QueryModel)
	return ok && q.Compare().Inner
}
