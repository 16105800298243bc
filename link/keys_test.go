package link

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/path"
	"github.com/bloomgml/bloom/run"
)

// reported are the keys that are about what is done with a model and not about the model, with the reason.
var reported = map[string]string{
	"recipe": "another recipe", "data.name": "other data", "link.protocol": "how answers are ranked",
	"train.repeat": "how many runs", "train.checkpoint": "when the folder is written",
	"train.patience": "when it stops; what it kept by then is often the same, and package run tests it",
}

// others are small settings of path and of its baseline, and another value of every key.
var others = map[string]struct{ small, keys string }{
	"path": {"model.hidden=4 model.layers=2 link.negatives=4 link.batch=64 train.epochs=3 train.rate=1", `
		model.hidden=6
		model.layers=3
		link.batch=32
		link.negatives=5
		link.message=transe
		link.message=rotate
		link.aggregate=pna
		link.aggregate=pna-fused
		link.aggregate=pna-fused link.message=transe
		link.relations=free
		link.removal=pair
		link.temperature=0.5
		link.temperature=0.5 link.negatives=1
		train.epochs=2
		train.rate=0.01
		train.schedule=constant
		train.every=3
		train.seed=2
		train.optimizer=adagrad
		train.optimizer=sgd
		train.optimizer=sgd train.momentum=0.5
		train.weight_decay=0.1
		train.momentum=0.5
		train.warmup=2
		train.clip=0.01`},
	"refactor": {"model.hidden=4 train.epochs=5", `
		model.hidden=6
		model.layers=2
		link.step=0.2
		link.decay=0.3
		link.noise=0.2
		link.reset=2
		train.epochs=4
		train.rate=0.01
		train.schedule=linear
		train.seed=2
		train.optimizer=adagrad
		train.optimizer=sgd
		train.optimizer=sgd train.momentum=0.5
		train.weight_decay=0.1
		train.momentum=0.5
		train.warmup=2
		train.clip=0.01`},
}

// TestNoKeyIsIgnored: every key of path and refactor changes the weights that a training ends with, or is refused
// with the reason.
func TestNoKeyIsIgnored(t *testing.T) {
	const data = "family:families=1,twin=0"
	for recipe, x := range others {
		c, _ := opened(t, recipe, data)
		for _, key := range keysOf(string(c.YAML())) {
			if reported[key] == "" && !strings.Contains(x.keys, "\t"+key+"=") {
				t.Errorf("%s: no other value of %s is tried", recipe, key)
			}
		}
		seen := map[string]string{weightsOf(t, recipe, data, x.small): "the settings before"}
		for _, change := range strings.Split(strings.TrimSpace(x.keys), "\n\t\t") {
			got := weightsOf(t, recipe, data, x.small+" "+change)
			refused := strings.HasPrefix(got, "refused")
			if was := seen[got]; was != "" {
				t.Errorf("%s: %s gives the weights of %s", recipe, change, was)
			}
			seen[got] = change
			idle := change == "link.aggregate=pna-fused" || change == "train.momentum=0.5" || change == "link.temperature=0.5 link.negatives=1"
			if refused != idle {
				t.Errorf("%s: %s: %.80s", recipe, change, got)
			}
		}
	}
}

// keysOf are the keys of a config as it is written.
func keysOf(text string) (keys []string) {
	section := ""
	for _, line := range strings.Split(text, "\n") {
		key, value, ok := strings.Cut(line, ":")
		switch {
		case !ok || strings.HasPrefix(strings.TrimSpace(line), "#"):
		case strings.HasPrefix(line, "  "):
			keys = append(keys, section+"."+strings.TrimSpace(key))
		case value == "":
			section = key
		default:
			keys = append(keys, key)
		}
	}
	return keys
}

// weightsOf are the weights that a training ends with, or why it is refused.
func weightsOf(t *testing.T, recipe, data, set string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	c, d := opened(t, recipe, data, strings.Fields(set)...)
	_, err := Run(context.Background(), c, d, Options{Untested: true, Options: run.Options{Dir: dir}})
	var bad *run.BadSetting
	if errors.As(err, &bad) {
		return "refused: " + bad.Error()
	}
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, p := range paramsIn(t, recipe, run.ModelFile(dir)) {
		text += fmt.Sprint(p.Value().Slice())
	}
	return text
}

func paramsIn(t *testing.T, recipe, file string) []*ad.Param {
	t.Helper()
	if recipe == "refactor" {
		m, err := path.LoadRefactor(file)
		if err != nil {
			t.Fatal(err)
		}
		return m.Params()
	}
	m, err := path.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return m.Params()
}
