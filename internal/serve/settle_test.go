package serve

import (
	"fmt"
	"strings"
	"testing"
)

// TestSettle: answers at the minimum have bounds wherever they are given, and edits for which there is no bound are
// refused in a sentence and leave nothing.
func TestSettle(t *testing.T) {
	r := serving(t, Options{Settle: true, Tolerance: 1e-3}, attacked(t, "base"))
	before := r.everybody()
	var list struct{ Models []About }
	if r.ask("/v1/models", "", 200, &list); !list.Models[0].Settled {
		t.Errorf("%+v", list)
	}
	said := r.inferred("csbm", `{"inputs":[{"name":"id","shape":[2],"datatype":"BYTES","data":["n1","n2"]}]}`)
	if b, ok := said["bound"]; !ok || len(b.Shape) != 1 || b.Shape[0] != 2 {
		t.Errorf("%+v", said)
	}
	r.ask("/v1/explain?node=n1", "", 200, nil)
	for _, w := range []string{"1e30", "1e12", "1e308"} {
		for _, path := range []string{"/v1/what-if", "/v1/graph"} {
			code, text := r.try(path, fmt.Sprintf(
				`{"edits":[{"add_edge":["n1","n490"],"weight":%s}],"nodes":["n1"]}`, w))
			if code != 422 || w != "1e308" && !strings.Contains(text, "no bound can be given") {
				t.Errorf("weight %s: %s: status %d: %s", w, path, code, text)
			}
		}
	}
	unchanged(t, "refused edits", r.everybody(), before)
}

// TestSettleRefused: runs for which no bound can be given are not served.
func TestSettleRefused(t *testing.T) {
	for dir, want := range map[string]string{trained(t, "robust"): "nearly flat", trained(t, "gcn"): "one energy",
		trainedOn(t, "distmult", "family:families=3", ""): "runs about"} {
		_, err := New(t.Context(), Options{Settle: true}, nil, dir)
		if text := fmt.Sprint(err); !strings.Contains(text, "no bound can be given") || !strings.Contains(text, want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}
