package report

import (
	"math"
	"strings"
	"testing"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/train"
)

// TestNumbers is how numbers are written.
func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{show.Percent(0.9583), "95.8\u00a0%"}, {show.Percent(1), "100\u00a0%"}, {show.Percent(math.NaN()), "–"},
		{small(0.000464), "0.0464\u00a0%"},
		{small(0.07), "7\u00a0%"},
		{show.Thousands(1234567), "1,234,567"}, {show.Thousands(999), "999"},
		{duration(0.0238), "24 ms"}, {duration(2.5), "2.5 s"}, {duration(125), "2 min 5 s"},
		{duration(7260), "2 h 1 min"},
		{words("roc_auc"), "ROC-AUC"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// TestLayout: places are inside and apart, and neighbours are nearer to the centre than their neighbours.
func TestLayout(t *testing.T) {
	for _, c := range []struct{ direct, nodes int }{{0, 1}, {1, 2}, {3, 3}, {5, 24}, {mostNeighbours, mostNodes}} {
		a := &around{nodes: make([]int32, max(c.nodes, 1+c.direct)), direct: c.direct}
		at := a.layout()
		for i, p := range at {
			far := math.Hypot(p.X, p.Y)
			if want := i > c.direct; i == 0 && far != 0 || far > 1+1e-9 || (far > 0.75) != want {
				t.Errorf("node %d of %+v is at %v", i, c, p)
			}
			for j := range i {
				if d := math.Hypot(p.X-at[j].X, p.Y-at[j].Y); d < 0.1 {
					t.Errorf("nodes %d and %d of %+v are %v apart", i, j, c, d)
				}
			}
		}
	}
}

// TestReadRecords: what a line leaves out is NaN, a line that was cut off at the end is left out, and a wrong one is
// named.
func TestReadRecords(t *testing.T) {
	const text = `{"epoch":1,"loss":0.5,"rate":0.1,"valid":{"accuracy":0.25},"energy":{"start":3,"end":2}}
{"epoch":2,"loss":0.25,"train":{"accuracy":1},"test":{"accuracy":0.75}}
{"epoch":3,"lo`
	got, err := readRecords("m", []byte(text), "accuracy")
	if err != nil || len(got) != 2 {
		t.Fatalf("%v, %v", got, err)
	}
	if r := got[0]; r.Epoch != 1 || r.Loss != 0.5 || r.Rate != 0.1 || r.Valid != 0.25 || !math.IsNaN(r.Test) ||
		r.Start != 3 || r.End != 2 {
		t.Errorf("first %+v", r)
	}
	if r := got[1]; r.Train != 1 || r.Test != 0.75 || !math.IsNaN(r.Valid) || !math.IsNaN(r.Rate) ||
		!math.IsNaN(r.End) {
		t.Errorf("second %+v", r)
	}
	if _, err := readRecords("m", []byte("{}\n{\"epoch\":[]}\n"), "accuracy"); err == nil ||
		!strings.HasPrefix(err.Error(), "m:2: ") {
		t.Errorf("error %v", err)
	}
}

// FuzzReadRecords: any file is read or refused, and what is read can be drawn.
func FuzzReadRecords(f *testing.F) {
	f.Add([]byte(`{"epoch":1,"loss":1e300,"valid":{"accuracy":-1e308}}` + "\n"))
	f.Add([]byte("{}\n{\"epoch\":9223372036854775807,\"loss\":1}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		h, err := readRecords("m", text, "accuracy")
		if err != nil {
			return
		}
		r := &runFolder{Histories: [][]train.Record{h}}
		if fig := r.lossCurves(""); fig != nil && (strings.Contains(fig.SVG, "NaN") ||
			strings.Contains(fig.SVG, "Inf")) {
			t.Errorf("drawn: %s", fig.SVG)
		}
	})
}

// TestChanged: an energy that a descent raises is not called lowered.
func TestChanged(t *testing.T) {
	for drop, want := range map[float64]string{0.97: "lower by 97\u00a0%", -2.62: "raise by 262\u00a0%"} {
		if got := changed(drop); got != want {
			t.Errorf("changed(%g) is %q, want %q", drop, got, want)
		}
	}
	r := &Run{After: &bloom.Evidence{Energy: []float64{1, 3}}}
	if got := r.convergence(); got != "its steps may be too long" {
		t.Errorf("a descent that raises its energy: %q", got)
	}
}
