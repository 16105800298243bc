package fact

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/internal/audit"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/internal/path"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

// IsKnowledge reports whether d is a knowledge graph: facts, and no classes of nodes.
func IsKnowledge(d *dataset.Dataset) bool {
	return d.IsLinks() || d.Labels.Class == nil && (d.Metric == "mrr" || d.Metric == "hits@10_50")
}

// DefaultRecipe returns the recipe for a knowledge graph if the user names none: path if it is tested on other
// entities, otherwise complex, in which a relation may hold one way and not the other.
func DefaultRecipe(d *dataset.Dataset) string {
	if d.Twin != nil {
		return "path"
	}
	return "complex"
}

// Check rejects what cannot be trained, and returns warnings about the rest, one sentence each. The error is a
// *train.BadSetting or a *train.BadData.
func Check(c config.Config, d *dataset.Dataset) ([]string, error) {
	bad := func(format string, args ...any) error {
		return &train.BadData{Data: d.Name, Text: fmt.Sprintf(format, args...)}
	}
	switch {
	case !config.FamilyOf(c.Recipe).IsFacts():
		return nil, &train.BadSetting{Key: "recipe", Value: c.Recipe, Want: "a recipe for knowledge graphs"}
	case !IsKnowledge(d):
		return nil, bad("it has no facts to predict, and %s is for knowledge graphs; name another --recipe", c.Recipe)
	case d.Graph.NumEdges() == 0:
		return nil, bad("it has no training facts")
	case d.Graph.NumNodes() < 2:
		return nil, bad("it has only one entity, so every question has only one answer")
	}
	if err := checkSettings(c, d.Name); err != nil {
		return nil, err
	}
	if need, most := embeddingBytes(c, d), files.MemoryLimit(); need > most {
		return nil, bad("embeddings of %d entities with %d numbers each take at least %s to train, and %s "+
			"is available: set model.hidden to fewer numbers, or allow more with --memory", d.Graph.NumNodes(),
			c.Model.Hidden, files.BytesText(need), files.BytesText(most))
	}
	var list []string
	add := func(of *dataset.Dataset, want func(kind string) bool) {
		for _, w := range audit.Describe(of).Warnings {
			if want(w.Kind) {
				list = append(list, w.Text)
			}
		}
	}
	add(d, func(kind string) bool { // else a note says it
		return len(d.Notes) == 0 && kind != audit.UnseenEntities && kind != audit.InverseTriples
	})
	add(Tested(c, d), func(kind string) bool { return kind == audit.InverseTriples })
	if d.Graph.Weights() != nil {
		list = append(list, fmt.Sprintf("edges have weights, which %s does not use: every fact counts the same",
			c.Recipe))
	}
	if idle := withoutFacts(d); len(idle) > 0 && config.FamilyOf(c.Recipe) != config.Zero {
		list = append(list, fmt.Sprintf("%d of %d relations have no training facts, so nothing is learnt about "+
			"them: %s", len(idle), d.Graph.NumRelations(), first(idle, 5)))
	}
	for i, text := range list {
		list[i] = strings.TrimSuffix(text, ".")
	}
	return list, nil
}

// checkSettings checks whether c is valid for the package that trains it.
func checkSettings(c config.Config, set string) error {
	if c.Task != "auto" {
		return &train.BadSetting{Key: "task", Value: string(c.Task), Idle: true,
			Want: "auto: " + c.Recipe + " learns facts; recipes of nodes learn links"}
	}
	var err error
	idle := func(config.Config) []task.IdleRule { return nil }
	switch config.FamilyOf(c.Recipe) {
	case config.Embeddings, config.Bilevel:
		_, err = kg.FromConfig(c)
		idle = idleInEmbeddings
	case config.Paths:
		_, err = pathOf(c)
		idle = idleInPaths
	case config.Zero:
		err = checkWeights(c)
		idle = idleInZero
	}
	if err != nil {
		return err
	}
	return task.CheckIdle(c, set, idle(c))
}

