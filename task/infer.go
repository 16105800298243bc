package task

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// Answering is a Run that answers over HTTP, by the Open Inference Protocol. It is asked one question at a time.
type Answering interface {
	Inputs() []Tensor  // of every way to ask it, without data
	Outputs() []Tensor // without data
	// Infer answers; the error is a *UsageError for a wrong question and a *Missing for something that does not
	// exist.
	Infer(context.Context, Question) ([]Tensor, error)
}

// Learning is an Answering run that learns from events, one at a time and in the order of time.
type Learning interface {
	Learn(source, target string, time float64) error
}

// Missing is the error for a node, an entity or a relation that does not exist.
type Missing struct{ Err error }

// Error returns the text of Err.
func (e *Missing) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *Missing) Unwrap() error { return e.Err }

// Tensor is an input or an output. Its JSON keys are defined by the protocol.
type Tensor struct {
	Name     string          `json:"name"`
	Shape    []int64         `json:"shape"`
	Datatype string          `json:"datatype"`
	Data     json.RawMessage `json:"data,omitempty"`
}

// Question are the inputs of a request.
type Question struct {
	Inputs map[string]Tensor
	Top    int // most answers
	Most   int // rows that may be asked about at a time
}

// Has reports whether an input is there.
func (q Question) Has(name string) bool { _, ok := q.Inputs[name]; return ok }

// Only refuses inputs of other names.
func (q Question) Only(names ...string) error {
	for name := range q.Inputs {
		if !slices.Contains(names, name) {
			return Usage("there is no input %.60q here, want %v", name, names)
		}
	}
	return nil
}

// Strings returns an input of strings, which must be there.
func (q Question) Strings(name string) ([]string, error) {
	list, err := Values[string](q, name, "BYTES")
	if err == nil && (len(list) == 0 || len(list) > q.Most) {
		return nil, Usage("input %s: %d values, want 1 to %d", name, len(list), q.Most)
	}
	return list, err
}

// Maybe returns an input of n strings; nil if it is not there.
func (q Question) Maybe(name string, n int) ([]string, error) {
	if !q.Has(name) {
		return nil, nil
	}
	list, err := q.Strings(name)
	if err == nil && len(list) != n {
		return nil, Usage("input %s: %d values, want %d", name, len(list), n)
	}
	return list, err
}

// Values returns the data of an input.
func Values[T any](q Question, name string, types ...string) ([]T, error) {
	t, ok := q.Inputs[name]
	if !ok {
		return nil, Usage("input %s is missing", name)
	}
	if !slices.Contains(types, t.Datatype) {
		return nil, Usage("input %s: datatype %.60q, want %v", name, t.Datatype, types)
	}
	list, err := flat[T](nil, t.Data, 0)
	if err != nil {
		return nil, Usage("input %s: data is not a list of %s", name, t.Datatype)
	}
	n := int64(1)
	for _, x := range t.Shape {
		if x < 0 || x > int64(len(list)) {
			return nil, Usage("input %s: shape %v for %d values", name, t.Shape, len(list))
		}
		n *= x
	}
	if n != int64(len(list)) {
		return nil, Usage("input %s: shape %v for %d values", name, t.Shape, len(list))
	}
	return list, nil
}

// deepest is the maximum nesting depth of lists.
const deepest = 8

// flat adds the values of a list, or of lists of lists, in their order.
func flat[T any](list []T, data json.RawMessage, depth int) ([]T, error) {
	var some []T
	if json.Unmarshal(data, &some) == nil {
		return append(list, some...), nil
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil || depth == deepest {
		return nil, Usage("no list")
	}
	for _, p := range parts {
		var err error
		if list, err = flat(list, p, depth+1); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Column is an output with its data.
type Column struct {
	Name, Datatype string
	Shape          []int64
	Data           any
}

// Filled returns outputs as tensors.
func Filled(list ...Column) ([]Tensor, error) {
	var out []Tensor
	for _, c := range list {
		text, err := json.Marshal(c.Data)
		if err != nil {
			return nil, fmt.Errorf("output %s: %w", c.Name, err)
		}
		out = append(out, Tensor{c.Name, c.Shape, c.Datatype, text})
	}
	return out, nil
}
