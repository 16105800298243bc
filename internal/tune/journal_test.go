package tune

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The reader below is written from the description of Optuna's journal, not from ours: it does what a replay in Python
// does and asks for everything that one would stumble over. Optuna itself is not at hand where these tests run.

// required are the keys that the replay of an operation reads, besides op_code and worker_id.
var required = map[int][]string{
	0: {"study_name", "directions"},
	1: {"study_id"},
	2: {"study_id", "user_attr"},
	3: {"study_id", "system_attr"},
	4: {"study_id", "datetime_start"},
	5: {"trial_id", "param_name", "param_value_internal", "distribution"},
	6: {"trial_id", "state", "values"},
	7: {"trial_id", "step", "intermediate_value"},
	8: {"trial_id", "user_attr"},
	9: {"trial_id", "system_attr"},
}

// optuna is what a replay knows.
type optuna struct {
	studies       []string
	states        []int             // of trials
	distributions map[string]string // the kind of a parameter, and the choices of a categorical one
}

// checkJournal replays a file.
func checkJournal(t *testing.T, file string) *optuna {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(string(text), "\n") {
		t.Error("the last line has no end")
	}
	o := &optuna{distributions: map[string]string{}}
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if err := o.apply(line); err != nil {
			t.Fatalf("%s:%d: %v\n%s", filepath.Base(file), i+1, err, line)
		}
	}
	return o
}

func (o *optuna) apply(line string) error {
	var m map[string]any
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		return err
	}
	if _, ok := m["worker_id"].(string); !ok {
		return fmt.Errorf("worker_id is no string")
	}
	op, err := whole(m["op_code"])
	keys, ok := required[op]
	if err != nil || !ok {
		return fmt.Errorf("op_code %v", m["op_code"])
	}
	for _, key := range keys {
		if _, ok := m[key]; !ok {
			return fmt.Errorf("%s is missing", key)
		}
	}
	for key, value := range m {
		if strings.HasPrefix(key, "datetime") {
			if _, err := time.Parse("2006-01-02T15:04:05.000000", fmt.Sprint(value)); err != nil {
				return err
			}
		}
		if strings.HasSuffix(key, "_attr") && len(value.(map[string]any)) != 1 {
			return fmt.Errorf("%s has not one key", key)
		}
	}
	switch {
	case op == 0:
		return o.study(m)
	case op < 5:
		id, err := whole(m["study_id"])
		if err != nil || id < 0 || id >= len(o.studies) {
			return fmt.Errorf("study_id %v", m["study_id"])
		}
		if op == 4 {
			o.states = append(o.states, 0)
		}
		return nil
	}
	return o.trial(op, m)
}

func (o *optuna) study(m map[string]any) error {
	directions := m["directions"].([]any)
	for _, d := range directions {
		if n, err := whole(d); err != nil || n != 1 && n != 2 {
			return fmt.Errorf("direction %v", d)
		}
	}
	for _, name := range o.studies {
		if name == m["study_name"] {
			return fmt.Errorf("two studies %q", name)
		}
	}
	o.studies = append(o.studies, m["study_name"].(string))
	return nil
}

func (o *optuna) trial(op int, m map[string]any) error {
	id, err := whole(m["trial_id"])
	if err != nil || id < 0 || id >= len(o.states) {
		return fmt.Errorf("trial_id %v of %d", m["trial_id"], len(o.states))
	}
	if s := o.states[id]; s != 0 && s != 4 {
		return fmt.Errorf("trial %d has ended", id)
	}
	switch op {
	case 5:
		return o.param(m["param_name"].(string), m["param_value_internal"].(float64), m["distribution"].(string))
	case 6:
		return o.state(id, m)
	case 7:
		if _, err := whole(m["step"]); err != nil {
			return err
		}
		_ = m["intermediate_value"].(float64)
	}
	return nil
}

func (o *optuna) state(id int, m map[string]any) error {
	state, err := whole(m["state"])
	if err != nil || state < 0 || state > 4 {
		return fmt.Errorf("state %v", m["state"])
	}
	if _, ok := m["datetime_complete"]; !ok && (state == 1 || state == 2 || state == 3) {
		return fmt.Errorf("datetime_complete is missing")
	}
	values, _ := m["values"].([]any)
	if m["values"] != nil && len(values) != 1 || state == 1 && len(values) != 1 {
		return fmt.Errorf("values %v", m["values"])
	}
	o.states[id] = state
	return nil
}

// param builds the distribution by its constructor's rules and checks the value against it.
func (o *optuna) param(name string, value float64, text string) error {
	var d struct {
		Name       string         `json:"name"`
		Attributes map[string]any `json:"attributes"`
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return err
	}
	kind := d.Name
	switch d.Name {
	case "CategoricalDistribution":
		choices := d.Attributes["choices"].([]any)
		if len(d.Attributes) != 1 || value != math.Trunc(value) || value < 0 || int(value) >= len(choices) {
			return fmt.Errorf("choice %v of %v", value, d.Attributes)
		}
		kind += fmt.Sprint(choices)
	case "IntDistribution", "FloatDistribution":
		if err := numbers(d.Name == "IntDistribution", value, d.Attributes); err != nil {
			return err
		}
	default:
		return fmt.Errorf("there is no %s", d.Name)
	}
	if before, ok := o.distributions[name]; ok && before != kind {
		return fmt.Errorf("%s was %s and is %s", name, before, kind)
	}
	o.distributions[name] = kind
	return nil
}

