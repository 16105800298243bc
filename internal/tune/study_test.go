package tune

import (
	"context"
	"encoding/json"
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
	"time"

	"github.com/bloomgml/bloom/internal/files"
)

// mixed is a space with a domain of every kind.
var mixed = Space{
	{"rate", Domain{Low: 1e-4, High: 1, Log: true}},
	{"share", Domain{Low: 0, High: 0.9, Step: 0.1}},
	{"shift", Domain{Low: -5, High: 5}},
	{"steps", Domain{Whole: true, Low: 1, High: 16}},
	{"width", Domain{Whole: true, Low: 16, High: 512, Log: true}},
	{"even", Domain{Whole: true, Low: 2, High: 20, Step: 2}},
	{"norm", Domain{Choices: []any{"none", "layer", "batch"}}},
	{"skip", Domain{Choices: []any{true, false}}},
	{"lambda", Domain{Choices: []any{0.1, 1, 5, 10}}},
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

// outcome is what must be equal of two studies: everything but times.
func outcome(r *Result) []Record {
	list := slices.Clone(r.Trials)
	for i := range list {
		list[i].Start, list[i].End = time.Time{}, time.Time{}
	}
	return list
}

// same compares by text, as NaN is not equal to itself.
func same(a, b *Result) bool { return fmt.Sprint(outcome(a)) == fmt.Sprint(outcome(b)) }

// TestDeterministic: a seed gives a study, another seed another one, for every sampler.
func TestDeterministic(t *testing.T) {
	for _, sampler := range []Sampler{TPE{}, Random{}} {
		study := Study{Space: mixed, Sampler: sampler, Pruner: Median{}, Seed: 3, Trials: 40}
		a, err := study.Run(t.Context(), hill)
		b, err2 := study.Run(t.Context(), hill)
		if err != nil || err2 != nil || !same(a, b) || len(a.Trials) != 40 {
			t.Errorf("%v: %v, %v, %d trials", sampler, err, err2, len(a.Trials))
		}
		study.Seed = 4
		if c, _ := study.Run(t.Context(), hill); same(a, c) {
			t.Errorf("%v: another seed gave the same study", sampler)
		}
		for _, r := range a.Trials {
			for i, p := range mixed {
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
		study.File = filepath.Join(t.TempDir(), "whole.jsonl")
		whole, err := study.Run(t.Context(), hill)
		if err != nil {
			t.Fatal(err)
		}
		study.File = filepath.Join(t.TempDir(), "stopped.jsonl")
		var r *Result
		stops := 0
		for ; ; stops++ {
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
		if stops != 7 {
			t.Errorf("%v: stopped %d times, want 7", sampler, stops)
		}
		checkFile(t, study.File, r)
	}
}

// TestKilled: of a file cut off anywhere, as by a kill or a full disk, the study goes on and becomes the whole one.
func TestKilled(t *testing.T) {
	study := Study{Space: mixed, Pruner: Median{}, Seed: 2, Trials: 14,
		File: filepath.Join(t.TempDir(), "whole.jsonl")}
	whole, err := study.Run(t.Context(), hill)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(study.File)
	if err != nil {
		t.Fatal(err)
	}
	study.File = filepath.Join(t.TempDir(), "cut.jsonl")
	for size := 0; size < len(text); size += 997 {
		if err := os.WriteFile(study.File, text[:size], 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := study.Run(t.Context(), hill)
		if err != nil || !same(whole, r) {
			t.Fatalf("cut at %d: %v\n%v\n%v", size, err, outcome(whole), outcome(r))
		}
		checkFile(t, study.File, r)
	}
}

// TestMoreTrials: a study that is done goes on when more trials are asked for.
func TestMoreTrials(t *testing.T) {
	study := Study{Space: mixed, Seed: 2, Trials: 5, File: filepath.Join(t.TempDir(), "s.jsonl")}
	if r, err := study.Run(t.Context(), hill); err != nil || len(r.Trials) != 5 {
		t.Fatal(err)
	}
	study.Trials = 8
	if r, err := study.Run(t.Context(), hill); err != nil || len(r.Trials) != 8 || r.Count(Complete) != 8 {
		t.Errorf("%v", err)
	}
}

// TestOtherStudy: a file is not continued by a study that differs, and the error says in what.
func TestOtherStudy(t *testing.T) {
	first := Study{Space: mixed, Seed: 2, Trials: 2, File: filepath.Join(t.TempDir(), "s.jsonl"),
		About: map[string]string{"config": "a: 1\nb: 2\n"}}
	if _, err := first.Run(t.Context(), hill); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Study){
		`seed was "2" and is now "3"`:                        func(s *Study) { s.Seed = 3 },
		`sampler was "tpe(startup=10, candidates=24)"`:       func(s *Study) { s.Sampler = Random{} },
		`its direction was "maximize" and is now "minimize"`: func(s *Study) { s.Direction = Minimize },
		`its name was "bloom" and is now "x"`:                func(s *Study) { s.Name = "x" },
		`config was "b: 2" and is now "b: 3"`: func(s *Study) {
			s.About = map[string]string{"config": "a: 1\nb: 3\n"}
		},
		`space was "lambda: {Choices:[0.1 1 5 10]`: func(s *Study) { s.Space = mixed[:8] },
		`space was "" and is now "more: {`: func(s *Study) {
			s.Space = append(slices.Clone(mixed), Param{"more", Domain{Whole: true, Low: 1, High: 2}})
		},
		`space was "rate: {Choices:[] Low:0.0001`: func(s *Study) {
			s.Space = slices.Clone(mixed)
			s.Space[0].Domain = Domain{Low: 1e-5, High: 1, Log: true}
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
	study := Study{Space: mixed, Trials: 12, File: filepath.Join(t.TempDir(), "s.jsonl"), Direction: Minimize}
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
	checkFile(t, study.File, r)
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
	study.Jobs, study.File = 4, filepath.Join(t.TempDir(), "s.jsonl")
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
	checkFile(t, study.File, four)
	study.Sampler, study.File = TPE{}, ""
	study.Pruner = Median{}
	if r, err := study.Run(t.Context(), hill); err != nil || len(outcome(r)) != 40 {
		t.Errorf("%v", err)
	}
}

// checkFile reads the file of a study as any program would, and compares it with the result.
func checkFile(t *testing.T, file string, r *Result) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) != 1+len(r.Trials) || !strings.HasPrefix(lines[0], `{"study":{`) {
		t.Fatalf("%d lines of %d trials, the first %s", len(lines), len(r.Trials), lines[0])
	}
	for _, line := range lines[1:] {
		var got struct {
			Trial int
			State string
			Value *float64
			Set   []string
			Error string
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		want := r.Trials[got.Trial]
		if got.State != string(want.State) || (got.Value == nil) != math.IsNaN(want.Value) ||
			got.Value != nil && *got.Value != want.Value || got.Error != want.Error ||
			!slices.Equal(got.Set, r.Space.Settings(want.Point)) {
			t.Errorf("got %s\nwant %+v", line, want)
		}
	}
}

// TestDamagedFile: a line that no study wrote is told with its number.
func TestDamagedFile(t *testing.T) {
	study := Study{Space: mixed[5:8], Trials: 2, File: filepath.Join(t.TempDir(), "s.jsonl")}
	if _, err := study.Run(t.Context(), func(context.Context, *Trial) (float64, error) { return 1, nil }); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(study.File)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	for want, spoilt := range map[string]string{
		":1: not the first line":   lines[1],
		":3: not a trial":          lines[0] + lines[1] + "{\n",
		":3: trial 0: its number":  lines[0] + lines[1] + lines[1],
		":2: trial 0: there is no": lines[0] + strings.Replace(lines[1], "complete", "running", 1),
		":2: trial 0: it is comp":  lines[0] + strings.Replace(lines[1], `"value":1,`, "", 1),
		":2: trial 0: 2 values":    lines[0] + strings.Replace(lines[1], `"point":[`, `"point":[1,2],"x":[`, 1),
		":2: trial 0: even is 99":  lines[0] + strings.Replace(lines[1], `"point":[`, `"point":[99,0,0],"x":[`, 1),
	} {
		if err := os.WriteFile(study.File, []byte(spoilt), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := study.Run(t.Context(), hill)
		var at *files.Error
		if !errors.As(err, &at) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// FuzzFile: any bytes are a study or an error that names a line.
func FuzzFile(f *testing.F) {
	study := Study{Space: mixed[5:8], Sampler: Random{}, Name: "x"}
	first, _ := json.Marshal(header{study.about()}) // strings
	f.Add([]byte(`{"trial":0,"state":"complete","point":[4,1,0],"value":0.5,"reports":[{"step":3,"value":2}]}`))
	f.Add([]byte(`{"trial":0,"state":"failed","point":[4,1,0],"error":"x"}`))
	f.Add([]byte("{\"trial\":1e9}\n{}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := &run{Study: study}
		r.File = "s"
		err := r.read(slices.Concat(first, []byte("\n"), text))
		var at *files.Error
		if err != nil && (!errors.As(err, &at) || !strings.HasPrefix(err.Error(), "s:")) {
			t.Fatalf("no line in %v", err)
		}
		for _, x := range r.trials {
			if x.State == Complete && math.IsNaN(x.Value) || len(study.Space.Settings(x.Point)) != 3 {
				t.Fatalf("%+v", x)
			}
		}
	})
}

// TestBadStudies: a study that makes no sense is an error.
func TestBadStudies(t *testing.T) {
	for want, s := range map[string]Study{
		"no keys":       {},
		"twice":         {Space: Space{mixed[0], mixed[0]}},
		"above its end": {Space: Space{{"a", Domain{Whole: true, Low: 3, High: 2}}}},
		"no such file":  {Space: mixed, File: filepath.Join(t.TempDir(), "absent", "s.jsonl")},
	} {
		if _, err := s.Run(t.Context(), hill); err == nil ||
			!strings.Contains(strings.ReplaceAll(err.Error(), "cannot find the path", "no such file"), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
