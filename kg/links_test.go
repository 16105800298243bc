package kg_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/kg"
)

// line is a result of a long run.
type line struct {
	Experiment string    `json:"experiment"`
	Recipe     string    `json:"recipe"`
	Data       string    `json:"data"`
	Seed       uint64    `json:"seed"`
	Epochs     int       `json:"epochs"`
	Changed    string    `json:"changed,omitempty"` // flags beside the recipe
	Seconds    float64   `json:"seconds"`           // of training
	Evaluated  float64   `json:"evaluated"`         // seconds of the ranking
	Valid      float64   `json:"valid"`
	Scores     kg.Scores `json:"scores"` // of what Experiment says
	Unseen     int       `json:"unseen"`
	More       any       `json:"more,omitempty"`
}

// record adds a line to the file of -kg.out.
func record(t *testing.T, x line) {
	t.Helper()
	text, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%s\n", text)
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

// open is the data set of -kg.data.
func open(t *testing.T) *dataset.Dataset {
	t.Helper()
	d, err := dataset.Open(*dataFlag)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// watched trains and prints the epochs that looked at the validation facts; it returns the best look and the seconds.
func watched(t *testing.T, what string, c kg.Config, d *dataset.Dataset) (m *kg.Model, best, seconds float64) {
	t.Helper()
	start := time.Now()
	m, err := kg.Train(context.Background(), c, d, func(p kg.Progress) {
		best = p.Best
		if !math.IsNaN(p.Valid) || p.Epoch <= 2 {
			fmt.Printf("%s: epoch %d/%d  loss %.4f  valid %.4f  best %.4f  %.1f s\n", what, p.Epoch, p.Epochs, p.Loss, p.Valid, p.Best, p.Elapsed.Seconds())
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return m, best, time.Since(start).Seconds()
}

// TestLinks is a cell of the table of link prediction: filtered ranks of the validation facts, and of the test facts where
// -kg.test asks for them.
func TestLinks(t *testing.T) {
	c, changed := settings(t)
	d := open(t)
	m, best, seconds := watched(t, *modelFlag+" "+*dataFlag+changed, c, d)
	start := time.Now()
	part, facts := "valid", d.Valid
	if *testFlag {
		part, facts = "test", d.Test
	}
	r, err := m.Evaluate(d, facts, kg.Ranking{})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%s on %s%s: best look %.4f  %s MRR %.4f  Hits@1 %.4f  @3 %.4f  @10 %.4f  %.0f s\n", *modelFlag, *dataFlag, changed, best, part, r.MRR, r.Hits1, r.Hits3, r.Hits10, seconds)
	record(t, line{Experiment: "links, " + part, Recipe: *modelFlag, Data: *dataFlag, Seed: c.Seed, Epochs: c.Epochs, Changed: changed,
		Seconds: seconds, Evaluated: time.Since(start).Seconds(), Valid: best, Scores: r.Scores, Unseen: r.Unseen})
}
