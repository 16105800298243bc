package node

import (
	"slices"

	"github.com/bloomgml/bloom/dataset"
)

// ConformalClass describes how sets are calibrated for the nodes of one class (Mondrian: Vovk et al. 2005).
// Calibration nodes of the class decide the score above which it is left out, so the sets of its nodes contain it
// with the requested probability. A class with too few of them shares them with all such classes: the probability
// then holds for their nodes together; if even these are too few, nothing is guaranteed, and Alone and Together are
// false.
type ConformalClass struct {
	Name     string  `json:"class"`
	Nodes    int     `json:"nodes"`    // of the class that calibrated
	Alone    bool    `json:"alone"`    // they were enough
	Together bool    `json:"together"` // the nodes of all classes that had too few were
	Quantile float64 `json:"quantile"` // the class is in a set where its score is at most this
	Tested   int     `json:"tested"`   // test nodes of the class
	Test     float64 `json:"test"`     // share of them whose set holds it; 0 without any
}

// conformalClasses calibrates every class by the scores of the true labels of nodes. Classes that together have too
// few nodes take the quantile of all nodes, or their own largest score if that is larger.
func conformalClasses(l dataset.Labels, scores []float64, nodes []int32, coverage float64) []ConformalClass {
	need, lists := enough(coverage), make([][]float64, len(l.Names))
	for i, v := range nodes {
		lists[l.Class[v]] = append(lists[l.Class[v]], scores[i])
	}
	var rare []float64
	for _, list := range lists {
		if len(list) < need {
			rare = append(rare, list...)
		}
	}
	together, shared := len(rare) >= need, quantile(slices.Clone(scores), coverage)
	if together || len(rare) > 0 && slices.Max(rare) > shared {
		shared = quantile(rare, coverage)
	}
	out := make([]ConformalClass, len(lists))
	for y, list := range lists {
		out[y] = ConformalClass{Name: l.Names[y], Nodes: len(list), Together: together, Quantile: shared}
		if len(list) >= need {
			out[y].Alone, out[y].Together, out[y].Quantile = true, false, quantile(list, coverage)
		}
	}
	return out
}

// tested counts a test node of the class.
func (c *ConformalClass) tested(held bool) {
	hits := c.Test * float64(c.Tested)
	if held {
		hits++
	}
	c.Tested++
	c.Test = hits / float64(c.Tested)
}
