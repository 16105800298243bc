package report

import (
	"fmt"

	"github.com/bloomgml/bloom/internal/show"
)

// histogramBins is the number of bins of histograms.
const histogramBins = 20

// neighbourhoods returns charts of how labels and edges go together, and of nodes that are known to be corrupted.
func (r *Run) neighbourhoods() []*show.Chart {
	if !r.ofClasses() {
		return present(r.detection())
	}
	return present(r.homophily(), r.detection())
}

// homophily counts the measured nodes by the share of their labelled neighbours that are of their own class, right and
// wrong ones.
func (r *Run) homophily() *show.Chart {
	part, nodes := r.measured()
	same, all := r.agreeing()
	var right, wrong []float64
	for _, v := range nodes {
		y := r.Trained.Data.Labels.Class[v]
		switch {
		case y < 0 || all[v] == 0:
		case r.class(v) == y:
			right = append(right, same[v]/all[v])
		default:
			wrong = append(wrong, same[v]/all[v])
		}
	}
	return show.Histogram("Nodes by homophily", show.Axes{Below: "neighbours of the same class", X: show.Percent},
		0, 1,
		histogramBins, show.Group{Name: "predicted right", Ink: show.Series(0), Values: right},
		show.Group{Name: "predicted wrong", Ink: show.Series(1), Values: wrong}).
		Saying(fmt.Sprintf("The %s nodes by the share of their neighbours that have their class.", part))
}

// agreeing counts, for every node, the labelled neighbours and those among them of its own class. An edge counts for
// both ends.
func (r *Run) agreeing() (same, all []float64) {
	g, class := r.Trained.Data.Graph, r.Trained.Data.Labels.Class
	same, all = make([]float64, g.NumNodes()), make([]float64, g.NumNodes())
	for _, e := range g.Triples() {
		if e.U == e.V || class[e.U] < 0 || class[e.V] < 0 {
			continue
		}
		all[e.U]++
		all[e.V]++
		if class[e.U] == class[e.V] {
			same[e.U]++
			same[e.V]++
		}
	}
	return same, all
}

// detection shows residuals if it is known which nodes are corrupted.
func (r *Run) detection() *show.Chart {
	if r.Inspection == nil {
		return nil
	}
	d := r.Trained.Task.Detect(r.Inspection)
	if d == nil {
		return nil
	}
	reals := func(counts []int) []float64 {
		out := make([]float64, len(counts))
		for i, n := range counts {
			out[i] = float64(n)
		}
		return out
	}
	return show.BarChart("Nodes by residual", show.Axes{Below: "‖h − π(x)‖"}, 0, d.Max,
		show.Group{Name: "clean", Ink: show.Series(0), Values: reals(d.Clean)},
		show.Group{Name: "corrupted", Ink: show.Series(1), Values: reals(d.Spoilt)}).
		Saying(fmt.Sprintf("%s of the %s corrupted nodes are among the first %[2]s by residual.",
			show.Percent(d.Ratio), show.Thousands(d.Corrupted)))
}
