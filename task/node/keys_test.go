package node

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/testkit/keytest"
	"github.com/bloomgml/bloom/train"
)

// proven are the keys of classes, sets and numbers of nodes; TestKeysOfARun looks at those that are about a run.
var proven = keytest.Keys{
	About: map[string]string{
		"recipe": "another recipe", "task": "links are not for this package",
		"energy.name": "for reports", "energy.summary": "for reports",
		"energy.source": "for reports", "data.name": "other data",
		"data.splits":  "which split the runs of a repeat have",
		"train.repeat": "how many runs", "train.together": "how many of them at a time",
		"train.checkpoint": "when the folder is written",
		"train.precision":  "what a GPU rounds",
		"data.decay":       "edges with times; TestDecay looks at it",
		"train.patience":   "when training stops", "train.every": "which epochs are looked at",
		"train.metric": "what is measured",
		"data.folds":   "how a run divides nodes; tests of folds look at it", "data.holdout": "the same",
		"train.target": "of numbers; tests of folds look at it", "train.cost": "which threshold is chosen",
		"train.seed": "what is drawn, where something is; the file of the model has it",
	},
	Alike: map[string]string{
		"model.adjoint=checkpointed":          "the same derivatives with less memory",
		"train.class_weight=balanced":         "where classes have equally many training nodes",
		"train.loss=cross_entropy":            "what auto is for classes",
		"data.scale=none":                     "what auto is for dense features",
		"energy.kappa.anchor=smooth-l1":       "huber with the threshold 1",
		"energy.kappa.labels=smooth-l1":       "huber with the threshold 1",
		"energy.f.penalty=smooth-l1":          "huber with the threshold 1",
		"energy.kappa.labels=huber":           "h lies within 1 of a label",
		"energy.eta=nonnegative":              "where h is made of labels it is not negative",
		"energy.f.term=difference":            "laplace, by the plain form",
		"energy.kappa.anchor=huber":           "where nobody leaves the features by more than 1, half-squared",
		"energy.kappa.anchor=half-squared":    "the same",
		"energy.descent.algorithm=reweighted": "proximal, where energy.steps do not reach energy.descent.at",
		"energy.descent.gamma=backtracking":   "the first step that it tries, 1, descends",
		"energy.descent.gamma=safe-held":      "safe, where the bound depends on nothing that is trained",
		"energy.descent.sigma=degree-held":    "degree, where the bound depends on nothing that is trained",
		"energy.descent.sigma=one-sided-held": "one-sided, where λ is not trained",
		"train.loss=focal":                    "{focal: 2}",
		"energy.eta=box":                      "ball, where h is made of labels",
	},
	Values: map[string][]string{
		"energy.f": {"{term: difference, penalty: charbonnier}"}, "energy.kappa": {"{unit-norm: 0.5}"},
		"energy.descent": {"{algorithm: momentum, gamma: {forced: 0.3}}"}, "energy.eta.box": {"[0, 0.1]"},
		"data.scale_rows": {"5"},
		"data.corrupt":    {"rows=0.5"}, "data.split": {"1"}, "train.clip": {"0.001"}, "train.warmup": {"2"},
		"train.class_weight": {"balanced", "{odd: 3}"},
		"train.epochs":       {"2"}, "model.heads": {"2"}, "energy.steps": {"2"}, "train.weight_decay": {"0.3"},
	},
}

// keyed is a training of nodes.
type keyed struct {
	keytest.Training
	energy bool // whether keys of the energy are changed, too
}

// on is a training of a recipe on d.
func on(d *dataset.Dataset, recipe, set string) keyed {
	return keyed{keytest.Training{Recipe: recipe, Data: d.Name, Set: strings.Fields(set),
		Train: func(set []string, check bool) (string, string, error) {
			return trainOnce(recipe, d, set, check)
		}}, false}
}

func (x keyed) String() string { return x.Recipe + " on " + x.Data + " " + strings.Join(x.Set, " ") }

