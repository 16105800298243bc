package node

import (
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/fit"
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

// conformalClasses calibrates every class by the scores of the true labels of nodes.
func conformalClasses(l dataset.Labels, scores []float64, nodes []int32, coverage float64) []ConformalClass {
	of := make([]int32, len(nodes))
	for i, v := range nodes {
		of[i] = l.Class[v]
	}
	out := make([]ConformalClass, len(l.Names))
	for y, x := range fit.ByGroup(scores, of, len(l.Names), coverage) {
		out[y] = ConformalClass{Name: l.Names[y], Nodes: x.Count, Alone: x.Alone, Together: x.Together,
			Quantile: x.Quantile}
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
