package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
)

// stub is an experiment of real cells that measures nothing but counts.
func stub(t *testing.T, like string, measure func(context.Context, job) (Outcome, error)) *Experiment {
	t.Helper()
	e, err := Find(like)
	if err != nil {
		t.Fatal(err)
	}
	c := *e
	c.measure, c.Draw = measure, nil
	return &c
}

// here makes Cora, small, and nothing else available.
func here(t *testing.T) {
	t.Helper()
	if os.Getenv("BLOOM_DATA") == "" {
		t.Skip("BLOOM_DATA is not set")
	}
}

// steady is an outcome that depends on nothing but the run and λ.
func steady(j job) Outcome {
	o := Outcome{Valid: 50, Numbers: map[string]float64{}}
	for _, n := range j.cell.Numbers {
		o.Numbers[n.Name] = 80 + float64(j.run)
	}
	return o
}

// TestResume: a run that is stopped goes on where it was, seed by seed, and one with more seeds measures only those.
func TestResume(t *testing.T) {
	here(t)
	ctx, stop := context.WithCancel(context.Background())
	calls := 0
	e := stub(t, "noise", func(_ context.Context, j job) (Outcome, error) {
		if calls++; calls == 3 {
			stop()
		}
		return steady(j), nil
	})
	o := Options{Cells: "cells", Dir: t.TempDir(), Data: []string{"Cora"}, Rows: []string{"base", "robust"}, Seeds: 2}
	if _, err := Run(ctx, e, o); !errors.Is(err, context.Canceled) || calls != 3 {
		t.Fatalf("error %v after %d measurements, want canceled after 3", err, calls)
	}
	r, err := Run(context.Background(), e, o)
	if err != nil || calls != 4 {
		t.Fatalf("error %v after %d measurements, want none after 4", err, calls)
	}
	if s := r.Results[0].Ours.Numbers["test"]; s.Mean != 80.5 || s.SD != 0.5 || len(s.Runs) != 2 {
		t.Errorf("score %+v, want 80.5 ± 0.5 of 2 runs", s)
	}
	o.Seeds = 3
	if _, err := Run(context.Background(), e, o); err != nil || calls != 6 {
		t.Fatalf("error %v after %d measurements, want none after 6", err, calls)
	}
	o.Fresh = true
	if _, err := Run(context.Background(), e, o); err != nil || calls != 12 {
		t.Fatalf("error %v after %d measurements, want none after 12", err, calls)
	}
}

// TestSearch: validation chooses, the first one in a tie, and points that diverge never.
func TestSearch(t *testing.T) {
	here(t)
	e := stub(t, "momentum", func(_ context.Context, j job) (Outcome, error) {
		o := steady(j)
		text := string(j.config.YAML())
		switch {
		case strings.Contains(text, "lambda: 10"):
			return Outcome{Diverged: "far"}, nil
		case strings.Contains(text, "lambda: 5"):
			o.Valid = 70
		}
		return o, nil
	})
	r, err := Run(context.Background(), e, Options{Cells: "cells", Data: []string{"cora"}, Rows: []string{"averaged"},
		Seeds: 2})
	if err != nil {
		t.Fatal(err)
	}
	ours := r.Results[0].Ours
	if ours.Chosen["energy.f.lambda"] != "5" || ours.Chosen["energy.descent.gamma"] != "{forced: 0.1}" ||
		ours.Chosen["energy.descent.beta"] != "0.3" {
		t.Errorf("chosen %v, want the first point with λ = 5", ours.Chosen)
	}
	if n := len(ours.Grid); n != 36 || ours.Grid[n-1].Note != "diverged" {
		t.Errorf("grid of %d points, the last %+v; want 36, the last diverged", n, ours.Grid[n-1])
	}
}

// TestJobs: several runs at the same time give the table of one after the other, and never more than asked for are in
// progress.
func TestJobs(t *testing.T) {
	here(t)
	var now, most atomic.Int32
	e := stub(t, "momentum", func(_ context.Context, j job) (Outcome, error) {
		most.Store(max(most.Load(), now.Add(1)))
		defer now.Add(-1)
		o := steady(j)
		o.Valid += float64(j.config.Train.Seed)
		return o, nil
	})
	var tables []string
	for _, jobs := range []int{1, 3} {
		r, err := Run(context.Background(), e, Options{Cells: "cells", Data: []string{"cora"},
			Rows: []string{"averaged"}, Jobs: jobs})
		if err != nil {
			t.Fatal(err)
		}
		if n := most.Load(); int(n) > jobs {
			t.Errorf("%d runs at a time, want %d at most", n, jobs)
		}
		tables = append(tables, fmt.Sprintf("%+v", *r.Results[0].Ours))
	}
	if tables[0] != tables[1] {
		t.Errorf("one by one %s\nthree at a time %s", tables[0], tables[1])
	}
}

