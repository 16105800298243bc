package link

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/kg"
	"github.com/bloomgml/bloom/upper"
)

var update = flag.Bool("update", false, "write config/knowledge.yaml")

// settled are the data sets that package kg has settings for; mine is any other.
var settled = []string{"mine", "fb15k-237", "wn18rr"}

// TestSettings: config/knowledge.yaml is what package kg says today, and means that to it; -update writes it.
func TestSettings(t *testing.T) {
	if *update {
		if err := os.WriteFile(filepath.Join("..", "config", "knowledge.yaml"), []byte(knowledge(t)), 0o666); err != nil {
			t.Fatal(err)
		}
		return // the file is part of the program: the next run compares
	}
	for _, recipe := range kg.Recipes() {
		for _, data := range settled {
			c, err := config.Default(recipe, data)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Embedding(*c)
			if err != nil {
				t.Fatal(err)
			}
			if want := explicit(t, recipe, data); !reflect.DeepEqual(got, want) {
				t.Errorf("%s on %s: config/knowledge.yaml is out of date: go test ./link -run TestSettings -update writes it\n%+v\n%+v", recipe, data, got, want)
			}
		}
	}
}

// explicit are the settings of package kg, with the documented default in the place of zeros.
func explicit(t *testing.T, recipe, data string) kg.Config {
	t.Helper()
	c, err := kg.For(recipe, data)
	if err != nil {
		t.Fatal(err)
	}
	if c.Negatives.PerSide == 0 {
		c.Negatives.PerSide = 64
	}
	if c.Scale == 0 {
		c.Scale = 0.1
	}
	if c.Loss == nil {
		c.Loss = upper.SelfAdversarial{}
	}
	if b := c.Bilevel; b != nil {
		full := *b
		for _, x := range []struct {
			to   *int
			mean int
		}{{&full.L, 10}, {&full.Negatives, 4}, {&full.Redraw, 10}} {
			if *x.to == 0 {
				*x.to = x.mean
			}
		}
		if full.Gamma == 0 {
			full.Gamma = 0.1
		}
		c.Bilevel = &full
	}
	return c
}

// knowledge is the file: a rule for every recipe, and for every data set that has other settings.
func knowledge(t *testing.T) string {
	var b strings.Builder
	b.WriteString(`# Settings of embeddings of knowledge graphs: kg.For, where the reasons stand, as rules. go test ./link -run TestSettings -update writes them.
`)
	for _, data := range settled {
		for _, recipe := range kg.Recipes() {
			text := rule(explicit(t, recipe, data))
			if data != "mine" && text == rule(explicit(t, recipe, "mine")) {
				continue
			}
			fmt.Fprintf(&b, "- recipes: [%s]\n", recipe)
			if data != "mine" {
				fmt.Fprintf(&b, "  data: [%s]\n", data)
			}
			b.WriteString(text)
		}
	}
	return b.String()
}

// rule are the keys of c.
func rule(c kg.Config) string {
	var b strings.Builder
	energy := "{steps: 0}"
	if x := c.Bilevel; x != nil {
		energy = fmt.Sprintf("{descent: {algorithm: adagrad, gamma: %g}, steps: %d}", x.Gamma, x.L)
	}
	if !c.Model.Compare().Inner {
		energy = fmt.Sprintf("{f: {margin: %g}, %s", c.Margin, energy[1:])
	}
	fmt.Fprintf(&b, "  energy: %s\n  model: {hidden: %d, dropout: %g}\n", energy, c.Dim, c.Dropout)
	loss := ""
	switch l := c.Loss.(type) {
	case upper.Softplus:
		loss = "bce"
	case upper.Softmax:
		loss = "softmax"
	case upper.Margin:
		loss = fmt.Sprintf("margin, hinge: %g", l.M)
	case upper.SelfAdversarial:
		loss = fmt.Sprintf("self-adversarial, adversarial: %g", l.T)
	}
	distance := ""
	if !c.Model.Compare().Inner {
		distance = fmt.Sprintf("distance: %s, ", []string{"squared", "l2", "l1"}[c.Model.Compare().Norm])
	}
	fmt.Fprintf(&b, "  link: {%sloss: %s, against: %s, batch: %d, negatives: %d, draw: %s, filtered: %t, shared: %d, penalty: %g, cubic: %t, start: %g, sample: %d", distance, loss,
		[]string{"drawn", "everything"}[c.Against], c.Batch, c.Negatives.PerSide, []string{"uniform", "bernoulli", "typed"}[c.Negatives.Rule], c.Negatives.Filtered,
		c.Negatives.Shared, c.Penalty.Weight, c.Penalty.Cubic, c.Scale, c.Sample)
	if x := c.Bilevel; x != nil {
		fmt.Fprintf(&b, ", upper: %s, block: %d, beside: %d, redraw: %d, mu: %g", map[bool]string{true: "batches", false: "energy"}[x.Batches], x.Block, x.Negatives, x.Redraw, x.Mu)
	} else {
		fmt.Fprintf(&b, ", reciprocal: %t", c.Reciprocal)
	}
	fmt.Fprintf(&b, "}\n  train: {epochs: %d, optimizer: %s, rate: %g, schedule: %s, every: %d}\n", c.Epochs, []string{"adam", "adagrad"}[c.Optimizer], c.Rate,
		[]string{"constant", "linear"}[c.Schedule], c.Every)
	return b.String()
}
