package fact

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/train"
)

// fewFacts is a graph whose relations occur nowhere else.
func fewFacts(t *testing.T) string {
	return testkit.Folder(t, map[string]string{
		"train.txt": "ada\tteaches\tben\nben\tteaches\tcem\nada\tpays\tcem\ndan\tpays\tben\n",
		"valid.txt": "dan\tteaches\tada\n", "test.txt": "ada\tteaches\tcem\ncem\tpays\tdan\n",
	})
}

// TestZero trains weights on families, then answers with them about a graph with other relations, without training.
func TestZero(t *testing.T) {
	c, d := opened(t, "zero", kin, "model.weights=none", "model.hidden=8", "model.layers=2", "train.epochs=1",
		"train.rate=0.005")
	trained := filepath.Join(t.TempDir(), "trained")
	r, err := Run(context.Background(), c, d, Options{Options: train.Options{Dir: trained}})
	if err != nil {
		t.Fatal(err)
	}
	twin := d.Twin
	if want := len(twin.Valid) + len(twin.Test); r.Tested.Test != want || r.Metric != "mrr" ||
		r.Test.Mean != r.Ranking.Pessimistic.MRR {
		t.Errorf("%d facts are tested, want %d; %s %v", r.Tested.Test, want, r.Metric, r.Test.Mean)
	}
	folder := fewFacts(t)
	other, err := catalogue.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	z, err := config.Load(config.Options{Recipe: "zero", Data: folder,
		Set: []string{"model.weights=" + train.ModelFile(trained)}})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "zero")
	if r, err = Run(context.Background(), *z, other, Options{Options: train.Options{Dir: dir}}); err != nil {
		t.Fatal(err)
	}
	if r.Epochs != 0 || r.Ranking.Facts != 2 || !(r.Test.Mean > 0) {
		t.Errorf("%d epochs, %d facts, %v", r.Epochs, r.Ranking.Facts, r.Test.Mean)
	}
	again, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	asks(t, again)
}

// asks asks a run about fewFacts, and lets it explain, recommend and audit.
func asks(t *testing.T, z *Trained) {
	t.Helper()
	answers, err := z.Ask(Question{Head: "ada", Relation: "teaches"}, 3, true)
	if err != nil || len(answers) != 3 {
		t.Fatalf("%v, %v", answers, err)
	}
	e, err := z.Explain(Fact{Head: "ada", Relation: "teaches", Tail: "cem"}, 3)
	if err != nil || len(e.Paths) == 0 || e.Known {
		t.Errorf("%+v, %v", e, err)
	}
	for _, a := range answers {
		if a.Entity == "cem" && a.Score != e.Score {
			t.Errorf("cem scores %v as an answer, %v explained", a.Score, e.Score)
		}
	}
	if list, err := z.Recommend("dan", 2); err != nil || len(list) != 2 {
		t.Errorf("%v, %v", list, err)
	}
	found, err := z.Audit(context.Background(), AuditOptions{})
	if err != nil || len(found.Facts) == 0 {
		t.Errorf("%v, %v", found, err)
	}
	if _, _, err := z.Add([]Fact{{Head: "eve", Relation: "pays", Tail: "ada"}}, Settle{}); err == nil ||
		!strings.Contains(err.Error(), "add the facts to the graph") {
		t.Errorf("%v", err)
	}
}

// TestZeroRefuses settings that mean nothing.
func TestZeroRefuses(t *testing.T) {
	const named = "model.weights=w.pth"
	for _, set := range [][]string{{"model.weights=none"}, {"model.hidden=8"}, {named, "model.hidden=8"},
		{named, "link.batch=8"}, {"link.parts=2"}, {"train.epochs=1", "link.thin=0.1"}} {
		c, d := opened(t, "zero", kin, set...)
		_, err := Check(c, d)
		var bad *train.BadSetting
		if !errors.As(err, &bad) {
			t.Errorf("%q: %v", set, err)
		}
	}
}

// TestBuiltinWeights answer about relations that they have never seen, better than chance: of 1 / rank the mean over
// ten entities is 0.29.
func TestBuiltinWeights(t *testing.T) {
	c, d := opened(t, "zero", "family:families=6,twin=0")
	r, err := Run(context.Background(), c, d, Options{Options: train.Options{Dir: filepath.Join(t.TempDir(), "run")}})
	if err != nil {
		t.Fatal(err)
	}
	if !(r.Test.Mean > 0.6) {
		t.Errorf("MRR %.3f", r.Test.Mean)
	}
}

// TestZeroOnParts trains new weights on parts of two graphs.
func TestZeroOnParts(t *testing.T) {
	c, d := opened(t, "zero", "family:families=6,twin=0", "model.weights=none", "model.hidden=8", "model.layers=2",
		"train.epochs=1", "link.also=family:families=5,twin=0,seed=3", "link.parts=2", "link.entities=100")
	r, err := Run(context.Background(), c, d, Options{Options: train.Options{Dir: filepath.Join(t.TempDir(), "run")}})
	if err != nil || !(r.Test.Mean > 0) {
		t.Errorf("%v, %v", r, err)
	}
	c.Facts.Also = "nosuchset"
	_, err = Run(context.Background(), c, d, Options{Options: train.Options{Dir: filepath.Join(t.TempDir(), "run")}})
	var bad *train.BadSetting
	if !errors.As(err, &bad) || bad.Key != "link.also" {
		t.Errorf("%v", err)
	}
}