// TestMissing: rows whose data is not here are left out with the names of the files, and others run.
func TestMissing(t *testing.T) {
	t.Setenv("BLOOM_DATA", t.TempDir())
	t.Setenv("BLOOM_CACHE", t.TempDir())
	calls := 0
	e := stub(t, "noise", func(context.Context, job) (Outcome, error) { calls++; return Outcome{}, nil })
	r, err := Run(context.Background(), e, Options{Cells: "cells"})
	if err != nil {
		t.Fatal(err)
	}
	var absent *catalogue.NotHereError
	if calls != 0 || len(r.Missing) != 4 || !errors.As(r.Missing[0], &absent) ||
		!strings.Contains(absent.Error(), "ind.citeseer") {
		t.Errorf("%d measurements, missing %v; want 0 and the files of four sets", calls, r.Missing)
	}
	if len(r.Results) == 0 || r.Results[0].Ours != nil {
		t.Error("want lines without a result")
	}
}

// TestKept: nothing is measured, and cells that are not complete are left out.
func TestKept(t *testing.T) {
	here(t)
	e := stub(t, "noise", func(_ context.Context, j job) (Outcome, error) { return steady(j), nil })
	o := Options{Cells: "cells", Dir: t.TempDir(), Data: []string{"cora"}, Rows: []string{"base"}, Seeds: 2}
	if _, err := Run(context.Background(), e, o); err != nil {
		t.Fatal(err)
	}
	e.measure = func(context.Context, job) (Outcome, error) { t.Error("measured"); return Outcome{}, nil }
	o.Kept, o.Rows = true, nil
	t.Setenv("BLOOM_DATA", t.TempDir()) // what is kept needs no data
	r, err := Run(context.Background(), e, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Results {
		if got, want := x.Ours != nil, x.Cell.Row == "base"; got != want {
			t.Errorf("%v has a result: %v, want %v", x.Cell, got, want)
		}
	}
}

// TestRecord: the file has the new result instead of the old one, and is otherwise the same.
func TestRecord(t *testing.T) {
	file := filepath.Join(t.TempDir(), "robust-cora.yaml")
	c, err := Parse(file, []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(whole), 0o666); err != nil {
		t.Fatal(err)
	}
	ours := &Ours{Numbers: map[string]Score{"test": scoreOf([]float64{70, 71}), "detect": scoreOf([]float64{95, 95})}}
	r := &Report{Results: []Result{{Cell: c, Ours: ours}, {Cell: c}}}
	if files, err := r.Record(Stamp{Commit: "def"}); err != nil || len(files) != 1 {
		t.Fatalf("wrote %v, error %v", files, err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(whole, "ours:\n")
	if !strings.HasPrefix(string(text), before+"ours:\n") {
		t.Errorf("the file has changed above our result:\n%s", text)
	}
	again, err := Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	if s := again.Ours.Numbers["test"]; s.Mean != 70.5 || again.Ours.Commit != "def" {
		t.Errorf("recorded %+v", again.Ours)
	}
	ours.Numbers["test"] = scoreOf([]float64{60, 60})
	if _, err := r.Record(Stamp{Commit: "def"}); err == nil || !strings.Contains(err.Error(), "tried must say") {
		t.Errorf("error %v for a missed target without a word, want one", err)
	}
}

// TestStoreForgetsComments: an outcome is found by its settings, whatever is said about them.
func TestStoreForgetsComments(t *testing.T) {
	c, err := config.Default("base", "cora")
	if err != nil {
		t.Fatal(err)
	}
	first := plain(*c)
	if about, _ := config.About("base"); about == "" || bytes.Contains(first, []byte(about)) ||
		!bytes.Contains(c.YAML(), []byte(about)) {
		t.Errorf("%q should be in the file and not in %s", about, first)
	}
	c.Train.Epochs++
	if bytes.Equal(first, plain(*c)) {
		t.Error("other settings look the same")
	}
}
