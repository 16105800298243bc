package serve

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"
)

// found is the number of nodes that a search shows.
const found = 12

// search handles GET /v1/search?q=TEXT: nodes whose ids contain the text, ignoring case: first the exact match, then
// ids that begin with it, then the others, shorter ones first.
func (s *Server) search(r *http.Request) (any, error) {
	m, err := s.about(r)
	if err != nil {
		return nil, err
	}
	nodes, all, err := m.search(r.Context(), r.URL.Query().Get("q"), found)
	return searched{nodes, all}, err
}

// search answers for the first nodes that have a text in their ids, and says how many have it.
func (m *Model) search(ctx context.Context, text string, most int) ([]Answer, int, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	g := m.graph
	ids, all := search(text, most, func(yield func(string) bool) {
		for v := range int32(g.state.Nodes()) {
			if !g.hidden.has(v) && !yield(g.id(v)) {
				return
			}
		}
	})
	answers, err := m.answer(ctx, g, ids)
	return answers, all, err
}

// hit is a node that was found.
type hit struct {
	id   string
	rank int // 0 is the same, 1 begins with it, 2 has it
}

// search returns the first of ids that have a text, and how many have it.
func search(text string, most int, of iter.Seq[string]) (ids []string, all int) {
	text = strings.ToLower(text)
	var hits []hit
	for id := range of {
		at := strings.Index(strings.ToLower(id), text)
		if at < 0 {
			continue
		}
		all++
		if h := (hit{id, rank(at, len(id), len(text))}); h.rank < 2 || len(hits) < 100*most {
			hits = append(hits, h)
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(len(a.id), len(b.id)))
	})
	for _, h := range hits[:min(most, len(hits))] {
		ids = append(ids, h.id)
	}
	return ids, all
}

// rank says how well an id of the given length matches a text that it contains at an index.
func rank(at, id, text int) int {
	switch {
	case at > 0:
		return 2
	case id > text:
		return 1
	}
	return 0
}
