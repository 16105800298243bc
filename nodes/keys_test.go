package nodes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/family"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/run"
)

// about are the keys that say what is done with a model, and not what the model is; TestKeysOfARun looks at them.
var about = map[string]string{
	"recipe": "another recipe", "task": "links are not for this package",
	"energy.name": "for reports", "energy.summary": "for reports",
	"energy.source": "for reports", "data.name": "other data", "data.splits": "which split the runs of a repeat have",
	"train.repeat": "how many runs", "train.together": "how many of them at a time",
	"train.checkpoint": "when the folder is written",
	"train.precision":  "what a card rounds",
	"train.patience":   "when training stops", "train.every": "which epochs are looked at",
	"train.metric": "what is measured", "train.seed": "what is drawn, where something is; the file of the model has it",
}

// alike are values that mean the same as others, here or anywhere.
var alike = map[string]string{
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
}

// values are other values of keys for which half of the present one, or one more, will not do.
var values = map[string][]string{
	"data.corrupt": {"rows=0.5"}, "data.split": {"1"}, "train.clip": {"0.001"}, "train.warmup": {"2"},
	"train.class_weight": {"balanced", "{odd: 3}"},
	"train.epochs":       {"2"}, "model.heads": {"2"}, "energy.steps": {"2"}, "train.weight_decay": {"0.3"},
}

// others are values of a key beside the present one.
func others(key, kind string, words []string, now string) []string {
	if v, ok := values[key]; ok {
		return v
	}
	switch n, err := strconv.ParseFloat(now, 64); {
	case kind == "true or false":
		return []string{strconv.FormatBool(now != "true")}
	case len(words) > 0:
		return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == now })
	case kind == "whole number" && err == nil:
		return []string{fmt.Sprint(int(n) + 1)}
	case n != 0:
		return []string{fmt.Sprint(n / 2)}
	}
	return []string{"0.3"}
}

// keyed is a training: recipe, data, and settings that make it small or a case of its own.
type keyed struct {
	recipe string
	data   *dataset.Dataset
	set    []string
	energy bool // whether keys of the energy are changed, too
}

func (x keyed) String() string {
	return x.recipe + " on " + x.data.Name + " " + strings.Join(x.set, " ")
}

// sets reports whether a key is among the settings.
func (x keyed) sets(key string) bool {
	return slices.ContainsFunc(x.set, func(s string) bool { return strings.HasPrefix(s, key+"=") })
}

// with is x with more settings.
func (x keyed) with(set ...string) keyed {
	x.set = slices.Concat(x.set, set)
	return x
}

// train is what x leaves after its epochs: weights, and logits. Without a check idle keys pass.
func (x keyed) train(check bool) (weights, logits string, err error) {
	c, err := config.Load(config.Options{Recipe: x.recipe, Data: x.data.Name, Set: x.set})
	if err != nil {
		return "", "", err
	}
	build := Build
	if !check {
		build = assemble
	}
	task, err := build(*c, x.data, Trials(*c, x.data)[0], Options{})
	if err != nil {
		return "", "", err
	}
	l, err := run.NewLoop(task.Config.Train, task.Job())
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
	return bits(task), fmt.Sprint(scores, task.last.z), nil
}

