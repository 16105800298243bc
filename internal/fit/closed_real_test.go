package fit

import (
	"flag"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
)

var figures = flag.String("figures", "", "measure these graphs, all splits of them")

// asked reports whether -figures asks for a graph; without it Cora alone is asked for.
func asked(name string) bool {
	return name == "cora" && *figures == "" || *figures != "" && strings.Contains(*figures, name)
}

// TestFigures: scores on graphs with published splits, and the least that each must reach. Cora alone without -figures.
func TestFigures(t *testing.T) {
	for _, c := range []struct {
		data  string
		least float64
	}{
		{"cora", 0.82}, {"citeseer", 0.71}, {"pubmed", 0.79}, {"tolokers", 0.80}, {"minesweeper", 0.87},
		{"squirrel_filtered", 0}, {"actor", 0},
	} {
		if !asked(c.data) {
			continue
		}
		d, err := catalogue.Open(c.data)
		if err != nil {
			t.Logf("%s: skipped: %v", c.data, err)
			continue
		}
		var scores []float64
		start := time.Now()
		for i, split := range d.Splits {
			if i == 1 && *figures == "" {
				break
			}
			f, err := Solve(ProblemOf(d, split.Train, 1))
			if err != nil {
				t.Fatal(err)
			}
			scores = append(scores, score(d, split.Test, f))
			if i == 0 {
				t.Logf("%s: left-out error %.4f, log loss %.4f, τ %.2f β %.2f", c.data, f.Error, f.Calibration.LogLoss,
					f.Calibration.Tau, f.Calibration.Beta)
			}
		}
		mean, sd := moments(scores)
		t.Logf("%s: %.4f ± %.4f over %d splits, %.2f s each", c.data, mean, sd, len(scores),
			time.Since(start).Seconds()/float64(len(scores)))
		if mean < c.least {
			t.Errorf("%s: %.4f, want %.4f", c.data, mean, c.least)
		}
	}
}

// score is the accuracy, or the area under the ROC curve where the data asks for that.
func score(d *dataset.Dataset, nodes []int32, f *Answers) float64 {
	k := f.Outputs
	logits := make([]float64, k)
	right, pos := 0.0, []float64{}
	neg := []float64{}
	for _, v := range nodes {
		f.Calibration.Logits(logits, f.Answers[int(v)*k:][:k])
		best := 0
		for j := range k {
			if logits[j] > logits[best] {
				best = j
			}
		}
		class := d.Labels.Class[v]
		if best == int(class) {
			right++
		}
		if class == 1 {
			pos = append(pos, logits[1]-logits[0])
		} else {
			neg = append(neg, logits[1]-logits[0])
		}
	}
	if d.Metric != "roc_auc" {
		return right / float64(len(nodes))
	}
	slices.Sort(neg)
	area := 0.0
	for _, p := range pos {
		i, _ := slices.BinarySearch(neg, p)
		area += float64(i)
	}
	return area / math.Max(float64(len(pos)*len(neg)), 1)
}

// farthest is the largest difference of answers and probabilities.
func farthest(a, b *Answers) (far float64) {
	k := a.Outputs
	x, y := make([]float64, k), make([]float64, k)
	for at := 0; at < len(a.Answers); at += k {
		a.Calibration.Probabilities(x, a.Answers[at:at+k])
		b.Calibration.Probabilities(y, b.Answers[at:at+k])
		for j := range k {
			far = max(far, math.Abs(a.Answers[at+j]-b.Answers[at+j]), math.Abs(x[j]-y[j]))
		}
	}
	return far
}

// shorter is a problem without some labels.
func shorter(p Problem, gone []int) Problem {
	k, rows, y := p.Outputs, p.Rows, p.Y
	p.Rows, p.Y = nil, nil
	for i, v := range rows {
		if !slices.Contains(gone, i) {
			p.Rows, p.Y = append(p.Rows, v), append(p.Y, y[i*k:(i+1)*k]...)
		}
	}
	return p
}

