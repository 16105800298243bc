package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
)

// The Open Inference Protocol, version 2, over REST.

// tensor is an input or an output.
type tensor struct {
	Name     string          `json:"name"`
	Shape    []int64         `json:"shape"`
	Datatype string          `json:"datatype"`
	Data     json.RawMessage `json:"data,omitempty"`
}

// about is the metadata of the server.
func (s *Server) about(*http.Request) (any, error) {
	return map[string]any{"name": "bloom", "version": build(), "extensions": []string{}}, nil
}

// healthy says that the server is there: models are open before it listens.
func (s *Server) healthy(*http.Request) (any, error) {
	return map[string]bool{"live": true, "ready": true}, nil
}

// modelReady is for a model that is there.
func (s *Server) modelReady(r *http.Request) (any, error) {
	m, err := s.model(r)
	if err != nil {
		return nil, err
	}
	return map[string]any{"name": m.Name, "ready": true}, nil
}

// metadata describes inputs and outputs.
func (s *Server) metadata(r *http.Request) (any, error) {
	m, err := s.model(r)
	if err != nil {
		return nil, err
	}
	return map[string]any{"name": m.Name, "versions": []string{"1"}, "platform": "bloom",
		"inputs": []tensor{{Name: "id", Shape: []int64{-1}, Datatype: "BYTES"}}, "outputs": m.outputs()}, nil
}

// outputs are what infer gives, without data.
func (m *Model) outputs() []tensor {
	t := m.graph.task
	if t.Classes() == 1 {
		return []tensor{{Name: "value", Shape: []int64{-1}, Datatype: "FP64"},
			{Name: "bound", Shape: []int64{-1}, Datatype: "FP64"}}
	}
	return []tensor{{Name: "class", Shape: []int64{-1}, Datatype: "BYTES"},
		{Name: "probabilities", Shape: []int64{-1, int64(t.Classes())}, Datatype: "FP64"},
		{Name: "bound", Shape: []int64{-1}, Datatype: "FP64"}}
}

// infer answers for the ids of nodes.
func (s *Server) infer(r *http.Request) (any, error) {
	m, err := s.model(r)
	if err != nil {
		return nil, err
	}
	var in struct {
		ID         string          `json:"id"`
		Parameters json.RawMessage `json:"parameters"`
		Inputs     []struct {
			tensor
			Parameters json.RawMessage `json:"parameters"`
		} `json:"inputs"`
		Outputs []struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"outputs"`
	}
	if err := decode(r, &in); err != nil {
		return nil, err
	}
	if len(in.Inputs) != 1 || in.Inputs[0].Name != "id" {
		return nil, bad("%d inputs, want one with the name id", len(in.Inputs))
	}
	ids, err := in.Inputs[0].strings()
	if err != nil {
		return nil, err
	}
	if err := s.few("ids", len(ids)); err != nil {
		return nil, err
	}
	answers, err := m.Answer(ids)
	if err != nil {
		return nil, err
	}
	outputs, err := m.fill(answers)
	if len(in.Outputs) > 0 && err == nil {
		var names []string
		for _, o := range in.Outputs {
			names = append(names, o.Name)
		}
		outputs, err = only(outputs, names)
	}
	out := map[string]any{"model_name": m.Name, "model_version": "1", "outputs": outputs}
	if in.ID != "" {
		out["id"] = in.ID
	}
	return out, err
}

// only are the outputs of the given names, in that order.
func only(all []tensor, names []string) ([]tensor, error) {
	var some []tensor
	for _, name := range names {
		i := slices.IndexFunc(all, func(t tensor) bool { return t.Name == name })
		if i < 0 {
			return nil, bad("there is no output %q", name)
		}
		some = append(some, all[i])
	}
	return some, nil
}

// strings is the data of a tensor of strings.
func (t tensor) strings() ([]string, error) {
	var ids []string
	switch {
	case t.Datatype != "BYTES":
		return nil, bad("input %s: datatype %q, want BYTES", t.Name, t.Datatype)
	case json.Unmarshal(t.Data, &ids) != nil:
		return nil, bad("input %s: data is no list of strings", t.Name)
	}
	n := int64(1)
	for _, x := range t.Shape {
		n *= x
	}
	if n != int64(len(ids)) {
		return nil, bad("input %s: shape %v for %d values", t.Name, t.Shape, len(ids))
	}
	return ids, nil
}

// fill are the outputs with the data of answers.
func (m *Model) fill(answers []Answer) ([]tensor, error) {
	names := m.graph.task.Data.Labels.Names
	data := map[string][]any{}
	for _, a := range answers {
		data["class"] = append(data["class"], a.Class)
		if a.Value != nil {
			data["value"] = append(data["value"], *a.Value)
		}
		for _, name := range names {
			data["probabilities"] = append(data["probabilities"], a.Probabilities[name])
		}
		data["bound"] = append(data["bound"], a.Bound)
	}
	out := m.outputs()
	for i := range out {
		text, err := json.Marshal(data[out[i].Name])
		if err != nil {
			return nil, fmt.Errorf("output %s: %w", out[i].Name, err)
		}
		out[i].Shape[0], out[i].Data = int64(len(answers)), text
	}
	return out, nil
}