// train is what a training leaves after its epochs: weights with logits, and logits.
func trainOnce(recipe string, d *dataset.Dataset, set []string, check bool) (left, logits string, err error) {
	c, err := config.Load(config.Options{Recipe: recipe, Data: d.Name, Set: set})
	if err != nil {
		return "", "", err
	}
	build := Build
	if !check {
		build = assemble
	}
	task, err := build(*c, d, Trials(*c, d)[0], Options{})
	if err != nil {
		return "", "", err
	}
	l, err := train.NewLoop(task.Config.Train, task.Job())
	for err == nil && l.Epoch() < l.Epochs() {
		err = l.Step()
	}
	if err != nil {
		return "", "", err
	}
	scores, err := task.Job().Measure(context.Background())
	if err != nil {
		return "", "", err
	}
	logits = fmt.Sprint(scores, task.last.z)
	return bits(task) + logits, logits, nil
}

// trainings are recipes of every kind, and cases in which other keys are idle; in short tests, fewer.
func trainings() []keyed {
	plain, typed := clusters(40), library()
	for i := range plain.Features[0].Values {
		plain.Features[0].Values[i] *= 3 // so that penalties differ
	}
	plain.Labels.Class[12] = 1 // so that splits differ, whatever is predicted
	bare := *plain
	bare.Name, bare.Features = "bare", nil
	energies := "heterophily-edge attention lp gr-mlp-weights halo-huber"
	names := "lp-trained gat appnp jacobi trees closed"
	if !testing.Short() {
		energies += " gr-mlp stack-compat unit-norm-penalty reweighting adam momentum"
		names += " heterophily-huber gr-mlp-wide stack-bundle unit-norm consistent adagrad halo gcn sage mlp rgcn"
	}
	var list []keyed
	for _, name := range strings.Fields(energies) {
		list = append(list, keyed{on(plain, name, "").Training, true})
	}
	list = append(list, keyed{on(plain, "base", "energy.steps=0").Training, true},
		keyed{on(plain, "base", "energy.f.term=sheaf data.scale=columns").Training, true})
	for _, name := range strings.Fields(names) {
		list = append(list, on(plain, name, ""))
	}
	for _, set := range []string{"model.before=0", "model.after=0 model.input=trees", "model.after=0",
		"model.after=0 model.before=1",
		"model.before=0 model.input_dropout=0.2", "train.epochs=0", "train.optimizer=sgd", "model.before=1",
		"train.sample.batch=4 train.sample.fanout=1 train.sample.hops=1",
		"train.sample.batch=4 train.sample.fanout=1 train.sample.hops=1 train.sample.gamma=2",
		"train.sample.batch=4 train.sample.clusters=9",
		"train.sample.batch=4 train.sample.fanout=1 train.sample.hops=1 train.sample.accumulate=2",
		"model.learn_lambda=true", "model.before=3", "train.loss.focal=2", "model.adjoint=checkpointed"} {
		list = append(list, on(plain, "base", set))
	}
	for _, x := range []struct {
		recipe, set string
		data        *dataset.Dataset
	}{{"base", "", &bare}, {"lp", "", &bare}, {"rgcn", "", &bare}, {"heterophily", "model.before=0", plain},
		{"gcn", "model.layers=1", plain}, {"gat", "model.layers=1", plain}, {"mlp", "model.layers=3", plain},
		{"lp-trained", "train.label_rate=1", plain}, {"halo", "", typed}, {"halo", "model.before=2", typed},
		{"rgcn", "", typed}, {"gcn", "train.sample.batch=4 train.sample.fanout=1", plain},
		{"gcn", "", typed}, {"appnp", "model.before=2", typed}} {
		list = append(list, on(x.data, x.recipe, x.set))
	}
	return list
}

// shrunk is x with small settings, as far as it reads these keys.
func (x keyed) shrunk() keyed {
	steps := "energy.steps=3"
	if x.Recipe == "reweighting" {
		steps = "energy.steps=10" // its weights are new from the 8th on
	}
	list := []string{"train.epochs=3", "model.hidden=4", steps, "train.weight_decay=0.01"}
	if strings.HasPrefix(x.Recipe, "stack-") {
		list = append(list, "stack.levels=2")
	}
	for _, small := range list {
		if key, _, _ := strings.Cut(small, "="); x.Sets(key) {
			continue
		}
		if _, _, err := x.Train(append(slices.Clone(x.Set), small), true); err == nil {
			x.Set = append(slices.Clone(x.Set), small)
		}
	}
	return x
}

