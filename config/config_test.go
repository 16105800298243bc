package config

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/upper"
)

// catalogue are data sets, with one that nobody knows.
func catalogue() []string {
	sets := []string{"mine.csv"}
	for _, name := range Names() {
		for _, set := range SettingsFor(name) {
			if !slices.Contains(sets, set) {
				sets = append(sets, set)
			}
		}
	}
	return sets
}

// same reports whether configurations are equal; energies hold functions, and are compared as files.
func same(t *testing.T, a, b *Config) bool {
	t.Helper()
	x, y := *a, *b
	x.Energy, y.Energy = nil, nil
	if !reflect.DeepEqual(x, y) || (a.Energy == nil) != (b.Energy == nil) {
		return false
	}
	return string(a.YAML()) == string(b.YAML())
}

// TestRoundTrip: for every recipe and every data set it has settings for, and one it has not, the settings decode, and
// the file reads back as what it was written from.
func TestRoundTrip(t *testing.T) {
	for _, name := range Names() {
		for _, set := range append(SettingsFor(name), "mine.csv") {
			c, err := Default(name, set)
			if err != nil {
				t.Fatalf("%s on %s: %v", name, set, err)
			}
			if c.Recipe != name || c.Data.Name != set || (c.Energy != nil) != hasEnergy(name) {
				t.Fatalf("%s on %s: %+v", name, set, c)
			}
			again, err := Load(Options{File: "x.yaml", Text: c.YAML()})
			if err != nil {
				t.Fatalf("%s on %s: %v in\n%s", name, set, err, c.YAML())
			}
			if !same(t, c, again) {
				t.Fatalf("%s on %s became\n%s", name, set, again.YAML())
			}
			links, err := Load(Options{Recipe: name, Task: "links", Data: set})
			if err != nil || links.Family().IsFacts() != FamilyOf(name).IsFacts() || links.Family() == NodeFamily {
				t.Fatalf("links by %s on %s: %v", name, set, err)
			}
		}
	}
}

// TestRoundTripRandom: the same for values at random.
func TestRoundTripRandom(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 0))
	names, sets := Names(), catalogue()
	for range 300 {
		c, err := Load(Options{Recipe: names[rng.IntN(len(names))], Data: sets[rng.IntN(len(sets))],
			Task: []string{"auto", "links"}[rng.IntN(2)]})
		if err != nil {
			t.Fatal(err)
		}
		scramble(rng, reflect.ValueOf(c).Elem(), c.Family())
		again, err := Load(Options{File: "x.yaml", Text: c.YAML()})
		if err != nil || !same(t, c, again) {
			t.Fatalf("seed %d: %v\n%s", seed, err, c.YAML())
		}
	}
}

// scramble gives fields values at random that their tags allow.
func scramble(rng *rand.Rand, v reflect.Value, of Family) {
	for _, f := range keys.Fields(v.Type()) {
		x := v.FieldByIndex(f.Index)
		switch {
		case f.Key == "recipe" || f.Key == "task" || f.Key == "energy" || !isFor(f, of):
		case f.Type == reflect.TypeFor[upper.Criterion]():
			x.Set(reflect.ValueOf(upper.Criteria.Parts[rng.IntN(len(upper.Criteria.Parts))].New))
		case x.Kind() == reflect.Struct:
			scramble(rng, x, of)
		case len(f.Words) > 0:
			x.SetString(f.Words[rng.IntN(len(f.Words))])
		case x.Kind() == reflect.String:
			x.SetString([]string{"", "null", "12", "a: b #c", "λ\n\"", "~", "C:\\x"}[rng.IntN(7)])
		case x.Kind() == reflect.Bool:
			x.SetBool(rng.IntN(2) == 0)
		case x.Kind() == reflect.Uint64:
			x.SetUint(rng.Uint64())
		case x.Kind() == reflect.Int64:
			unit := []int64{1, 1e3, 1e6, 1e9, 6e10, 36e11}[rng.IntN(6)]
			x.SetInt(rng.Int64N(1e15) / unit * unit)
		case x.Kind() == reflect.Int:
			x.SetInt(int64(max(1, f.Within.Lo)) + rng.Int64N(60))
		case x.Kind() == reflect.Float64:
			x.SetFloat(rng.Float64()*0.9 + 1e-9)
		}
	}
}

