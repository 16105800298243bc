package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bloomgml/bloom/internal/files"
)

// mixed is a space with a domain of every kind.
var mixed = Space{
	{"rate", Float{Low: 1e-4, High: 1, Log: true}},
	{"share", Float{Low: 0, High: 0.9, Step: 0.1}},
	{"shift", Float{Low: -5, High: 5}},
	{"steps", Int{Low: 1, High: 16}},
	{"width", Int{Low: 16, High: 512, Log: true}},
	{"even", Int{Low: 2, High: 20, Step: 2}},
	{"norm", Choice{[]any{"none", "layer", "batch"}}},
	{"skip", Choice{[]any{true, false}}},
	{"lambda", Choice{[]any{0.1, 1, 5, 10}}},
}

// hill is an objective with its top, 0, at a known point of mixed. It reports at ten steps.
func hill(_ context.Context, t *Trial) (float64, error) {
	square := func(x float64) float64 { return x * x }
	v := -square(math.Log10(t.Value("rate").(float64))+2) - square(t.Value("shift").(float64)-1)/10 -
		square(float64(t.Value("steps").(int))-6)/40 - square(math.Log2(float64(t.Value("width").(int)))-7)/4 -
		square(t.Value("share").(float64)-0.3)
	if t.Value("norm") != "layer" {
		v--
	}
	for step := range 10 {
		if err := t.Report(step, v-1/float64(step+1)); err != nil {
			return 0, err
		}
	}
	return v, nil
}

// outcome is what must be equal of two studies: everything but times, numbers and trials that were stopped.
func outcome(r *Result) []Record {
	var list []Record
	for _, t := range r.Trials {
		if !t.Stopped {
			t.Number, t.Start, t.End = 0, t.End.Truncate(1<<62), t.End.Truncate(1<<62)
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b Record) int { return a.Place - b.Place })
	return list
}

// same compares by text, as NaN is not equal to itself.
func same(a, b *Result) bool { return fmt.Sprint(outcome(a)) == fmt.Sprint(outcome(b)) }

// TestDeterministic: a seed gives a study, another seed another one, for every sampler.
func TestDeterministic(t *testing.T) {
	small := Space{mixed[3], mixed[6], mixed[1]}
	for _, sampler := range []Sampler{TPE{}, Random{}, Grid{}} {
		space, objective := mixed, Objective(hill)
		if sampler == (Grid{}) {
			space, objective = small, func(_ context.Context, t *Trial) (float64, error) {
				return float64(t.Value("steps").(int)), nil
			}
		}
		study := Study{Space: space, Sampler: sampler, Pruner: Median{}, Seed: 3, Trials: 40}
		a, err := study.Run(t.Context(), objective)
		b, err2 := study.Run(t.Context(), objective)
		if err != nil || err2 != nil || !same(a, b) || len(a.Trials) != 40 {
			t.Errorf("%v: %v, %v, %d trials", sampler, err, err2, len(a.Trials))
		}
		study.Seed = 4
		if c, _ := study.Run(t.Context(), objective); same(a, c) {
			t.Errorf("%v: another seed gave the same study", sampler)
		}
		for _, r := range a.Trials {
			for i, p := range space {
				if !p.Domain.Contains(r.Point[i]) {
					t.Errorf("%v: %s is %v", sampler, p.Key, r.Point[i])
				}
			}
		}
	}
}