// TestNoKeyIsIgnored: see package keytest; and every key changes something somewhere.
func TestNoKeyIsIgnored(t *testing.T) {
	t.Run("all", func(t *testing.T) {
		for _, x := range trainings() {
			t.Run(x.String(), func(t *testing.T) {
				t.Parallel()
				proven.Prove(t, x.shrunk().Training, func(key string) bool {
					return ofNodes(key) && (x.energy || !strings.HasPrefix(key, "energy."))
				})
			})
		}
	})
	here := func(key string) bool { return ofNodes(key) && elsewhere[key] == "" }
	if left := proven.Unchanged(here); len(left) > 0 && !testing.Short() {
		t.Errorf("%q change nothing in any training", left)
	}
}

// elsewhere are the keys that other tests look at, or that are about other data.
var elsewhere = map[string]string{"data.weights": "TestWeightsOfEdges", "data.edge_features": "TestEdgeFeaturesHelp",
	"model.alike": "TestAlike", "energy.f.margin": "facts", "energy.f.message": "facts", "energy.kappa.pna": "facts",
	"model.weights": "facts"}

// ofNodes reports whether a key is for nodes.
func ofNodes(key string) bool {
	return !strings.HasPrefix(key, "link.") && !strings.HasPrefix(key, "pairs.") &&
		!strings.HasPrefix(key, "events.")
}

// TestKeysOfARun: the keys that are about what is done with a model do it.
func TestKeysOfARun(t *testing.T) {
	d := clusters(40)
	for key, x := range map[string]struct {
		set string
		is  func(*train.Result, string) bool
	}{
		"train.repeat": {"train.repeat=2", func(r *train.Result, _ string) bool { return len(r.Test.Runs) == 2 }},
		"train.patience": {"train.patience=1 train.epochs=50",
			func(r *train.Result, _ string) bool { return r.Epochs < 50 }},
		"train.metric": {"train.metric=roc_auc",
			func(r *train.Result, _ string) bool { return r.Metric == "roc_auc" }},
		"train.seed": {"train.seed=7",
			func(_ *train.Result, dir string) bool { return read(t, dir, "model.safetensors", `"seed":"7"`) == 1 }},
		"train.every": {"train.every=2",
			func(_ *train.Result, dir string) bool { return read(t, dir, "metrics.jsonl", `"valid"`) == 2 }},
		"train.together":   {"train.together=2", nil},        // TestTogether compares
		"train.checkpoint": {"train.checkpoint=1s", nil},     // package train counts them
		"train.precision":  {"train.precision=float32", nil}, // package train looks at the others
		"data.splits": {"data.splits=all train.repeat=2", func(_ *train.Result, dir string) bool {
			return read(t, dir, "run-01/model.safetensors", `"split":"1"`) == 1
		}},
		"data.name": {"data.name=other",
			func(_ *train.Result, dir string) bool { return read(t, dir, "config.yaml", "name: other") == 1 }},
		"energy.name": {"energy.name=mine",
			func(_ *train.Result, dir string) bool { return read(t, dir, "config.yaml", "name: mine") == 1 }},
		"energy.summary": {"energy.summary=mine",
			func(_ *train.Result, dir string) bool { return read(t, dir, "config.yaml", "summary: mine") == 1 }},
		"energy.source": {"energy.source=mine",
			func(_ *train.Result, dir string) bool { return read(t, dir, "config.yaml", "source: mine") == 1 }},
		"recipe": {"recipe=gcn", func(r *train.Result, _ string) bool { return r.Recipe == "gcn" }},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		set := append([]string{"train.epochs=3", "model.hidden=4", "recipe=base", "data.name=clusters"},
			strings.Fields(x.set)...)
		c := must(config.Load(config.Options{Set: set}))
		r := trained(t, *c, d, Options{Options: train.Options{Dir: dir}})
		if proven.About[key] == "" || x.is != nil && !x.is(r, dir) {
			t.Errorf("%s: %+v", x.set, r)
		}
	}
}

// read counts a text in a file of a run.
func read(t *testing.T, dir, file, text string) int {
	t.Helper()
	return bytes.Count(contents(t, dir, file), []byte(text))
}
