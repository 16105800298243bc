package kg

import (
	"fmt"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/train"
)

// FromConfig returns the Config of this package for c. The error is a *train.BadSetting.
func FromConfig(c config.Config) (Config, error) {
	l := c.Facts
	k := Config{Dim: c.Model.Hidden, Batch: l.Batch,
		Penalty: Penalty{Weight: l.Penalty,
			Cubic: l.Cubic}, Dropout: c.Model.Dropout, Scale: l.Start, Seed: c.Train.Seed,
		Negatives: Negatives{PerSide: l.Negatives, Shared: l.Shared}}
	if err := score(&k, c); err != nil {
		return k, err
	}
	switch l.Loss {
	case "bce":
		k.Loss = Softplus{}
	case "softmax":
		k.Loss = Softmax{}
	default:
		k.Loss = SelfAdversarial{T: l.Adversarial}
	}
	against, err := placeOf("link.against", l.Against, []string{"drawn", "everything"})
	if err != nil {
		return k, err
	}
	k.Against = Against(against)
	if config.FamilyOf(c.Recipe) == config.Bilevel {
		return k, follow(&k, c)
	}
	return k, nil
}

// score sets the model and its margin, from the energy's only term.
func score(k *Config, c config.Config) error {
	bad := &train.BadSetting{Key: "energy.f.term", Value: "another",
		Want: "one of transe, distmult, complex and rotate"}
	model, margin, ok := recipe.ScoreOf(c.Energy)
	if !ok {
		return bad
	}
	norm, err := placeOf("link.distance", c.Facts.Distance, []string{"squared", "l2"})
	if err != nil {
		return err
	}
	k.Margin = margin
	switch m, ok := model.(energy.QueryModel); {
	case !ok:
		return bad
	case m.Compare().Pairs && k.Dim%2 != 0:
		return &train.BadSetting{Key: "model.hidden", Value: fmt.Sprint(k.Dim),
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
func follow(k *Config, c config.Config) error {
	l := c.Facts
	if c.Energy.L == 0 {
		return &train.BadSetting{Key: "energy.steps", Value: "0", Want: "1 or more: the steps place the entities"}
	}
	k.Bilevel = &Bilevel{L: c.Energy.L, A: c.Energy.A, Block: l.Block, Negatives: l.Beside, Redraw: l.Redraw,
		Batches: l.Upper == "batches"}
	gamma, sigma := descent.Pace(c.Energy.A)
	if g, ok := gamma.(interface{ Number() float64 }); ok && sigma == nil && c.Energy.A == descent.AdaGrad(gamma, nil) {
		k.Bilevel.A, k.Bilevel.Gamma = nil, g.Number() // the algorithm that files have a name for
	}
	for _, t := range c.Energy.Kappa {
		if !recipe.Placeless(t) {
			return &train.BadSetting{Key: "energy.kappa", Value: t.Text().Kappa,
				Want: "a term that depends on h alone: entities have no labels and no features"}
		}
		k.Bilevel.Kappa = append(k.Bilevel.Kappa, t.Term(&recipe.Place{}))
	}
	if c.Energy.Eta == nil {
		return nil
	}
	if !recipe.Placeless(c.Energy.Eta) {
		eta, _ := c.Energy.Eta.Text()
		return &train.BadSetting{Key: "energy.eta", Value: eta,
			Want: "a constraint that depends on h alone: entities have no labels and no features"}
	}
	var err error
	k.Bilevel.Eta, err = c.Energy.Eta.Constraint(&recipe.Place{})
	return err
}

// placeOf returns the index of a word among the words that a key takes here.
func placeOf(key, word string, words []string) (int, error) {
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
	return 0, &train.BadSetting{Key: key, Value: word, Want: want + " for knowledge graphs"}
}