// TestResume: a study that is stopped again and again, each time in the middle of a trial, is the study that was not
// stopped.
func TestResume(t *testing.T) {
	for _, sampler := range []Sampler{TPE{}, Random{}} {
		study := Study{Space: mixed, Sampler: sampler, Pruner: Median{}, Seed: 1, Trials: 30,
			About: map[string]string{"config": "a: 1\nb: 2"}}
		study.Journal = filepath.Join(t.TempDir(), "whole.log")
		whole, err := study.Run(t.Context(), hill)
		if err != nil {
			t.Fatal(err)
		}
		study.Journal = filepath.Join(t.TempDir(), "stopped.log")
		var r *Result
		for stops := 0; ; stops++ {
			ctx, cancel := context.WithCancel(t.Context())
			begun := 0
			r, err = study.Run(ctx, func(ctx context.Context, trial *Trial) (float64, error) {
				if begun++; begun > 4 {
					cancel()
					return 0, errors.Join(trial.Report(0, 1), ctx.Err())
				}
				return hill(ctx, trial)
			})
			cancel()
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) || stops > 30 {
				t.Fatalf("%d stops, %v", stops, err)
			}
		}
		if !same(whole, r) {
			t.Errorf("%v:\n%v\n%v", sampler, outcome(whole), outcome(r))
		}
		if n := len(r.Trials) - len(whole.Trials); n != 7 {
			t.Errorf("%v: stopped %d times, want 7", sampler, n)
		}
		checkJournal(t, study.Journal)
	}
}

