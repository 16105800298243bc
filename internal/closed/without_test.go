package closed

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/bloomgml/bloom/dataset/catalogue"
)

// farthest is the largest difference of answers and probabilities.
func farthest(a, b *Fit) (far float64) {
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
		p := Of(d, d.Splits[0].Train, 1)
		l, err := NewLinear(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, gone := range [][]int{{3}, {0, 7, 8}, {len(p.Rows) - 1}} {
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

// TestWithoutReal takes 1 % of the labels out of data in BLOOM_DATA, and says how long it takes.
func TestWithoutReal(t *testing.T) {
	for name, some := range map[string][]int{"cora": {17}, "pubmed": {17}, "tolokers": nil} {
		d, err := catalogue.Open(name)
		if err != nil {
			t.Skip(err)
		}
		p := Of(d, d.Splits[0].Train, 1)
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
		var got *Fit
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
