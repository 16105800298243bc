package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// wanted holds edits, and the nodes to answer for after them.
type wanted struct {
	Edits []Edit   `json:"edits"`
	Nodes []string `json:"nodes,omitempty"`
}

// edit handles POST /v1/graph: {"edits": […], "nodes": [ids]}, the nodes being optional, or lines of edits.
func (s *Server) edit(r *http.Request) (any, error) {
	m, err := s.model(r)
	if err != nil {
		return nil, err
	}
	in, err := s.edits(r)
	if err != nil {
		return nil, err
	}
	return m.Edit(r.Context(), in.Edits, in.Nodes...)
}

func (s *Server) edits(r *http.Request) (in wanted, err error) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "application/x-ndjson" {
		d := json.NewDecoder(r.Body)
		d.DisallowUnknownFields()
		for {
			var e Edit
			err := d.Decode(&e)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return in, unread(fmt.Errorf("edit %d: %w", len(in.Edits), err))
			}
			if in.Edits = append(in.Edits, e); len(in.Edits) > s.options.batch() {
				break // of which few tells
			}
		}
	} else if err := decode(r, &in); err != nil {
		return in, err
	}
	if len(in.Nodes) > 0 {
		err = s.few("nodes", len(in.Nodes))
	}
	return in, errors.Join(s.taken(in.Edits), err)
}

// few refuses lists that are empty or too long.
func (s *Server) few(what string, n int) error {
	if n == 0 || n > s.options.batch() {
		return bad("%d %s, want 1 to %d", n, what, s.options.batch())
	}
	return nil
}

// taken refuses lists of edits that are empty or too long, and ids with a zero byte, which are reserved for rows that
// are only asked about.
func (s *Server) taken(edits []Edit) error {
	for i, e := range edits {
		if e.AddNode != nil && strings.Contains(e.AddNode.ID, "\x00") {
			return bad("edit %d: the id %q has a zero byte", i, e.AddNode.ID)
		}
	}
	return s.few("edits", len(edits))
}

// undo handles POST /v1/undo.
func (s *Server) undo(r *http.Request) (any, error) {
	m, err := s.model(r)
	if err != nil {
		return nil, err
	}
	if err := empty(r); err != nil {
		return nil, err
	}
	return m.Undo(r.Context())
}

// whatIf handles POST /v1/what-if: {"edits": […], "nodes": [ids]}.
func (s *Server) whatIf(r *http.Request) (any, error) {
	m, err := s.model(r)
	if err != nil {
		return nil, err
	}
	var in wanted
	if err := decode(r, &in); err != nil {
		return nil, err
	}
	if err := errors.Join(s.taken(in.Edits), s.few("nodes", len(in.Nodes))); err != nil {
		return nil, err
	}
	answers, err := m.WhatIf(r.Context(), in.Edits, in.Nodes)
	return answered{answers}, err
}

// node handles GET /v1/nodes/ID.
func (s *Server) node(r *http.Request) (any, error) {
	m, err := s.about(r)
	if err != nil {
		return nil, err
	}
	answers, err := m.Answer(r.Context(), []string{r.PathValue("id")})
	if err != nil {
		return nil, err
	}
	return answers[0], nil
}

// graphOf handles GET /v1/graph.
func (s *Server) graphOf(r *http.Request) (any, error) {
	m, err := s.model(r)
	if err != nil {
		return nil, err
	}
	nodes, edges, version := m.Size()
	return sized{m.Name, nodes, edges, version}, nil
}
