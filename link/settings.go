package link

import (
	"errors"
	"fmt"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/internal/family"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/internal/path"
	"github.com/bloomgml/bloom/internal/recipe"
	"github.com/bloomgml/bloom/run"
)

// Embedding is what c means to package kg. The error is a *run.BadSetting.
func Embedding(c config.Config) (kg.Config, error) {
	l := c.Link
	k := kg.Config{Dim: c.Model.Hidden, Reciprocal: l.Reciprocal, Batch: l.Batch,
		Penalty: kg.Penalty{Weight: l.Penalty,
			Cubic: l.Cubic}, Dropout: c.Model.Dropout, Scale: l.Start, Seed: c.Train.Seed,
		Negatives: kg.Negatives{PerSide: l.Negatives, Filtered: l.Filtered, Shared: l.Shared}}
	if err := score(&k, c); err != nil {
		return k, err
	}
	switch l.Loss {
	case "bce":
		k.Loss = kg.Softplus{}
	case "softmax":
		k.Loss = kg.Softmax{}
	case "margin":
		k.Loss = kg.Margin{M: l.Hinge}
	default:
		k.Loss = kg.SelfAdversarial{T: l.Adversarial}
	}
	for _, choice := range []struct {
		key, word string
		set       func(int)
		words     []string
	}{
		{"link.against", l.Against, func(i int) { k.Against = kg.Against(i) }, []string{"drawn", "everything"}},
		{"link.draw", l.Draw, func(i int) { k.Negatives.Rule = kg.Rule(i) }, []string{"uniform", "bernoulli", "typed"}},
	} {
		i, err := number(choice.key, choice.word, choice.words)
		if err != nil {
			return k, err
		}
		choice.set(i)
	}
	if family.Of(c.Recipe) == family.Bilevel {
		return k, follow(&k, c)
	}
	return k, nil
}

// score sets the model and its margin, from the energy's only term.
func score(k *kg.Config, c config.Config) error {
	bad := &run.BadSetting{Key: "energy.f.term", Value: "another", Want: "one of transe, distmult, complex and rotate"}
	model, margin, ok := recipe.ScoreOf(c.Energy)
	if !ok {
		return bad
	}
	norm, err := number("link.distance", c.Link.Distance, []string{"squared", "l2", "l1"})
	if err != nil {
		return err
	}
	k.Margin = margin
	switch m, ok := model.(energy.QueryModel); {
	case !ok:
		return bad
	case m.Compare().Pairs && k.Dim%2 != 0:
		return &run.BadSetting{Key: "model.hidden", Value: fmt.Sprint(k.Dim),
			Want: "an even number: complex numbers have two columns each"}
	case energy.NameOf(m) == "TransE":
		k.Model = energy.TransE(energy.Distance(norm), 0)
	case energy.NameOf(m) == "RotatE":
		k.Model = energy.RotatE(energy.Distance(norm), 0)
	default:
		k.Model = m
	}
	return nil
}

// follow makes H follow by the descent of the energy, κ and η included. Entities have no features and no labels.
func follow(k *kg.Config, c config.Config) error {
	l := c.Link
	if c.Energy.L == 0 {
		return &run.BadSetting{Key: "energy.steps", Value: "0", Want: "1 or more: entities are where the steps lead"}
	}
	k.Bilevel = &kg.Bilevel{L: c.Energy.L, A: c.Energy.A, Block: l.Block, Negatives: l.Beside, Redraw: l.Redraw,
		Batches: l.Upper == "batches"}
	gamma, sigma := descent.Pace(c.Energy.A)
	if g, ok := gamma.(interface{ Number() float64 }); ok && sigma == nil && c.Energy.A == descent.AdaGrad(gamma, nil) {
		k.Bilevel.A, k.Bilevel.Gamma = nil, g.Number() // the one that files have a word for
	}
	for _, t := range c.Energy.Kappa {
		if !recipe.Placeless(t) {
			return &run.BadSetting{Key: "energy.kappa", Value: t.Text().Kappa,
				Want: "a term of h alone: entities have no labels and no features"}
		}
		k.Bilevel.Kappa = append(k.Bilevel.Kappa, t.Term(&recipe.Place{}))
	}
	if c.Energy.Eta == nil {
		return nil
	}
	if !recipe.Placeless(c.Energy.Eta) {
		eta, _ := c.Energy.Eta.Text()
		return &run.BadSetting{Key: "energy.eta", Value: eta,
			Want: "a constraint on h alone: entities have no labels and no features"}
	}
	var err error
	k.Bilevel.Eta, err = c.Energy.Eta.Constraint(&recipe.Place{})
	return err
}

// pathOf is what c means to package path. The error is a *run.BadSetting.
func pathOf(c config.Config) (path.Config, error) {
	l := c.Link
	p := path.Config{Message: path.Message(l.Message), Aggregate: path.Aggregate(l.Aggregate),
		Relations: path.Relations(l.Relations),
		Removal:   path.Removal(l.Removal), Hidden: c.Model.Hidden, Layers: c.Model.Layers, Batch: l.Batch,
		Negatives:   l.Negatives,
		Temperature: l.Temperature, Seed: c.Train.Seed}
	if p.Message == path.RotatE && p.Hidden%2 != 0 {
		return p, &run.BadSetting{Key: "model.hidden", Value: fmt.Sprint(p.Hidden),
			Want: "an even number for rotate: half of it are imaginary parts"}
	}
	return p, nil
}

// refactor is what c means to the RefactorGNN of package path.
func refactor(c config.Config) path.RefactorConfig {
	l := c.Link
	return path.RefactorConfig{Hidden: c.Model.Hidden, Layers: c.Model.Layers, Step: l.Step, Decay: l.Decay,
		Noise: l.Noise, Reset: l.Reset,
		Seed: c.Train.Seed}
}

// number is the place of a word among those that a key takes here.
func number(key, word string, words []string) (int, error) {
	for i, w := range words {
		if w == word {
			return i, nil
		}
	}
	want := words[0]
	for i, w := range words[1:] {
		sep := ", "
		if i == len(words)-2 {
			sep = " or "
		}
		want += sep + w
	}
	return 0, &run.BadSetting{Key: key, Value: word, Want: want + " for knowledge graphs"}
}

// keyOf are the keys of configs by those in errors of package kg.
var keyOf = map[string]string{
	"dim": "model.hidden", "batch": "link.batch", "negatives": "link.negatives", "negatives shared": "link.shared",
	"dropout": "model.dropout", "penalty": "link.penalty", "model": "link.distance", "reciprocal": "link.reciprocal",
	"bilevel gamma": "energy.descent.gamma", "bilevel steps": "energy.steps", "bilevel negatives": "link.beside",
	"bilevel block": "link.block",
}

// named is err with the key of a config in the place of that of package kg.
func named(err error) error {
	var bad *kg.Bad
	if errors.As(err, &bad) && keyOf[bad.Key] != "" {
		return &run.BadSetting{Key: keyOf[bad.Key], Value: fmt.Sprint(bad.Value), Want: "another: it " + bad.Reason}
	}
	return err
}
