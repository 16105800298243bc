package fact

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/audit"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/mat"
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
	switch config.FamilyOf(c.Recipe) {
	case config.Embeddings, config.Bilevel:
		if _, err = kg.FromConfig(c); err == nil {
			err = task.CheckIdle(c, set, idleInEmbeddings(c))
		}
	case config.Paths:
		if _, err = pathOf(c); err == nil {
			err = task.CheckIdle(c, set, idleInPaths(c))
		}
	case config.Zero:
		if err = checkWeights(c); err == nil {
			err = task.CheckIdle(c, set, idleInZero(c))
		}
	case config.Refactor:
		err = task.CheckIdle(c, set, nil)
	}
	return err
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
