package closed

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

var figures = flag.String("figures", "", "measure all splits of these graphs")

// TestFigures: scores on graphs with published splits, and the least that each must reach. Cora alone without -figures.
func TestFigures(t *testing.T) {
	for _, c := range []struct {
		data  string
		least float64
	}{
		{"cora", 0.82}, {"citeseer", 0.71}, {"pubmed", 0.79}, {"tolokers", 0.80}, {"minesweeper", 0.87},
		{"squirrel_filtered", 0}, {"actor", 0},
	} {
		if c.data != "cora" && *figures == "" || *figures != "" && !strings.Contains(*figures, c.data) {
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
			f, err := Solve(Of(d, split.Train, 1))
			if err != nil {
				t.Fatal(err)
			}
			scores = append(scores, score(d, split.Test, f))
			if i == 0 {
				for _, m := range f.Candidates {
					t.Logf("%s: %-40s ρ %.3g error %.4f of %d weight %.2f", c.data, m.Channel, m.Rho, m.Error, m.Labels,
						m.Weight)
				}
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
func score(d *dataset.Dataset, nodes []int32, f *Fit) float64 {
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
