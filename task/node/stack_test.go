package node

import (
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/train"
)

// TestStacksDescend: with the settings that are shipped for any data and for named sets, every level of every stack
// goes down in every step, before and after training.
func TestStacksDescend(t *testing.T) {
	count := 0
	for _, r := range recipe.All() {
		if !strings.HasPrefix(r.Name, "stack-") {
			continue
		}
		t.Run(r.Name, func(t *testing.T) { descends(t, r.Name, "", "energy.steps=3") })
		count++
		for _, set := range config.SettingsFor(r.Name) {
			t.Run(r.Name+"/"+set, func(t *testing.T) { descends(t, r.Name, set) })
			count++
		}
	}
	if count < 7 {
		t.Errorf("%d stacks", count)
	}
}

// descends fails t where a level of a stack goes up, with the settings of a set of the catalogue and others over them.
func descends(t *testing.T, name, set string, other ...string) {
	d := clusters(60)
	c := must(config.Load(config.Options{Recipe: name, Data: d.Name, Suited: config.Choice{Catalogue: set},
		Set: append(other, "train.epochs=15", "train.warmup=3")}))
	task := must(Build(*c, d, Trials(*c, d)[0], Options{}))
	if n := len(task.Stack.Levels); n < 2 {
		t.Fatalf("%d levels", n)
	}
	falls(t, task)
	l := must(train.NewLoop(task.Config.Train, task.Job()))
	for l.Epoch() < l.Epochs() {
		if err := l.Step(); err != nil {
			t.Fatal(err)
		}
	}
	falls(t, task)
}

// falls fails t where a step of a level raises its energy by more than rounding.
func falls(t *testing.T, task *Task) {
	t.Helper()
	for k, e := range must(task.Stack.Evidence(task.On)) {
		for i := 1; i < len(e.Energy); i++ {
			if !(e.Energy[i] <= e.Energy[i-1]*(1+1e-5)) {
				t.Errorf("level %d: energies %v", k+1, e.Energy)
			}
		}
	}
}
