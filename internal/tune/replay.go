package tune

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/bloomgml/bloom/internal/files"
)

// replay is a study as far as its journal tells it.
type replay struct {
	file      string
	space     Space
	line      int
	name      string
	direction Direction
	created   bool
	summed    bool              // a line with a checksum was read
	attrs     map[string]string // of the study
	trials    []*Record
}

// entry is any line of a journal; which of it there is depends on the operation.
type entry struct {
	Op           *opcode                    `json:"op_code"`
	Worker       *string                    `json:"worker_id"`
	Name         *string                    `json:"study_name"`
	Directions   []int                      `json:"directions"`
	Study        *int                       `json:"study_id"`
	Trial        *int                       `json:"trial_id"`
	Start        *string                    `json:"datetime_start"`
	End          *string                    `json:"datetime_complete"`
	Param        *string                    `json:"param_name"`
	Internal     *float64                   `json:"param_value_internal"`
	Distribution *string                    `json:"distribution"`
	State        *State                     `json:"state"`
	Values       []float64                  `json:"values"`
	Step         *int                       `json:"step"`
	Intermediate *float64                   `json:"intermediate_value"`
	UserAttr     map[string]json.RawMessage `json:"user_attr"`
	SystemAttr   map[string]json.RawMessage `json:"system_attr"`
}

// bad is an error at the present line.
func (r *replay) bad(format string, args ...any) error {
	return files.ErrorAt(r.file, r.line, format, args...)
}

// read applies all whole lines of a text and says how many bytes they have: a last line without an end was cut off.
func (r *replay) read(text []byte) (size int, err error) {
	for len(text) > size {
		end := bytes.IndexByte(text[size:], '\n')
		if end < 0 {
			return size, nil
		}
		r.line++
		if err := r.apply(text[size : size+end]); err != nil {
			return size, err
		}
		size += end + 1
	}
	return size, nil
}

// apply does what a line says.
func (r *replay) apply(line []byte) error {
	var e entry
	if err := json.Unmarshal(line, &e); err != nil {
		return r.bad("no line of a journal: %v", err)
	}
	if e.Op == nil || e.Worker == nil {
		return r.bad("op_code or worker_id is missing")
	}
	if err := r.check(line, e); err != nil {
		return err
	}
	if *e.Op == opStudy {
		return r.study(e)
	}
	if !r.created {
		return r.bad("operation %d before there is a study", *e.Op)
	}
	switch *e.Op {
	case opDelete:
		return r.bad("the study was deleted")
	case opStudyAttr, opStudySystem, opTrial:
		if e.Study == nil || *e.Study != 0 {
			return r.bad("want study_id 0: one journal holds one study")
		}
		return r.ofStudy(e)
	case opParam, opState, opReport, opAttr, opSystem:
		if e.Trial == nil || *e.Trial < 0 || *e.Trial >= len(r.trials) {
			return r.bad("want a trial_id below %d", len(r.trials))
		}
		if t := r.trials[*e.Trial]; t.State != Running {
			return r.bad("trial %d has ended before", t.Number)
		}
		return r.ofTrial(r.trials[*e.Trial], e)
	}
	return r.bad("there is no operation %d", *e.Op)
}

// study begins the study.
func (r *replay) study(e entry) error {
	switch {
	case r.created:
		return r.bad("a second study: one journal holds one study")
	case e.Name == nil || len(e.Directions) != 1:
		return r.bad("want study_name and one of directions")
	case e.Directions[0] == Minimize.code():
		r.direction = Minimize
	case e.Directions[0] != Maximize.code():
		return r.bad("there is no direction %d", e.Directions[0])
	}
	r.name, r.created, r.attrs = *e.Name, true, map[string]string{}
	return nil
}

