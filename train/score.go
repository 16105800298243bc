package train

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// metricOf is the metric of a name that filled has checked; auto is that of the data set, or accuracy.
func metricOf(name string, d *dataset.Dataset) (string, error) {
	if name == "auto" {
		if name = d.Metric; name == "" {
			name = "accuracy"
		}
	}
	if name == "roc_auc" && len(d.Labels.Names) != 2 {
		return "", &BadSetting{"train.metric", name, fmt.Sprintf("accuracy: %s has %d classes, not 2", d.Name, len(d.Labels.Names))}
	}
	return name, nil
}

// scorer computes the metric of a split from logits. It allocates nothing after the first call.
type scorer struct {
	metric  string
	classes int
	class   []int32
	logits  []mat.Real // n×classes, on the host
	order   []scored
}

// scored is a node of a binary problem with the score of class 1.
type scored struct {
	score float64
	class int32
}

// of is the metric over nodes; NaN where there are none.
func (s *scorer) of(nodes []int32) float64 {
	if len(nodes) == 0 {
		return math.NaN()
	}
	if s.metric == "roc_auc" {
		return s.rocAUC(nodes)
	}
	right := 0
	for _, v := range nodes {
		row := s.logits[int(v)*s.classes : (int(v)+1)*s.classes]
		if best(row) == int(s.class[v]) {
			right++
		}
	}
	return float64(right) / float64(len(nodes))
}

// best is the place of the largest entry, the first of those that tie.
func best(row []mat.Real) int {
	at := 0
	for j, z := range row {
		if z > row[at] {
			at = j
		}
	}
	return at
}

// rocAUC is the probability that a node of class 1 scores above one of class 0, ties counting half.
func (s *scorer) rocAUC(nodes []int32) float64 {
	s.order = s.order[:0]
	for _, v := range nodes {
		s.order = append(s.order, scored{float64(s.logits[2*v+1]) - float64(s.logits[2*v]), s.class[v]})
	}
	slices.SortFunc(s.order, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	ranks, ones := 0.0, 0.0
	for i := 0; i < len(s.order); {
		j := i
		for j < len(s.order) && s.order[j].score == s.order[i].score {
			j++
		}
		for _, x := range s.order[i:j] {
			if x.class == 1 {
				ranks, ones = ranks+float64(i+j+1)/2, ones+1
			}
		}
		i = j
	}
	zeros := float64(len(nodes)) - ones
	if ones == 0 || zeros == 0 {
		return math.NaN()
	}
	return (ranks - ones*(ones+1)/2) / (ones * zeros)
}
