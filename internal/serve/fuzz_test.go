package serve

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzRequests sends bodies to everything that takes one: no answer is a failure of the server or no JSON, and the
// graph has as many versions as were acknowledged.
func FuzzRequests(f *testing.F) {
	s, err := New(f.Context(), Options{Batch: 50}, nil, trained(f, "base"))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(s.Close)
	h := s.Handler()
	paths := []string{"/v1/graph", "/v1/undo", "/v1/what-if", "/v1/explain", "/v1/audit", "/v2/models/small/infer"}
	for i, seed := range []string{
		`{"edits":[{"add_edge":["n1","n2"]},{"remove_edge":["n1","n2"]}],"nodes":["n1"]}`, `{}`,
		`{"edits":[{"add_node":{"id":"a","features":[1,2,3,4]}}],"nodes":["a","n3"]}`,
		`{"node":"n1","edits":[{"remove_node":"n2"}]}`, `{}`,
		`{"id":"q","parameters":{"top":3},"inputs":[{"name":"id","shape":[1],"datatype":"BYTES","data":["n1"]}],` +
			`"outputs":[{"name":"class"}]}`,
	} {
		f.Add(uint8(i), seed)
	}
	f.Add(uint8(0), `{"edits":[{"set_features":{"id":"n1","features":[1e38,-1e38,0,1]}},{"remove_node":"n9"}]}`)
	f.Add(uint8(0), `{"edits":[{"set_label":{"id":"n1","class":"c1"}},{"confirm":{"row":"n2"}}]}`)
	f.Add(uint8(5), `{"inputs":[{"name":"features","shape":[1,4],"datatype":"FP64","data":[1,2,3,4]},`+
		`{"name":"edge_row","shape":[1],"datatype":"INT64","data":[0]},`+
		`{"name":"edge_to","shape":[1],"datatype":"BYTES","data":["n3"]}]}`)
	f.Fuzz(func(t *testing.T, which uint8, body string) {
		path := paths[int(which)%len(paths)]
		_, _, before := s.models()[0].Size()
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		r.Host = "localhost"
		r.Header.Set("Content-Type", []string{"application/json", "application/x-ndjson"}[int(which)/len(paths)%2])
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= 500 || !json.Valid(w.Body.Bytes()) {
			t.Fatalf("%s %q: status %d: %s", path, body, w.Code, w.Body)
		}
		_, _, after := s.models()[0].Size()
		made := w.Code == http.StatusOK && (path == "/v1/graph" || path == "/v1/undo")
		if made != (after == before+1) || !made && after != before {
			t.Fatalf("%s %q: status %d, version %d after %d", path, body, w.Code, after, before)
		}
		rewind(t, s.models()[0])
	})
}

// rewind takes all versions back where there are many, so that the memory of a long run is about requests and not about
// edits that were made.
func rewind(t *testing.T, m *Model) {
	if len(m.made) < 100 {
		return
	}
	for range len(m.made) {
		if _, err := m.Undo(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// FuzzQuestions asks everything that takes an id, a text or a name in its address: no answer is a failure.
func FuzzQuestions(f *testing.F) {
	s, err := New(f.Context(), Options{}, nil, trained(f, "base"))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(s.Close)
	h := s.Handler()
	paths := []string{"/v1/nodes/", "/v1/search", "/v1/features", "/v1/explain", "/v1/audit", "/v1/graph", "/v1/health",
		"/v1/models", "/v2/models/", "/v1/openapi.json", "/metrics", "/"}
	for i := range paths {
		f.Add(uint8(i), "n1", "model=small&q=n1&node=n1", "Bearer x")
	}
	f.Fuzz(func(t *testing.T, which uint8, id, query, token string) {
		path := paths[int(which)%len(paths)]
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host, r.URL.Path, r.URL.RawQuery = "localhost", path+id, query
		r.Header.Set("Authorization", token)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Fatalf("%s%q?%q: status %d: %s", path, id, query, w.Code, w.Body)
		}
	})
}