// TestWithout: labels that are taken out leave the answers of a problem that never had them, for few labels and many,
// classes and numbers, and one after the other.
func TestWithout(t *testing.T) {
	for _, name := range []string{"csbm:nodes=300,features=40,train=0.1", "csbm:nodes=1500,features=4,train=0.4",
		"smooth:nodes=300,features=4", "csbm:nodes=300,features=0"} {
		d, err := catalogue.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		p := ProblemOf(d, d.Splits[0].Train, 1)
		l, err := NewLinear(p)
		if err != nil {
			t.Fatal(err)
		}
		var hundredth []int
		for i := 7; i < len(p.Rows); i += 100 {
			hundredth = append(hundredth, i)
		}
		for _, gone := range [][]int{{3}, {0, 7, 8}, {len(p.Rows) - 1}, hundredth} {
			want, err := Solve(shorter(p, gone))
			if err != nil {
				t.Fatal(err)
			}
			got, err := l.Without(gone)
			if err != nil {
				t.Fatal(err)
			}
			far := farthest(got, want)
			t.Logf("%s without %v of %d: %.2g", name, gone, len(p.Rows), far)
			if !(far < 1e-5) || !slices.Equal(got.Rows, want.Rows) {
				t.Errorf("%s without %v: %g away", name, gone, far)
			}
		}
		for _, gone := range [][]int{{1, 1}, {len(p.Rows)}, {-1}} {
			if _, err := l.Without(gone); err == nil {
				t.Errorf("%v was taken out", gone)
			}
		}
	}
}

// TestWithoutReal takes 1 % of the labels out of data in BLOOM_DATA, and says how long it takes. Cora alone without
// -figures.
func TestWithoutReal(t *testing.T) {
	for name, some := range map[string][]int{"cora": {17}, "pubmed": {17}, "tolokers": nil} {
		if !asked(name) {
			continue
		}
		d, err := catalogue.Open(name)
		if err != nil {
			t.Skip(err)
		}
		p := ProblemOf(d, d.Splits[0].Train, 1)
		for i := 0; some == nil || i < len(p.Rows)/100 && len(some) < len(p.Rows)/100; i++ {
			some = append(some, 100*i+7)
		}
		l, err := NewLinear(p)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		l.Prepare()
		once, best := time.Since(began), time.Hour
		var got *Answers
		for range 3 {
			began = time.Now()
			if got, err = l.Without(some); err != nil {
				t.Fatal(err)
			}
			best = min(best, time.Since(began))
		}
		began = time.Now()
		want, err := Solve(shorter(p, some))
		if err != nil {
			t.Fatal(err)
		}
		again, far := time.Since(began), farthest(got, want)
		t.Logf("%s: %d of %d labels in %v, solved again in %v: %.0f times; once before %v; %.2g away", name, len(some),
			len(p.Rows), best, again, again.Seconds()/best.Seconds(), once, far)
		if !(far < 1e-5) {
			t.Errorf("%s: %g away", name, far)
		}
	}
}

// TestParts: what an edge changes of a closed form is not local. Without 1 % of the edges most rows have another norm
// in every channel over edges. It logs which share of a solution the place in the graph takes, which has to be found
// again: no update is faster than that. Of real graphs Cora alone without -figures.
func TestParts(t *testing.T) {
	for _, name := range []string{"csbm:nodes=1500,features=4,train=0.4", "cora", "pubmed", "tolokers"} {
		if !strings.Contains(name, ":") && !asked(name) {
			continue
		}
		d, err := catalogue.Open(name)
		if err != nil {
			t.Skip(err)
		}
		began := time.Now()
		_, s, err := solve(ProblemOf(d, d.Splits[0].Train, 1))
		if err != nil {
			t.Fatal(err)
		}
		whole := time.Since(began)
		began = time.Now()
		s.on.structure(1)
		place := time.Since(began)
		var gone []int32
		for e := 50; e < d.Graph.NumEdges(); e += 100 {
			gone = append(gone, int32(e))
		}
		less, err := d.Without(dataset.Gone{Edges: gone})
		if err != nil {
			t.Fatal(err)
		}
		now, err := newSolver(ProblemOf(less, less.Splits[0].Train, 1))
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range s.atoms {
			if !slices.Equal(a.filter.series, minimiser(30).series) || s.on.n != now.on.n {
				continue
			}
			moved := 0
			for v, x := range a.norms {
				if math.Abs(now.atoms[i].norms[v]-x) > 1e-6*x {
					moved++
				}
			}
			t.Logf("%s: without %d of %d edges %.1f %% of the norms of λ = 30 differ; solved in %v, the place in %v",
				name, len(gone), d.Graph.NumEdges(), 100*float64(moved)/float64(s.on.n), whole, place)
			if 2*moved < s.on.n {
				t.Errorf("%s: only %d of %d norms differ", name, moved, s.on.n)
			}
		}
	}
}