func numbers(isInt bool, value float64, a map[string]any) error {
	low, high, log := a["low"].(float64), a["high"].(float64), a["log"].(bool)
	step, stepped := a["step"].(float64)
	switch {
	case len(a) != 4:
		return fmt.Errorf("attributes %v", a)
	case isInt && (!stepped || low != math.Trunc(low) || high != math.Trunc(high) || value != math.Trunc(value) ||
		step != math.Trunc(step)):
		return fmt.Errorf("no whole numbers in %v", a)
	case isInt && log && (step != 1 || low < 1), !isInt && log && (stepped || low <= 0):
		return fmt.Errorf("no logarithmic range: %v", a)
	case low > high || value < low || value > high || stepped && step <= 0:
		return fmt.Errorf("%v is outside of %v", value, a)
	}
	if k := (value - low) / step; stepped && math.Abs(k-math.Round(k)) >= 1e-8 {
		return fmt.Errorf("%v is on no step of %v", value, a)
	}
	return nil
}

func whole(v any) (int, error) {
	f, ok := v.(float64)
	if !ok || f != math.Trunc(f) {
		return 0, fmt.Errorf("%v is no whole number", v)
	}
	return int(f), nil
}

// TestJournal: a study with trials of every end is written as Optuna reads it.
func TestJournal(t *testing.T) {
	study := Study{Space: mixed, Pruner: Median{Startup: 2}, Trials: 30,
		Journal: filepath.Join(t.TempDir(), "journal.log")}
	r, err := study.Run(t.Context(), hill)
	if err != nil || r.Count(Cut) == 0 || r.Count(Complete) == 0 {
		t.Fatalf("%v, %d pruned", err, r.Count(Cut))
	}
	o := checkJournal(t, study.Journal)
	if len(o.studies) != 1 || len(o.states) != 30 || len(o.distributions) != len(mixed) {
		t.Errorf("%+v", o)
	}
	for i, s := range o.states {
		if State(s) != r.Trials[i].State {
			t.Errorf("trial %d is %d, want %d", i, s, r.Trials[i].State)
		}
	}
}

// TestCheckerCanFail: the reader above finds what is wrong.
func TestCheckerCanFail(t *testing.T) {
	begin := []string{`{"op_code":0,"worker_id":"w","study_name":"s","directions":[2]}`,
		`{"op_code":4,"worker_id":"w","study_id":0,"datetime_start":"2026-01-02T03:04:05.000006"}`}
	param := func(d string) string {
		return fmt.Sprintf(
			`{"op_code":5,"worker_id":"w","trial_id":0,"param_name":"a","param_value_internal":2,"distribution":%q}`, d)
	}
	for _, line := range []string{
		`{"op_code":4,"worker_id":"w","study_id":1,"datetime_start":"2026-01-02T03:04:05.000006"}`,
		`{"op_code":4,"worker_id":"w","study_id":0,"datetime_start":"2026-01-02 03:04:05Z"}`,
		`{"op_code":4,"study_id":0,"datetime_start":"2026-01-02T03:04:05.000006"}`,
		`{"op_code":6,"worker_id":"w","trial_id":0,"state":1,"values":[1]}`,
		`{"op_code":6,"worker_id":"w","trial_id":0,"state":1,"datetime_complete":"2026-01-02T03:04:05.000006"}`,
		`{"op_code":7,"worker_id":"w","trial_id":1,"step":0,"intermediate_value":1}`,
		`{"op_code":10,"worker_id":"w"}`,
		param(`{"name":"UniformDistribution","attributes":{"low":1,"high":2}}`),
		param(`{"name":"IntDistribution","attributes":{"low":1,"high":5,"log":false,"step":2}}`),
		param(`{"name":"FloatDistribution","attributes":{"low":0,"high":5,"log":true,"step":null}}`),
		param(`{"name":"CategoricalDistribution","attributes":{"choices":[1,2]}}`),
	} {
		o := &optuna{distributions: map[string]string{}}
		for _, b := range begin {
			if err := o.apply(b); err != nil {
				t.Fatal(err)
			}
		}
		if o.apply(line) == nil {
			t.Errorf("accepted: %s", line)
		}
	}
}

// FuzzJournal: any bytes are a study or an error with a line, and reading a journal in two pieces is reading it.
func FuzzJournal(f *testing.F) {
	study := Study{Space: mixed[5:8], Trials: 3, Journal: filepath.Join(f.TempDir(), "j.log"),
		Pruner: Median{Startup: -1}}
	if _, err := study.Run(f.Context(), func(_ context.Context, t *Trial) (float64, error) {
		return 1, t.Report(3, 2)
	}); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(study.Journal)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text, 40)
	f.Add(text[:len(text)/2], 1000)
	f.Add([]byte("{\"op_code\":0}\n"), 3)
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		whole := &replay{file: "j", space: study.Space}
		size, err := whole.read(text)
		if err != nil && !strings.HasPrefix(err.Error(), fmt.Sprintf("j:%d: ", whole.line)) {
			t.Fatalf("no line in %v", err)
		}
		for _, trial := range whole.trials {
			if trial.State == Complete && math.IsNaN(trial.Value) {
				t.Fatalf("%+v", trial)
			}
		}
		if err != nil || size == 0 {
			return
		}
		cut = max(0, cut) % (size + 1)
		parts := &replay{file: "j", space: study.Space}
		first, err := parts.read(text[:cut])
		if err != nil {
			t.Fatal(err)
		}
		rest, err := parts.read(text[first:size])
		if err != nil || first+rest != size || len(parts.trials) != len(whole.trials) {
			t.Fatalf("%v, %d and %d of %d bytes", err, first, rest, size)
		}
	})
}