// TestPrecedence: every source wins over those below it.
func TestPrecedence(t *testing.T) {
	o := Options{Recipe: "robust", Data: "cora"}
	epochs := func() int {
		c, err := Load(o)
		if err != nil {
			t.Fatal(err)
		}
		return c.Train.Epochs
	}
	var got []int
	got = append(got, epochs())
	o.File, o.Text = "x", []byte("train: {epochs: 3}")
	got = append(got, epochs())
	o.Env = []string{"BLOOM_TRAIN_EPOCHS=4", "BLOOM_DATA=/somewhere", "BLOOM_THREADS=2", "HOME=/", "BLOOM_TRAIN_RATE="}
	got = append(got, epochs())
	o.Set = []string{"train.epochs=5", "train.epochs=6"}
	got = append(got, epochs())
	o.Flags = []Setting{{"--epochs", "train.epochs", "7"}}
	got = append(got, epochs())
	if want := []int{500, 3, 4, 6, 7}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestChoice: recipe and data set are known before their settings are looked up, wherever they are named.
func TestChoice(t *testing.T) {
	for _, c := range []struct {
		o            Options
		recipe, data string
		rate         float64
	}{
		{Options{}, "stack-compat", "minesweeper", 0.02},
		{Options{Data: "cora"}, "base", "cora", 0.3},
		{Options{File: "x", Text: []byte("recipe: robust\ndata: {name: citeseer}")}, "robust", "citeseer", 0.1},
		{Options{File: "x", Text: []byte("recipe: robust"),
			Env: []string{"BLOOM_RECIPE=gcn", "BLOOM_DATA_NAME=Pubmed"}}, "gcn", "Pubmed", 0.01},
		{Options{File: "x", Text: []byte("recipe: robust\ndata: {name: my/ind.pubmed.x}"),
			Suited: Choice{Catalogue: "pubmed"}},
			"robust", "my/ind.pubmed.x", 0.5},
		{Options{Set: []string{"recipe=gat"}, Recipe: "mlp"}, "mlp", "minesweeper", 0.001},
	} {
		got, err := Load(c.o)
		if err != nil || got.Recipe != c.recipe || got.Data.Name != c.data || got.Train.Rate != c.rate {
			t.Errorf("%+v: %+v, %v", c.o, got, err)
		}
	}
}

// TestEnergyKeys: keys inside energies are merged as parts.
func TestEnergyKeys(t *testing.T) {
	for _, c := range []struct{ recipe, set, want string }{
		{"robust", "energy.f.lambda=5", "laplace 5 none / huber 1 / proximal 1 degree"},
		{"robust", "energy.f.0.lambda=5", "laplace 5 none / huber 1 / proximal 1 degree"},
		{"robust", "energy.f.norm=symmetric", "laplace 1 symmetric / huber 1 / proximal 1 degree"},
		{"robust", "energy.f.term=compat", "compat 1 none half-squared / huber 1 / proximal 1 degree"},
		{"robust", "energy.kappa.threshold=0.5", "laplace 1 none / huber 0.5 / proximal 1 degree"},
		{"robust", "energy.kappa.anchor=log-cosh", "laplace 1 none / log-cosh / proximal 1 degree"},
		{"robust", "energy.kappa={unit-norm: 2}", "laplace 1 none / 2 / proximal 1 degree"},
		{"robust", "energy.descent.algorithm=adam", "laplace 1 none / huber 1 / adam 0.9 0.999 0.001 safe none"},
		{"robust", "energy.kappa=unit-norm", "laplace 1 none / 1 / proximal 1 degree"},
		{"robust", "energy.descent.gamma={forced: 3}", "laplace 1 none / huber 1 / proximal 3 degree"},
		{"robust", "energy.descent.gamma=forced", "laplace 1 none / huber 1 / proximal 2 degree"},
		{"attention", "energy.descent.sigma=degree", "attract 4 / half-squared / proximal 1 degree"},
		{"heterophily-edge", "energy.f.penalty=log-cosh", "difference 0.5 log-cosh / half-squared / proximal 1 degree"},
	} {
		got, err := Load(Options{Recipe: c.recipe, Data: "mine", Set: []string{c.set}})
		if err != nil {
			t.Errorf("%s: %v", c.set, err)
			continue
		}
		e, err := recipe.Encode(got.Energy)
		if err != nil {
			t.Fatal(err)
		}
		var parts []string
		for _, key := range []string{"f", "kappa", "descent"} {
			parts = append(parts, strings.Join(scalars(get(e, key)), " "))
		}
		if text := strings.Join(parts, " / "); text != c.want {
			t.Errorf("%s: %s, want %s", c.set, text, c.want)
		}
	}
}

// mistakes are wrong files, --set and variables, with what is said about them.
var mistakes = []struct{ file, set, env, want string }{
	{file: "train:\n  epochz: 3", want: `my.yaml:2:3: unknown key "train.epochz"; did you mean "train.epochs"?`},
	{file: "epochs: 3", want: `my.yaml:1:1: unknown key "epochs"; did you mean "train.epochs"?`},
	{file: "frobnicate: 3", want: `my.yaml:1:1: unknown key "frobnicate"; known are recipe, task, data, energy, stack, model, link, pairs, events, train`},
	{file: "lambda: 3", want: `my.yaml:1:1: unknown key "lambda"; did you mean "energy.f.lambda"?`},
	{file: "train: 3", want: `my.yaml:1:8: train: want a mapping with epochs, `},
	{file: "[1]", want: `my.yaml:1:1: want a mapping with recipe, task, data, energy, stack, model, link, pairs, events, train`},
	{file: "train: {epochs: [3]}", want: `my.yaml:1:17: train.epochs is a list, want a whole number 0 or more`},
	{file: "train: {epochs: many}", want: `my.yaml:1:17: train.epochs is "many", want a whole number 0 or more`},
	{file: "train: {epochs: 2.6}", want: `my.yaml:1:17: train.epochs is 2.6, want a whole number 0 or more; the nearest is 3`},
	{file: "train: {epochs: -3}", want: `my.yaml:1:17: train.epochs is -3, want a whole number 0 or more; the nearest is 0`},
	{file: "train: {epochs: 1e30}", want: `my.yaml:1:17: train.epochs is 1e30, want a whole number 0 or more`},
	{file: "train: {rate: -0.1}", want: `my.yaml:1:15: train.rate is -0.1, want a number above 0`},
	{file: "train: {rate: .nan}", want: `my.yaml:1:15: train.rate is ".nan", want a number above 0`},
	{file: "train: {seed: -1}", want: `my.yaml:1:15: train.seed is -1, want a whole number 0 or more; the nearest is 0`},
	{file: "train: {optimizer: adm}", want: `my.yaml:1:20: train.optimizer is "adm", want adam, adamw, sgd or adagrad; did you mean "adam"?`},
	{file: "model: {dropout: 1}", want: `my.yaml:1:18: model.dropout is 1, want a number from 0 to below 1`},
	{file: "model: {residual: yes}", want: `my.yaml:1:19: model.residual is "yes", want true or false; did you mean "true"?`},
	{file: "model: {hidden: 0}", want: `my.yaml:1:17: model.hidden is 0, want a whole number from 1 to 65536; the nearest is 1`},
	{file: "model: {hidden: 1, hidden: 2}", want: `my.yaml:1:20: duplicate key "hidden"`},
	{file: "recipe: robst", want: `my.yaml:1:9: no recipe "robst"; did you mean "robust"?`},
	{file: "recipe: xyzzy", want: `my.yaml:1:9: no recipe "xyzzy"; bloom recipe list shows them`},
	{file: "recipe: gcn\nenergy: {steps: 3}", want: `my.yaml:2:9: gcn is a baseline, which has no energy`},
	{file: "recipe: path\nenergy: {steps: 3}", want: `my.yaml:2:1: path does not use energy, which is for classes of nodes, links, embeddings of knowledge graphs and the -bilevel recipes`},
	{file: "recipe: distmult\nmodel: {before: 2}", want: `my.yaml:2:9: distmult does not use model.before, which is for classes of nodes`},
	{file: "recipe: distmult", set: "link.messag=pna", want: `--set link.messag: unknown key "link.messag"; did you mean "link.message"?`},
	{file: "recipe: distmult", set: "link.message=transe", want: `--set link.message: distmult does not use link.message, which is for path`},
	{file: "recipe: path", set: "link.aggregate=pma", want: `--set link.aggregate: link.aggregate is "pma", want sum, pna or pna-fused; did you mean "pna"?`},
	{file: "recipe: base\nlink: {batch: 3}", want: `my.yaml:2:1: base does not use link`},
	{file: "energy: {f: {lambda: 0}}", want: `my.yaml:1:22: energy.f.lambda is 0, want a number above 0`},
	{file: "energy: {f: {lamda: 1}}", want: `my.yaml:1:14: unknown key "lamda"; did you mean "lambda"?`},
	{file: "energy: {f: {1: {lambda: 1}}}", want: `my.yaml:1:14: there is no element "1"; the list has 1, from 0`},
	{file: "energy: {f: [{term: laplace}, {term: compat}]}", set: "energy.f.lambda=2", want: `--set energy.f.lambda: the list has 2 elements: say which, from 0, or give all`},
	{file: "a: [", want: `my.yaml:1:1: `},
	{file: "# nothing", want: `my.yaml: is empty`},
	{file: "{1: 2, [3]: 4}", want: `my.yaml:1:8: want a word as key`},
	{set: "train.epochz=3", want: `--set train.epochz: unknown key "train.epochz"; did you mean "train.epochs"?`},
	{set: "train.epochs", want: `--set train.epochs: want key=value, as train.epochs=200`},
	{set: "train..epochs=3", want: `--set train..epochs=3: want key=value`},
	{set: "train.epochs=", want: `--set train.epochs: train.epochs is "", want a whole number 0 or more`},
	{set: "train.epochs={", want: `--set train.epochs: cannot read the value "{"`},
	{set: "energy.f.2.lambda=1", want: `--set energy.f.2.lambda: there is no element "2"`},
	{env: "BLOOM_TRAIN_EPOCS=3", want: `BLOOM_TRAIN_EPOCS: there is no such key; did you mean BLOOM_TRAIN_EPOCHS?`},
	{env: "BLOOM_TRAIN_EPOCHS=x", want: `BLOOM_TRAIN_EPOCHS: train.epochs is "x", want a whole number 0 or more`},
	{env: "BLOOM_ZZZZZZZZZZZZZZZ=x", want: `BLOOM_ZZZZZZZZZZZZZZZ: there is no such key`},
}

// TestErrors: a mistake is told with its place, the value and what was probably meant.
func TestErrors(t *testing.T) {
	for _, c := range mistakes {
		o := Options{}
		if c.file != "" {
			o.File, o.Text = "my.yaml", []byte(c.file)
		}
		if c.set != "" {
			o.Set = []string{c.set}
		}
		if c.env != "" {
			o.Env = []string{c.env}
		}
		_, err := Load(o)
		var place *files.Error
		if !errors.As(err, &place) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v:\n%v\nwant\n%s", c, err, c.want)
		}
	}
	if _, err := Load(Options{File: "absent.yaml"}); err == nil || !strings.HasPrefix(err.Error(), "absent.yaml: ") {
		t.Errorf("%v", err)
	}
}

