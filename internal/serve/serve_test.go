package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// trained is a run folder of a recipe on a small graph.
func trained(t testing.TB, recipe string) string {
	t.Helper()
	parent := t.TempDir()
	dir := filepath.Join(parent, "small")
	c, err := config.Default(recipe, "csbm:nodes=120,features=4")
	if err != nil {
		t.Fatal(err)
	}
	c.Train.Epochs = min(c.Train.Epochs, 10)
	d, err := catalogue.Open(c.Data.Name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := node.Run(t.Context(), *c, d, node.Options{Options: train.Options{Dir: dir}}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// running is a server for tests.
type running struct {
	*testing.T
	*httptest.Server
	s *Server
}

func serving(t *testing.T, o Options, dirs ...string) running {
	t.Helper()
	s, err := New(t.Context(), o, nil, dirs...)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s.Handler())
	t.Cleanup(func() { h.Close(); s.Close() })
	return running{t, h, s}
}

// ask is the answer to a request, decoded; a body makes it a POST.
func (r running) ask(path, body string, want int, into any) {
	r.Helper()
	var resp *http.Response
	var err error
	if body == "" {
		resp, err = http.Get(r.URL + path)
	} else {
		resp, err = http.Post(r.URL+path, "application/json", strings.NewReader(body))
	}
	if err != nil {
		r.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != want {
		r.Fatalf("%s %s: status %d, want %d: %s", path, body, resp.StatusCode, want, text)
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			r.Fatalf("%s: %v: %s", path, err, text)
		}
	}
}

// TestAnswers: what is served is what the run predicts.
func TestAnswers(t *testing.T) {
	for _, recipe := range []string{"base", "robust"} {
		dir := trained(t, recipe)
		r := serving(t, Options{}, dir)
		run, err := node.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		p, err := run.Predict()
		if err != nil {
			t.Fatal(err)
		}
		for want := range p.Each {
			var got Answer
			r.ask("/v1/nodes/"+want.ID, "", 200, &got)
			if got.Class != want.Class || math.Abs(got.Probability-want.Probability) > 1e-5 || got.Label != want.Label {
				t.Fatalf("%s: %+v, want %+v", recipe, got.Prediction, want)
			}
		}
	}
}

// TestEdits: edits change answers, undo and what-if leave no trace, and a second server finds what was acknowledged.
func TestEdits(t *testing.T) {
	for _, x := range []struct {
		recipe string
		o      Options
	}{{recipe: "base"}, {recipe: "closed"}, {"base", Options{Settle: true}}} {
		dir, o := trained(t, x.recipe), x.o
		r := serving(t, o, dir)
		ask := func() (a Answer) { r.ask("/v1/nodes/n3", "", 200, &a); return a }
		before := ask()
		const edits = `"edits":[{"add_node":{"id":"new","features":[3,3,3,3]}},{"add_edge":["new","n3"]},` +
			`{"remove_node":"n7"},{"set_features":{"id":"n3","features":[1,-2,0,9]}}]`
		var if2 struct{ Nodes []Answer }
		r.ask("/v1/what-if", `{`+edits+`,"nodes":["n3","new"]}`, 200, &if2)
		same(t, "after what-if", ask(), before, 2e-4)
		var made Edited
		r.ask("/v1/graph", `{`+edits+`}`, 200, &made)
		after := ask()
		if after.Version != made.Version || after.Probability == before.Probability {
			t.Fatalf("%+v after %+v", after, made)
		}
		if bound := after.Bound; (bound != nil) != o.Settle || o.Settle && *bound > made.Bound || made.Bound > 1e-3 {
			t.Errorf("%s, settle %v: %+v, %+v", x.recipe, o.Settle, after, made)
		}
		same(t, "what-if", if2.Nodes[0], after, 2e-4)
		r.ask("/v1/nodes/n7", "", 404, nil)
		_, err := New(t.Context(), Options{}, nil, dir)
		if err == nil || !strings.Contains(err.Error(), "is being served") {
			t.Errorf("two servers of one run: %v", err)
		}
		r.s.Close()
		again := serving(t, o, dir)
		var found Answer
		again.ask("/v1/nodes/n3", "", 200, &found)
		same(t, "another server", found, after, 2e-4)
		again.ask("/v1/undo", "{}", 200, nil)
		again.ask("/v1/nodes/n3", "", 200, &found)
		same(t, "undone", found, before, 2e-4)
		again.ask("/v1/nodes/n7", "", 200, nil)
		again.ask("/v1/nodes/new", "", 404, nil)
	}
}

func same(t *testing.T, what string, got, want Answer, within float64) {
	t.Helper()
	if got.Class != want.Class || math.Abs(got.Probability-want.Probability) > within {
		t.Fatalf("%s: %s %g, want %s %g", what, got.Class, got.Probability, want.Class, want.Probability)
	}
}

// TestBadEdits: a batch is made as a whole or not at all.
func TestBadEdits(t *testing.T) {
	r := serving(t, Options{Batch: 3, Body: 1000}, trained(t, "base"))
	good := `{"add_node":{"id":"x","features":[0,0,0,0]}}`
	for name, c := range map[string]struct {
		body string
		code int
	}{
		"no node":       {`{"edits":[` + good + `,{"add_edge":["x","nobody"]}]}`, 422},
		"a loop":        {`{"edits":[` + good + `,{"add_edge":["x","x"]}]}`, 422},
		"twice":         {`{"edits":[` + good + `,` + good + `]}`, 422},
		"two at once":   {`{"edits":[{"add_edge":["n1","n2"],"remove_node":"n1"}]}`, 422},
		"width":         {`{"edits":[{"add_node":{"id":"x","features":[1]}}]}`, 422},
		"infinite":      {`{"edits":[{"add_node":{"id":"x","features":[1e300,0,0,0]}}]}`, 422},
		"weight":        {`{"edits":[` + good + `,{"add_edge":["x","n1"],"weight":-1}]}`, 422},
		"too many":      {`{"edits":[` + strings.Repeat(good+",", 3) + good + `]}`, 400},
		"none":          {`{"edits":[]}`, 400},
		"unknown key":   {`{"edit":[]}`, 400},
		"no JSON":       {`{"edits":`, 400},
		"more":          {`{"edits":[` + good + `]} {}`, 400},
		"too long":      {`{"edits":[` + strings.Repeat(" ", 2000) + `]}`, 413},
		"three ends":    {`{"edits":[{"add_edge":["n1","n2","n3"]}]}`, 400},
		"no id":         {`{"edits":[{"add_node":{"features":[0,0,0,0]}}]}`, 422},
		"nothing known": {`{"edits":[{"set_features":{"id":"y","features":[0,0,0,0]}}]}`, 422},
	} {
		t.Run(name, func(t *testing.T) {
			r := running{t, r.Server, r.s}
			r.ask("/v1/graph", c.body, c.code, nil)
			var size struct{ Nodes, Version int }
			r.ask("/v1/graph", "", 200, &size)
			if size.Nodes != 120 || size.Version != 0 {
				t.Errorf("%d nodes, version %d", size.Nodes, size.Version)
			}
		})
	}
	r.ask("/v1/undo", "{}", 409, nil)
	resp, err := http.Post(r.URL+"/v1/graph", "text/plain", strings.NewReader(`{"edits":[`+good+`]}`))
	if err != nil || resp.StatusCode != 415 {
		t.Errorf("text: %v %v", resp.StatusCode, err)
	}
	resp, err = http.Post(r.URL+"/v1/graph", "application/x-ndjson",
		strings.NewReader(good+"\n"+`{"add_edge":["x","n5"]}`+"\n"))
	if err != nil || resp.StatusCode != 200 {
		t.Errorf("lines: %v %v", resp.StatusCode, err)
	}
}

// TestProtocol: the Open Inference Protocol.
func TestProtocol(t *testing.T) {
	r := serving(t, Options{}, trained(t, "base"))
	r.ask("/v2/health/live", "", 200, nil)
	r.ask("/v2/health/ready", "", 200, nil)
	r.ask("/v2", "", 200, nil)
	r.ask("/v2/models/other", "", 404, nil)
	r.ask("/v2/models/small/ready", "", 200, nil)
	var meta struct {
		Name    string
		Inputs  []task.Tensor
		Outputs []task.Tensor
	}
	r.ask("/v2/models/small", "", 200, &meta)
	var out struct {
		ID      string        `json:"id"`
		Name    string        `json:"model_name"`
		Outputs []task.Tensor `json:"outputs"`
	}
	const question = `{"id":"q","inputs":[{"name":"id","shape":[2],"datatype":"BYTES","data":["n1","n2"]}]}`
	r.ask("/v2/models/small/infer", question, 200, &out)
	if out.ID != "q" || out.Name != "small" || len(out.Outputs) != len(meta.Outputs) {
		t.Fatalf("%+v", out)
	}
	var p []float64
	if err := json.Unmarshal(out.Outputs[1].Data, &p); err != nil || out.Outputs[1].Name != "probabilities" ||
		int64(len(p)) != out.Outputs[1].Shape[0]*out.Outputs[1].Shape[1] || math.Abs(p[0]+p[1]-1) > 1e-5 {
		t.Errorf("%+v %v %v", out.Outputs[1], p, err)
	}
	const one = `{"inputs":[{"name":"id","shape":[1],"datatype":"BYTES","data":["n1"]}],"outputs":[{"name":"%s"}]}`
	r.ask("/v2/models/small/infer", fmt.Sprintf(one, "class"), 200, &out)
	if len(out.Outputs) != 1 || out.Outputs[0].Name != "class" {
		t.Errorf("%+v", out.Outputs)
	}
	r.ask("/v2/models/small/infer", fmt.Sprintf(one, "other"), 400, nil)
	for _, body := range []string{`{}`, `{"inputs":[]}`,
		`{"inputs":[{"name":"id","shape":[3],"datatype":"BYTES","data":["n1"]}]}`,
		`{"inputs":[{"name":"id","shape":[1],"datatype":"INT64","data":[1]}]}`} {
		r.ask("/v2/models/small/infer", body, 400, nil)
	}
	resp, err := http.Get(r.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(resp.Body)
	if !bytes.Contains(text, []byte(`bloom_graph_nodes{model="small"} 120`)) {
		t.Errorf("%s", text)
	}
}

// TestGuard: tokens, roles, addresses, and other pages.
func TestGuard(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte("# who\nread 0123456789abcdef\nwrite fedcba9876543210\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := serving(t, Options{TokenFile: file}, trained(t, "base"))
	try := func(method, path, token string, header ...string) int {
		q, _ := http.NewRequest(method, r.URL+path, strings.NewReader(`{"edits":[{"remove_node":"n1"}]}`))
		q.Header.Set("Content-Type", "application/json")
		if token != "" {
			q.Header.Set("Authorization", "Bearer "+token)
		}
		if header != nil {
			q.Header.Set(header[0], header[1])
		}
		resp, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	for _, c := range []struct {
		method, path, token string
		want                int
	}{
		{"GET", "/v1/graph", "", 401}, {"GET", "/v1/graph", "wrong-wrong-wrong", 401},
		{"GET", "/v1/graph", "0123456789abcdef", 200}, {"POST", "/v1/graph", "0123456789abcdef", 403},
		{"GET", "/v2/health/live", "", 200}, {"GET", "/metrics", "", 401},
	} {
		if got := try(c.method, c.path, c.token); got != c.want {
			t.Errorf("%s %s by %q: %d, want %d", c.method, c.path, c.token, got, c.want)
		}
	}
	if got := try("POST", "/v1/graph", "fedcba9876543210", "Sec-Fetch-Site", "cross-site"); got != 403 {
		t.Errorf("from another page: %d", got)
	}
	if got := try("POST", "/v1/graph", "fedcba9876543210"); got != 200 {
		t.Errorf("a writer: %d", got)
	}
	for _, o := range []Options{{Addr: "0.0.0.0:0"}, {Addr: ":8080"}, {Addr: "nowhere"}, {Cert: "x"}, {Tolerance: 1},
		{Settle: true, Tolerance: -1}} {
		if _, err := New(t.Context(), o, nil); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

// TestTogether: many ask and edit at once.
func TestTogether(t *testing.T) {
	r := serving(t, Options{}, trained(t, "base"))
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for k := range 10 {
				id := fmt.Sprintf("w%d-%d", i, k)
				const edits = `{"edits":[{"add_node":{"id":%q,"features":[1,0,0,0]}},{"add_edge":[%[1]q,"n%d"]}]}`
				r.ask("/v1/graph", fmt.Sprintf(edits, id, k), 200, nil)
				r.ask("/v1/nodes/"+id, "", 200, nil)
			}
		})
	}
	wait.Wait()
	var size struct{ Nodes, Version int }
	r.ask("/v1/graph", "", 200, &size)
	if size.Nodes != 200 || size.Version != 80 {
		t.Errorf("%d nodes, version %d", size.Nodes, size.Version)
	}
}
