package nodes

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/dataset/analysis"
)

// Advice proposes a recipe for a data set, with the numbers it rests on.
type Advice struct {
	Recipe          string  `json:"recipe"`
	Why             string  `json:"why"`
	Homophily       float64 `json:"adjusted_homophily"`
	Informativeness float64 `json:"label_informativeness"`
	Coverage        float64 `json:"coverage"`
	Outliers        float64 `json:"outliers"` // share of the nodes whose residual is far outside
}

// The thresholds of Advise.
const (
	homophilous = 0.35 // adjusted homophily from which neighbours are taken to agree
	informative = 0.05 // label informativeness from which neighbours are taken to tell something
	covered     = 0.5  // coverage from which features alone are taken to tell the classes
	spoilt      = 0.05 // share of outliers from which rows are taken to be corrupted
)

// Advise looks at labels, features and the residuals of an inspection; nil where there is none.
//
// Chosen: neighbours that agree call for base, and for robust where many rows stand out; neighbours that differ but
// tell something for a trained compatibility; neighbours that tell nothing for the same with Huber, which can turn
// edges off, unless features alone tell the classes.
func (t *Task) Advise(in *bloom.Inspection) (Advice, error) {
	if t.Data.Labels.Task != "" {
		return Advice{Recipe: "base", Why: "labels are no classes, which advice goes by"}, nil
	}
	cover, err := t.Coverage()
	if err != nil {
		return Advice{}, err
	}
	out := Advice{Coverage: cover}
	if in != nil {
		out.Outliers = outliers(in.Residuals())
	}
	if h := analysis.Describe(t.Data).Homophily; h != nil {
		out.Homophily, out.Informativeness = h.Adjusted, h.Informativeness
	}
	switch {
	case t.Data.Graph.NumEdges() == 0:
		out.Recipe, out.Why = "mlp", "there are no edges"
	case out.Homophily >= homophilous && out.Outliers >= spoilt:
		out.Recipe, out.Why = "robust", "neighbours mostly have the same class, and many rows stand out from theirs"
	case out.Homophily >= homophilous:
		out.Recipe, out.Why = "base", "neighbours mostly have the same class"
	case out.Informativeness >= informative:
		out.Recipe, out.Why = "heterophily", "neighbours mostly differ, but in a way that tells something"
	case out.Coverage >= covered:
		out.Recipe, out.Why = "mlp", "edges say little about classes and features say much"
	default:
		out.Recipe, out.Why = "heterophily-huber", "edges say little about classes one by one, and features do not "+
			"either"
	}
	return out, nil
}

// outliers is the share of nodes whose residual is more than three times the distance between the quartiles above the
// upper one (Tukey's far outside values).
func outliers(residuals []float64) float64 {
	n := len(residuals)
	if n < 4 {
		return 0
	}
	x := slices.Sorted(slices.Values(residuals))
	lower, upper := x[n-1-3*n/4], x[n-1-n/4]
	within, _ := slices.BinarySearchFunc(x, upper+3*(upper-lower), func(r, limit float64) int {
		if r <= limit {
			return -1
		}
		return 1
	})
	return float64(n-within) / float64(n)
}

// String is the advice as one line.
func (a Advice) String() string {
	return fmt.Sprintf("try %s: %s (adjusted homophily %.2f, label informativeness %.2f, coverage of the labels by "+
		"the features %.2f, outliers %.1f %%)",
		a.Recipe, a.Why, a.Homophily, a.Informativeness, a.Coverage, 100*a.Outliers)
}
