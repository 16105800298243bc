package link

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/run"
)

// about are the keys that say what is done with a model, and not what the model is.
var about = map[string]string{
	"recipe": "another recipe", "data.name": "other data", "link.protocol": "how answers are ranked",
	"link.sample": "which facts an evaluation ranks", "train.repeat": "how many runs",
	"train.together":   "how many of them at a time",
	"train.checkpoint": "when the folder is written", "train.precision": "what a card rounds",
	"train.patience": "when training stops",
	"train.every":    "which epochs are looked at", "energy.name": "for reports", "energy.summary": "for reports",
	"energy.source": "for reports",
}

// alike are values that mean the same as others.
var alike = map[string]string{
	"energy.kappa.anchor=smooth-l1":       "huber with the threshold 1",
	"energy.kappa.anchor=huber":           "half-squared, where entries are within 1",
	"energy.descent.algorithm=reweighted": "proximal, where energy.steps do not reach energy.descent.at",
	"energy.descent.gamma=safe-held":      "safe, where the bound depends on nothing that is trained",
	"energy.descent.sigma=degree-held":    "degree, where the bound depends on nothing that is trained",
}

// nearly are keys that are refused although they change something, with the reason.
var nearly = map[string]string{
	"energy.f.margin": "a number added to all scores changes how they are rounded",
	"link.aggregate":  "pna-fused is pna, by another name",
}

// values are other values of keys for which half of the present one, or one more, will not do.
var values = map[string][]string{
	"train.clip": {"1e-06"}, "train.warmup": {"2"}, "train.epochs": {"1"}, "train.weight_decay": {"0.3"},
	"model.hidden": {"6"}, "link.batch": {"7"}, "link.block": {"4", "0"}, "link.start": {"0.7"},
	"link.redraw": {"1"},
}

// others are values of a key beside the present one.
func others(key, kind string, words []string, now string) []string {
	if v, ok := values[key]; ok {
		return slices.DeleteFunc(slices.Clone(v), func(v string) bool { return v == now })
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

// keyed is a training: a recipe, and settings that make it small or a case of its own.
type keyed struct {
	recipe string
	data   *dataset.Dataset
	set    []string
}

// with is x with more settings.
func (x keyed) with(set ...string) keyed {
	x.set = slices.Concat(x.set, set)
	return x
}

// train is the weights that x ends with, those of entities that follow included, and how good embeddings are. Without
// a check idle keys pass.
func (x keyed) train(check bool) (string, error) {
	c, err := config.Load(config.Options{Recipe: x.recipe, Data: x.data.Name, Set: x.set})
	if err != nil {
		return "", err
	}
	if check {
		if _, err := Check(*c, x.data); err != nil {
			return "", err
		}
	}
	j, err := assemble(*c, x.data, trials(*c)[0])
	if err != nil {
		return "", err
	}
	l, err := run.NewLoop(timed(*c).Train, j)
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
func trainings(d *dataset.Dataset) (list []keyed) {
	const small = "model.hidden=4 train.epochs=3 train.weight_decay=0.01 "
	const embedding = small + "link.batch=16"
	const bilevel = small + "train.epochs=2 link.block=20 link.beside=6 energy.steps=2"
	const atOnce = small + "link.block=0 link.beside=2 energy.steps=3"
	const paths = small + "model.layers=2 link.batch=64 train.rate=1"
	for _, x := range [][2]string{
		{"path", paths + " link.negatives=4"}, {"path", paths + " link.negatives=1"}, {"refactor",
			small + "train.epochs=5"},
		{"transe", embedding + " link.against=drawn link.shared=8"},
		{"distmult", embedding},
		{"complex", embedding + " link.against=drawn link.shared=0 link.negatives=3 link.loss=self-adversarial"},
		{"rotate", embedding + " link.against=drawn link.shared=0 link.negatives=3 link.loss=margin link.start=0.7 " +
			"train.optimizer=sgd"},
		{"rotate", embedding + " link.penalty=0"},
		{"transe-bilevel", bilevel + " link.shared=8"}, {"distmult-bilevel", bilevel + " link.loss=self-adversarial"},
		{"distmult-bilevel", atOnce}, {"transe-bilevel", atOnce + " link.upper=batches link.batch=16"},
		{"distmult", "train.epochs=0 model.hidden=4"},
	} {
		list = append(list, keyed{x[0], d, strings.Fields(x[1])})
	}
	if testing.Short() {
		return append(list[2:6:6], list[10])
	}
	return list
}

// TestNoKeyIsIgnored: every key of every family changes the weights that a training ends with, or is refused with the
// reason. What is refused would have changed nothing.
func TestNoKeyIsIgnored(t *testing.T) {
	mat.SetThreads(1) // trainings are tiny, and two at a time
	t.Cleanup(func() { mat.SetThreads(0) })
	d, err := catalogue.Open("family:families=1,twin=0")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range trainings(d) {
		t.Run(x.recipe+" "+strings.Join(x.set, " "), func(t *testing.T) {
			t.Parallel()
			c, err := config.Load(config.Options{Recipe: x.recipe, Data: d.Name, Set: x.set})
			if err != nil {
				t.Fatal(err)
			}
			weights, err := x.train(true)
			if err != nil {
				t.Fatal(err)
			}
			now := c.Values()
			for _, k := range config.Keys() {
				again := strings.HasPrefix(k.Path, "energy.") &&
					strings.Contains(strings.Join(x.set, " "), "link.loss=")
				// energies are gone through with the first loss
				if k.Kind != "section" && about[k.Path] == "" && !again {
					x.change(t, weights, k.Path, others(k.Path, string(k.Kind), k.Words, now(k.Path)))
				}
			}
		})
	}
}

// change gives a key other values: each gives weights of its own, or is refused.
func (x keyed) change(t *testing.T, weights, key string, values []string) {
	t.Helper()
	seen := map[string]string{weights: "before"}
	for _, value := range values {
		change := key + "=" + value
		got, err := x.with(change).train(true)
		if err != nil {
			x.checkRefusal(t, change, weights, err)
			continue
		}
		if was := seen[got]; was != "" && alike[change] == "" {
			t.Errorf("%s changes nothing: the same as %s", change, was)
		}
		seen[got] = change
	}
}

// checkRefusal looks whether a key that is refused as idle is idle.
func (x keyed) checkRefusal(t *testing.T, change, weights string, err error) {
	t.Helper()
	got, unchecked := x.with(change).train(false)
	if unchecked != nil {
		return // it cannot be, whether it is read or not
	}
	var bad *run.BadSetting
	switch key, _, _ := strings.Cut(change, "="); {
	case !errors.As(err, &bad) || !bad.Idle:
		t.Errorf("%s: %v", change, err)
	case bad.Key != key && !strings.HasPrefix(key, bad.Key+"."): // it makes one idle that was set, or brings it along
		if !strings.HasPrefix(bad.Key, key[:strings.LastIndex(key, ".")+1]) &&
			!slices.ContainsFunc(x.set, func(s string) bool { return strings.HasPrefix(s, bad.Key+"=") }) {
			t.Errorf("%s: refused for a key that was not set: %v", change, err)
		}
	case got != weights && nearly[key] == "":
		t.Errorf("%s is refused, and would change something: %v", change, err)
	}
}
