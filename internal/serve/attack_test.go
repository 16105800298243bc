package serve

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// attacked is a run folder of a recipe on 500 nodes with three features.
func attacked(t *testing.T, recipe string) string {
	t.Helper()
	c, err := config.Default(recipe, "csbm:nodes=500,features=3")
	if err != nil {
		t.Fatal(err)
	}
	c.Train.Epochs = 10
	d, err := catalogue.Open(c.Data.Name)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "csbm")
	if _, err := node.Run(t.Context(), *c, d, node.Options{Options: train.Options{Dir: dir}}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// everybody is what is said about all nodes of the data set.
func (r running) everybody() []Answer {
	r.Helper()
	out := make([]Answer, 500)
	for v := range out {
		r.ask(fmt.Sprintf("/v1/nodes/n%d", v), "", 200, &out[v])
	}
	return out
}

// try sends a body, and returns the status and the text of the answer.
func (r running) try(path, body string) (int, string) {
	r.Helper()
	resp, err := http.Post(r.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		r.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text)
}

// unchanged wants the same answers to the last bit.
func unchanged(t *testing.T, what string, got, want []Answer) {
	t.Helper()
	changed := 0
	for v := range want {
		if a, b := got[v], want[v]; a.Class != b.Class || a.Probability != b.Probability {
			if changed++; changed == 1 {
				t.Errorf("%s: node %d: %s %g; it was %s %g", what, v, a.Class, a.Probability, b.Class, b.Probability)
			}
		}
	}
	if changed > 0 {
		t.Errorf("%s: %d of %d answers changed", what, changed, len(want))
	}
}

// TestQuestionsChangeNothing: whatever is asked, also what is too large for an answer, all answers stay what they were,
// to the last bit.
func TestQuestionsChangeNothing(t *testing.T) {
	r := serving(t, Options{}, attacked(t, "base"))
	before := r.everybody()
	question := func(what, edits string) {
		r.Helper()
		for path, node := range map[string]string{"/v1/what-if": `"nodes":["n1"]`, "/v1/explain": `"node":"n1"`} {
			code, text := r.try(path, `{"edits":[`+edits+`],`+node+`}`)
			if code != 200 && code != 422 {
				t.Errorf("%s: %s: status %d: %s", what, path, code, text)
			}
		}
	}
	for _, x := range []string{"1e10", "1e20", "1e35", "-3e38"} {
		question("features "+x, strings.ReplaceAll(`{"set_features":{"id":"n1","features":[X,X,X]}}`, "X", x))
	}
	unchanged(t, "features", r.everybody(), before)
	const heavy = `{"add_node":{"id":"x","features":[1,2,3]}},{"add_edge":["x","n1"],"weight":5678901.37}`
	question("weight", heavy)
	times := 100
	if testing.Short() {
		times = 10
	}
	for range times {
		r.ask("/v1/what-if", `{"edits":[`+heavy+`],"nodes":["n1"]}`, 200, nil)
	}
	unchanged(t, "weights", r.everybody(), before)
	for _, w := range []string{"1e-30", "1e10", "1e30"} {
		question("weight "+w, strings.ReplaceAll(`{"add_node":{"id":"x","features":[1,2,3]}},{"remove_node":"n7"},`+
			`{"set_label":{"id":"n8","class":"c1"}},{"add_edge":["x","n1"],"weight":W},`+
			`{"add_edge":["x","n2"],"weight":W}`, "W", w))
	}
	unchanged(t, "small and large weights", r.everybody(), before)
}

// TestAddAndRemove: an edge that comes and goes two hundred times, with a weight that is no float32, leaves states what
// they were, to the bit; and so does taking it all back.
func TestAddAndRemove(t *testing.T) {
	task, err := node.Open(attacked(t, "base"))
	if err != nil {
		t.Fatal(err)
	}
	g, err := newGraph(t.Context(), task, Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows := func() (all [][]mat.Real) {
		for v := range int32(g.state.Nodes()) {
			all = append(all, slices.Clone(g.state.Row(v)))
		}
		return all
	}
	before := rows()
	var made []*former
	cycles := 200
	if testing.Short() {
		cycles = 50
	}
	for range cycles {
		for _, e := range []Edit{{AddEdge: &Pair{"n1", "n490"}, Weight: 50.7}, {RemoveEdge: &Pair{"n1", "n490"}}} {
			d, err := g.edited(t.Context(), []Edit{e})
			if err != nil {
				t.Fatal(err)
			}
			made = append(made, d.commit())
		}
	}
	if !reflect.DeepEqual(rows(), before) {
		t.Error("after all of them, it is not what it was")
	}
	for _, p := range slices.Backward(made) {
		takeBack(t, g, p)
	}
	if !reflect.DeepEqual(rows(), before) {
		t.Error("taken back, it is not what it was")
	}
}

// TestLargeWeights: edges of weights that a float32 does not hold are refused in a sentence, and leave nothing.
func TestLargeWeights(t *testing.T) {
	r := serving(t, Options{}, attacked(t, "base"))
	before := r.everybody()
	for _, w := range []string{"1e308", "1e-50"} {
		for _, path := range []string{"/v1/what-if", "/v1/graph"} {
			code, text := r.try(path, fmt.Sprintf(`{"edits":[{"add_edge":["n1","n490"],"weight":%s},`+
				`{"add_edge":["n2","n491"],"weight":%[1]s}],"nodes":["n1"]}`, w))
			if code != 422 {
				t.Errorf("weight %s: %s: status %d, want 422: %s", w, path, code, text)
			}
			if strings.Contains(text, "want a number above 0") {
				t.Errorf("weight %s: %s", w, text)
			}
		}
	}
	unchanged(t, "refused", r.everybody(), before)
	// one after the other, each with what a float32 makes of it
	for i, w := range []string{"1e3", "1e5", "1e-30", "0.1"} {
		r.ask("/v1/graph", fmt.Sprintf(`{"edits":[{"add_edge":["n%d","n490"],"weight":%s}]}`, i, w), 200, nil)
	}
	for range 4 {
		r.ask("/v1/undo", "{}", 200, nil)
	}
	after := r.everybody()
	for v := range after {
		after[v].Version = 0
	}
	unchanged(t, "taken back", after, before)
}

// TestDeadline: a question that takes longer than --timeout ends with a sentence, and others are answered meanwhile.
func TestDeadline(t *testing.T) {
	s, err := New(t.Context(), Options{Timeout: time.Second, AtOnce: 2}, nil, attacked(t, "base"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ended := make(chan error)
	go func() {
		_, err := s.inTime(httptest.NewRequest("GET", "/", nil), func(r *http.Request) (any, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		ended <- err
	}()
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/v1/nodes/n1", nil)
	r.Host = "localhost"
	if s.Handler().ServeHTTP(w, r); w.Code != 200 {
		t.Errorf("status %d meanwhile: %s", w.Code, w.Body)
	}
	if err := <-ended; codeOf(err) != 503 || !strings.Contains(err.Error(), "no answer within 1s") {
		t.Errorf("%v, want 503", err)
	}
}