// trainings are every recipe for nodes, and cases in which other keys are idle; in short tests, a recipe of every kind.
func trainings() []keyed {
	plain, typed := clusters(40), library()
	for i := range plain.Features[0].Values {
		plain.Features[0].Values[i] *= 3 // so that penalties differ
	}
	plain.Labels.Class[12] = 1 // so that splits differ, whatever is predicted
	bare := *plain
	bare.Name, bare.Features = "bare", nil
	names := strings.Fields("heterophily-huber attention lp-trained gr-mlp-weights halo gat appnp jacobi")
	if !testing.Short() {
		names = config.Names()
	}
	var list []keyed
	for _, name := range names {
		if family.Of(name) == family.Nodes {
			list = append(list, keyed{recipe: name, data: plain, energy: !config.IsBaseline(name)})
		}
	}
	list = append(list, keyed{recipe: "base", data: plain, set: []string{"energy.steps=0"}, energy: true})
	for _, set := range []string{"model.before=0", "model.after=0", "model.after=0 model.before=1",
		"model.before=0 model.input_dropout=0.2", "train.epochs=0", "train.optimizer=sgd", "model.before=1",
		"train.sample.batch=4 train.sample.fanout=1 train.sample.hops=1",
		"train.sample.batch=4 train.sample.fanout=1 train.sample.hops=1 train.sample.gamma=2",
		"train.sample.batch=4 train.sample.clusters=9",
		"train.sample.batch=4 train.sample.fanout=1 train.sample.hops=1 train.sample.accumulate=2",
		"model.learn_lambda=true", "model.before=3", "train.loss.focal=2", "model.adjoint=checkpointed"} {
		list = append(list, keyed{recipe: "base", data: plain, set: strings.Fields(set)})
	}
	for _, x := range []struct {
		recipe, set string
		data        *dataset.Dataset
	}{{"base", "", &bare}, {"lp", "", &bare}, {"rgcn", "", &bare}, {"heterophily", "model.before=0", plain},
		{"gcn", "model.layers=1", plain}, {"gat", "model.layers=1", plain}, {"mlp", "model.layers=3", plain},
		{"lp-trained", "train.label_rate=1", plain}, {"halo", "", typed}, {"halo", "model.before=2", typed},
		{"rgcn", "", typed}, {"gcn", "train.sample.batch=4 train.sample.fanout=1", plain},
		{"gcn", "", typed}, {"appnp", "model.before=2", typed}} {
		list = append(list, keyed{recipe: x.recipe, data: x.data, set: strings.Fields(x.set)})
	}
	return list
}

// shrunk is x with small settings, as far as it reads these keys.
func (x keyed) shrunk() keyed {
	steps := "energy.steps=3"
	if x.recipe == "reweighting" {
		steps = "energy.steps=10" // its weights are new from the 8th on
	}
	list := []string{"train.epochs=3", "model.hidden=4", steps, "train.weight_decay=0.01"}
	if strings.HasPrefix(x.recipe, "stack-") {
		list = append(list, "stack.levels=2")
	}
	for _, small := range list {
		if key, _, _ := strings.Cut(small, "="); x.sets(key) {
			continue
		}
		if _, _, err := x.with(small).train(true); err == nil {
			x = x.with(small)
		}
	}
	return x
}

// TestNoKeyIsIgnored: every key of every recipe changes what a training ends with, or is refused with the reason. What
// is refused would have changed nothing.
func TestNoKeyIsIgnored(t *testing.T) {
	mat.SetThreads(1) // trainings are tiny, and two at a time
	t.Cleanup(func() { mat.SetThreads(0) })
	for _, x := range trainings() {
		t.Run(x.String(), func(t *testing.T) {
			t.Parallel()
			x := x.shrunk()
			c, err := config.Load(config.Options{Recipe: x.recipe, Data: x.data.Name, Set: x.set})
			if err != nil {
				t.Fatal(err)
			}
			weights, logits, err := x.train(true)
			if err != nil {
				t.Fatal(err)
			}
			now := c.Values()
			for _, k := range config.Keys() {
				if k.Kind == "section" || about[k.Path] != "" || strings.HasPrefix(k.Path, "link.") ||
					!x.energy && strings.HasPrefix(k.Path, "energy.") {
					continue
				}
				x.change(t, weights, logits, k.Path, others(k.Path, string(k.Kind), k.Words, now(k.Path)))
			}
		})
	}
}