// TestAliases: an alias stands for its value, and many of many are refused.
func TestAliases(t *testing.T) {
	c, err := Load(Options{File: "x", Text: []byte("train: {epochs: &n 7, patience: *n}")})
	if err != nil || c.Train.Patience != 7 {
		t.Errorf("%+v, %v", c, err)
	}
	bomb := "a: &a0 [1]\n"
	for i := range 20 {
		bomb += fmt.Sprintf("b%d: &a%d [*a%d, *a%d, *a%d]\n", i, i+1, i, i, i)
	}
	if _, err := Load(Options{File: "x", Text: []byte(bomb)}); err == nil ||
		!strings.Contains(err.Error(), "more than 100000 values") {
		t.Errorf("%v", err)
	}
}

// TestSettings: rules name recipes and keys that exist, and every recipe and baseline has one of its own.
func TestSettings(t *testing.T) {
	covered := map[string]bool{}
	for i, r := range rules() {
		for _, p := range r.recipes {
			hit := false
			for _, name := range Names() {
				if matches([]string{p}, name) {
					hit, covered[name] = true, true
				}
			}
			if !hit {
				t.Errorf("rule %d is for %q, which nothing is named", i, p)
			}
		}
		for _, set := range r.data {
			if normal(set) != set {
				t.Errorf("rule %d names the data set %q, which would be %q", i, set, normal(set))
			}
		}
	}
	for _, name := range Names() {
		if !covered[name] {
			t.Errorf("there is no rule for %s", name)
		}
	}
}

