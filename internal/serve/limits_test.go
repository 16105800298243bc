package serve

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestRate: an address may send a limited number of requests a second, and others have their own.
func TestRate(t *testing.T) {
	l, now := &limiter{rate: 5}, time.Unix(1000, 0)
	ask := func(who string, times int) (allowed int) {
		for range times {
			if l.allow(who, now) {
				allowed++
			}
		}
		return allowed
	}
	if a, b := ask("10.0.0.1:5", 100), ask("10.0.0.2:5", 3); a != 10 || b != 3 {
		t.Errorf("%d and %d at once, want 10 and 3", a, b)
	}
	now = now.Add(time.Second)
	if a := ask("10.0.0.1:6", 100); a != 5 {
		t.Errorf("%d a second later, want 5", a)
	}
	r := serving(t, Options{Rate: 1}, trained(t, "base"))
	var last int
	for range 5 {
		resp, err := http.Get(r.URL + "/v1/graph")
		if err != nil {
			t.Fatal(err)
		}
		last = resp.StatusCode
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("status %d", last)
	}
}

// TestColumnNames: features change by the names of their columns, and the rest stays.
func TestColumnNames(t *testing.T) {
	r := serving(t, Options{}, trained(t, "base"))
	var before, after featured
	r.ask("/v1/features?node=n1", "", 200, &before)
	name := before.Columns[2].Name
	r.ask("/v1/graph", fmt.Sprintf(`{"edits":[{"set_features":{"id":"n1","columns":{%q:7}}},`+
		`{"add_node":{"id":"x","columns":{%[1]q:7}}}]}`, name), 200, nil)
	r.ask("/v1/features?node=n1", "", 200, &after)
	for j, x := range before.Features {
		if j == 2 {
			x = 7
		}
		if after.Features[j] != x {
			t.Errorf("column %d: %g, want %g", j, after.Features[j], x)
		}
	}
	r.ask("/v1/graph", `{"edits":[{"set_features":{"id":"n1","columns":{"nothing":7}}}]}`, 422, nil)
	r.ask("/v1/graph", `{"edits":[{"set_features":{"id":"n1","features":[1,2,3,4],"columns":{"x":7}}}]}`, 422, nil)
}

// triton asks a server as a client of the Open Inference Protocol does that is not ours.
const triton = `
import sys, numpy, tritonclient.http as http
c = http.InferenceServerClient(sys.argv[1])
assert c.is_server_live() and c.is_server_ready() and c.is_model_ready("small")
meta = c.get_model_metadata("small")
x = http.InferInput("id", [2], "BYTES")
x.set_data_from_numpy(numpy.array(["n1", "n2"], dtype=object), binary_data=False)
out = c.infer("small", [x], request_id="7", outputs=[http.InferRequestedOutput(n, binary_data=False)
	for n in ("class", "probabilities")])
p = out.as_numpy("probabilities")
assert p.shape == (2, 2) and abs(p.sum(axis=1) - 1).max() < 1e-5, p
print(len(out.as_numpy("class")), out.get_response()["id"], [o["name"] for o in meta["outputs"]])
`

// TestTriton: NVIDIA's client of the protocol understands the server.
func TestTriton(t *testing.T) {
	python := cmp.Or(os.Getenv("BLOOM_PYTHON"), "python3")
	if err := exec.Command(python, "-c", "import tritonclient.http").Run(); err != nil {
		t.Skipf("%s has no tritonclient[http]: %v", python, err)
	}
	r := serving(t, Options{}, trained(t, "base"))
	out, err := exec.CommandContext(t.Context(), python, "-c", triton, r.URL[len("http://"):]).CombinedOutput()
	if want := "2 7 ['class', 'probabilities']\n"; err != nil || string(out) != want {
		t.Errorf("%v: %s", err, out)
	}
}
