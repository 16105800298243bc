package insight

import (
	"fmt"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/train"
)

// Advice proposes a recipe for a data set, with the numbers it rests on.
type Advice struct {
	Recipe          string  `json:"recipe"`
	Why             string  `json:"why"`
	Homophily       float64 `json:"adjusted_homophily"`
	Informativeness float64 `json:"label_informativeness"`
	Coverage        float64 `json:"coverage"`
}

// The thresholds of Advise.
const (
	homophilous = 0.35 // adjusted homophily from which neighbours are taken to agree
	informative = 0.05 // label informativeness from which neighbours are taken to tell something
	covered     = 0.5  // coverage from which features alone are taken to tell the classes
)

// Advise looks at labels and features.
//
// Chosen: neighbours that agree call for base, and for robust where many rows stand out; neighbours that differ but tell
// something for a trained compatibility; neighbours that tell nothing for the same with Huber, which can turn edges off,
// unless features alone tell the classes.
func Advise(t *train.Task) (Advice, error) {
	cover, err := Coverage(t)
	if err != nil {
		return Advice{}, err
	}
	a := Advice{Coverage: cover}
	if h := dataset.Describe(t.Data).Homophily; h != nil {
		a.Homophily, a.Informativeness = h.Adjusted, h.Informativeness
	}
	switch {
	case t.Data.Graph.NumEdges() == 0:
		a.Recipe, a.Why = "mlp", "there are no edges"
	case a.Homophily >= homophilous:
		a.Recipe, a.Why = "base", "neighbours mostly have the same class"
	case a.Informativeness >= informative:
		a.Recipe, a.Why = "heterophily", "neighbours mostly differ, but in a way that tells something"
	case a.Coverage >= covered:
		a.Recipe, a.Why = "mlp", "edges say little about classes and features say much"
	default:
		a.Recipe, a.Why = "heterophily-huber", "edges say little about classes one by one, and features do not either"
	}
	return a, nil
}

// String is the advice as one line.
func (a Advice) String() string {
	return fmt.Sprintf("try %s: %s (adjusted homophily %.2f, label informativeness %.2f, coverage of the labels by the features %.2f)",
		a.Recipe, a.Why, a.Homophily, a.Informativeness, a.Coverage)
}