// ofStudy keeps an attribute or begins a trial.
func (r *replay) ofStudy(e entry) error {
	if *e.Op != opTrial {
		for key, value := range e.UserAttr {
			var text string
			if json.Unmarshal(value, &text) == nil {
				r.attrs[key] = text
			}
		}
		return nil
	}
	start, err := r.time(e.Start)
	if err != nil {
		return err
	}
	at := make(Point, len(r.space))
	for i := range at {
		at[i] = math.NaN()
	}
	r.trials = append(r.trials, &Record{Number: len(r.trials), Place: -1, Point: at, Value: math.NaN(), Start: start})
	return nil
}

// time reads a date.
func (r *replay) time(text *string) (time.Time, error) {
	if text == nil {
		return time.Time{}, r.bad("the time is missing")
	}
	t, err := time.ParseInLocation(layout, *text, time.Local)
	if err != nil {
		return t, r.bad("%q is no time", *text)
	}
	return t, nil
}

// ofTrial changes a trial that is running.
func (r *replay) ofTrial(t *Record, e entry) error {
	switch *e.Op {
	case opParam:
		return r.param(t, e)
	case opState:
		return r.end(t, e)
	case opReport:
		if e.Step == nil || *e.Step < 0 || e.Intermediate == nil {
			return r.bad("want step and intermediate_value")
		}
		t.report(*e.Step, *e.Intermediate)
	case opAttr:
		if text, ok := e.UserAttr[errorKey]; ok && json.Unmarshal(text, &t.Error) != nil {
			return r.bad("%s is no text", errorKey)
		}
	case opSystem:
		return r.system(t, e)
	}
	return nil
}

// system reads what we keep beside trials.
func (r *replay) system(t *Record, e entry) error {
	if text, ok := e.SystemAttr[placeKey]; ok {
		if json.Unmarshal(text, &t.Place) != nil || t.Place < 0 {
			return r.bad("%s is no place", placeKey)
		}
	}
	if text, ok := e.SystemAttr[stoppedKey]; ok && json.Unmarshal(text, &t.Stopped) != nil {
		return r.bad("%s is neither true nor false", stoppedKey)
	}
	return nil
}

// param sets a value of the point.
func (r *replay) param(t *Record, e entry) error {
	if e.Param == nil || e.Internal == nil || e.Distribution == nil {
		return r.bad("want param_name, param_value_internal and distribution")
	}
	i := r.space.index(*e.Param)
	if i < 0 {
		return r.bad("the study searches %s, which the space does not have", *e.Param)
	}
	d := r.space[i].Domain
	if *e.Distribution != d.distribution().String() {
		return r.bad("%s has other values in the space: %v in the place of %s", *e.Param, d.distribution(),
			*e.Distribution)
	}
	if !d.Contains(*e.Internal) {
		return r.bad("%s is %v, which is not among its values", *e.Param, *e.Internal)
	}
	t.Point[i] = *e.Internal
	return nil
}

// end ends a trial, which must be whole, unless it was stopped.
func (r *replay) end(t *Record, e entry) error {
	if e.State == nil || !slices.Contains([]State{Complete, Cut, Failed}, *e.State) {
		return r.bad("want a state: 1, 2 or 3")
	}
	end, err := r.time(e.End)
	if err != nil {
		return err
	}
	missing := slices.IndexFunc(t.Point, math.IsNaN)
	switch state := *e.State; {
	case len(e.Values) > 1 || state == Complete && len(e.Values) != 1:
		return r.bad("a trial with %d values, want one", len(e.Values))
	case t.Stopped && state != Failed:
		return r.bad("trial %d was stopped and is no failed one", t.Number)
	case t.Stopped:
	case t.Place < 0:
		return r.bad("trial %d has no %s: it was made by another program", t.Number, placeKey)
	case missing >= 0:
		return r.bad("trial %d has no value of %s, which the space has", t.Number, r.space[missing].Key)
	}
	t.State, t.End = *e.State, end
	if len(e.Values) == 1 {
		t.Value = e.Values[0]
	}
	return nil
}
