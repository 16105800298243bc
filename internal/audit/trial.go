package audit

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Faults are the faults that are planted: classes flipped to any other, rows of another such node, columns shuffled
// within a row, rows of N(0, 1), and edges between nodes that were not joined.
var Faults = []string{Flipped, swapped, reversed, gaussian, RandomEdges}

// Outcome measures an audit of data whose faults are known.
type Outcome struct {
	Precision   float64 // among the top k for k faults
	Share, Most float64 // of faults, as the audit reports them; see Share
	True        float64 // the share of faults
	Calibration float64 // the expected calibration error
	// Signals are the precisions of single numbers that the audit is made of, by name.
	Signals map[string]float64
}

// Judge audits d for one fault, bad saying which nodes or edges are wrong.
func Judge(d Data, fault string, bad []bool, seed uint64) (o Outcome, err error) {
	rows := fault != Flipped && fault != RandomEdges
	w, err := judged(d, Options{Seed: seed, NoRows: !rows, NoLabels: fault != Flipped, NoEdges: fault != RandomEdges})
	if err != nil {
		return o, err
	}
	e := &w.rows
	switch fault {
	case RandomEdges:
		e = &w.edges
	case Flipped:
		e = &w.labels
	}
	o.Signals = map[string]float64{}
	wrong := make([]bool, len(e.thing))
	for k, i := range e.thing {
		wrong[k] = bad[i]
		if bad[i] {
			o.True += 1 / float64(len(wrong))
		}
	}
	for name, term := range w.signals(fault) {
		score := make([]float64, len(wrong))
		for k, t := range e.asIs {
			score[k] = term.sign * t[term.at]
		}
		o.Signals[name] = Precision(score, wrong)
	}
	r, err := w.report()
	if err != nil {
		return o, err
	}
	for _, s := range []Share{r.RowShare, r.LabelShare, r.EdgeShare} {
		o.Share, o.Most = o.Share+s.Wrong, o.Most+s.Most
	}
	var odds, p []float64
	wrong = wrong[:0]
	take := func(i int32, v Verdict) {
		odds, p, wrong = append(odds, v.Odds), append(p, v.Probability), append(wrong, bad[i])
	}
	for _, x := range r.Rows {
		take(x.Node, x.Verdict)
	}
	for _, x := range r.Labels {
		take(x.Node, x.Verdict)
	}
	for _, x := range r.Edges {
		take(x.Edge, x.Verdict)
	}
	o.Precision, o.Calibration = Precision(odds, wrong), calibration(p, wrong)
	return o, nil
}

// signal is a term of the evidence; things with a large sign·term are suspicious.
type signal struct {
	at   int
	sign float64
}

// signals returns the simplest terms that an audit looks at: probabilities of the given class without the node,
// distances from what neighbours predict, sizes, likenesses of the ends of an edge and what they have in common.
func (w *world) signals(fault string) map[string]signal {
	switch s := w.sizes(); fault {
	case Flipped:
		list := map[string]signal{"left-out probability": {4, -1}, "by the row": {0, -1}, "by the neighbours": {2, -1}}
		if w.columns == nil {
			list = map[string]signal{"left-out probability": {0, -1}}
		}
		return list
	case RandomEdges:
		list := map[string]signal{"common neighbours": {1, -1}, "row and neighbours": {7, -1}}
		if w.columns != nil {
			list["rows alike"], list["row and neighbours"] = signal{7, -1}, signal{9, -1}
		}
		if w.k > 1 {
			list["left-out probability"] = signal{len(w.edges.asIs[0]) - 2, -1}
		}
		return list
	default:
		list := map[string]signal{"size": {0, 1}, "residual": {s - 2, 1}, "largest residual": {s - 1, 1}}
		if w.k > 1 {
			list["left-out probability"] = signal{s, -1}
		}
		return list
	}
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
	return float64(found) / float64(max(all, 1))
}
