package serve

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/bloomgml/bloom/task"
)

// The Open Inference Protocol, version 2, over REST.

// server is the metadata of the server.
func (s *Server) server(*http.Request) (any, error) {
	return serverMetadata{"bloom", build(), []string{}}, nil
}

// healthy says that the server is up: models are open before it listens.
func (s *Server) healthy(*http.Request) (any, error) {
	return serverReady{true, true}, nil
}

// modelReady says that a model is ready.
func (s *Server) modelReady(r *http.Request) (any, error) {
	m, err := s.run(r)
	if err != nil {
		return nil, err
	}
	return modelReady{m.name(), true}, nil
}

// metadata describes inputs and outputs.
func (s *Server) metadata(r *http.Request) (any, error) {
	m, err := s.run(r)
	if err != nil {
		return nil, err
	}
	return modelMetadata{m.name(), "bloom", m.inputs(), m.outputs()}, nil
}

// asking is the body of infer.
type asking struct {
	ID         string         `json:"id,omitempty"`
	Parameters map[string]any `json:"parameters,omitempty"` // top: most answers to a question; others are not looked at
	Inputs     []struct {
		task.Tensor
		Parameters json.RawMessage `json:"parameters,omitempty"`
	} `json:"inputs"`
	Outputs []struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters,omitempty"`
	} `json:"outputs,omitempty"`
}

// question returns the question in a body.
func (in asking) question(most int) (task.Question, error) {
	q := task.Question{Inputs: map[string]task.Tensor{}, Top: 10, Most: most}
	if given, ok := in.Parameters["top"]; ok {
		top, _ := given.(float64)
		if q.Top = int(top); float64(q.Top) != top || q.Top < 1 || q.Top > most {
			return q, bad("parameter top is %v, want 1 to %d", given, most)
		}
	}
	for _, t := range in.Inputs {
		if q.Has(t.Name) {
			return q, bad("input %s is given twice", t.Name)
		}
		q.Inputs[t.Name] = t.Tensor
	}
	return q, nil
}

// infer answers.
func (s *Server) infer(r *http.Request) (any, error) {
	m, err := s.run(r)
	if err != nil {
		return nil, err
	}
	var in asking
	if err := decode(r, &in); err != nil {
		return nil, err
	}
	q, err := in.question(s.options.batch())
	if err != nil {
		return nil, err
	}
	outputs, err := m.infer(r.Context(), q)
	if err != nil {
		return nil, err
	}
	if len(in.Outputs) > 0 {
		var names []string
		for _, o := range in.Outputs {
			names = append(names, o.Name)
		}
		outputs, err = only(outputs, names)
	}
	return inferred{m.name(), in.ID, outputs}, err
}

// only returns the outputs of the given names, in that order.
func only(all []task.Tensor, names []string) ([]task.Tensor, error) {
	var some []task.Tensor
	for _, name := range names {
		i := slices.IndexFunc(all, func(t task.Tensor) bool { return t.Name == name })
		if i < 0 {
			return nil, bad("there is no output %q", name)
		}
		some = append(some, all[i])
	}
	return some, nil
}
