package kg

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/train"
)

// Config says what is trained and how. The zero value is DistMult by binary cross-entropy on uniform negatives.
type Config struct {
	Model  energy.QueryModel // nil means DistMult
	Margin float64           // m of s = m − distance; 0 for inner products
	Dim    int               // d, numbers an entity; 0 means 128

	Against Against // what facts are distinguished from
	// of Against Drawn; nil means SelfAdversarial{T: 0}, binary cross-entropy with a fact as heavy as its false
	// answers together
	Loss      Ranking
	Negatives Negatives // of Against Drawn

	Batch   int // facts a batch, or questions of Against Everything; 0 means 1024
	Penalty Penalty
	Dropout float64 // share of the entries of q that is dropped
	Scale   float64 // entries start in N(0, Scale²); 0 means 0.1
	Seed    uint64
	Bilevel *Bilevel // nil trains H and E together
}

// Against says which false facts a fact is distinguished from.
type Against uint8

// The two ways.
const (
	// Drawn is false triples, drawn again in every epoch.
	Drawn Against = iota
	// Everything is all entities: softmax cross-entropy of a question (u, r, ?) over them, with all its answers at
	// once.
	Everything
)

// Negatives says how false answers are drawn.
type Negatives struct {
	PerSide int // false answers to either question of a fact, any entities; 0 means 64
	// Shared is the number of negatives that all queries of a batch share, which is much cheaper than PerSide for each.
	// They are drawn from all entities. 0 means none.
	Shared int
}

// Penalty keeps embeddings small: Weight times the mean, over the questions of a batch, of Σ|x|ᵖ over the rows of
// their entity, relation and first answer. |x| is the modulus if the model has complex numbers.
type Penalty struct {
	Weight float64
	Cubic  bool // p = 3, the nuclear norm N3 of Lacroix et al. 2018; otherwise p = 2
}

// Bad is the error for a setting that cannot be.
type Bad struct {
	Key    string
	Value  any
	Reason string
}

// Error names the key and the value.
func (e *Bad) Error() string { return fmt.Sprintf("kg: %s = %v: %s", e.Key, e.Value, e.Reason) }

// filled has the defaults instead of zeros.
func (c Config) filled() Config {
	if c.Model == nil {
		c.Model = energy.DistMult
	}
	if c.Loss == nil {
		c.Loss = SelfAdversarial{}
	}
	c.Dim, c.Batch = cmp.Or(c.Dim, 128), cmp.Or(c.Batch, 1024)
	c.Negatives.PerSide, c.Scale = cmp.Or(c.Negatives.PerSide, 64), cmp.Or(c.Scale, 0.1)
	if c.Bilevel != nil {
		b := c.Bilevel.filled()
		c.Bilevel = &b
	}
	return c
}

// check refuses settings that cannot be, once they are filled.
func (c Config) check() error {
	for _, f := range []struct {
		key   string
		value int
		least int
	}{{"dim", c.Dim, 1}, {"batch", c.Batch, 1}, {"negatives", c.Negatives.PerSide, 1},
		{"negatives shared", c.Negatives.Shared, 0}} {
		if f.value < f.least {
			return &Bad{f.key, f.value, fmt.Sprintf("must be %d or more", f.least)}
		}
	}
	switch {
	case !(c.Dropout >= 0 && c.Dropout < 1):
		return &Bad{"dropout", c.Dropout, "must be in [0, 1)"}
	case !(c.Penalty.Weight >= 0):
		return &Bad{"penalty", c.Penalty.Weight, "must be 0 or more"}
	case c.complex() && c.Dim%2 != 0:
		return &Bad{"dim", c.Dim, "is odd, and the model has complex numbers, two columns each"}
	case !c.Model.Compare().Expands():
		return &Bad{"model", energy.NameOf(c.Model), "the sum of moduli is not a function of inner products"}
	}
	if c.Bilevel != nil {
		return c.Bilevel.check(c)
	}
	return nil
}

// softmax reports whether scores were trained for one answer among all entities, rather than for yes or no.
func (c Config) softmax() bool {
	_, is := c.Loss.(Softmax)
	return (c.Bilevel == nil || c.Bilevel.Block > 0) && (is || c.Against == Everything)
}

// complex reports whether columns j and j + d/2 of an entity are a complex number.
func (c Config) complex() bool { return c.Model.Compare().Pairs }

// Name returns the name of the model's recipe: the model in lower case, with -bilevel if H follows by descent.
func (c Config) Name() string {
	c = c.filled()
	name := strings.ToLower(energy.NameOf(c.Model))
	if c.Bilevel != nil {
		name += "-bilevel"
	}
	return name
}

// FromConfig returns the Config of this package for c. The error is a *train.BadSetting.
func FromConfig(c config.Config) (Config, error) {
	l := c.Facts
	k := Config{Dim: c.Model.Hidden, Batch: l.Batch, Penalty: Penalty{Weight: l.Penalty,
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
	if i := slices.Index(words, word); i >= 0 {
		return i, nil
	}
	return 0, &train.BadSetting{Key: key, Value: word, Want: strings.Join(words, " or ") + " for knowledge graphs"}
}