// change gives a key other values: each has an effect of its own on what x leaves, or is refused.
func (x keyed) change(t *testing.T, weights, logits, key string, values []string) {
	t.Helper()
	seen := map[string]string{weights + logits: "before"}
	for _, value := range values {
		change := key + "=" + value
		w, l, err := x.with(change).train(true)
		if err != nil {
			checkRefusal(t, x, change, logits, err)
			continue
		}
		if was := seen[w+l]; was != "" && alike[change] == "" {
			t.Errorf("%s changes nothing: the same as %s", change, was)
		}
		seen[w+l] = change
	}
}

// checkRefusal looks whether a key that is refused as idle is idle, and whether the error says which one it is.
func checkRefusal(t *testing.T, x keyed, change, logits string, err error) {
	t.Helper()
	_, l, unchecked := x.with(change).train(false)
	if unchecked != nil {
		return // it cannot be, whether it is read or not
	}
	var bad *run.BadSetting
	if !errors.As(err, &bad) {
		t.Errorf("%s: %v", change, err)
		return
	}
	if key, _, _ := strings.Cut(change, "="); bad.Key != key && !strings.HasPrefix(key, bad.Key+".") {
		if !x.sets(bad.Key) {
			t.Errorf("%s: refused for a key that was not set: %v", change, err)
		}
		return // it makes one idle that was set
	}
	if l != logits {
		t.Errorf("%s is refused, and would change something: %v", change, err)
	}
}

// TestKeysOfARun: the keys that are about what is done with a model do it.
func TestKeysOfARun(t *testing.T) {
	d := clusters(40)
	for key, x := range map[string]struct {
		set string
		is  func(*run.Result, string) bool
	}{
		"train.repeat": {"train.repeat=2", func(r *run.Result, _ string) bool { return len(r.Test.Runs) == 2 }},
		"train.patience": {"train.patience=1 train.epochs=50",
			func(r *run.Result, _ string) bool { return r.Epochs < 50 }},
		"train.metric": {"train.metric=roc_auc",
			func(r *run.Result, _ string) bool { return r.Metric == "roc_auc" }},
		"train.seed": {"train.seed=7",
			func(_ *run.Result, dir string) bool { return read(t, dir, "model.safetensors", `"seed":"7"`) == 1 }},
		"train.every": {"train.every=2",
			func(_ *run.Result, dir string) bool { return read(t, dir, "metrics.jsonl", `"valid"`) == 2 }},
		"train.together":   {"train.together=2", nil},        // TestTogether compares
		"train.checkpoint": {"train.checkpoint=1s", nil},     // package run counts them
		"train.precision":  {"train.precision=float32", nil}, // package run looks at the others
		"data.splits": {"data.splits=all train.repeat=2", func(_ *run.Result, dir string) bool {
			return read(t, dir, "run-01/model.safetensors", `"split":"1"`) == 1
		}},
		"data.name": {"data.name=other",
			func(_ *run.Result, dir string) bool { return read(t, dir, "config.yaml", "name: other") == 1 }},
		"energy.name": {"energy.name=mine",
			func(_ *run.Result, dir string) bool { return read(t, dir, "config.yaml", "name: mine") == 1 }},
		"energy.summary": {"energy.summary=mine",
			func(_ *run.Result, dir string) bool { return read(t, dir, "config.yaml", "summary: mine") == 1 }},
		"energy.source": {"energy.source=mine",
			func(_ *run.Result, dir string) bool { return read(t, dir, "config.yaml", "source: mine") == 1 }},
		"recipe": {"recipe=gcn", func(r *run.Result, _ string) bool { return r.Recipe == "gcn" }},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		set := append([]string{"train.epochs=3", "model.hidden=4", "recipe=base", "data.name=clusters"},
			strings.Fields(x.set)...)
		c := must(config.Load(config.Options{Set: set}))
		r := trained(t, *c, d, Options{Options: run.Options{Dir: dir}})
		if about[key] == "" || x.is != nil && !x.is(r, dir) {
			t.Errorf("%s: %+v", x.set, r)
		}
	}
}

// read counts a text in a file of a run.
func read(t *testing.T, dir, file, text string) int {
	t.Helper()
	return bytes.Count(contents(t, dir, file), []byte(text))
}
