package audit

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
)

var (
	study  = flag.String("study", "", "data sets to plant faults in, separated by commas; BLOOM_DATA is where they are")
	seeds  = flag.Int("seeds", 10, "of the study, from 1")
	faults = flag.String("faults", "", "of the study, separated by commas; empty means all")
)

// TestStudy measures an audit and the simple methods on a tenth of planted faults, precision among the first as many:
//
//	BLOOM_DATA=… go test ./internal/audit -run TestStudy -study cora,citeseer -v -timeout 0
func TestStudy(t *testing.T) {
	if *study == "" {
		t.Skip("-study names no data set")
	}
	list := []string{flipped, swapped, reversed, gaussian, added}
	if *faults != "" {
		list = strings.Split(*faults, ",")
	}
	for _, name := range strings.Split(*study, ",") {
		d, all := open(t, name), map[string]map[string][]float64{}
		for seed := range uint64(*seeds) {
			for _, fault := range list {
				if all[fault] == nil {
					all[fault] = map[string][]float64{}
				}
				for method, x := range trial(t, d, fault, seed+1) {
					all[fault][method] = append(all[fault][method], x)
				}
				fmt.Printf("%s, %s, seeds 1 to %d:%s\n", name, fault, seed+1, summary(all[fault]))
			}
		}
	}
}

// trial is one seed of a fault: precisions, and how well the audit knows the share of faults and each of them.
func trial(t *testing.T, d Data, fault string, seed uint64) map[string]float64 {
	t.Helper()
	d, bad := plant(t, d, fault, 0.1, seed)
	odds, p, share := audited(t, d, fault, len(bad), seed)
	out := map[string]float64{"audit": precision(odds, bad), "share": share, "calibration": calibration(p, bad)}
	for method, score := range simple(t, d, fault, seed) {
		out[method] = precision(score, bad)
	}
	return out
}

// calibration is the expected calibration error: probabilities in ten bins, and how far the mean of a bin is from the
// share of bad ones in it, weighted by size.
func calibration(p []float64, bad []bool) (sum float64) {
	var n, mean, share [10]float64
	for i, x := range p {
		b := min(int(10*x), 9)
		n[b]++
		mean[b] += x
		if bad[i] {
			share[b]++
		}
	}
	for b := range n {
		sum += math.Abs(mean[b]-share[b]) / float64(len(p))
	}
	return sum
}

// summary is mean and deviation of every method.
func summary(all map[string][]float64) string {
	var b strings.Builder
	for _, method := range slices.Sorted(maps.Keys(all)) {
		xs := all[method]
		mean, sd := sum(xs)/float64(len(xs)), 0.0
		for _, x := range xs {
			sd += (x - mean) * (x - mean) / float64(len(xs))
		}
		fmt.Fprintf(&b, " | %s %.3f ± %.3f", method, mean, math.Sqrt(sd))
	}
	return b.String()
}
