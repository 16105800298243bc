package audit

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Faults are the faults that a Trial plants: classes flipped to any other, rows of another such node, columns shuffled
// within a row, rows of N(0, 1), and edges between nodes that were not joined.
var Faults = []string{flipped, swapped, reversed, gaussian, RandomEdges}

// Planted is the share of faults in a Trial.
const Planted = 0.1

// Trial audits d with a fault planted: audit is the precision among the top k for k planted faults (chance is 0.1),
// share is the share of faults that the audit reports, and calibration its expected calibration error.
func Trial(d Data, fault string, seed uint64) (map[string]float64, error) {
	d, bad, err := Plant(d, fault, Planted, seed)
	if err != nil {
		return nil, err
	}
	odds, p, share, err := audited(d, fault, len(bad), seed)
	if err != nil {
		return nil, err
	}
	return map[string]float64{"audit": Precision(odds, bad), "share": share, "calibration": calibration(p, bad)}, nil
}

// calibration returns the expected calibration error: probabilities in ten bins, and how far the mean of a bin is from
// the share of bad ones in it, weighted by size.
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

// Precision returns the precision among the top k for k bad ones, with ties in random order.
func Precision(score []float64, bad []bool) float64 {
	order, all, found := make([]int, len(score)), 0, 0
	for i, b := range bad {
		order[i] = i
		if b {
			all++
		}
	}
	rng := rand.New(rand.NewPCG(1, 78))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	for _, i := range order[:all] {
		if bad[i] {
			found++
		}
	}
	return float64(found) / float64(all)
}

// audited runs an audit for one fault; what is not ranked comes last.
func audited(d Data, fault string, n int, seed uint64) (odds, probability []float64, share float64, err error) {
	rows := fault != flipped && fault != RandomEdges
	r, err := Run(d, Options{Seed: seed, NoRows: !rows, NoLabels: fault != flipped, NoEdges: fault != RandomEdges})
	if err != nil {
		return nil, nil, 0, err
	}
	odds, probability = slices.Repeat([]float64{-1e9}, n), make([]float64, n)
	take := func(i int32, v Verdict) { odds[i], probability[i] = v.Odds, v.Probability }
	for _, x := range r.Rows {
		take(x.Node, x.Verdict)
	}
	for _, x := range r.Labels {
		take(x.Node, x.Verdict)
	}
	for _, x := range r.Edges {
		take(x.Edge, x.Verdict)
	}
	return odds, probability, r.RowShare + r.LabelShare + r.EdgeShare, nil
}