// embeddingBytes returns the minimum memory of all entity embeddings in training: the current ones, a copy from the
// best epoch, and one matrix of optimiser state. It is 0 for models without embeddings.
func embeddingBytes(c config.Config, d *dataset.Dataset) int64 {
	if config.FamilyOf(c.Recipe) != config.Embeddings {
		return 0
	}
	return 3 * int64(d.Graph.NumNodes()) * int64(c.Model.Hidden) * int64(unsafe.Sizeof(mat.Real(0)))
}

// withoutFacts returns the relations that no training fact has.
func withoutFacts(d *dataset.Dataset) []string {
	has := make([]bool, d.Graph.NumRelations())
	for _, r := range d.Graph.Relations() {
		has[r] = true
	}
	var idle []string
	for r, is := range has {
		if !is {
			idle = append(idle, d.RelationName(int32(r)))
		}
	}
	return idle
}

// first returns the first of names.
func first(names []string, most int) string {
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// pathOf translates c for package path. The error is a *train.BadSetting.
func pathOf(c config.Config) (path.Config, error) {
	l := c.Facts
	p := path.Config{Message: path.Message(l.Message), Aggregate: path.Aggregate(l.Aggregate),
		Relations: path.Relations(l.Relations),
		Removal:   path.Removal(l.Removal), Hidden: c.Model.Hidden, Layers: c.Model.Layers, Batch: l.Batch,
		Negatives: l.Negatives, Keep: l.Keep, Send: l.Send, Against: path.Against(l.Against),
		Layered:     l.Layers == "own",
		Temperature: l.Temperature, Seed: c.Train.Seed}
	if p.Keep > 0 && p.Aggregate != path.Sum && p.Message == path.RotatE {
		return p, &train.BadSetting{Key: "link.keep", Value: fmt.Sprint(p.Keep),
			Want: "0 where messages of rotate are added up by pna"}
	}
	if p.Send > p.Keep {
		return p, &train.BadSetting{Key: "link.send", Value: fmt.Sprint(p.Send), Want: "at most link.keep"}
	}
	if p.Keep == 0 && p.Against == path.Everything {
		return p, &train.BadSetting{Key: "link.against", Value: l.Against, Want: "drawn unless link.keep is above 0"}
	}
	if p.Message == path.RotatE && p.Hidden%2 != 0 {
		return p, &train.BadSetting{Key: "model.hidden", Value: fmt.Sprint(p.Hidden),
			Want: "an even number for rotate: half of the columns are imaginary parts"}
	}
	return p, nil
}

// refactor translates c for the RefactorGNN of package path.
func refactor(c config.Config) path.RefactorConfig {
	l := c.Facts
	return path.RefactorConfig{Hidden: c.Model.Hidden, Layers: c.Model.Layers, Step: l.Step, Decay: l.Decay,
		Noise: l.Noise, Reset: l.Reset,
		Seed: c.Train.Seed}
}

// keyOf maps the keys in errors of package kg to keys of configs.
var keyOf = map[string]string{
	"dim": "model.hidden", "batch": "link.batch", "negatives": "link.negatives", "negatives shared": "link.shared",
	"dropout": "model.dropout", "penalty": "link.penalty", "model": "link.distance", "reciprocal": "link.reciprocal",
	"bilevel gamma": "energy.descent.gamma", "bilevel steps": "energy.steps", "bilevel negatives": "link.beside",
	"bilevel block": "link.block",
}

// named returns err with the config's key instead of package kg's.
func named(err error) error {
	var bad *kg.Bad
	if errors.As(err, &bad) && keyOf[bad.Key] != "" {
		return &train.BadSetting{Key: keyOf[bad.Key], Value: fmt.Sprint(bad.Value), Want: "another: it " + bad.Reason}
	}
	return err
}

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
		{"energy.f.margin", ((together(c) || blocks(c)) &&
			(c.Facts.Against == "everything" || c.Facts.Loss == "softmax")),
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

// inner reports whether the score is an inner product.
func inner(c config.Config) bool {
	s, _, _ := recipe.ScoreOf(c.Energy)
	q, ok := s.(energy.QueryModel)
	return ok && q.Compare().Inner
}