// TestCertified: the steps of all shipped settings are, and one that is not is said to be in the first comment.
func TestCertified(t *testing.T) {
	for _, name := range Names() {
		for _, set := range append(SettingsFor(name), "mine") {
			c, err := Default(name, set)
			if err != nil {
				t.Fatalf("%s on %s: %v", name, set, err)
			}
			if c.Energy != nil && !c.Energy.Certified() {
				t.Errorf("%s on %s: steps are not certified", name, set)
			}
		}
	}
	c, err := Load(Options{Recipe: "halo", Set: []string{"energy.descent.gamma={forced: 1}"}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "Steps are not certified"
	plain, err := Load(Options{Recipe: "halo"})
	if !strings.Contains(string(c.YAML()), want) || err != nil || strings.Contains(string(plain.YAML()), want) {
		t.Errorf("forced:\n%s\nplain:\n%s", c.YAML(), plain.YAML())
	}
}

// TestExpected: what is expected is of recipes and data sets that exist, and stands in the first comment.
func TestExpected(t *testing.T) {
	for set := range pairs(document(expectedText)) {
		for name, value := range pairs(get(document(expectedText), set)) {
			c, err := Default(name, set)
			if err != nil {
				t.Fatalf("%s on %s: %v", name, set, err)
			}
			if first, _, _ := strings.Cut(string(c.YAML()), "\n\n"); value == "" ||
				!strings.Contains(strings.Join(strings.Fields(first), " "), "Expected: ") {
				t.Errorf("%s on %s begins with\n%s", name, set, first)
			}
		}
	}
}

// FuzzLoad: whatever a file, a variable and --set hold, the result is a configuration that can be written and read, or
// an error with a place.
func FuzzLoad(f *testing.F) {
	f.Add("recipe: robust\ntrain: {epochs: 3}", "energy.f.lambda=5", "3")
	f.Add("a: &x {f: *x}\n<<: *x", "x", "")
	f.Add("energy: {f: [], kappa: path, eta: {box: [0, 1]}}", "energy.f={0: {term: path}}", "{}")
	f.Add("energy:\n  f: {0: {0: 1}}\ndata: {name: cora}", "train={epochs: 1}", "[")
	f.Fuzz(func(t *testing.T, text, set, env string) {
		c, err := Load(Options{File: "x", Text: []byte(text), Set: []string{set},
			Env: []string{"BLOOM_ENERGY_ETA=" + env}})
		var place *files.Error
		if err != nil {
			if !errors.As(err, &place) {
				t.Errorf("%T: %v", err, err)
			}
			return
		}
		if _, err := Load(Options{File: "y", Text: c.YAML()}); err != nil {
			t.Errorf("%v in\n%s", err, c.YAML())
		}
	})
}