// TestKilled: of a journal cut off anywhere, as by a kill or a full disk, the study goes on and becomes the whole one.
func TestKilled(t *testing.T) {
	study := Study{Space: mixed, Pruner: Median{}, Seed: 2, Trials: 14,
		Journal: filepath.Join(t.TempDir(), "whole.log")}
	whole, err := study.Run(t.Context(), hill)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(study.Journal)
	if err != nil {
		t.Fatal(err)
	}
	study.Journal = filepath.Join(t.TempDir(), "cut.log")
	for size := 0; size < len(text); size += 997 {
		if err := os.WriteFile(study.Journal, text[:size], 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := study.Run(t.Context(), hill)
		if err != nil || !same(whole, r) {
			t.Fatalf("cut at %d: %v\n%v\n%v", size, err, outcome(whole), outcome(r))
		}
		checkJournal(t, study.Journal)
	}
}

// TestMoreTrials: a study that is done goes on when more trials are asked for.
func TestMoreTrials(t *testing.T) {
	study := Study{Space: mixed, Seed: 2, Trials: 5, Journal: filepath.Join(t.TempDir(), "j.log")}
	if r, err := study.Run(t.Context(), hill); err != nil || len(r.Trials) != 5 {
		t.Fatal(err)
	}
	study.Trials = 8
	if r, err := study.Run(t.Context(), hill); err != nil || len(r.Trials) != 8 || r.Count(Complete) != 8 {
		t.Errorf("%v", err)
	}
}

// TestOtherStudy: a journal is not continued by a study that differs, and the error says in what.
func TestOtherStudy(t *testing.T) {
	first := Study{Space: mixed, Seed: 2, Trials: 2, Journal: filepath.Join(t.TempDir(), "j.log"),
		About: map[string]string{"config": "a: 1\nb: 2\n"}}
	if _, err := first.Run(t.Context(), hill); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Study){
		`seed was "2" and is now "3"`:                  func(s *Study) { s.Seed = 3 },
		`sampler was "tpe(startup=10, candidates=24)"`: func(s *Study) { s.Sampler = Random{} },
		`the other end`:                                func(s *Study) { s.Direction = Minimize },
		`its name was "bloom" and is now "x"`:          func(s *Study) { s.Name = "x" },
		`config, in line 2, was "b: 2" and is now "b: 3"`: func(s *Study) {
			s.About = map[string]string{"config": "a: 1\nb: 3\n"}
		},
		`searches lambda, which the space does not have`: func(s *Study) { s.Space = mixed[:8] },
		`has no value of more`: func(s *Study) {
			s.Space = append(slices.Clone(mixed), Param{"more", Int{Low: 1, High: 2}})
		},
		`rate has other values in the space`: func(s *Study) {
			s.Space = slices.Clone(mixed)
			s.Space[0].Domain = Float{Low: 1e-5, High: 1, Log: true}
		},
	} {
		s := first
		change(&s)
		_, err := s.Run(t.Context(), hill)
		var at *files.Error
		if !errors.As(err, &at) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestFailures: an error or NaN fails a trial and not the study, and says why.
func TestFailures(t *testing.T) {
	study := Study{Space: mixed, Trials: 12, Journal: filepath.Join(t.TempDir(), "j.log"), Direction: Minimize}
	objective := func(_ context.Context, trial *Trial) (float64, error) {
		switch trial.Number() % 4 {
		case 0:
			return 0, errors.New("it diverged")
		case 1:
			return math.NaN(), nil
		case 2:
			return math.Inf(1), nil
		}
		return float64(trial.Number()), nil
	}
	r, err := study.Run(t.Context(), objective)
	if err != nil || r.Count(Failed) != 6 || r.Count(Complete) != 6 || r.Best().Value != 3 {
		t.Fatalf("%v, %+v", err, r)
	}
	if r.Trials[0].Error != "it diverged" || !strings.Contains(r.Trials[1].Error, "not a number") ||
		r.Trials[2].Value != math.MaxFloat64 {
		t.Errorf("%+v", r.Trials[:3])
	}
	checkJournal(t, study.Journal)
	again, err := study.Run(t.Context(), nil) // nothing is left to try
	if err != nil || !reflect.DeepEqual(outcome(r)[3], outcome(again)[3]) || again.Trials[0].Error != "it diverged" {
		t.Errorf("%v, %+v", err, again)
	}
}

// TestJobs: trials run at the same time, each place once, and the values of a sampler that looks at nothing are the
// same as with one job.
func TestJobs(t *testing.T) {
	study := Study{Space: mixed, Sampler: Random{}, Seed: 5, Trials: 40}
	one, err := study.Run(t.Context(), hill)
	if err != nil {
		t.Fatal(err)
	}
	study.Jobs, study.Journal = 4, filepath.Join(t.TempDir(), "j.log")
	var running, most, told atomic.Int32
	study.Progress = func(Record) { told.Add(1) }
	gate := make(chan struct{})
	four, err := study.Run(t.Context(), func(ctx context.Context, trial *Trial) (float64, error) {
		if n := running.Add(1); n > most.Load() {
			if most.Store(n); n == 4 {
				close(gate)
			}
		}
		<-gate // until four of them are here once
		defer running.Add(-1)
		return hill(ctx, trial)
	})
	if err != nil || !same(one, four) || most.Load() != 4 || told.Load() != 40 {
		t.Errorf("%v, %d at a time, %d told", err, most.Load(), told.Load())
	}
	checkJournal(t, study.Journal)
	study.Sampler, study.Journal = TPE{}, ""
	study.Pruner = Median{}
	if r, err := study.Run(t.Context(), hill); err != nil || len(outcome(r)) != 40 {
		t.Errorf("%v", err)
	}
}

// TestOthersWrite: a note of the dashboard does no harm; trials of another program stop the study.
func TestOthersWrite(t *testing.T) {
	note := `{"op_code":3,"worker_id":"x","study_id":0,"system_attr":{"dashboard:note":"hi"}}` + "\n"
	trial := `{"op_code":4,"worker_id":"x","study_id":0,"datetime_start":"2026-01-02T03:04:05.000006"}` + "\n"
	for line, fails := range map[string]bool{note: false, trial: true} {
		study := Study{Space: mixed, Trials: 4, Journal: filepath.Join(t.TempDir(), "j.log")}
		_, err := study.Run(t.Context(), func(ctx context.Context, trial *Trial) (float64, error) {
			f, err := os.OpenFile(study.Journal, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString(line); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			return hill(ctx, trial)
		})
		if (err != nil) != fails {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestBadStudies: a study that makes no sense is an error.
func TestBadStudies(t *testing.T) {
	for want, s := range map[string]Study{
		"no keys":       {},
		"twice":         {Space: Space{mixed[0], mixed[0]}},
		"above its end": {Space: Space{{"a", Int{Low: 3, High: 2}}}},
		"a grid of":     {Space: mixed, Sampler: Grid{Points: 50}},
		"candidate":     {Space: mixed, Sampler: TPE{Candidates: -1}},
		"no such file":  {Space: mixed, Journal: filepath.Join(t.TempDir(), "absent", "j.log")},
	} {
		if _, err := s.Run(t.Context(), hill); err == nil ||
			!strings.Contains(strings.ReplaceAll(err.Error(), "cannot find the path", "no such file"), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
