package kg_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/kg"
)

// The long runs behind the tables are tests that a flag asks for:
//
//	go test ./kg -run TestExperiment -v -timeout 0 -recipe distmult -data FB15k-237 -out results.jsonl
var (
	recipeFlag = flag.String("recipe", "", "recipe of TestExperiment")
	dataFlag   = flag.String("data", "FB15k-237", "data set of TestExperiment")
	outFlag    = flag.String("out", "", "file that a line of JSON is added to")
	setFlag    = flag.String("set", "{}", "JSON that overwrites fields of the settings")
	epochsFlag = flag.Int("epochs", 0, "epochs of TestExperiment, where they differ from the settings")
)

// line is a result of an experiment.
type line struct {
	Experiment string    `json:"experiment"`
	Recipe     string    `json:"recipe"`
	Data       string    `json:"data"`
	Seed       uint64    `json:"seed"`
	Epochs     int       `json:"epochs"`
	Set        string    `json:"set,omitempty"`
	Seconds    float64   `json:"seconds"`   // of training
	Evaluated  float64   `json:"evaluated"` // seconds of the ranking of the test facts
	Valid      float64   `json:"valid"`
	Test       kg.Scores `json:"test"`
	Unseen     int       `json:"unseen"`
	More       any       `json:"more,omitempty"`
}

// record adds a line to the file of -out.
func record(t *testing.T, x line) {
	t.Helper()
	text, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", text)
	if *outFlag == "" {
		return
	}
	f, err := os.OpenFile(*outFlag, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(append(text, '\n')); err != nil {
		t.Fatal(err)
	}
}

// settings are those of the flags.
func settings(t *testing.T) kg.Config {
	t.Helper()
	c, err := kg.For(*recipeFlag, *dataFlag)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(*setFlag), &c); err != nil {
		t.Fatal(err)
	}
	if *epochsFlag > 0 {
		c.Epochs = *epochsFlag
	}
	return c
}

func TestExperiment(t *testing.T) {
	if *recipeFlag == "" {
		t.Skip("a long run; ask for it with -recipe")
	}
	d, err := dataset.Open(*dataFlag)
	if err != nil {
		t.Fatal(err)
	}
	c := settings(t)
	start := time.Now()
	var last kg.Progress
	m, err := kg.Train(context.Background(), c, d, func(p kg.Progress) {
		last = p
		t.Logf("epoch %d/%d  loss %.4f  valid %.4f  best %.4f  %.0f s", p.Epoch, p.Epochs, p.Loss, p.Valid, p.Best, p.Elapsed.Seconds())
	})
	if err != nil {
		t.Fatal(err)
	}
	trained := time.Since(start).Seconds()
	start = time.Now()
	r, err := m.Evaluate(d, d.Test, kg.Ranking{})
	if err != nil {
		t.Fatal(err)
	}
	record(t, line{Experiment: "train", Recipe: *recipeFlag, Data: *dataFlag, Seed: c.Seed, Epochs: last.Epoch, Set: *setFlag,
		Seconds: trained, Evaluated: time.Since(start).Seconds(), Valid: last.Best, Test: r.Scores, Unseen: r.Unseen})
}
