package serve

import (
	"encoding/json"
	"fmt"
	"slices"
)

// tensor is an input or an output.
type tensor struct {
	Name     string          `json:"name"`
	Shape    []int64         `json:"shape"`
	Datatype string          `json:"datatype"`
	Data     json.RawMessage `json:"data,omitempty"`
}

// question are the inputs of a request.
type question struct {
	given map[string]tensor
	top   int // most answers
	most  int // rows that may be asked about at a time
}

func (q question) has(name string) bool { _, ok := q.given[name]; return ok }

// only refuses inputs of other names.
func (q question) only(names ...string) error {
	for name := range q.given {
		if !slices.Contains(names, name) {
			return bad("there is no input %q here, want %v", short([]byte(name)), names)
		}
	}
	return nil
}

// strings is an input of strings, which must be there.
func (q question) strings(name string) ([]string, error) {
	list, err := read[string](q, name, "BYTES")
	if err == nil && (len(list) == 0 || len(list) > q.most) {
		return nil, bad("input %s: %d values, want 1 to %d", name, len(list), q.most)
	}
	return list, err
}

// maybe is an input of n strings; nil where it is not there.
func (q question) maybe(name string, n int) ([]string, error) {
	if !q.has(name) {
		return nil, nil
	}
	list, err := q.strings(name)
	if err == nil && len(list) != n {
		return nil, bad("input %s: %d values, want %d", name, len(list), n)
	}
	return list, err
}

// read is the data of an input.
func read[T any](q question, name string, types ...string) ([]T, error) {
	t, ok := q.given[name]
	if !ok {
		return nil, bad("input %s is missing", name)
	}
	if !slices.Contains(types, t.Datatype) {
		return nil, bad("input %s: datatype %q, want %v", name, short([]byte(t.Datatype)), types)
	}
	list, err := flat[T](nil, t.Data, 0)
	if err != nil {
		return nil, bad("input %s: data is no list of %s", name, t.Datatype)
	}
	n := int64(1)
	for _, x := range t.Shape {
		if x < 0 || x > int64(len(list)) {
			return nil, bad("input %s: shape %v for %d values", name, t.Shape, len(list))
		}
		n *= x
	}
	if n != int64(len(list)) {
		return nil, bad("input %s: shape %v for %d values", name, t.Shape, len(list))
	}
	return list, nil
}

// deepest is how many lists may be within each other.
const deepest = 8

// flat adds the values of a list, or of lists of lists, in their order.
func flat[T any](list []T, data json.RawMessage, depth int) ([]T, error) {
	var some []T
	if json.Unmarshal(data, &some) == nil {
		return append(list, some...), nil
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil || depth == deepest {
		return nil, bad("no list")
	}
	for _, p := range parts {
		var err error
		if list, err = flat(list, p, depth+1); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// column is an output with its data.
type column struct {
	name, datatype string
	shape          []int64
	data           any
}

// filled are outputs as tensors.
func filled(list ...column) ([]tensor, error) {
	var out []tensor
	for _, c := range list {
		text, err := json.Marshal(c.data)
		if err != nil {
			return nil, fmt.Errorf("output %s: %w", c.name, err)
		}
		out = append(out, tensor{c.name, c.shape, c.datatype, text})
	}
	return out, nil
}
