package tune

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/keys"
)

// ReadSpace decodes a space from YAML or JSON; the error is a *files.Error.
//
//	train.rate:      {float: [1e-4, 0.1], log: true}
//	model.dropout:   {float: [0, 0.8], step: 0.1}
//	energy.steps:    {int: [2, 16]}
//	energy.f.lambda: {choice: [0.1, 1, 5, 10]}
//
// Keys are written as in --set. A choice is text, numbers, true or false; text may be anything that --set takes, as
// "{forced: 1}".
func ReadSpace(file string, text []byte) (Space, error) {
	root, err := keys.Parse(file, text)
	if err != nil {
		return nil, err
	}
	r := &spaceReader{file: file}
	if root.Kind != yaml.MappingNode || len(root.Content) == 0 {
		return nil, r.at(root, "want keys with their values, as train.rate: {float: [1e-4, 0.1], log: true}")
	}
	var s Space
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode || key.Value == "":
			return nil, r.at(key, "want a key, as train.rate")
		case s.index(key.Value) >= 0:
			return nil, r.at(key, "key %q stands here twice", key.Value)
		}
		d, err := r.domain(key.Value, value)
		if err != nil {
			return nil, err
		}
		s = append(s, Param{key.Value, d})
	}
	return s, nil
}

// spaceReader makes domains of YAML nodes.
type spaceReader struct{ file string }

func (r *spaceReader) at(n *yaml.Node, format string, args ...any) error {
	return files.ErrorAtLetter(r.file, n.Line, n.Column, format, args...)
}

// kinds are the keys of which a domain has one, and extras those that a range may have too.
var (
	kinds  = []string{"choice", "int", "float"}
	extras = []string{"log", "step"}
)

// domain is the domain of a key.
func (r *spaceReader) domain(key string, n *yaml.Node) (Domain, error) {
	n = resolve(n)
	if n.Kind != yaml.MappingNode {
		return nil, r.at(n, "%s: want {choice: […]}, {int: [low, high]} or {float: [low, high]}", key)
	}
	kind, values, more, err := r.entries(key, n)
	if err != nil {
		return nil, err
	}
	if values.Kind != yaml.SequenceNode {
		return nil, r.at(values, "%s: %s takes a list", key, kind)
	}
	var d Domain
	switch kind {
	case "choice":
		d, err = r.choice(key, values, more)
	case "int":
		d, err = r.whole(key, values, more)
	default:
		d, err = r.float(key, values, more)
	}
	if err != nil {
		return nil, err
	}
	if err := d.check(); err != nil {
		return nil, r.at(values, "%s: %v", key, err)
	}
	return d, nil
}

// entries takes a mapping apart: which kind it is, the values of that, and the extras.
func (r *spaceReader) entries(key string, n *yaml.Node) (
	kind string, values *yaml.Node, more map[string]*yaml.Node, err error) {
	more = map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], resolve(n.Content[i+1])
		switch {
		case slices.Contains(kinds, name.Value) && kind != "":
			return "", nil, nil, r.at(name, "%s: it is %s already", key, kind)
		case slices.Contains(kinds, name.Value):
			kind, values = name.Value, value
		case slices.Contains(extras, name.Value) && more[name.Value] == nil:
			more[name.Value] = value
		default:
			text := fmt.Sprintf("%s: %q stands here twice or is none of choice, int, float, log and step",
				key, name.Value)
			if near := keys.Name(name.Value, slices.Concat(kinds, extras)); near != "" && near != name.Value {
				text += fmt.Sprintf("; did you mean %q?", near)
			}
			return "", nil, nil, r.at(name, "%s", text)
		}
	}
	if kind == "" {
		return "", nil, nil, r.at(n, "%s: it is neither choice nor int nor float", key)
	}
	return kind, values, more, nil
}

// choice reads the values of a Choice.
func (r *spaceReader) choice(key string, values *yaml.Node, more map[string]*yaml.Node) (Domain, error) {
	for name, n := range more {
		return nil, r.at(n, "%s: a choice has no %s", key, name)
	}
	var c Choice
	for _, n := range values.Content {
		v, err := r.scalar(key, resolve(n))
		if err != nil {
			return nil, err
		}
		c.Values = append(c.Values, v)
	}
	return c, nil
}

// scalar is text, a number, true or false.
func (r *spaceReader) scalar(key string, n *yaml.Node) (any, error) {
	if n.Kind != yaml.ScalarNode {
		return nil, r.at(n,
			`%s: a choice is between texts, numbers, true and false; put others in quotes, as "{forced: 1}"`, key)
	}
	switch n.Tag {
	case "!!int":
		if v, err := strconv.Atoi(n.Value); err == nil {
			return v, nil
		}
	case "!!float":
		if v, err := strconv.ParseFloat(n.Value, 64); err == nil {
			return v, nil
		}
	case "!!bool":
		return strings.EqualFold(n.Value, "true"), nil
	case "!!str":
		return n.Value, nil
	}
	return nil, r.at(n, "%s: cannot choose %q", key, n.Value)
}

// whole reads an Int.
func (r *spaceReader) whole(key string, values *yaml.Node, more map[string]*yaml.Node) (Domain, error) {
	var d Int
	err := r.ends(key, values, &d.Low, &d.High)
	if n := more["step"]; n != nil && err == nil {
		if !number(n, &d.Step) || d.Step < 1 {
			return nil, r.at(n, "%s: step is %q, want a whole number above 0", key, n.Value)
		}
	}
	if err == nil {
		d.Log, err = r.log(key, more["log"])
	}
	return d, err
}

// float reads a Float.
func (r *spaceReader) float(key string, values *yaml.Node, more map[string]*yaml.Node) (Domain, error) {
	var d Float
	err := r.ends(key, values, &d.Low, &d.High)
	if n := more["step"]; n != nil && err == nil {
		if !number(n, &d.Step) || !(d.Step > 0) {
			return nil, r.at(n, "%s: step is %q, want a number above 0", key, n.Value)
		}
	}
	if err == nil {
		d.Log, err = r.log(key, more["log"])
	}
	return d, err
}

// ends reads [low, high].
func (r *spaceReader) ends(key string, values *yaml.Node, low, high any) error {
	if len(values.Content) != 2 {
		return r.at(values, "%s: a range is [low, high], this has %d numbers", key, len(values.Content))
	}
	for i, to := range []any{low, high} {
		if n := resolve(values.Content[i]); !number(n, to) {
			return r.at(values.Content[i], "%s: cannot use %q as the end of a range", key, n.Value)
		}
	}
	return nil
}

// number reads a number; a whole one must be written as one.
func number(n *yaml.Node, to any) (ok bool) {
	if n.Kind != yaml.ScalarNode {
		return false
	}
	var err error
	switch to := to.(type) {
	case *int:
		*to, err = strconv.Atoi(n.Value)
	case *float64:
		*to, err = strconv.ParseFloat(n.Value, 64)
	}
	return err == nil
}

// log reads whether a range is logarithmic.
func (r *spaceReader) log(key string, n *yaml.Node) (yes bool, err error) {
	if n != nil && (n.Tag != "!!bool" || n.Decode(&yes) != nil) {
		return false, r.at(n, "%s: log is %q, want true or false", key, n.Value)
	}
	return yes, nil
}

// resolve is what an alias stands for. Spaces are two levels deep, so that aliases cannot make them large.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}
