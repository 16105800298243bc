package fact

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/testkit/keytest"
	"github.com/bloomgml/bloom/train"
)

// proven are the keys of knowledge graphs.
var proven = keytest.Keys{
	About: map[string]string{
		"recipe": "another recipe", "data.name": "other data", "link.protocol": "how answers are ranked",
		"link.filter": "which right answers are no mistakes",
		"link.sample": "which facts an evaluation ranks", "train.repeat": "how many runs",
		"model.weights":    "what training starts from",
		"train.together":   "how many of them at a time",
		"train.checkpoint": "when the folder is written", "train.precision": "what a GPU rounds",
		"train.patience": "when training stops",
		"train.every":    "which epochs are looked at", "energy.name": "for reports", "energy.summary": "for reports",
		"energy.source": "for reports",
	},
	Alike: map[string]string{
		"energy.eta=box":                      "nonnegative, where entries are below 1",
		"energy.kappa.anchor=smooth-l1":       "huber with the threshold 1",
		"energy.kappa.anchor=huber":           "half-squared, where entries are within 1",
		"energy.descent.algorithm=reweighted": "proximal, where energy.steps do not reach energy.descent.at",
		"energy.descent.gamma=safe-held":      "safe, where the bound depends on nothing that is trained",
		"energy.descent.sigma=degree-held":    "degree, where the bound depends on nothing that is trained",
	},
	Nearly: map[string]string{
		"energy.f.margin": "a number added to all scores changes how they are rounded",
		"link.aggregate":  "pna-fused is pna, by another name",
	},
	Values: map[string][]string{
		"train.clip": {"1e-06"}, "train.warmup": {"2"}, "train.epochs": {"1"}, "train.weight_decay": {"0.3"},
		"model.hidden": {"6"}, "link.batch": {"7"}, "link.block": {"4", "0"}, "link.start": {"0.7"},
		"link.redraw": {"1"}, "link.also": {"family:families=1,twin=0,seed=5"}, "link.parts": {"2"},
		"link.entities": {"30"}, "link.thin": {"0.2"},
	},
}

// trainOnce is the weights that a training ends with, those of entities that follow included, and how good embeddings
// are.
func trainOnce(recipe string, d *dataset.Dataset, set []string, check bool) (string, error) {
	c, err := config.Load(config.Options{Recipe: recipe, Data: d.Name, Set: set})
	if err != nil {
		return "", err
	}
	if check {
		if _, err := Check(*c, d); err != nil {
			return "", err
		}
	}
	j, err := assemble(*c, d, train.SeedTrials(*c)[0])
	if err != nil {
		return "", err
	}
	l, err := train.NewLoop(timed(*c).Train, j)
	for err == nil && l.Epoch() < l.Epochs() {
		err = l.Step()
	}
	if err == nil {
		err = j.follow()
	}
	if err != nil {
		return "", err
	}
	params, text := j.Params(), ""
	if e, ok := j.model.(embedding); ok {
		params = append(slices.Clone(params), e.H)
		s, err := j.Measure(context.Background())
		if err != nil {
			return "", err
		}
		text = fmt.Sprint(s.Valid) // where nothing is trained, the score is seen here
	}
	for _, p := range params {
		text += fmt.Sprint(p.Value().Slice())
	}
	return text, nil
}

// trainings are recipes of every family, and cases in which other keys are idle.
func trainings(d *dataset.Dataset) (list []keytest.Training) {
	const small = "model.hidden=4 train.epochs=3 train.weight_decay=0.01 "
	const embedding = small + "link.batch=16"
	const bilevel = small + "train.epochs=2 link.block=20 link.beside=6 energy.steps=2"
	const atOnce = small + "link.block=0 link.beside=2 energy.steps=3"
	const paths = small + "model.layers=2 link.batch=64 train.rate=1"
	for _, x := range [][2]string{
		{"zero", paths + " link.negatives=4 model.weights=none"},
		{"zero", paths + " link.negatives=4 model.weights=none link.parts=1 link.entities=40"},
		{"path", paths + " link.negatives=4"}, {"path", paths + " link.negatives=1"}, {"refactor",
			small + "train.epochs=5"},
		{"transe", embedding + " link.against=drawn link.shared=8"},
		{"distmult", embedding},
		{"complex", embedding + " link.against=drawn link.shared=0 link.negatives=3 link.loss=self-adversarial"},
		{"rotate", embedding + " link.against=drawn link.shared=0 link.negatives=3 link.loss=bce link.start=0.7 " +
			"train.optimizer=sgd"},
		{"rotate", embedding + " link.penalty=0"},
		{"transe-bilevel", bilevel + " link.shared=8"}, {"distmult-bilevel", bilevel + " link.loss=self-adversarial"},
		{"distmult-bilevel", atOnce}, {"transe-bilevel", atOnce + " link.upper=batches link.batch=16"},
		{"distmult", "train.epochs=0 model.hidden=4"}, {"path", paths + " link.negatives=4 link.keep=20"},
	} {
		list = append(list, keytest.Training{Recipe: x[0], Data: d.Name, Set: strings.Fields(x[1]),
			Train: func(set []string, check bool) (string, string, error) {
				weights, err := trainOnce(x[0], d, set, check)
				return weights, weights, err
			}})
	}
	if testing.Short() {
		return append(list[4:8:8], list[12])
	}
	return list
}

// TestNoKeyIsIgnored: every key of every family changes the weights that a training ends with, or is refused with the
// reason. What is refused would have changed nothing.
func TestNoKeyIsIgnored(t *testing.T) {
	d, err := catalogue.Open("family:families=1,twin=0")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("all", func(t *testing.T) {
		for _, x := range trainings(d) {
			t.Run(x.Recipe+" "+strings.Join(x.Set, " "), func(t *testing.T) {
				t.Parallel()
				proven.Prove(t, x, func(key string) bool { // energies are gone through with the first loss
					return !strings.HasPrefix(key, "energy.") || !x.Sets("link.loss")
				})
			})
		}
	})
	if left := proven.Unchanged(func(key string) bool { return strings.HasPrefix(key, "link.") }); len(left) > 0 &&
		!testing.Short() {
		t.Errorf("%q change nothing in any training", left)
	}
}
